"""Addresses of the JSON views, under /api/operatorhub/."""

from django.urls import path

from operatorhub.api import extensions, groups, installs, operators, packages, runs, sources, subscriptions

app_name = "operatorhub-api"
PACKAGE = "packages/<str:namespace>/<str:catalog>/<str:package>/"

urlpatterns = [
    path("packages/", packages.Packages.as_view(), name="packages"),
    path(PACKAGE, packages.PackageDetail.as_view(), name="package"),
    path(f"{PACKAGE}versions/<str:version>/", packages.BundleDetail.as_view(), name="bundle"),
    path(f"{PACKAGE}install/", installs.Install.as_view(), name="install"),
    path("installs/<str:namespace>/<str:subscription>/", installs.Progress.as_view(), name="progress"),
    path("operators/", operators.Operators.as_view(), name="operators"),
    path("compare/", packages.Comparison.as_view(), name="compare"),
    path("catalogs/", sources.Catalogs.as_view(), name="catalogs"),
    path("catalogs/<str:namespace>/<str:name>/", sources.OneCatalog.as_view(), name="catalog"),
    path("operators/<str:namespace>/<str:csv>/uninstall/", operators.Uninstall.as_view(), name="uninstall"),
    path("operators/<str:namespace>/<str:csv>/export/", operators.Export.as_view(), name="export"),
    path("removals/<str:key>/", operators.Removal.as_view(), name="removal"),
    path("operators/<str:namespace>/<str:csv>/", operators.OneOperator.as_view(), name="operator"),
    path("subscriptions/", subscriptions.Subscriptions.as_view(), name="subscriptions"),
    path(
        "subscriptions/<str:namespace>/<str:subscription>/",
        subscriptions.OneSubscription.as_view(),
        name="subscription",
    ),
    path("installplans/", subscriptions.Plans.as_view(), name="plans"),
    path("installplans/<str:namespace>/<str:plan>/", subscriptions.OnePlan.as_view(), name="plan"),
    path("installplans/<str:namespace>/<str:plan>/approve/", subscriptions.Approval.as_view(), name="approve"),
    path("operatorgroups/<str:namespace>/", groups.Groups.as_view(), name="groups"),
    path("operatorgroups/<str:namespace>/<str:name>/", groups.OneGroup.as_view(), name="group"),
    path("runs/", runs.Runs.as_view(), name="runs"),
    path("runs/<str:namespace>/<str:package>/", runs.OneRun.as_view(), name="run"),
    path("extensions/", extensions.Extensions.as_view(), name="extensions"),
    path("extensions/<str:name>/", extensions.OneExtension.as_view(), name="extension"),
]

"""Addresses of the JSON views, under /api/operatorhub/."""

from django.urls import path

from operatorhub.api import extensions, groups, installs, operators, packages, runs, sources, subscriptions

app_name = "operatorhub-api"
PACKAGE = "packages/<name:namespace>/<name:catalog>/<name:package>/"

urlpatterns = [
    path("packages/", packages.Packages.as_view(), name="packages"),
    path(PACKAGE, packages.PackageDetail.as_view(), name="package"),
    path(f"{PACKAGE}versions/<name:version>/", packages.BundleDetail.as_view(), name="bundle"),
    path(f"{PACKAGE}install/", installs.Install.as_view(), name="install"),
    path("installs/<name:namespace>/<name:subscription>/", installs.Progress.as_view(), name="progress"),
    path("operators/", operators.Operators.as_view(), name="operators"),
    path("compare/", packages.Comparison.as_view(), name="compare"),
    path("catalogs/", sources.Catalogs.as_view(), name="catalogs"),
    path("catalogs/<name:namespace>/<name:name>/", sources.OneCatalog.as_view(), name="catalog"),
    path("operators/<name:namespace>/<name:csv>/uninstall/", operators.Uninstall.as_view(), name="uninstall"),
    path("operators/<name:namespace>/<name:csv>/export/", operators.Export.as_view(), name="export"),
    path("removals/<name:key>/", operators.Removal.as_view(), name="removal"),
    path("operators/<name:namespace>/<name:csv>/", operators.OneOperator.as_view(), name="operator"),
    path("subscriptions/", subscriptions.Subscriptions.as_view(), name="subscriptions"),
    path(
        "subscriptions/<name:namespace>/<name:subscription>/",
        subscriptions.OneSubscription.as_view(),
        name="subscription",
    ),
    path("installplans/", subscriptions.Plans.as_view(), name="plans"),
    path("installplans/<name:namespace>/<name:plan>/", subscriptions.OnePlan.as_view(), name="plan"),
    path("installplans/<name:namespace>/<name:plan>/approve/", subscriptions.Approval.as_view(), name="approve"),
    path("operatorgroups/<name:namespace>/", groups.Groups.as_view(), name="groups"),
    path("operatorgroups/<name:namespace>/<name:name>/", groups.OneGroup.as_view(), name="group"),
    path("runs/", runs.Runs.as_view(), name="runs"),
    path("runs/<name:namespace>/<name:package>/", runs.OneRun.as_view(), name="run"),
    path("extensions/", extensions.Extensions.as_view(), name="extensions"),
    path("extensions/<name:name>/", extensions.OneExtension.as_view(), name="extension"),
]

"""Addresses of the catalog, of installs and of installed operators."""

from django.urls import path, re_path

from operatorhub.views import (
    bootstrap,
    catalog,
    export,
    extensions,
    groups,
    install,
    installed_operators,
    levels,
    navigation,
    operator,
    package,
    plans,
    progress,
    run,
    source_forms,
    sources,
)

app_name = "operatorhub"
PACKAGE = "operatorhub/<str:namespace>/<str:catalog>/<str:package>/"
SOURCE = "operatorhub/catalogs/source/<str:namespace>/<str:name>/"
OPERATOR = "operators/<str:namespace>/<str:csv>/"

urlpatterns = [
    path("operatorhub/", catalog.catalog, name="catalog"),
    path("operatorhub/catalogs/", sources.sources, name="sources"),
    path("operatorhub/catalogs/new/", source_forms.new, name="source-new"),
    # `~` is the console's own, `-` is ClusterCatalogs.
    path(SOURCE, sources.source, name="source"),
    path(f"{SOURCE}edit/", source_forms.edit, name="source-edit"),
    path(f"{SOURCE}delete/", source_forms.delete, name="source-delete"),
    path(f"{SOURCE}refresh/", sources.refresh, name="source-refresh"),
    path(f"{SOURCE}read/", sources.read, name="source-read"),
    path(f"{SOURCE}restart/", sources.restart, name="source-restart"),
    path("operatorhub/levels/", levels.levels, name="levels"),
    path("operatorhub/compare/", catalog.compare, name="compare"),
    path("operatorhub/run/", run.run, name="run"),
    path("operatorhub/olm/", bootstrap.olm, name="olm"),
    path("operatorhub/olm/<str:key>/", bootstrap.chosen, name="olm-manifest"),
    path("operatorhub/olm/<str:key>/manifest/remove/", bootstrap.remove, name="olm-remove"),
    path("operatorhub/icons/<str:digest>", catalog.icon, name="icon"),
    path(PACKAGE, package.package, name="package"),
    path(f"{PACKAGE}apis/<str:crd>/", package.schema, name="api"),
    path(f"{PACKAGE}install/", install.install, name="install"),
    path(f"{PACKAGE}install/manifests.yaml", install.manifests, name="install-manifests"),
    path("extensions/", extensions.extensions, name="extensions"),
    path("extensions/+/", extensions.new, name="extension-new"),
    path("extensions/<str:name>/", extensions.extension, name="extension"),
    path("extensions/<str:name>/upgrade/", extensions.upgrade, name="extension-upgrade"),
    path("extensions/<str:name>/delete/", extensions.delete, name="extension-delete"),
    path("operators/import/", export.bring_in, name="import"),
    path("operators/import/waiting/", export.import_waiting, name="import-waiting"),
    path("operators/", installed_operators.installed, name="installed"),
    path("operators/approve/", plans.approve_updates, name="approve-updates"),
    path("operators/navigation/", navigation.operators, name="navigation"),
    path("operators/services/", installed_operators.services, name="services"),
    # An install is followed at its Subscription: the page can be loaded again at any time.
    path("operators/<str:namespace>/subscriptions/<str:subscription>/", progress.progress, name="progress"),
    path("operators/<str:namespace>/subscriptions/<str:subscription>/mend/", progress.mend, name="mend"),
    path("operators/undo/", progress.undo_created, name="undo-made"),
    path("operators/<str:namespace>/subscriptions/<str:subscription>/undo/", progress.undo, name="undo"),
    path("operators/<str:namespace>/runs/<str:package>/", run.progress, name="run-progress"),
    path("operators/<str:namespace>/runs/<str:package>/remove/", run.remove, name="run-remove"),
    path(
        "operators/<str:namespace>/subscriptions/<str:subscription>/edit/",
        operator.subscription,
        name="subscription",
    ),
    path(
        "operators/<str:namespace>/subscriptions/<str:subscription>/remove/",
        operator.remove_subscription,
        name="subscription-remove",
    ),
    # No namespace is called so.
    path("operators/-/removals/<str:key>/", operator.uninstall_progress, name="removal"),
    # `-` is all namespaces.
    path("operators/<str:namespace>/installplans/", plans.plans, name="plans"),
    path("operators/<str:namespace>/installplans/<str:plan>/", plans.plan, name="plan"),
    path("operators/<str:namespace>/installplans/<str:plan>/approve/", plans.approve, name="plan-approve"),
    path("operators/<str:namespace>/installplans/<str:plan>/deny/", plans.deny, name="plan-deny"),
    path("operators/<str:namespace>/installplans/<str:plan>/check/", plans.check, name="plan-check"),
    path("operators/<str:namespace>/installplans/<str:plan>/steps/<int:number>/", plans.step, name="plan-step"),
    path("operators/<str:namespace>/groups/", groups.groups, name="groups"),
    path("operators/<str:namespace>/groups/+/", groups.edit, name="group-new"),
    path("operators/<str:namespace>/groups/<str:name>/", groups.edit, name="group"),
    path("operators/<str:namespace>/groups/<str:name>/delete/", groups.delete, name="group-delete"),
    path(OPERATOR, operator.operator, name="operator"),
    re_path(
        r"^operators/(?P<namespace>[^/]+)/(?P<csv>[^/]+)/(?P<tab>instances|permissions|updates|events)/$",
        operator.operator,
        name="operator-tab",
    ),
    re_path(
        r"^operators/(?P<namespace>[^/]+)/(?P<csv>[^/]+)/(?P<tab>subscription|plans)/$",
        operator.moved,
        name="operator-moved",
    ),
    path(f"{OPERATOR}export/", export.export, name="export"),
    path(f"{OPERATOR}uninstall/", operator.uninstall, name="uninstall"),
]

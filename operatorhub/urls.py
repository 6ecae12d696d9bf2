"""Addresses of the catalog, of installs and of installed operators."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

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


class OperatorTab(StringConverter):
    regex = "instances|permissions|updates|events"


class MovedTab(StringConverter):
    """Tabs of earlier versions, which bookmarks lead to."""

    regex = "subscription|plans"


register_converter(OperatorTab, "operator_tab")
register_converter(MovedTab, "moved_tab")

app_name = "operatorhub"
PACKAGE = "operatorhub/<name:namespace>/<name:catalog>/<name:package>/"
SOURCE = "operatorhub/catalogs/source/<name:namespace>/<name:name>/"
OPERATOR = "operators/<name:namespace>/<name:csv>/"

urlpatterns = [
    path("operatorhub/", catalog.catalog, name="catalog"),
    path("operatorhub/catalogs/", sources.sources, name="sources"),
    path("operatorhub/catalogs/new/", source_forms.new, name="source-new"),
    path("operatorhub/catalogs/default/<name:name>/", sources.switch_default, name="source-default"),
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
    path("operatorhub/olm/<name:key>/", bootstrap.chosen, name="olm-manifest"),
    path("operatorhub/olm/<name:key>/manifest/remove/", bootstrap.remove, name="olm-remove"),
    path("operatorhub/icons/<str:digest>", catalog.icon, name="icon"),
    path(PACKAGE, package.package, name="package"),
    path(f"{PACKAGE}apis/<name:crd>/", package.schema, name="api"),
    path(f"{PACKAGE}install/", install.install, name="install"),
    path(f"{PACKAGE}install/manifests.yaml", install.manifests, name="install-manifests"),
    path("extensions/", extensions.extensions, name="extensions"),
    path("extensions/+/", extensions.new, name="extension-new"),
    path("extensions/<name:name>/", extensions.extension, name="extension"),
    path("extensions/<name:name>/upgrade/", extensions.upgrade, name="extension-upgrade"),
    path("extensions/<name:name>/delete/", extensions.delete, name="extension-delete"),
    path("operators/import/", export.bring_in, name="import"),
    path("operators/import/waiting/", export.import_waiting, name="import-waiting"),
    path("operators/", installed_operators.installed, name="installed"),
    path("operators/approve/", plans.approve_updates, name="approve-updates"),
    path("operators/navigation/", navigation.operators, name="navigation"),
    path("operators/services/", installed_operators.services, name="services"),
    # An install is followed at its Subscription: the page can be loaded again at any time.
    path("operators/<name:namespace>/subscriptions/<name:subscription>/", progress.progress, name="progress"),
    path("operators/<name:namespace>/subscriptions/<name:subscription>/mend/", progress.mend, name="mend"),
    path("operators/undo/", progress.undo_created, name="undo-made"),
    path("operators/<name:namespace>/subscriptions/<name:subscription>/undo/", progress.undo, name="undo"),
    path("operators/<name:namespace>/runs/<name:package>/", run.progress, name="run-progress"),
    path("operators/<name:namespace>/runs/<name:package>/remove/", run.remove, name="run-remove"),
    path(
        "operators/<name:namespace>/subscriptions/<name:subscription>/edit/",
        operator.subscription,
        name="subscription",
    ),
    path(
        "operators/<name:namespace>/subscriptions/<name:subscription>/remove/",
        operator.remove_subscription,
        name="subscription-remove",
    ),
    # No namespace is called so.
    path("operators/-/removals/<name:key>/", operator.uninstall_progress, name="removal"),
    # `-` is all namespaces.
    path("operators/<name:namespace>/installplans/", plans.plans, name="plans"),
    path("operators/<name:namespace>/installplans/<name:plan>/", plans.plan, name="plan"),
    path("operators/<name:namespace>/installplans/<name:plan>/approve/", plans.approve, name="plan-approve"),
    path("operators/<name:namespace>/installplans/<name:plan>/deny/", plans.deny, name="plan-deny"),
    path("operators/<name:namespace>/installplans/<name:plan>/check/", plans.check, name="plan-check"),
    path("operators/<name:namespace>/installplans/<name:plan>/steps/<int:number>/", plans.step, name="plan-step"),
    path("operators/<name:namespace>/groups/", groups.groups, name="groups"),
    path("operators/<name:namespace>/groups/+/", groups.edit, name="group-new"),
    path("operators/<name:namespace>/groups/<name:name>/", groups.edit, name="group"),
    path("operators/<name:namespace>/groups/<name:name>/delete/", groups.delete, name="group-delete"),
    path(OPERATOR, operator.operator, name="operator"),
    path(f"{OPERATOR}<operator_tab:tab>/", operator.operator, name="operator-tab"),
    path(f"{OPERATOR}<moved_tab:tab>/", operator.moved, name="operator-moved"),
    path(f"{OPERATOR}export/", export.export, name="export"),
    path(f"{OPERATOR}uninstall/", operator.uninstall, name="uninstall"),
]

"""Addresses of the catalog, of installs and of installed operators."""

from django.urls import path

from operatorhub.views import (
    catalog,
    compare,
    icon,
    install,
    installed,
    operator,
    package,
    progress,
    run,
    run_followed,
    schema,
    undo,
    uninstall,
)

app_name = "operatorhub"
PACKAGE = "operatorhub/<str:namespace>/<str:catalog>/<str:package>/"
OPERATOR = "operators/<str:namespace>/<str:csv>/"

urlpatterns = [
    path("operatorhub/", catalog.catalog, name="catalog"),
    path("operatorhub/compare/", compare.compare, name="compare"),
    path("operatorhub/run/", run.run, name="run"),
    path("operatorhub/icons/<str:digest>", icon.icon, name="icon"),
    path(PACKAGE, package.package, name="package"),
    path(f"{PACKAGE}apis/<str:crd>/", schema.schema, name="api"),
    path(f"{PACKAGE}install/", install.install, name="install"),
    path(f"{PACKAGE}install/manifests.yaml", install.manifests, name="install-manifests"),
    path("operators/", installed.installed, name="installed"),
    # An install is followed at its Subscription: the page can be loaded again at any time.
    path("operators/<str:namespace>/subscriptions/<str:subscription>/", progress.progress, name="progress"),
    path("operators/<str:namespace>/subscriptions/<str:subscription>/mend/", progress.mend, name="mend"),
    path("operators/undo/", undo.made, name="undo-made"),
    path("operators/<str:namespace>/subscriptions/<str:subscription>/undo/", undo.undo, name="undo"),
    path("operators/<str:namespace>/installplans/<str:plan>/approve/", progress.approve, name="approve"),
    path("operators/<str:namespace>/runs/<str:package>/", run_followed.progress, name="run-progress"),
    path("operators/<str:namespace>/runs/<str:package>/remove/", run_followed.remove, name="run-remove"),
    path(OPERATOR, operator.operator, name="operator"),
    path(f"{OPERATOR}uninstall/", uninstall.uninstall, name="uninstall"),
]

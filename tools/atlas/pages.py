"""The addresses of the main pages: at least one for each URL pattern that answers a person's GET with a whole page.

`{plan}` and the like are filled in from the scene (tools/atlas/scene.py). tests/tools/test_atlas.py compares this with
Django's URL patterns, so that a new page is measured or named here as one that isn't, with the reason.
"""

from dataclasses import dataclass

FLIGHTS, SHOP = "flights", "shop"
PACKAGE = "/operatorhub/olm/samples-catalog/flightticket/"
OPERATOR = f"/operators/{FLIGHTS}/flightticket-operator.v1.0.0/"
SUBSCRIPTION = f"/operators/{FLIGHTS}/subscriptions/flightticket/"
_CORE, _APPS = "/resources/core/v1/", "/resources/apps/v1/"
_TICKETS = "/resources/flights.com/v1/flighttickets/"
_DATABASES = "/resources/samples.operator-console.dev/v1/sampledbs/"
DATABASE = f"{_DATABASES}{SHOP}/example-database/"
POD = f"{_CORE}pods/{SHOP}/example-database-0/"
WEB = f"{_APPS}deployments/{SHOP}/web/"


@dataclass(frozen=True, slots=True)
class Stop:
    """One page.

    `name` is its picture's too. `main`: a page of daily use, photographed in every combination.
    """

    name: str
    address: str
    status: int = 200
    main: bool = True


def _rare(name: str, address: str, status: int = 200) -> Stop:
    return Stop(name, address, status, main=False)


STOPS = (
    Stop("overview", "/"),
    Stop("operatorhub", "/operatorhub/"),
    _rare("operatorhub-empty", "/operatorhub/?q=zzqxjvw"),
    _rare("operatorhub-list", "/operatorhub/?view=list"),
    Stop("package", PACKAGE),
    _rare("package-permissions", f"{PACKAGE}?tab=permissions"),
    _rare("package-versions", f"{PACKAGE}?tab=versions"),
    _rare("package-contents", f"{PACKAGE}?tab=contents"),
    _rare("package-schema", f"{PACKAGE}apis/flighttickets.flights.com/"),
    Stop("install", f"{PACKAGE}install/"),
    Stop("levels", "/operatorhub/levels/"),
    _rare(
        "compare", "/operatorhub/compare/?package=olm/samples-catalog/flightticket&package=olm/samples-catalog/sampledb"
    ),
    _rare("run-bundle", "/operatorhub/run/"),
    _rare("olm", "/operatorhub/olm/"),
    Stop("catalogs", "/operatorhub/catalogs/?namespace=-"),
    _rare("catalog-new", "/operatorhub/catalogs/new/?kind=catalogsource"),
    _rare("catalog-own", "/operatorhub/catalogs/new/?kind=own"),
    _rare("catalog-source", "/operatorhub/catalogs/source/olm/samples-catalog/"),
    _rare("catalog-edit", "/operatorhub/catalogs/source/olm/samples-catalog/edit/"),
    _rare("catalog-delete", "/operatorhub/catalogs/source/olm/samples-catalog/delete/"),
    _rare("extensions", "/extensions/"),
    _rare("extension-new", "/extensions/+/"),
    Stop("installed", "/operators/?namespace=-"),
    _rare("installed-empty", "/operators/?namespace=default"),
    _rare("services", f"/operators/services/?namespace={SHOP}"),
    _rare("import", "/operators/import/"),
    Stop("operator", OPERATOR),
    _rare("operator-subscription", f"{OPERATOR}subscription/"),
    _rare("operator-instances", f"{OPERATOR}instances/"),
    _rare("operator-events", f"{OPERATOR}events/"),
    _rare("operator-plans", f"{OPERATOR}plans/"),
    _rare("operator-export", f"{OPERATOR}export/"),
    _rare("operator-uninstall", f"{OPERATOR}uninstall/"),
    _rare("progress", SUBSCRIPTION),
    _rare("subscription-edit", f"{SUBSCRIPTION}edit/"),
    _rare("subscription-remove", f"{SUBSCRIPTION}remove/"),
    _rare("subscription-undo", f"{SUBSCRIPTION}undo/"),
    Stop("plans", "/operators/-/installplans/"),
    Stop("plan", f"/operators/{FLIGHTS}/installplans/{{plan}}/"),
    _rare("plan-approve", f"/operators/{FLIGHTS}/installplans/{{plan}}/approve/"),
    _rare("plan-deny", f"/operators/{FLIGHTS}/installplans/{{plan}}/deny/"),
    _rare("plan-step", f"/operators/{FLIGHTS}/installplans/{{plan}}/steps/0/"),
    _rare("groups", f"/operators/{FLIGHTS}/groups/"),
    _rare("group-new", f"/operators/{FLIGHTS}/groups/+/"),
    _rare("group", f"/operators/{FLIGHTS}/groups/{FLIGHTS}/"),
    _rare("group-delete", f"/operators/{FLIGHTS}/groups/{FLIGHTS}/delete/"),
    Stop("kinds", "/resources/"),
    _rare("import-yaml", "/resources/import/"),
    _rare("forwards", "/resources/forwards/"),
    _rare("who-can", "/resources/who-can/?verb=get&resource=pods&namespace=default"),
    Stop("search", f"/resources/search/?q=example&namespace={SHOP}"),
    Stop("events", f"/resources/events/?namespace={SHOP}"),
    _rare("deleted", "/resources/history/"),
    _rare("favourites", "/resources/favourites/"),
    _rare("saved", "/resources/saved/"),
    Stop("list", f"{_CORE}pods/?namespace={SHOP}"),
    _rare("list-empty", f"{_CORE}configmaps/?namespace={SHOP}&q=nothing-has-this-name"),
    _rare("list-instances", f"{_DATABASES}?namespace=-"),
    Stop("form", f"{_DATABASES}new/?namespace={SHOP}"),
    _rare("form-configmap", f"{_CORE}configmaps/new/?namespace={SHOP}"),
    _rare("binding-new", f"/resources/rbac.authorization.k8s.io/v1/rolebindings/new-binding/?namespace={SHOP}"),
    _rare("values-new", f"{_CORE}secrets/new-values/?namespace={SHOP}"),
    _rare("yaml-new", f"{_DATABASES}new-yaml/?namespace={SHOP}"),
    _rare("explain", f"{_DATABASES}explain/"),
    Stop("object", DATABASE),
    _rare("deployment", WEB),
    _rare("pod", POD),
    _rare("cronjob", f"/resources/batch/v1/cronjobs/{SHOP}/tick/"),
    _rare("secret", f"{_CORE}secrets/{SHOP}/login/"),
    _rare(
        "definition",
        "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/sampledbs.samples.operator-console.dev/",
    ),
    _rare("namespace", f"{_CORE}namespaces/-/{SHOP}/"),
    _rare("namespace-access", f"{_CORE}namespaces/-/{SHOP}/access/"),
    _rare("access-give", f"{_CORE}namespaces/-/{SHOP}/access/give/"),
    _rare("access", f"/access/?namespace={SHOP}"),
    _rare("ticket", f"{_TICKETS}{FLIGHTS}/family/"),
    Stop("history", f"{DATABASE}history/"),
    _rare("history-change", f"{DATABASE}history/{{step}}/"),
    _rare("history-compare", f"{DATABASE}history/?from={{first}}&to={{step}}"),
    _rare("edit", f"{DATABASE}edit/"),
    Stop("yaml", f"{DATABASE}yaml/"),
    _rare("delete", f"{DATABASE}delete/"),
    _rare("namespace-delete", f"{_CORE}namespaces/-/{SHOP}/delete/"),
    _rare(
        "definition-delete",
        "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/sampledbs.samples.operator-console.dev/delete/",
    ),
    _rare("rollback", f"{WEB}rollback/?revision=1"),
    _rare("value", f"{_CORE}secrets/{SHOP}/login/value/?key=user"),
    _rare("contents", f"{_CORE}namespaces/-/{SHOP}/contents/"),
    _rare("scale", f"{WEB}scale/"),
    _rare("add-to-workload", f"{_CORE}secrets/{SHOP}/login/add-to-workload/"),
    _rare("environment", f"{WEB}environment/"),
    _rare("act", f"{WEB}act/restart/"),
    _rare("set", f"{DATABASE}set/?key={{key}}"),
    _rare("finalizers", f"{DATABASE}finalizers/"),
    _rare("labels", f"{WEB}labels/"),
    _rare("menu", f"{WEB}menu/"),
    Stop("logs", f"{POD}logs/"),
    _rare("logs-all", f"{WEB}logs/"),
    _rare("debug", f"{POD}debug/"),
    Stop("terminal", f"{POD}terminal/"),
    _rare("forward", f"{_CORE}services/{SHOP}/example-database/forward/"),
    _rare("clusters", "/clusters/"),
    _rare("command-line-tools", "/command-line-tools/"),
    _rare("quick-starts", "/quick-starts/"),
    _rare("cluster-unknown", "/c/nobodys/", 404),
    Stop("namespaces", "/namespaces/"),
    Stop("audit", "/audit/"),
    _rare("audit-entry", "/audit/{entry}/"),
    Stop("settings", "/settings/"),
    Stop("components", "/-/components/"),
    _rare("palette", "/palette/?q=pods"),
    Stop("not-found", "/no-such-page/", 404),
    _rare("object-gone", f"{_CORE}configmaps/{SHOP}/nobody/", 404),
    _rare("kind-unknown", "/resources/nobody.example/v1/nothings/", 404),
)

#: Patterns that aren't pages of their own, and why.
LEFT_OUT = {
    "no page": (
        "pages:healthz",
        "pages:readyz",
        "pages:metrics",
        "pages:audit-export",
        "operatorhub:icon",
        "operatorhub:install-manifests",
        "resources:download",
    ),
    "a part of a page, fetched by it": (
        "resources:numbers",
        "resources:owner",
        "resources:schema",
        "resources:kinds",
        "resources:names",
        "resources:served",
        "operatorhub:import-waiting",
        "operatorhub:navigation",
    ),
    "answers what a person did, no GET": (
        "signin:sign-out",
        "operatorhub:source-default",
        "operatorhub:source-refresh",
        "operatorhub:source-read",
        "operatorhub:source-restart",
        "operatorhub:undo-made",
        "operatorhub:plan-check",
        "operatorhub:approve-updates",
        "operatorhub:mend",
        "pages:tour",
        "pages:snooze",
        "pages:pick-namespace",
        "resources:bulk",
        "resources:columns",
        "resources:find",
        "resources:section",
        "resources:cordon",
        "resources:favourite",
    ),
    "needs a thing of its own: the tests of its room open it": (
        "operatorhub:olm-manifest",
        "operatorhub:olm-remove",
        "operatorhub:extension",
        "operatorhub:extension-upgrade",
        "operatorhub:extension-delete",
        "operatorhub:run-progress",
        "operatorhub:run-remove",
        "operatorhub:removal",
        "resources:undo",
        "resources:history-revert",
        "resources:access-remove",
    ),
    "with sign-in only: tests/e2e/signed_in/test_sign_in.py and its neighbours": (
        "signin:sign-in",
        "signin:view-as",
        "signin:view-as-offer",
        "signin:view-as-stop",
        "signin:oidc",
        "signin:oidc-back",
        "pages:own-namespaces",
    ),
    "opens a panel beside another page: tests/console/test_quick_starts.py": ("pages:quick-start",),
    "takes a choice by POST: tests/console/test_namespaces.py": ("pages:pick-namespace",),
}

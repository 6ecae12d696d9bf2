"""Pictures for docs/operatorhub.md and docs/overview.md.

A console of its own, with the catalog of real packages where that is beside the checkout. It installs FlightTicket's
first version by hand and makes a ticket that the next version but one refuses, so the pictures show an update that
needs a decision.
"""

from playwright.sync_api import Browser, Page

from bench.console import CATALOG
from kube.client import ClusterClient
from operatorhub import olm
from tools.pictures.camera import PICTURES, camera, shoot, until

FOLDER = PICTURES / "operatorhub"
NAMESPACE = "flights"
REAL = "/operatorhub/olm/community-catalog"
OURS = "/operatorhub/olm/samples-catalog/flightticket"


def prepare(client: ClusterClient) -> str:
    """FlightTicket 1.0.0 by hand in a namespace of its own, with a ticket for ten.

    Returns the InstallPlan that waits to update it.
    """
    until(lambda: olm.served(client) or client.forget_types())
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    )
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": NAMESPACE}}
    client.create(olm.type_of(client, "operatorgroups"), group | {"spec": {"targetNamespaces": [NAMESPACE]}}, NAMESPACE)
    spec = {
        "name": "flightticket",
        "channel": "candidate",
        "source": "samples-catalog",
        "sourceNamespace": "olm",
        "installPlanApproval": "Manual",
        "startingCSV": "flightticket-operator.v1.0.0",
    }
    subscriptions = olm.type_of(client, olm.SUBSCRIPTIONS)
    sub = {"apiVersion": subscriptions.api_version, "kind": "Subscription", "metadata": {"name": "flightticket"}}
    client.create(subscriptions, sub | {"spec": spec}, NAMESPACE)
    plans = olm.type_of(client, olm.PLANS)
    first = until(lambda: olm.subscription(client.get(subscriptions, "flightticket", NAMESPACE)).plan)
    client.patch(plans, first, {"spec": {"approved": True}}, NAMESPACE)
    csvs = olm.type_of(client, olm.CSVS)
    until(lambda: olm.phase(client.get(csvs, "flightticket-operator.v1.0.0", NAMESPACE)) == olm.SUCCEEDED)
    until(lambda: client.forget_types() or client.find("flights.com", "v1", "flighttickets"))
    ticket = {"apiVersion": "flights.com/v1", "kind": "FlightTicket", "metadata": {"name": "family"}}
    flight = {"from": "Seoul", "to": "Lisbon", "number": 10}
    client.create(client.find("flights.com", "v1", "flighttickets"), ticket | {"spec": flight}, NAMESPACE)
    return str(
        until(
            lambda: (
                (found := olm.subscription(client.get(subscriptions, "flightticket", NAMESPACE)))
                and found.plan != first
                and found.plan
            )
        )
    )


def draw(browser: Browser, url: str, plan: str, *, real: bool) -> None:
    wide = browser.new_page(viewport={"width": 1400, "height": 900})
    package = f"{REAL}/argocd-operator/" if real else f"{OURS}/"
    shots = [
        ("catalog", "/operatorhub/"),
        ("search", "/operatorhub/?q=postgers&view=list"),
        ("package", package),
        ("permissions", f"{package}?tab=permissions"),
        ("versions", f"{OURS}/?tab=versions"),
        ("schema", f"{OURS}/apis/flighttickets.flights.com/"),
        ("install", f"{package}install/"),
        ("installed", "/operators/?namespace=-"),
        ("operator", f"/operators/{NAMESPACE}/flightticket-operator.v1.0.0/"),
        ("subscription", f"/operators/{NAMESPACE}/flightticket-operator.v1.0.0/updates/"),
        ("plan", f"/operators/{NAMESPACE}/installplans/{plan}/"),
        ("timeline", f"/operators/{NAMESPACE}/subscriptions/flightticket/"),
        ("uninstall", f"/operators/{NAMESPACE}/flightticket-operator.v1.0.0/uninstall/"),
        ("export", f"/operators/{NAMESPACE}/flightticket-operator.v1.0.0/export/"),
        ("groups", f"/operators/{NAMESPACE}/groups/"),
        ("catalogs", "/operatorhub/catalogs/?namespace=-"),
        ("run", "/operatorhub/run/"),
        ("olm", "/operatorhub/olm/"),
    ]
    for name, path in shots:
        shoot(wide, url, FOLDER / f"{name}.png", path, 1100)
    shoot(wide, url, PICTURES / "overview.png", "/", 1300, wait=4000)
    if real:
        packages = "&".join(f"package=olm/community-catalog/{name}" for name in ("argocd-operator", "gitops-primer"))
        shoot(wide, url, FOLDER / "compare.png", f"/operatorhub/compare/?{packages}", 1100)
    phone = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark", device_scale_factor=2)
    shoot(phone, url, FOLDER / "phone.png", "/operatorhub/", 800)


def main() -> None:
    """Draw them all."""
    catalog = CATALOG if CATALOG.is_dir() else None
    if catalog is None:
        print("the catalog of 268 real packages is not beside this checkout: our own package stands in for Argo CD's")
    with camera(catalog) as (running, browser):
        plan = prepare(running.client)
        page = browser.new_page()
        wanted = 268 if catalog else 3
        until(lambda: _shown(page, running.url) >= wanted, 120)
        draw(browser, running.url, plan, real=catalog is not None)


def _shown(page: Page, url: str) -> int:
    page.goto(f"{url}/operatorhub/")
    found = page.locator("#hub-tiles")
    return int(found.get_attribute("data-total") or 0) if found.count() else 0

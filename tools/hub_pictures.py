"""Pictures for docs/operatorhub.md: `python -m tools.hub_pictures` writes docs/pictures/operatorhub/*.png.

A console of its own, with the catalog of real packages where that is beside the checkout. It installs FlightTicket's first version by hand, makes a ticket
that the next but one refuses, and so has an update to show that somebody should think about.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.browser import ARGUMENTS
from bench.console import CATALOG, console
from kube.client import ClusterClient
from kube.config import load
from kube.errors import NotFound
from operatorhub import olm

FOLDER = Path(__file__).resolve().parent.parent / "docs/pictures/operatorhub"
NAMESPACE = "flights"
REAL = "/operatorhub/olm/community-catalog"
OURS = "/operatorhub/olm/samples-catalog/flightticket"


def until(ask: Callable[[], Any], seconds: float = 60) -> Any:
    """The first true answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            if answer := ask():
                return answer
        except NotFound:
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"nothing came of it in {seconds} s")
        time.sleep(0.2)


def prepare(client: ClusterClient) -> str:
    """FlightTicket 1.0.0 by hand in a namespace of its own, with a ticket for ten. Returns the InstallPlan that waits to update it."""
    until(lambda: olm.served(client) or client.forget_types())
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    )
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": NAMESPACE}}
    client.create(olm.type_of(client, "operatorgroups"), group | {"spec": {"targetNamespaces": [NAMESPACE]}}, NAMESPACE)
    spec = {
        "name": "flightticket", "channel": "candidate", "source": "samples-catalog", "sourceNamespace": "olm",
        "installPlanApproval": "Manual", "startingCSV": "flightticket-operator.v1.0.0",
    }  # fmt: skip
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
    wish = {"from": "Seoul", "to": "Lisbon", "number": 10}
    client.create(client.find("flights.com", "v1", "flighttickets"), ticket | {"spec": wish}, NAMESPACE)
    return str(
        until(
            lambda: (
                (found := olm.subscription(client.get(subscriptions, "flightticket", NAMESPACE)))
                and found.plan != first
                and found.plan
            )
        )
    )


def shoot(page: Page, url: str, name: str, path: str, height: int = 900) -> None:
    page.set_viewport_size({"width": page.viewport_size["width"] if page.viewport_size else 1400, "height": height})
    answer = page.goto(f"{url}{path}")
    if answer is None or answer.status >= 400:
        raise SystemExit(f"{path} answers {answer.status if answer else 'nothing'}")
    page.wait_for_timeout(1500)
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"{name}.png  {path}")


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
        ("subscription", f"/operators/{NAMESPACE}/flightticket-operator.v1.0.0/subscription/"),
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
        shoot(wide, url, name, path, 1100)
    if real:
        packages = "&".join(f"package=olm/community-catalog/{name}" for name in ("argocd-operator", "gitops-primer"))
        shoot(wide, url, "compare", f"/operatorhub/compare/?{packages}", 1100)
    phone = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark", device_scale_factor=2)
    shoot(phone, url, "phone", "/operatorhub/", 800)


def main() -> int:
    """0 when all are drawn."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    catalog = CATALOG if CATALOG.is_dir() else None
    if catalog is None:
        print("the catalog of 268 real packages is not beside this checkout: our own package stands in for Argo CD's")
    with console(catalog=catalog) as running, sync_playwright() as playwright:
        client = ClusterClient(load(str(running.data / "sandbox/kubeconfig"), None))
        plan = prepare(client)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(ARGUMENTS))
        page = browser.new_page()
        wanted = 268 if catalog else 3
        until(lambda: _shown(page, running.url) >= wanted, 120)
        draw(browser, running.url, plan, real=catalog is not None)
        browser.close()
    return 0


def _shown(page: Page, url: str) -> int:
    page.goto(f"{url}/operatorhub/")
    found = page.locator("#hub-tiles")
    return int(found.get_attribute("data-total") or 0) if found.count() else 0


if __name__ == "__main__":
    sys.exit(main())

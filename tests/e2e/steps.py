"""What several walks have in common: a namespace, an installed operator, a field of a form."""

import re
from typing import Protocol

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site

# From asking for something until its Pods run; generous, since CI's machine does other things too, and the real OLM
# takes half a minute for a large InstallPlan even on an idle one.
SLOW = 180_000


class Console(Protocol):
    """Wherever it runs."""

    @property
    def url(self) -> str: ...


def create_namespace(site: Console, page: Page, name: str) -> None:
    page.goto(site.url)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Namespaces").click()
    page.get_by_label("New namespace").fill(name)
    page.get_by_role("button", name="Create namespace").click()
    expect(page.locator("#toasts")).to_contain_text(f"Namespace “{name}” created.")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def install(site: Site, page: Page, search: str, tile: str, namespace: str) -> None:
    """Find the tile by typing, install into the namespace, wait for the end of the timeline."""
    page.get_by_role("navigation", name="Main").get_by_role("link", name="OperatorHub").click()
    install_from_here(page, search, tile, namespace)


def install_from_here(page: Page, search: str, tile: str, namespace: str) -> None:
    """The same, on the page of OperatorHub."""
    page.get_by_label("Search operators").press_sequentially(search)
    found = olm_tile(page, tile)
    expect(found).to_have_count(1)
    expect(page).to_have_url(re.compile(f"q={search}"))
    found.get_by_role("link").first.click()
    expect(page.get_by_text("Capability level").first).to_be_visible()
    # "Install in another namespace" where another test's install is on its way out.
    page.get_by_role("link", name=re.compile(r"^Install( in another namespace)?$")).click()
    own = page.get_by_label("Only the namespace it is installed in")
    if own.is_enabled():
        own.check()
    page.get_by_label("Installation namespace").select_option(namespace)
    page.get_by_role("button", name="Install", exact=True).click()
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)
    expect(page.locator("#stage-csv")).to_contain_text("Succeeded")
    page.get_by_role("link", name="View operator").click()


def fill_in_argocd(page: Page, name: str) -> None:
    """The form of an ArgoCD, as the recipe has it: anonymous users may read."""
    field(page, "Name").fill(name)
    search = page.get_by_label("Add field")
    search.fill("anonymous")
    expect(page.locator("[data-found]")).to_contain_text("spec.usersAnonymousEnabled")
    search.press("Enter")
    page.get_by_role("radiogroup", name="Anonymous Users Enabled").get_by_text("true", exact=True).click()
    # The operator's example asks for dex without configuring it, which the operator refuses; and dex itself doesn't
    # start without a way to sign in.
    for pointer in ("/spec/sso", "/spec/sso/dex"):
        section = page.locator(f"[data-pointer='{pointer}'] > .console-section")
        if section.get_attribute("open") is None:
            section.locator("> summary").click()
    page.locator("[name='s:/spec/sso/dex/config']").fill("{connectors: [], enablePasswordDB: true}")


def olm_tile(page: Page, title: str) -> Locator:
    """The tile of a package that OLM installs, by its whole title; the same package may stand in a ClusterCatalog
    (-) or a catalog of the console's own (~) too.
    """
    other = page.locator('a[href^="/operatorhub/-/"], a[href^="/operatorhub/~/"]')
    return (
        page.locator("[data-tile]").filter(has=page.get_by_role("link", name=title, exact=True)).filter(has_not=other)
    )


def field(page: Page, label: str) -> Locator:
    """By its label, which may have a mark of being required behind it."""
    return page.get_by_label(re.compile(rf"^\s*{label}\s*\*?\s*$")).first

"""Every kind of page, wide and narrow, light and dark, in both languages: nothing hangs out, no script fails. Accessibility is test_accessibility.py's."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.e2e.accessibility import overhangs
from tests.e2e.conftest import Site

# The page of our own package, in whichever catalog this cluster has it.
PACKAGE = "<package>"
PAGES = (
    "/",
    "/operatorhub/",
    "/operatorhub/?q=nothing-has-this-name",
    PACKAGE,
    f"{PACKAGE}install/",
    "/operators/",
    "/operatorhub/olm/",
    "/resources/",
    "/resources/apps/v1/deployments/explain/",
    "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/subscriptions.operators.coreos.com/",
    "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/subscriptions.operators.coreos.com/delete/",
    "/resources/core/v1/namespaces/",
    "/resources/core/v1/namespaces/-/default/",
    "/resources/core/v1/configmaps/new/?namespace=default",
    "/resources/core/v1/configmaps/new-yaml/?namespace=default",
    "/resources/core/v1/namespaces/-/default/delete/",
    "/namespaces/",
    "/audit/",
    "/settings/",
    "/no-such-page/",
)


@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1400, "light", "en-US"), (1400, "dark", "ko-KR"), (360, "dark", "en-US"), (360, "light", "ko-KR")],
)
def test_every_page(site: Site, browser: Browser, width: int, scheme: Any, language: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site.url}/operatorhub/?q=sampledb")
    package = page.locator("[data-tile] a").first.get_attribute("href") or ""
    for path in (one.replace(PACKAGE, package) for one in PAGES):
        page.goto(f"{site.url}{path}")
        complaints += [str(one) for one in overhangs(page)]
        complaints = [
            one if one.startswith("/") else f"{path} {one}"
            for one in complaints
            if not re.search(r"Failed to load resource.*404", one)
        ]
    context.close()
    assert not complaints, "\n".join(complaints)

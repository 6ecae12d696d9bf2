"""A catalog of one's own, in the browser: an image in a registry is added, its content appears live, is found in
OperatorHub, and is removed; and the pages of all kinds of catalogs, wide and narrow.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests import registry
from tests.chromium import Contexts
from tests.conftest import ROOT
from tests.e2e.accessibility import overhangs, violations
from tests.e2e.conftest import Site

LABELS = {
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
}


@pytest.fixture
def images(site: Site) -> Iterator[registry.Registry]:
    """A registry on this machine, which only a console on this machine can read."""
    if not site.supervisor:
        pytest.skip("needs a console of the test's own, on this machine")
    with registry.serving() as found:
        yield found


def catalog_image(server: registry.Registry) -> str:
    """A catalog with one package, whose bundle is in an image too."""
    folder = sorted((ROOT / "examples" / "operators" / "packages" / "memcached").glob("*/csv.yaml"))[-1].parent
    files = {"manifests/csv.yaml": (folder / "csv.yaml").read_bytes()}
    files |= {f"manifests/{path.name}": path.read_bytes() for path in folder.glob("crds/*")}
    files |= {f"metadata/{path.name}": path.read_bytes() for path in folder.glob("metadata/*")}
    bundle = server.add("team/bundle", "v1", [files], labels=LABELS)
    about = {
        "displayName": "Catalog walk",
        "description": "from an image",
        "annotations": {"capabilities": "Basic Install"},
    }
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "catalog-walk", "defaultChannel": "stable"},
        {
            "schema": "olm.channel",
            "package": "catalog-walk",
            "name": "stable",
            "entries": [{"name": "catalog-walk.v1"}],
        },
        {
            "schema": "olm.bundle",
            "package": "catalog-walk",
            "name": "catalog-walk.v1",
            "image": bundle,
            "properties": [
                {"type": "olm.package", "value": {"packageName": "catalog-walk", "version": "0.1.0"}},
                {"type": "olm.csv.metadata", "value": about},
            ],
        },
    ]
    data = "\n".join(map(json.dumps, blobs)).encode()
    return server.add(
        "team/catalog",
        "v1",
        [{"configs/c.json": data}],
        labels={"operators.operatorframework.io.index.configs.v1": "/configs"},
    )


def test_a_catalog_of_ones_own(site: Site, images: registry.Registry, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/catalogs/")
    page.get_by_role("link", name="Add catalog", exact=True).click()
    page.get_by_label("Name", exact=True).fill("Not A Name")
    page.get_by_role("radio", name=re.compile("Image in a registry")).check()
    page.get_by_label("Address, image or folder").fill(catalog_image(images))
    page.get_by_role("button", name="Add", exact=True).click()
    # The error is shown at its field; the other input is preserved.
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Address, image or folder")).to_have_value(re.compile("team/catalog:v1"))
    page.get_by_label("Name", exact=True).fill("walk-catalog")
    page.get_by_role("button", name="Add", exact=True).click()
    # A worker reads it; the page shows it without being loaded again.
    expect(page.get_by_role("link", name="Catalog walk")).to_be_visible()
    expect(page.locator("#source").get_by_text("Ready", exact=True)).to_be_visible()
    page.get_by_role("link", name="Catalog walk").click()
    # The catalog says little of it; its whole bundle is fetched from its own image.
    expect(page.get_by_role("heading", name="Memcached", level=1, exact=True)).to_be_visible()
    page.goto(f"{site.url}/operatorhub/catalogs/source/~/walk-catalog/")
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="Catalogs", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="walk-catalog")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme", "language"), [(1400, "light", "en-US"), (360, "dark", "ko-KR")])
def test_pages_of_catalogs(
    site: Site, client: ClusterClient, contexts: Contexts, width: int, scheme: Any, language: str
) -> None:
    source = client.list(client.find("operators.coreos.com", "v1alpha1", "catalogsources")).items[0]["metadata"]
    place = f"/operatorhub/catalogs/source/{source['namespace']}/{source['name']}/"
    kinds = [f"/operatorhub/catalogs/new/?kind={kind}" for kind in ("catalogsource", "own")]
    context = contexts(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language)
    page = context.new_page()
    complaints: list[str] = []
    for path in ("/operatorhub/catalogs/", place, f"{place}edit/", f"{place}delete/", *kinds):
        answer = page.goto(f"{site.url}{path}")
        assert answer is not None and answer.ok, path
        complaints += [f"{path} {item}" for item in (*overhangs(page), *violations(page))]
    assert not complaints, "\n".join(complaints)

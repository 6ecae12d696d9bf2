"""A bundle without a catalog, in a real browser: given as a file, looked at, tried, run, exported to a folder, taken
away.
"""

import io
import re
import time
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import ROOT
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, field

pytestmark = pytest.mark.timeout(600)
KINDS = (("cache.example.com", "memcacheds"),)
CSV = "memcached-operator.v0.0.1"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Memcached's first version as its author would pack it."""
    version = ROOT / "examples" / "operators" / "packages" / "memcached" / "0.0.1"
    packed = tmp_path / "memcached.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(version / "csv.yaml", "manifests/csv.yaml")
        for path in version.glob("crds/*"):
            archive.write(path, f"manifests/{path.name}")
        for path in version.glob("metadata/*"):
            archive.write(path, f"metadata/{path.name}")
    return packed


def test_from_a_file_to_a_folder_and_away(site: Site, page: Page, namespace: str, bundle: Path) -> None:
    page.goto(f"{site.url}/operatorhub/run/")
    page.get_by_label("Files").set_input_files({"name": "odd.zip", "mimeType": "application/zip", "buffer": b"no zip"})
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_text("The bundle can't be run")).to_be_visible()

    page.get_by_label("Files").set_input_files(bundle)
    page.get_by_role("button", name="Review").click()
    field(page, "Namespace").fill(namespace)
    page.get_by_label("the namespace it is installed in").check()
    expect(page.get_by_text("This namespace doesn't exist and will be created.")).to_be_visible()
    expect(page.locator("#run-objects")).to_contain_text(CSV)
    page.get_by_role("button", name="Check (dry run)").click()
    # A dry run makes nothing; what was chosen stays.
    expect(field(page, "Namespace")).to_have_value(namespace)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)

    page.get_by_role("link", name="View operator").click()
    expect(page).to_have_url(re.compile(f"/operators/{namespace}/{CSV}/"))
    page.goto(f"{page.url}export/")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("^Download")).click()
    with zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes())) as folder:
        names = folder.namelist()
        assert any(name.endswith("kustomization.yaml") for name in names)
        assert any(CSV.encode() in folder.read(name) for name in names)

    page.goto(f"{site.url}/operatorhub/run/")
    page.get_by_role("listitem").filter(has_text=namespace).get_by_role("link").click()
    page.get_by_role("link", name="Remove bundle run").click()
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Remove bundle run").click()
    expect(page).to_have_url(f"{site.url}/operatorhub/run/")
    # OLM takes its time to let the CSV go, and this page shows what there was when it was asked for.
    end = time.monotonic() + SLOW / 1000
    while page.get_by_role("listitem").filter(has_text=namespace).count():
        assert time.monotonic() < end, "the bundle still runs"
        page.wait_for_timeout(1000)
        page.reload()

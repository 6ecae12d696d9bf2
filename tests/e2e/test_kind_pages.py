"""Pages of the built-in kinds in a real browser: a Secret's value is shown and hidden, a Secret is made with a file,
a Deployment rolled back.
"""

import base64
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

LONG = 60_000


@pytest.fixture
def space(client: ClusterClient) -> Iterator[str]:
    type_, name = client.find("", "v1", "namespaces"), f"kinds-{uuid4().hex[:6]}"
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    client.delete(type_, name)


def test_a_value_is_shown_and_hidden(site: Site, page: Page, client: ClusterClient, space: str) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login"},
        "stringData": {"password": "correct horse", "user": "me"},
    }
    client.create(client.find("", "v1", "secrets"), obj, space)
    page.goto(f"{site.url}/resources/core/v1/secrets/{space}/login/")
    assert "correct horse" not in page.content()
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_text("correct horse")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="Copy password")).to_be_visible()
    expect(page.get_by_role("button", name="Show user")).to_be_visible()
    page.get_by_role("link", name="Hide password").click()
    expect(page.get_by_role("button", name="Show password")).to_be_visible(timeout=LONG)
    assert "correct horse" not in page.content()
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_text("correct horse")).to_be_visible(timeout=LONG)


def test_a_secret_is_made_with_a_file(site: Site, page: Page, client: ClusterClient, space: str) -> None:
    page.goto(f"{site.url}/resources/core/v1/secrets/?namespace={space}")
    page.get_by_role("link", name="Create Secret").first.click()
    page.get_by_label("Name", exact=True).fill("mixed")
    page.get_by_label("Key", exact=True).fill("blob")
    content = {"name": "blob.bin", "mimeType": "application/octet-stream", "buffer": bytes(range(256))}
    page.locator("input[type=file]").set_input_files(files=[content])  # type: ignore[list-item]
    page.get_by_role("button", name="Add key").click()
    expect(page.get_by_text("File blob.bin")).to_be_visible(timeout=LONG)
    page.get_by_label("Key", exact=True).nth(1).fill("text")
    page.get_by_label("Value", exact=True).nth(1).fill("a\nb")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(f"{site.url}/resources/core/v1/secrets/{space}/mixed/", timeout=LONG)
    data = client.get(client.find("", "v1", "secrets"), "mixed", space)["data"]
    assert base64.b64decode(data["blob"]) == bytes(range(256))
    assert base64.b64decode(data["text"]) == b"a\nb"


def test_back_to_the_first_revision(site: Site, page: Page, client: ClusterClient, space: str) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    type_ = client.find("apps", "v1", "deployments")
    client.create(
        type_, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}, space
    )
    page.goto(f"{site.url}/resources/apps/v1/deployments/{space}/web/")
    expect(page.get_by_role("heading", name="Revisions")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("img", name="1 of 1 ready")).to_be_visible(timeout=LONG)
    containers = [{"name": "web", "image": "example.com/web:2"}]
    client.patch(type_, "web", {"spec": {"template": {"spec": {"containers": containers}}}}, space)
    page.locator("#revisions > summary").click()
    page.get_by_role("link", name="Roll back to this revision").click(timeout=LONG)
    expect(page.get_by_role("heading", name=re.compile("back to revision 1"))).to_be_visible()
    page.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("rolled back to revision 1")).to_be_visible(timeout=LONG)
    image = client.get(type_, "web", space)["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "example.com/web:1"


def test_what_is_in_a_namespace(site: Site, page: Page, client: ClusterClient, space: str) -> None:
    maps = client.find("", "v1", "configmaps")
    client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "paint"}}, space)
    page.goto(f"{site.url}/resources/core/v1/namespaces/-/{space}/")
    expect(page.locator("#contents").get_by_role("link", name="2 ConfigMaps")).to_be_visible(timeout=LONG)

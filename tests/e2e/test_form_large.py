"""A kind of very many fields in a real browser: most are left closed, each is found."""

import contextlib
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.e2e import gallery
from tests.e2e.conftest import Site

GROUP = "large.operator-console.dev"


@pytest.fixture
def address(client: ClusterClient) -> Iterator[str]:
    """Of the form of a kind with 600 fields; the kind is gone afterwards."""
    plural = f"wides{uuid4().hex[:6]}"
    fields = {f"f{n:04}": {"type": "string"} for n in range(600)}
    spec = {"type": "object", "properties": fields, "required": ["f0003"]}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    names = {"kind": plural.capitalize(), "plural": plural, "singular": plural[:-1], "listKind": f"{plural}List"}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    gallery.served_kind(client, crd)
    yield f"/resources/{GROUP}/v1/{plural}/new/?namespace=default&view=form"
    with contextlib.suppress(NotFound):
        client.delete(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), f"{plural}.{GROUP}")


def test_each_of_very_many_fields_is_found(site: Site, page: Page, address: str) -> None:
    form = page.locator("#form")
    # The kind is served a moment before its schema is published.
    for _again in range(20):
        page.goto(site.url + address)
        if form.locator("[name='s:/spec/f0003']").count():
            break
    expect(form.locator("[name='s:/spec/f0003']")).to_have_count(1)
    expect(form.locator("[name='s:/spec/f0555']")).to_have_count(0)
    page.get_by_label("Add field").fill("f0555")
    expect(page.locator("[data-found] a").first).to_contain_text("f0555")
    page.get_by_label("Add field").press("Enter")
    wanted = form.locator("[name='s:/spec/f0555']")
    expect(wanted).to_be_focused()
    wanted.fill("here")
    expect(form.locator("[name='s:/spec/f0003']")).to_have_count(1)

"""The command palette: what it offers for what is typed."""

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client

from console.pages import palette
from console.web.clusters import console_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(cluster_kubeconfig: Path, redis_server: str) -> Client:
    return Client()


def entries(browser: Client, q: str) -> list[tuple[str, str]]:
    """(address, label) of the dialog's list."""
    text = browser.get("/palette/", {"q": q}, headers={"HX-Request": "true"}).content.decode()
    return re.findall(r'role="option"[^>]*\shref="([^"]*)"\s*>\s*<span class="console-break">(.*?)</span>', text)


def test_pages_without_a_word(browser: Client) -> None:
    found = dict(entries(browser, ""))
    assert found["/operatorhub/"] == "OperatorHub"
    assert found["/resources/import/"] == "Import YAML"


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("deployment", "/resources/apps/v1/deployments/"),
        ("deploy", "/resources/apps/v1/deployments/"),
        ("cm", "/resources/core/v1/configmaps/"),
        ("namespaces", "/namespaces/"),
        ("create configmap", "/resources/core/v1/configmaps/new/"),
        ("olm", "/operatorhub/olm/"),
        ("csv", "/resources/operators.coreos.com/v1alpha1/clusterserviceversions/"),
    ],
)
def test_kinds_and_actions(browser: Client, typed: str, first: str) -> None:
    assert first in [address for address, _label in entries(browser, typed)][:2]


def test_namespaces_and_objects(browser: Client) -> None:
    found = dict(entries(browser, "kube-sys"))
    assert found["/?namespace=kube-system"] == "kube-system"
    assert "/resources/search/?namespace=-&amp;q=kube-sys" in found


@pytest.fixture
def web(cluster_kubeconfig: Path) -> Iterator[str]:
    """The name of a Pod in default."""
    client, name = console_client(), f"palette-{uuid4().hex[:6]}"
    pods = client.find("", "v1", "pods")
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "a", "image": "example.com/a:1"}]},
    }
    client.create(pods, pod, "default")
    yield name
    client.delete(pods, name, "default")


def test_an_object_and_what_can_be_done_with_it(browser: Client, web: str) -> None:
    page = f"/resources/core/v1/pods/default/{web}/"
    browser.cookies["console_namespace"] = "default"
    assert dict(entries(browser, web))[page] == web
    assert entries(browser, f"logs {web}")[0] == (f"{page}logs/", f"Logs: {web}")
    assert entries(browser, f"delete pod {web}")[0] == (f"{page}delete/", f"Delete: {web}")
    assert entries(browser, f"shell {web}")[0] == (f"{page}terminal/", f"Terminal: {web}")
    assert entries(browser, f"evict {web}")[0] == (f"{page}act/evict/", f"Evict: {web}")
    # A kind that it is not, an action that it has not.
    assert page not in "".join(address for address, _label in entries(browser, f"delete service {web}"))
    assert not [address for address, _label in entries(browser, f"scale {web}") if address.startswith(page)]


def test_what_is_typed_is_text(browser: Client) -> None:
    page = browser.get("/palette/", {"q": "<b>x"}).content.decode()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


def test_without_script_it_is_a_page(browser: Client) -> None:
    page = browser.get("/palette/", {"q": "pods"}).content.decode()
    assert "<h1" in page
    assert 'href="/resources/core/v1/pods/"' in page
    assert re.search(r'href="/palette/"\s+data-palette-open', page)


def test_an_object_of_that_name_stands_before_a_package_that_only_resembles_it(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = palette.PaletteEntry("server-metrics", "/object/", "Service")
    monkeypatch.setattr(palette, "_object_entries", lambda *_: iter([found]))
    for package, first in (("Memcached", "/object/"), ("Server-map", "/package/")):
        entry = palette.PaletteEntry(package, "/package/")
        monkeypatch.setattr(palette, "_packages", lambda *_, entry=entry: (entry,))
        addresses = [address for address, _label in entries(browser, "rver-m")]
        assert min(addresses.index("/object/"), addresses.index("/package/")) == addresses.index(first)


def test_an_object_of_that_name_stands_before_a_kind_that_contains_it(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = palette.PaletteEntry("set", "/object/", "Service")
    monkeypatch.setattr(palette, "_object_entries", lambda *_: iter([found]))
    addresses = [address for address, _label in entries(browser, "set")]
    assert addresses[0] == "/object/" and "/resources/apps/v1/replicasets/" in addresses

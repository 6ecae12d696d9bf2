"""The command palette: what it offers for what is typed."""

import re
from pathlib import Path

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(cluster_kubeconfig: Path, redis_server: str) -> Client:
    return Client()


def entries(browser: Client, q: str) -> list[tuple[str, str]]:
    """(address, label) of the dialog's list."""
    text = browser.get("/palette/", {"q": q}, headers={"HX-Request": "true"}).content.decode()
    return re.findall(r'role="option"[^>]* href="([^"]*)"><span class="console-break">(.*?)</span>', text)


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


def test_what_is_typed_is_text(browser: Client) -> None:
    page = browser.get("/palette/", {"q": "<b>x"}).content.decode()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


def test_without_script_it_is_a_page(browser: Client) -> None:
    page = browser.get("/palette/", {"q": "pods"}).content.decode()
    assert "<h1" in page
    assert 'href="/resources/core/v1/pods/"' in page
    assert 'href="/palette/" data-palette-open' in page

"""/namespaces/: made by name, refused at the field, picked at once."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client

from console.web.clusters import console_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(cluster_kubeconfig: Path) -> Client:
    return Client()


def test_made_and_picked(browser: Client) -> None:
    name = f"made-{uuid4().hex[:6]}"
    answer = browser.post("/namespaces/", {"name": f" {name} "})
    assert answer["Location"] == f"/namespaces/?namespace={name}"
    page = browser.get(answer["Location"])
    assert f"Namespace “{name}” created." in page.content.decode()
    assert browser.cookies["console_namespace"].value == name
    client = console_client()
    assert client.get(client.find("", "v1", "namespaces"), name)["status"]["phase"] == "Active"


MAPS = "/resources/core/v1/configmaps/"


def test_an_address_never_changes_the_remembered_namespace(browser: Client) -> None:
    """H2: only the namespace bar's own submit does."""
    browser.cookies["console_namespace"] = "default"
    linked = browser.get(f"{MAPS}?namespace=kube-system")
    assert linked.wsgi_request.namespace == "kube-system"
    assert "console_namespace" not in linked.cookies
    assert browser.get(MAPS).wsgi_request.namespace == "default"


def test_the_bar_picks_a_namespace_for_the_pages_to_come(browser: Client) -> None:
    """H2: and leads back to the page that it stands on, from its beginning."""
    picked = browser.post("/namespaces/pick/", {"namespace": "kube-system", "next": f"{MAPS}?q=a&page=3&namespace=x"})
    assert (picked.status_code, picked["Location"]) == (303, f"{MAPS}?namespace=kube-system&q=a")
    assert browser.get(MAPS).wsgi_request.namespace == "kube-system"
    everywhere = browser.post("/namespaces/pick/", {"namespace": "-", "next": MAPS})
    assert everywhere["Location"] == f"{MAPS}?namespace=-"
    assert browser.get(MAPS).wsgi_request.namespace == ""


@pytest.mark.parametrize(
    "back", ["https://elsewhere.example/", "//elsewhere.example/", "http://testserver//elsewhere.example/", ""]
)
def test_the_bar_leads_to_pages_of_this_console_only(browser: Client, back: str) -> None:
    """H2: whatever the return address is."""
    location = browser.post("/namespaces/pick/", {"namespace": "default", "next": back})["Location"]
    assert location.startswith("/") and not location.startswith("//")


@pytest.mark.parametrize("old", ["+", "a b", "UPPER", "a" * 64])
def test_a_remembered_name_that_is_none_is_ignored(browser: Client, old: str) -> None:
    """H2: Install forms once left “+” in the cookie, and every list was empty."""
    browser.cookies["console_namespace"] = old
    assert browser.get(MAPS).wsgi_request.namespace == ""
    refused = browser.post("/namespaces/pick/", {"namespace": old, "next": MAPS})
    assert "console_namespace" not in refused.cookies


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Enter a name"),
        ("default", "Namespace “default” already exists"),
        ("No_Good", "RFC 1123 label"),
        ("a" * 64, "63"),
    ],
)
def test_refused_at_the_field(browser: Client, typed: str, words: str) -> None:
    answer = browser.post("/namespaces/", {"name": typed})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert f'value="{typed}"' in page
    assert 'aria-invalid="true"' in page

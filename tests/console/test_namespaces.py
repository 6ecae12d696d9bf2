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


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Type a name"),
        ("default", "already a namespace “default”"),
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

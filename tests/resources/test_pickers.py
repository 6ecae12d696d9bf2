"""What a picker offers, by the embedded cluster's own answers: names and keys, never values; a word where there can
be none.
"""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from resources.writing import pickers

ADDRESS = "/resources/names/"


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    name = f"pick-{uuid4().hex[:6]}"
    type_ = client.find("", "v1", "namespaces")
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    client.delete(type_, name)


@pytest.fixture
def secrets(client: ClusterClient, namespace: str) -> None:
    type_ = client.find("", "v1", "secrets")
    for name, label in (("one", "a"), ("other", "b")):
        obj: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": {"x": label}}}
        client.create(type_, {**obj, "stringData": {"user": "hush", "word": "hush"}}, namespace)


def test_names_of_a_kind(client: ClusterClient, namespace: str, secrets: None) -> None:
    type_ = pickers.type_of(client, "core", "Secret")
    assert pickers.names(client, type_, namespace) == pickers.Names(("one", "other"), whole=True)
    assert pickers.names(client, type_, namespace, wanted="OTH").names == ("other",)
    assert pickers.names(client, type_, namespace, selector="x=a").names == ("one",)
    assert pickers.keys(client, type_, namespace, "one").names == ("user", "word")


def test_a_kind_of_any_group(client: ClusterClient) -> None:
    assert pickers.type_of(client, "", "StorageClass").group == "storage.k8s.io"
    assert pickers.type_of(client, "", "Service").group == ""
    with pytest.raises(NotFound):
        pickers.type_of(client, "", "Nonesuch")


def test_the_page_says_names_and_where_a_new_one_is_made(namespace: str, secrets: None) -> None:
    asked = {"group": "core", "kind": "Secret", "namespace": namespace}
    text = Client().get(ADDRESS, asked).content.decode()
    assert '<option value="one">' in text
    assert "data-whole" in text
    assert f"/resources/core/v1/secrets/new/?namespace={namespace}" in text
    assert "hush" not in text
    keys = Client().get(ADDRESS, {**asked, "keys": "one"}).content.decode()
    assert '<option value="word">' in keys
    assert "hush" not in keys


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"group": "core", "kind": "Secret"}, "Choose a namespace first"),
        ({"group": "", "kind": "Nonesuch"}, "The cluster has no such Nonesuch yet"),
        ({"group": "core", "kind": "ConfigMap", "namespace": "default", "keys": "gone"}, "The cluster has no such"),
        ({"group": "core", "kind": "Secret", "namespace": "no-such-namespace"}, "No Secret exists yet"),
    ],
)
def test_where_there_is_nothing_to_offer_it_says_why(
    cluster_kubeconfig: object, asked: dict[str, str], words: str
) -> None:
    answer = Client().get(ADDRESS, asked)
    assert answer.status_code == 200
    assert words in answer.content.decode()

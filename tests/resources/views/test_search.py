"""Objects of any kind, found by name, label and annotation; what could not be searched is reported."""

import html
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound, ServerError
from resources import object_search as search
from resources.object_search import ObjectQuery

PAGE = "/resources/search/"


@pytest.fixture
def mark(client: ClusterClient, namespace: str) -> str:
    """A word that is in the names of a ConfigMap, a Secret and a ServiceAccount of the namespace, and nowhere else."""
    word = f"m{uuid4().hex[:8]}"
    notes = {"example.com/team": "shop"}
    for kind, plural, labels in (
        ("ConfigMap", "configmaps", {"app": word}),
        ("Secret", "secrets", {}),
        ("ServiceAccount", "serviceaccounts", {}),
    ):
        metadata = {"name": f"a-{word}-{plural}", "labels": labels, "annotations": notes if labels else {}}
        obj = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        client.create(client.find("", "v1", plural), obj, namespace)
    return word


def kinds(found: search.ObjectMatches) -> set[str]:
    return {group.type.kind for group in found.groups}


def test_a_name_in_every_kind(client: ClusterClient, namespace: str, mark: str) -> None:
    found = search.search(client, namespace, ObjectQuery(q=mark))
    assert kinds(found) == {"ConfigMap", "Secret", "ServiceAccount"}
    assert found.total == 3
    assert kinds(search.search(client, "", ObjectQuery(q=f"{mark} secr"))) == {"Secret"}
    assert search.search(client, "default", ObjectQuery(q=mark)).total == 0


def test_labels_and_annotations(client: ClusterClient, namespace: str, mark: str) -> None:
    assert kinds(search.search(client, "", ObjectQuery(labels=f"app={mark}"))) == {"ConfigMap"}
    for annotation, number in (("example.com/team=shop", 1), ("example.com/TEAM", 1), ("example.com/team=other", 0)):
        assert search.search(client, namespace, ObjectQuery(annotation=annotation, q=mark)).total == number


def test_only_the_chosen_kinds(client: ClusterClient, namespace: str, mark: str) -> None:
    assert kinds(search.search(client, namespace, ObjectQuery(q=mark, kinds=("core/secrets",)))) == {"Secret"}
    assert search.search(client, namespace, ObjectQuery()).searched == 0


def test_what_fails_is_said_and_the_rest_is_found(
    client: ClusterClient, namespace: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = client.table

    def table(type_: ResourceType, *arguments: str, **options: str) -> object:
        if type_.kind == "Secret":
            raise Forbidden("you may not list secrets")
        if type_.kind == "ServiceAccount":
            raise ServerError("etcd is on holiday")
        if type_.kind == "StorageClass":
            raise NotFound("the definition went a moment ago")
        return whole(type_, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(client, "table", table)
    found = search.search(client, namespace, ObjectQuery(q=mark))
    assert kinds(found) == {"ConfigMap"}
    assert found.forbidden == ("Secret",)
    assert found.failed == (("ServiceAccount", "etcd is on holiday"),)


def test_a_bound_is_said(client: ClusterClient, namespace: str, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    type_ = client.find("", "v1", "configmaps")
    for number in range(4):
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"b-{mark}-{number}"}}
        client.create(type_, obj, namespace)
    monkeypatch.setattr(search, "CHUNK", 2)
    monkeypatch.setattr(search, "READ", 2)
    monkeypatch.setattr(search, "SHOWN", 1)
    found = search.search(client, namespace, ObjectQuery(q=mark, kinds=("configmaps",)))
    assert found.partly == ("ConfigMap",)
    assert (found.groups[0].total, len(found.groups[0].hits)) == (2, 1)


def test_the_whole_name_comes_first(client: ClusterClient, namespace: str, mark: str) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": mark}}
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    found = search.search(client, namespace, ObjectQuery(q=mark))
    assert found.groups[0].type.kind == "ConfigMap"
    assert [hit.name for hit in found.groups[0].hits] == [mark, f"a-{mark}-configmaps"]


def test_the_page(browser: Client, namespace: str, mark: str) -> None:
    page = browser.get(PAGE, {"q": mark, "namespace": namespace}).content.decode()
    assert f'href="/resources/core/v1/secrets/{namespace}/a-{mark}-secrets/"' in page
    assert "3 objects in" in page
    assert "Enter part of a name" in browser.get(PAGE).content.decode()
    wrong = browser.get(PAGE, {"labels": "a===b"})
    assert wrong.status_code == 422
    assert 'value="a===b"' in wrong.content.decode()


def test_what_is_typed_says_all(browser: Client, client: ClusterClient, namespace: str, mark: str) -> None:
    def page_for(text: str) -> str:
        return browser.get(PAGE, {"q": text, "namespace": "-"}, HTTP_HX_REQUEST="true").content.decode()

    assert "1 object in 1 resource types" in page_for(f"{mark} kind:cm")
    assert "3 objects" in page_for(f"{mark} ns:{namespace}")
    assert "0 objects" in page_for(f"{mark} ns:default")
    assert "1 object " in page_for(f"label:app={mark} annotation:example.com/team")
    assert "2 objects in 2 resource types" in page_for(f"{mark} kind:secret,serviceaccounts group:core")
    wrong = browser.get(PAGE, {"q": "state:blue"}, HTTP_HX_REQUEST="true")
    assert wrong.status_code == 422
    assert "Unknown state: blue" in html.unescape(wrong.content.decode())


def test_states_are_shown_and_searched(browser: Client, client: ClusterClient, namespace: str, mark: str) -> None:
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "none-such",
    }
    obj = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"{mark}-claim"}, "spec": claim}
    client.create(client.find("", "v1", "persistentvolumeclaims"), obj, namespace)
    group = search.search(client, namespace, search.parse_query(f"{mark} kind:pvc")).groups[0]
    assert group.hits[0].state == "Progressing"
    assert search.search(client, namespace, search.parse_query(f"{mark} state:progressing")).total == 1
    assert search.search(client, namespace, search.parse_query(f"{mark} state:ready,degraded")).total == 0
    text = browser.get(PAGE, {"q": f"{mark}-claim", "namespace": namespace}).content.decode()
    assert "Progressing" in text.split('id="results"')[1]

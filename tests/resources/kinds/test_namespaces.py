"""What is in a namespace, and what would hold up its end."""

import re
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from kube.objects import Table
from resources.kinds.namespaces import waits_for
from resources.page.deletion_impact import contents
from tests.resources.views.form_submission import flat


def test_what_is_in_it(browser: Client, client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    held = {"name": "held", "finalizers": ["example.com/keeps"]}
    for metadata in ({"name": "a"}, {"name": "b", "finalizers": ["kubernetes.io/x"]}, held):
        client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}, namespace)
    try:
        found = contents(client, namespace)
        count = next(item for item in found.counts if item.place.type.kind == "ConfigMap")
        assert count.count - count.by_itself == 3
        assert [(item.place.name, item.finalizers) for item in found.holding] == [("held", ("example.com/keeps",))]
        assert not found.empty
        page = browser.get(f"/resources/core/v1/namespaces/-/{namespace}/contents/")
        assert f'href="/resources/core/v1/configmaps/{namespace}/held/"' in page.content.decode()
        assert "example.com/keeps" in page.content.decode()
        part = browser.get(f"/resources/core/v1/namespaces/-/{namespace}/contents/", HTTP_HX_REQUEST="true")
        assert re.match(r'<div class="[^"]*" id="contents">', part.content.decode().strip())
        whole = browser.get(f"/resources/core/v1/namespaces/-/{namespace}/").content.decode()
        assert f'hx-get="/resources/core/v1/namespaces/-/{namespace}/contents/"' in whole
        assert browser.get("/resources/core/v1/namespaces/-/no-such/contents/").status_code == 404
    finally:
        client.patch(maps, "held", {"metadata": {"finalizers": None}}, namespace)


def test_a_new_one_is_empty(client: ClusterClient, namespace: str) -> None:
    found = contents(client, namespace)
    assert found.empty, [(item.place.type.kind, item.count) for item in found.counts]
    assert not found.gaps


def test_a_type_whose_definition_was_just_deleted_has_no_objects(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = client.table

    def table(type_: ResourceType, *args: Any, **kwargs: Any) -> Table:
        if type_.kind == "Role":
            raise NotFound("the server could not find the requested resource")
        return read(type_, *args, **kwargs)

    monkeypatch.setattr(client, "table", table)
    assert contents(client, namespace).empty


def test_the_conditions_of_one_that_goes_in_plain_words() -> None:
    condition = {
        "type": "NamespaceFinalizersRemaining",
        "status": "True",
        "message": "Some content: example.com/keeps in 1 resource instances",
    }
    other = {"type": "NamespaceContentRemaining", "status": "False"}
    metadata = {"name": "x", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    ((title, cell),) = waits_for({"metadata": metadata, "status": {"conditions": [condition, other]}})
    assert title == "NamespaceFinalizersRemaining"
    assert "have finalizers that their operator must remove" in cell[0].text
    assert "example.com/keeps" in cell[1].text
    assert waits_for({"metadata": {"name": "x"}, "status": {"conditions": [condition]}}) == ()


def test_before_it_is_deleted_it_is_said_what_goes(browser: Client, client: ClusterClient, namespace: str) -> None:
    claims = client.find("", "v1", "persistentvolumeclaims")
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    obj = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": spec}
    client.create(claims, obj, namespace)
    page = flat(browser.get(f"/resources/core/v1/namespaces/-/{namespace}/delete/"))
    assert "Everything in this namespace is deleted too" in page
    assert "<strong>1</strong> PersistentVolumeClaim" in page
    assert "Type “" in page

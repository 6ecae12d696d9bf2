"""/api/resources/: the same objects as JSON, with the same rights, and only for the console's own pages."""

from urllib.parse import quote
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound, TooManyRequests

MAPS = "/api/resources/core/v1/configmaps/"


def test_types_and_schema(client: ClusterClient, db: None) -> None:
    types = Client().get("/api/resources/").json()
    assert {"core/pods"} <= {f"{item['group'] or 'core'}/{item['plural']}" for item in types}
    assert Client().get("/api/schema/").status_code == 200


def test_an_objects_life(client: ClusterClient, db: None) -> None:
    browser, name = Client(), f"api-{uuid4().hex[:6]}"
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"a": "1"},
    }
    made = browser.post(MAPS, obj, content_type="application/json")
    assert made.status_code == 201
    assert browser.post(MAPS, obj, content_type="application/json").status_code == 409
    url = f"{MAPS}default/{name}/"
    assert browser.patch(url, {"data": {"b": "2"}}, content_type="application/json").json()["data"] == {
        "a": "1",
        "b": "2",
    }
    listed = browser.get(MAPS, {"namespace": "default", "limit": "1000"}).json()["items"]
    assert name in [item["metadata"]["name"] for item in listed]
    assert browser.delete(url).status_code == 200
    with pytest.raises(NotFound):
        client.get(client.find("", "v1", "configmaps"), name, "default")
    assert browser.get(url).json()["reason"] == "NotFound"


def test_another_sites_page_changes_nothing(client: ClusterClient, db: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(MAPS, {"metadata": {"name": "evil"}}, content_type="application/json")
    assert answer.status_code == 403


def _map(client: ClusterClient, name: str, **more: object) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, **more}
    client.create(client.find("", "v1", "configmaps"), obj, "default")


def test_lists_as_tables_and_as_states(client: ClusterClient, db: None) -> None:
    name = f"api-{uuid4().hex[:6]}"
    _map(client, name, data={"a": "1", "b": "2"})
    try:
        table = Client().get(MAPS, {"namespace": "default", "as": "table"}).json()
        place = [column["name"] for column in table["columns"]].index("Data")
        assert [row["cells"][place] for row in table["rows"] if row["name"] == name] == [2]
        page = Client().get(MAPS, {"namespace": "-", "as": "table", "limit": "1"}).json()
        assert len(page["rows"]) == 1
        assert page["continue"]
        states = Client().get("/api/resources/apps/v1/deployments/", {"as": "states"}).json()["items"]
        assert all(set(state) == {"uid", "name", "namespace", "state", "reason", "created"} for state in states)
        wrong = Client().get(MAPS, {"as": "poem"})
        assert wrong.status_code == 400
        assert wrong.json()["status"] == 400
        assert "as: objects, table or states" in wrong.json()["detail"]
    finally:
        client.delete(client.find("", "v1", "configmaps"), name, "default")


def test_search_and_events(client: ClusterClient, db: None) -> None:
    name = f"api-{uuid4().hex[:8]}"
    _map(client, name)
    try:
        found = Client().get("/api/resources/search/", {"q": f"kind:cm {name}"}).json()
        assert [event["object"]["name"] for event in found["items"]] == [name]
        assert found["kinds"] == 1
        tree = Client().get(f"{MAPS}default/{name}/tree/").json()
        assert (tree["items"], tree["owners"], tree["pods"]) == ([], [], 0)
        assert Client().get(f"{MAPS}default/{name}/events/").json()["items"] == []
        events = Client().get("/api/resources/events/", {"namespace": "default", "type": "Warning"}).json()
        assert all(event["warning"] for event in events["items"])
        assert Client().get(f"{MAPS}default/not-{name}/tree/").status_code == 404
    finally:
        client.delete(client.find("", "v1", "configmaps"), name, "default")


def test_names_with_every_legal_character(client: ClusterClient, db: None) -> None:
    roles = client.find("rbac.authorization.k8s.io", "v1", "clusterroles")
    name = f"system:api.{uuid4().hex[:6]}:a b@c"
    client.create(
        roles, {"apiVersion": roles.api_version, "kind": "ClusterRole", "metadata": {"name": name}, "rules": []}
    )
    url = f"/api/resources/rbac.authorization.k8s.io/v1/clusterroles/-/{quote(name)}/"
    try:
        assert Client().get(url).json()["metadata"]["name"] == name
        assert Client().get(f"{url}tree/").status_code == 200
        assert Client().get(url.removeprefix("/api")).status_code == 200
    finally:
        assert Client().delete(url).status_code == 200


def test_a_busy_cluster_says_when_to_come_back(
    client: ClusterClient, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*asked: object, **options: object) -> object:
        raise TooManyRequests("too many requests, please try again later", retry_after=7)

    monkeypatch.setattr(ClusterClient, "list", busy)
    answer = Client().get(MAPS)
    assert (answer.status_code, answer["Retry-After"]) == (429, "7")
    assert answer.json()["reason"] == "TooManyRequests"
    assert "7 seconds" in answer.json()["advice"]
    page = Client().get("/resources/events/")
    assert (page.status_code, page["Retry-After"]) == (429, "7")
    assert "7 seconds" in page.content.decode()


def test_an_object_of_a_megabyte_and_a_half(client: ClusterClient, db: None) -> None:
    name = f"api-{uuid4().hex[:6]}"
    _map(client, name, data={"big": "x" * 1_000_000})
    url = f"{MAPS}default/{name}/"
    try:
        assert len(Client().get(url).json()["data"]["big"]) == 1_000_000
        assert Client().get(url.removeprefix("/api")).status_code == 200
        refused = Client().patch(url, {"data": {"more": "x" * 4_000_000}}, content_type="application/json")
        assert refused.status_code in (400, 413, 422)
        assert refused.json()["title"]
    finally:
        client.delete(client.find("", "v1", "configmaps"), name, "default")


def test_what_is_no_verb_here_is_a_problem_too(client: ClusterClient, db: None) -> None:
    answer = Client().put(MAPS, {}, content_type="application/json")
    assert answer.status_code == 405
    assert answer.json()["status"] == 405
    assert answer.json()["reason"] == "MethodNotAllowed"

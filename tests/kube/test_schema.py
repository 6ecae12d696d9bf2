"""Schemas out of OpenAPI documents, and what they cost the API server."""

import json
from typing import Any

import pytest

from kube.catalog import SchemaCache, pick_schema
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import InvalidConfig, KubeError, Unauthorized, Unreachable, from_answer
from kube.requests import ApiRequest
from kube.transport import Answer

THING = ResourceType(group="example.com", version="v1", plural="things", kind="Thing", namespaced=True)
OTHER = ResourceType(group="example.com", version="v1", plural="others", kind="Other", namespaced=True)


class Server:
    """Publishes two kinds; `hash` is part of the document's address. `asked`: the paths of all requests."""

    def __init__(self) -> None:
        self.hash = "1"
        self.asked: list[str] = []

    def send(self, request: ApiRequest) -> Answer:
        self.asked.append(request.path)
        if request.path == "/openapi/v3":
            place = f"/openapi/v3/apis/example.com/v1?hash={self.hash}"
            return _answer({"paths": {"apis/example.com/v1": {"serverRelativeURL": place}}})
        if dict(request.query)["hash"] != self.hash:
            return Answer(301, {"location": ""}, b"")
        return _answer({"components": {"schemas": {kind: self._schema(kind) for kind in ("Thing", "Other")}}})

    def _schema(self, kind: str) -> dict[str, Any]:
        of = {"group": "example.com", "version": "v1", "kind": kind}
        return {"description": f"{kind} {self.hash}", "x-kubernetes-group-version-kind": [of]}


def _answer(document: Any) -> Answer:
    return Answer(200, {}, json.dumps(document).encode())


def _says(cache: SchemaCache, type_: ResourceType) -> str:
    found = cache.schema(type_)
    assert found is not None
    return str(found["description"])


def test_one_page_asks_for_the_index_once() -> None:
    server = Server()
    cache = SchemaCache(server.send)
    assert [_says(cache, type_) for type_ in (THING, THING, OTHER, OTHER)] == [
        "Thing 1",
        "Thing 1",
        "Other 1",
        "Other 1",
    ]
    document = "/openapi/v3/apis/example.com/v1"
    assert server.asked == ["/openapi/v3", document, document]


def test_the_index_is_old_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    server, now = Server(), [100.0]
    monkeypatch.setattr("kube.catalog.time.monotonic", lambda: now[0])
    cache = SchemaCache(server.send)
    assert _says(cache, THING) == "Thing 1"
    server.hash = "2"
    assert _says(cache, THING) == "Thing 1"
    now[0] += 1.5
    assert _says(cache, THING) == "Thing 2"


def test_a_definition_that_was_changed_here_is_read_at_once() -> None:
    server = Server()
    cache = SchemaCache(server.send)
    assert _says(cache, THING) == "Thing 1"
    server.hash = "2"
    cache.forget()
    assert _says(cache, THING) == "Thing 2"


def test_an_address_that_has_gone_is_looked_up_anew() -> None:
    """Between the index and the document the definition changed."""
    server = Server()
    cache = SchemaCache(server.send)
    assert _says(cache, THING) == "Thing 1"
    server.hash = "2"
    assert _says(cache, OTHER) == "Other 2"


def test_a_real_index_is_asked_for_once(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    send = client._schemas._send

    def counting(request: ApiRequest) -> Answer:
        asked.append(request.path)
        return send(request)

    client._schemas.forget()
    monkeypatch.setattr(client._schemas, "_send", counting)
    for plural in ("deployments", "replicasets", "deployments"):
        assert client.schema(client.find("apps", "v1", plural)) is not None
    assert asked.count("/openapi/v3") == 1


def test_a_document_of_a_group_that_just_went_is_empty() -> None:
    """What kube-apiserver 1.36.3 answers: 200, and not a byte."""
    assert pick_schema(b"", THING) is None
    assert pick_schema(b"{}", THING) is None


@pytest.mark.parametrize("answer", [503, 500, 429, 403, 200])
@pytest.mark.parametrize("failing", ["/openapi/v3", "/openapi/v3/apis/example.com/v1"])
def test_where_it_is_not_published_the_definition_has_it(failing: str, answer: int) -> None:
    """OpenAPI documents of a cluster with very many definitions take its API server longer than it has."""
    server = Server()
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": {"description": "Thing defined"}}}]

    def send(request: ApiRequest) -> Answer:
        if request.path == failing:
            if answer == 200:
                return Answer(200, {}, b"<garbage")
            raise from_answer(answer, b"")
        if request.path.endswith("/customresourcedefinitions/things.example.com"):
            return _answer({"spec": {"versions": versions}})
        if "customresourcedefinitions" in request.path:
            raise from_answer(404, b"")
        return server.send(request)

    cache = SchemaCache(send)
    assert _says(cache, THING) == "Thing defined"
    with pytest.raises(KubeError):
        cache.schema(OTHER)


@pytest.mark.parametrize("error", [Unreachable("away"), Unauthorized("who?"), InvalidConfig("broken")])
def test_a_cluster_that_is_away_is_not_asked_again_for_the_definition(error: KubeError) -> None:
    asked: list[str] = []

    def send(request: ApiRequest) -> Answer:
        asked.append(request.path)
        raise error

    with pytest.raises(type(error)):
        SchemaCache(send).schema(THING)
    assert asked == ["/openapi/v3"]

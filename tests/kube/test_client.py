"""Every verb over real HTTP, and what refusals become."""

import socket
import ssl
from dataclasses import replace

import pytest

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import AlreadyExists, BadRequest, Conflict, Forbidden, Invalid, NotFound, Unauthorized, Unreachable
from tests.eventually import until


def test_objects_come_and_go(client: ClusterClient, namespace: str) -> None:
    maps = client.find("core", "v1", "configmaps")
    made = client.create(maps, {"metadata": {"name": "one"}, "data": {"a": "1"}}, namespace)
    assert client.get(maps, "one", namespace)["metadata"]["uid"] == made["metadata"]["uid"]
    made["data"]["a"] = "2"
    replaced = client.replace(maps, made, namespace)
    assert replaced["data"] == {"a": "2"}
    with pytest.raises(Conflict):
        client.replace(maps, made, namespace)
    assert client.patch(maps, "one", {"data": {"b": "3"}}, namespace)["data"] == {"a": "2", "b": "3"}
    json_patch = [{"op": "remove", "path": "/data/a"}]
    assert client.patch(maps, "one", json_patch, namespace, style="json")["data"] == {"b": "3"}
    found = client.list(maps, namespace)
    assert [item["metadata"]["name"] for item in found.items if item["metadata"]["name"] == "one"] == ["one"]
    assert found.items[0]["kind"] == "ConfigMap"
    with pytest.raises(Conflict):
        client.delete(maps, "one", namespace, uid="somebody-else")
    client.delete(maps, "one", namespace)
    with pytest.raises(NotFound):
        client.get(maps, "one", namespace)


def test_apply_makes_and_changes(client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    wanted = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}
    client.patch(maps, "applied", wanted, namespace, style="apply")
    wanted["data"] = {"b": "2"}
    assert client.patch(maps, "applied", wanted, namespace, style="apply")["data"] == {"b": "2"}


def test_a_dry_run_changes_nothing(client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    client.create(maps, {"metadata": {"name": "dry"}}, namespace, dry_run=True)
    with pytest.raises(NotFound):
        client.get(maps, "dry", namespace)


def test_tables_come_in_pages(client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    for number in range(5):
        client.create(maps, {"metadata": {"name": f"m{number}", "labels": {"page": "yes"}}}, namespace)
    first = client.table(maps, namespace, labels="page=yes", limit=2)
    assert first.columns[0].name == "Name"
    assert [row.cells[0] for row in first.rows] == ["m0", "m1"]
    assert first.rows[0].object["metadata"]["namespace"] == namespace
    second = client.table(maps, namespace, labels="page=yes", limit=2, continue_=first.continue_)
    assert [row.cells[0] for row in second.rows] == ["m2", "m3"]


def test_types_are_found_by_place_and_by_kind(client: ClusterClient) -> None:
    deployments = client.find("apps", "", "deployments")
    assert (deployments.kind, deployments.api_version, deployments.namespaced) == ("Deployment", "apps/v1", True)
    assert "status" in deployments.subresources
    assert client.find_kind("apps", "Deployment", "v1") == deployments
    assert client.find_kind("", "Namespace").namespaced is False
    assert deployments.topic_part == "apps/v1/deployments"


def test_a_type_that_is_not_served(client: ClusterClient) -> None:
    with pytest.raises(NotFound, match=r"the cluster serves no resource 'zebras' in zoo.example/v1"):
        client.find("zoo.example", "v1", "zebras")


def _found(client: ClusterClient, group: str, version: str, plural: str, seconds: float = 10) -> ResourceType:
    """A type as soon as it is served: a real cluster takes a moment after its CustomResourceDefinition was created."""

    def find() -> ResourceType:
        client.forget_types()
        return client.find(group, version, plural)

    return until(find, f"{plural}.{group} is served", seconds=seconds, not_yet=(NotFound,))


def test_a_new_type_is_found(client: ClusterClient) -> None:
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    client.types()
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "maximum": 3}}}
        },
    }
    names = {"plural": "lions", "singular": "lion", "kind": "Lion", "listKind": "LionList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": "zoo.example", "scope": "Namespaced", "names": names, "versions": [version]}
    client.create(crds, {"metadata": {"name": "lions.zoo.example"}, "spec": spec})
    try:
        lions = _found(client, "zoo.example", "v1", "lions")
        leo = {"apiVersion": "zoo.example/v1", "kind": "Lion", "metadata": {"name": "leo"}, "spec": {"size": 3}}
        assert client.create(lions, leo, "default")["spec"] == {"size": 3}
    finally:
        client.delete(crds, "lions.zoo.example")


def test_refusals_have_their_own_class(client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    obj = {"metadata": {"name": "twice"}}
    client.create(maps, obj, namespace)
    with pytest.raises(AlreadyExists) as again:
        client.create(maps, obj, namespace)
    assert again.value.object_ref == f'configmaps "twice" in namespace "{namespace}"'


def test_unknown_fields_are_refused(client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    with pytest.raises(BadRequest, match="unknown field"):
        client.create(
            maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "odd"}, "spec": 1}, namespace
        )


def test_an_invalid_object_names_its_fields(client: ClusterClient) -> None:
    maps = client.find("", "v1", "configmaps")
    with pytest.raises(Invalid, match="A_b") as refused:
        client.create(maps, {"metadata": {"name": "A_b"}}, "default")
    assert [(cause.field, cause.reason) for cause in refused.value.causes] == [("metadata.name", "FieldValueInvalid")]


def test_a_wrong_token_is_unauthorized(client: ClusterClient) -> None:
    with pytest.raises(Unauthorized):
        ClusterClient(replace(client.config, token=lambda: "wrong")).types()


def test_impersonation_is_honoured_and_reviews_tell(client: ClusterClient) -> None:
    stranger = ClusterClient(replace(client.config, headers=(("Impersonate-User", "stranger"),)))
    maps = client.find("", "v1", "configmaps")
    assert client.review("list", maps).allowed is True
    assert stranger.review("list", maps, "default").allowed is False
    with pytest.raises(Forbidden, match="stranger"):
        stranger.list(maps, "default")


def test_a_server_that_is_not_there_is_named(client: ClusterClient) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(Unreachable) as refused:
        ClusterClient(replace(client.config, host=f"https://127.0.0.1:{port}")).version()
    assert f"https://127.0.0.1:{port} does not answer: connection refused. Start the cluster" in str(refused.value)


def test_a_certificate_of_somebody_else(client: ClusterClient) -> None:
    if client.config.tls is None:
        pytest.skip("the embedded cluster speaks plain HTTP")
    with pytest.raises(Unreachable, match="its certificate is not trusted"):
        ClusterClient(replace(client.config, tls=ssl.create_default_context())).version()

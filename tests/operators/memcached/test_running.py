"""Memcacheds on a really started cluster: installed through OLM's objects, looked after by the operator's process."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.api import Api

OLM = "/apis/operators.coreos.com"
CSV = "memcached-operator.v0.1.0"


def create(api: Api, path: str, api_version: str, kind: str, name: str, spec: Any) -> dict[str, Any]:
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    answer = api.post(path, body)
    assert answer.status == 201, answer.raw
    return answer.json


@pytest.fixture(scope="module")
def namespace(api: Api) -> Iterator[str]:
    """A namespace with the operator in it, through a Subscription."""
    name = f"caches-{uuid4().hex[:6]}"
    create(api, "/api/v1/namespaces", "v1", "Namespace", name, {})
    groups, subscriptions = (
        f"{OLM}/{version}/namespaces/{name}/{plural}"
        for version, plural in (("v1", "operatorgroups"), ("v1alpha1", "subscriptions"))
    )
    create(api, groups, "operators.coreos.com/v1", "OperatorGroup", "group", {"targetNamespaces": [name]})
    wanted = {"name": "memcached", "source": "samples-catalog", "sourceNamespace": "olm"}
    create(api, subscriptions, "operators.coreos.com/v1alpha1", "Subscription", "memcached", wanted)
    path = f"{OLM}/v1alpha1/namespaces/{name}/clusterserviceversions/{CSV}"
    api.until(path, lambda csv: csv.get("status", {}).get("phase") == "Succeeded", 120)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def caches(namespace: str) -> str:
    return f"/apis/cache.example.com/v1alpha1/namespaces/{namespace}/memcacheds"


@pytest.fixture
def deployments(namespace: str) -> str:
    return f"/apis/apps/v1/namespaces/{namespace}/deployments"


@pytest.fixture
def pods(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def new(api: Api, caches: str, name: str, **spec: Any) -> dict[str, Any]:
    return create(api, caches, "cache.example.com/v1alpha1", "Memcached", name, {"size": 3, **spec})


def settled(size: int) -> Any:
    """Whether so many nodes are there, ready and listed, for the newest spec."""

    def holds(found: dict[str, Any]) -> bool:
        status = found.get("status") or {}
        (condition,) = status.get("conditions") or [{}]
        newest = status.get("observedGeneration") == found["metadata"]["generation"]
        words = (condition.get("status"), condition.get("reason"))
        return newest and words == ("True", "NodesReady") and len(status["nodes"]) == size == status["replicas"]

    return holds


def names_of(api: Api, pods: str, name: str) -> list[str]:
    """The Pods that stay, as the API server lists them."""
    found = api.get(f"{pods}?labelSelector=cache.example.com%2Fmemcached%3D{name}").json["items"]
    return sorted(pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"])


def test_the_tutorial(api: Api, caches: str, deployments: str, pods: str) -> None:
    """Three nodes, five, two by the scale subresource, and away."""
    new(api, caches, "sample")
    for size, change in ((3, None), (5, ("", {"size": 5})), (2, ("/scale", {"replicas": 2}))):
        if change:
            assert api.patch(f"{caches}/sample{change[0]}", {"spec": change[1]}).status == 200
        found = api.until(f"{caches}/sample", settled(size), 60)
        assert found["status"]["nodes"] == names_of(api, pods, "sample")
        assert found["status"]["conditions"][0]["message"] == f"{size} of {size} nodes ready"
    assert "finalizers" not in found["metadata"]
    assert "annotations" not in found["metadata"]
    scale = api.get(f"{caches}/sample/scale").json
    assert scale["status"] == {"replicas": 2, "selector": "cache.example.com/memcached=sample"}
    api.delete(f"{caches}/sample")
    api.until_gone(f"{deployments}/sample")
    for name in found["status"]["nodes"]:
        api.until_gone(f"{pods}/{name}")


def test_what_happened_is_recorded(api: Api, namespace: str, caches: str) -> None:
    uid = new(api, caches, "told", size=1)["metadata"]["uid"]
    api.until(f"{caches}/told", settled(1))
    api.patch(f"{caches}/told", {"spec": {"size": 2}})
    api.until(f"{caches}/told", settled(2))
    wanted = {"Created", "Creating", "NodesReady", "Scaled"}
    events = f"/api/v1/namespaces/{namespace}/events?fieldSelector=involvedObject.uid%3D{uid}"
    found = api.until(events, lambda body: wanted <= {one["reason"] for one in body["items"]})
    assert {one["type"] for one in found["items"]} == {"Normal"}
    api.delete(f"{caches}/told")


def test_the_port_reaches_the_pods(api: Api, caches: str, pods: str) -> None:
    new(api, caches, "port", size=1)
    (old,) = api.until(f"{caches}/port", settled(1))["status"]["nodes"]
    api.patch(f"{caches}/port", {"spec": {"containerPort": 11311}})
    found = api.until(f"{caches}/port", lambda one: settled(1)(one) and one["status"]["nodes"] != [old], 60)
    (container,) = api.get(f"{pods}/{found['status']['nodes'][0]}").json["spec"]["containers"]
    assert container["ports"][0]["containerPort"] == 11311
    api.delete(f"{caches}/port")


def test_what_others_change_is_corrected(api: Api, namespace: str, caches: str, deployments: str, pods: str) -> None:
    new(api, caches, "kept", size=2)
    first = api.until(f"{caches}/kept", settled(2))["status"]["nodes"]

    api.patch(f"{deployments}/kept/scale", {"spec": {"replicas": 4}})
    api.until(f"{deployments}/kept", lambda one: one["spec"]["replicas"] == 2)
    events = f"/api/v1/namespaces/{namespace}/events?fieldSelector=reason%3DCorrected"
    (event,) = api.until(events, lambda body: body["items"])["items"]
    assert event["message"] == "Somebody scaled the Deployment to 4; back to 2. Scale the Memcached instead"

    api.delete(f"{pods}/{first[0]}")
    found = api.until(f"{caches}/kept", lambda one: settled(2)(one) and first[0] not in one["status"]["nodes"])
    assert found["status"]["nodes"] == names_of(api, pods, "kept")

    uid = api.get(f"{deployments}/kept").json["metadata"]["uid"]
    api.delete(f"{deployments}/kept")
    api.until(f"{deployments}/kept", lambda one: one["metadata"]["uid"] != uid)
    api.until(f"{caches}/kept", settled(2), 60)
    api.delete(f"{caches}/kept")


def test_a_restart_loses_nothing(api: Api, caches: str, pods: str) -> None:
    """What changed while the operator was away is done when it is back; what did not is left alone."""
    for name in ("same", "changed"):
        new(api, caches, name, size=1)
    same = api.until(f"{caches}/same", settled(1))
    api.until(f"{caches}/changed", settled(1))
    ours = f"{pods}?labelSelector=app.kubernetes.io%2Fname%3Dmemcached-operator"
    (old,) = [one["metadata"]["name"] for one in api.get(ours).json["items"]]
    api.delete(f"{pods}/{old}", {"gracePeriodSeconds": 0})
    api.until_gone(f"{pods}/{old}")
    api.patch(f"{caches}/changed", {"spec": {"size": 2}})
    new(api, caches, "meanwhile", size=1)
    api.until(f"{caches}/changed", settled(2), 60)
    api.until(f"{caches}/meanwhile", settled(1))
    assert api.get(f"{caches}/same").json == same
    for name in ("same", "changed", "meanwhile"):
        api.delete(f"{caches}/{name}")


def test_a_deployment_of_somebody_else_is_left_alone(api: Api, caches: str, deployments: str) -> None:
    pod = {"metadata": {"labels": {"app": "mine"}}, "spec": {"containers": [{"name": "a", "image": "mine"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "mine"}}, "template": pod}
    create(api, deployments, "apps/v1", "Deployment", "taken", spec)
    new(api, caches, "taken", size=1)
    found = api.until(f"{caches}/taken", lambda one: (one.get("status") or {}).get("conditions"))
    (condition,) = found["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "DeploymentFailed")
    assert "a Deployment named taken exists already" in condition["message"]
    assert "ownerReferences" not in api.get(f"{deployments}/taken").json["metadata"]
    api.delete(f"{deployments}/taken")
    api.until(f"{caches}/taken", settled(1))
    api.delete(f"{caches}/taken")


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("few", {"size": 0}, "should be greater than or equal to 1"),
        ("many", {"size": 8}, "should be less than or equal to 7"),
        ("x" * 64, {"size": 1}, "the name must be at most 63 characters"),
    ],
)
def test_the_api_server_refuses(api: Api, caches: str, name: str, spec: dict[str, Any], message: str) -> None:
    body = {"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": name}, "spec": spec}
    answer = api.post(caches, body)
    assert answer.status == 422
    assert message in answer.message


def test_the_table_of_a_list(api: Api, caches: str) -> None:
    new(api, caches, "shown", size=1)
    api.until(f"{caches}/shown", settled(1))
    table = api.get(caches, accept="application/json;as=Table;v=v1;g=meta.k8s.io").json
    assert [one["name"] for one in table["columnDefinitions"] if not one["priority"]] == [
        "Name",
        "Size",
        "Ready",
        "Available",
        "Age",
    ]
    (row,) = [row["cells"] for row in table["rows"] if row["cells"][0] == "shown"]
    assert row[1:4] == [1, 1, "True"]
    api.delete(f"{caches}/shown")

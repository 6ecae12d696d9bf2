"""The Deployment of a Memcached: what it runs, and that it goes with it."""

import pytest

from examples.operators.memcached.memcached import IMAGE, IMAGE_VARIABLE, LABEL, deployment

from .caches import memcached


def test_it_has_the_size_and_the_port() -> None:
    found = deployment(memcached(size=5, containerPort=11311))
    assert found["spec"]["replicas"] == 5
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert container["ports"] == [{"name": "memcached", "containerPort": 11311, "protocol": "TCP"}]
    assert "--port=11311" in container["command"]


def test_it_belongs_to_the_memcached() -> None:
    found = deployment(memcached())
    assert (found["metadata"]["name"], found["metadata"]["namespace"]) == ("example", "demo")
    (owner,) = found["metadata"]["ownerReferences"]
    assert owner == {
        "apiVersion": "cache.example.com/v1alpha1",
        "kind": "Memcached",
        "name": "example",
        "uid": "0123",
        "controller": True,
        "blockOwnerDeletion": True,
    }


def test_its_selector_finds_its_pods() -> None:
    cache = memcached()
    spec = deployment(cache)["spec"]
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    assert cache.selector == f"{LABEL}=example"


def test_it_runs_where_pods_are_restricted() -> None:
    pod = deployment(memcached())["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = pod["containers"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_another_image_where_the_internet_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def image() -> str:
        return str(deployment(memcached())["spec"]["template"]["spec"]["containers"][0]["image"])

    monkeypatch.delenv(IMAGE_VARIABLE, raising=False)
    assert image() == IMAGE
    monkeypatch.setenv(IMAGE_VARIABLE, "mirror.local/memcached@sha256:0")
    assert image() == "mirror.local/memcached@sha256:0"


@pytest.mark.parametrize(
    ("owners", "labels", "owned"),
    [
        ([{"uid": "0123", "controller": True}], {}, True),
        ([{"uid": "9", "controller": True}], {LABEL: "example"}, False),
        ([], {LABEL: "example"}, True),  # left behind by `kubectl delete --cascade=orphan`
        ([], {}, False),
        ([{"uid": "9"}], {LABEL: "other"}, False),
    ],
)
def test_whose_a_deployment_is(owners: list, labels: dict, owned: bool) -> None:
    assert memcached().owns({"metadata": {"ownerReferences": owners, "labels": labels}}) is owned


@pytest.mark.parametrize(
    ("change", "is_so"),
    [
        ({}, True),
        ({"name": "other"}, False),
        ({"kind": "Redis"}, False),
        ({"controller": False}, False),
    ],
)
def test_what_is_left_of_another_one_with_the_same_name(change: dict, is_so: bool) -> None:
    owner = {**memcached().owner(), "uid": "before", **change}
    left = {"metadata": {"ownerReferences": [owner]}}
    assert memcached().succeeds(left) is is_so
    assert not memcached().owns(left)

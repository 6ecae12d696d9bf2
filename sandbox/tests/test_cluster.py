"""The verbs that controllers use, in one process, without HTTP."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sandbox.assembly import assemble
from sandbox.cluster import Cluster, ObjectEvent
from sandbox.errors import AlreadyExists, Conflict, Invalid, NotFound
from tests.api import config_map, custom_resource_definition

CRDS = "customresourcedefinitions.apiextensions.k8s.io"


@pytest.fixture
def cluster(tmp_path) -> Cluster:
    found = assemble(tmp_path).cluster
    found.create("namespaces", {"metadata": {"name": "n"}})
    return found


def test_it_works(cluster: Cluster) -> None:
    created = cluster.create("configmaps", config_map("a", k="v"), "n")
    assert cluster.get("configmaps", "a", "n") == created
    created["data"]["k"] = "changed outside"
    assert cluster.get("configmaps", "a", "n")["data"] == {"k": "v"}
    with pytest.raises(AlreadyExists):
        cluster.create("configmaps", config_map("a"), "n")
    with pytest.raises(NotFound):
        cluster.get("configmaps", "b", "n")
    with pytest.raises(Invalid):
        cluster.create("configmaps", config_map("B_"), "n")


def test_update_and_patch(cluster: Cluster) -> None:
    old = cluster.create("configmaps", config_map("a", k="v"), "n")
    cluster.patch("configmaps", "a", {"data": {"l": "w"}}, "n")
    with pytest.raises(Conflict):
        cluster.update("configmaps", old, "n")
    del old["metadata"]["resourceVersion"]
    assert cluster.update("configmaps", old, "n")["data"] == {"k": "v"}


def test_apply_writes_only_what_differs(cluster: Cluster) -> None:
    first = cluster.apply("configmaps", config_map("a", k="v"), "n")
    again = cluster.apply("configmaps", config_map("a", k="v"), "n")
    assert again["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    assert cluster.apply("configmaps", config_map("a", k="w"), "n")["data"] == {"k": "w"}


def test_list_and_selectors(cluster: Cluster) -> None:
    for name, label in (("a", "1"), ("b", "2")):
        cluster.create("configmaps", {"metadata": {"name": name, "labels": {"x": label}}}, "n")
    assert [obj["metadata"]["name"] for obj in cluster.list("configmaps", labels="x=2")] == ["b"]
    assert [obj["metadata"]["name"] for obj in cluster.list("configmaps", fields="metadata.name=a")] == ["a"]
    assert cluster.list("things.nowhere.io") == []


def test_delete_a_pod_with_grace(cluster: Cluster) -> None:
    spec = {"nodeName": "here", "containers": [{"name": "c", "image": "i"}]}
    cluster.create("pods", {"metadata": {"name": "p"}, "spec": spec}, "n")
    cluster.delete("pods", "p", "n")
    assert cluster.get("pods", "p", "n")["metadata"]["deletionGracePeriodSeconds"] == 30
    cluster.delete("pods", "p", "n", grace=0)
    with pytest.raises(NotFound):
        cluster.get("pods", "p", "n")


async def _take(events: AsyncIterator[ObjectEvent], count: int) -> list[tuple[str, str, str]]:
    found = []
    async for event in events:
        found.append((event.type, event.resource, event.object["metadata"]["name"]))
        if len(found) == count:
            break
    return found


async def test_watch_brings_the_present_and_every_change(cluster: Cluster) -> None:
    cluster.create("configmaps", config_map("a"), "n")
    events = cluster.watch("configmaps", "secrets")
    reading = asyncio.create_task(_take(events, 4))
    await asyncio.sleep(0)
    cluster.create("secrets", {"metadata": {"name": "s"}}, "n")
    cluster.patch("configmaps", "a", {"data": {"k": "v"}}, "n")
    cluster.delete("configmaps", "a", "n")
    assert await asyncio.wait_for(reading, 5) == [
        ("ADDED", "configmaps", "a"),
        ("ADDED", "secrets", "s"),
        ("MODIFIED", "configmaps", "a"),
        ("DELETED", "configmaps", "a"),
    ]


async def test_watch_of_what_is_not_served_yet(cluster: Cluster) -> None:
    reading = asyncio.create_task(_take(cluster.watch("boxes.later.test"), 1))
    await asyncio.sleep(0)
    cluster.create(CRDS, custom_resource_definition("later.test", "boxes", "Box"))
    box = {"apiVersion": "later.test/v1", "kind": "Box", "metadata": {"name": "b"}}
    cluster.create("boxes.later.test", box, "n")
    assert await asyncio.wait_for(reading, 5) == [("ADDED", "boxes.later.test", "b")]
    served = cluster.resource_for("later.test/v1", "Box")
    assert served is not None
    assert served.key == "boxes.later.test"
    assert served in cluster.served()

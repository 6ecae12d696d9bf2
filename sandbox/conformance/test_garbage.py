"""Garbage collection: owners, dependents, the ways of propagation"""

from typing import Any

import pytest

from tests.api import Api

from .observations import Seen


def owned(name: str, *owners: dict[str, Any], blocks: bool = False, **metadata: Any) -> dict[str, Any]:
    """A ConfigMap with references to other ConfigMaps."""
    references = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
        | ({"blockOwnerDeletion": True} if blocks else {})
        for owner in owners
    ]
    return {"metadata": {"name": name, "ownerReferences": references, **metadata}}


@pytest.fixture
def owner(api: Api, maps: str) -> dict[str, Any]:
    """A ConfigMap that has a dependent."""
    made = api.post(maps, {"metadata": {"name": "owner"}}).json
    assert api.post(maps, owned("child", made)).status == 201
    return made  # type: ignore[no-any-return]


def test_background(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Background: the owner goes at once, its dependents soon"""
    seen("deleted", api.delete(f"{maps}/owner?propagationPolicy=Background"))
    assert api.get(f"{maps}/owner").status == 404
    api.until_gone(f"{maps}/child")


def test_default(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Without a policy the dependents go in the background"""
    seen("deleted", api.delete(f"{maps}/owner"))
    api.until_gone(f"{maps}/child")


def test_orphan(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Orphan: dependents stay, without the reference"""
    seen("deleted", api.delete(f"{maps}/owner?propagationPolicy=Orphan"))
    api.until_gone(f"{maps}/owner")
    seen("child", api.get(f"{maps}/child"))


def test_orphan_by_the_old_option(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """orphanDependents: true does the same"""
    seen("deleted", api.delete(f"{maps}/owner", {"orphanDependents": True}))
    api.until_gone(f"{maps}/owner")
    assert "ownerReferences" not in api.get(f"{maps}/child").json["metadata"]


def test_foreground(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Foreground: the owner waits for dependents that block it"""
    api.post(maps, owned("blocking", owner, blocks=True, finalizers=["a.example/x"]))
    seen("deleted", api.delete(f"{maps}/owner?propagationPolicy=Foreground"))
    api.until(f"{maps}/blocking", lambda obj: "deletionTimestamp" in obj["metadata"])
    seen("waits", api.get(f"{maps}/owner"))
    api.until_gone(f"{maps}/child")
    api.patch(f"{maps}/blocking", {"metadata": {"finalizers": None}})
    api.until_gone(f"{maps}/owner")


def test_foreground_without_blocking(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Foreground: dependents that do not block are not waited for"""
    api.post(maps, owned("slow", owner, finalizers=["a.example/x"]))
    api.delete(f"{maps}/owner?propagationPolicy=Foreground")
    api.until_gone(f"{maps}/owner")
    left = api.until(f"{maps}/slow", lambda obj: "deletionTimestamp" in obj["metadata"])
    seen.value("left", left)
    api.patch(f"{maps}/slow", {"metadata": {"finalizers": None}})


def test_absent_owner(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """An object whose owner does not exist is deleted"""
    nobody = {"metadata": {"name": "nobody", "uid": "00000000-0000-0000-0000-000000000000"}}
    seen("created", api.post(maps, owned("lost", nobody)))
    api.until_gone(f"{maps}/lost")
    other = {"metadata": {"name": "owner", "uid": "00000000-0000-0000-0000-000000000000"}}
    api.post(maps, owned("mistaken", other))
    api.until_gone(f"{maps}/mistaken")
    assert api.get(f"{maps}/child").status == 200


def test_two_owners(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """With two owners it stays until both have gone, and forgets the first"""
    second = api.post(maps, {"metadata": {"name": "second"}}).json
    api.post(maps, owned("both", owner, second))
    api.delete(f"{maps}/owner")
    left = api.until(f"{maps}/both", lambda obj: len(obj["metadata"]["ownerReferences"]) == 1)
    seen.value("left", left)
    api.delete(f"{maps}/second")
    api.until_gone(f"{maps}/both")


def test_chains(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """Dependents of dependents go too"""
    child = api.get(f"{maps}/child").json
    api.post(maps, owned("grandchild", child))
    seen("deleted", api.delete(f"{maps}/owner"), only=["status"])
    api.until_gone(f"{maps}/grandchild")


def test_collector_finalizers(seen: Seen, api: Api, maps: str, owner: dict[str, Any]) -> None:
    """The policy of a second deletion wins over the first"""
    api.patch(f"{maps}/owner", {"metadata": {"finalizers": ["a.example/x"]}})
    seen("foreground", api.delete(f"{maps}/owner?propagationPolicy=Foreground"), only=["metadata.finalizers"])
    seen("background", api.delete(f"{maps}/owner?propagationPolicy=Background"), only=["metadata.finalizers"])
    api.patch(f"{maps}/owner", {"metadata": {"finalizers": None}})
    api.until_gone(f"{maps}/owner")

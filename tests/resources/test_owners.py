"""The tree of what belongs to an object, from ownerReferences and from the names of a StatefulSet's claims."""

from typing import Any

from kube.discovery import ResourceType
from resources.tree import owned_tree

CLAIM = ResourceType(
    group="", version="v1", plural="persistentvolumeclaims", kind="PersistentVolumeClaim", namespaced=True
)
POD = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
SET = ResourceType(group="apps", version="v1", plural="statefulsets", kind="StatefulSet", namespaced=True)


def _object(name: str, *owners: str, namespace: str = "shop", **parts: Any) -> dict[str, Any]:
    references = [{"uid": owner, "name": owner, "kind": "?", "apiVersion": "v1"} for owner in owners]
    return {"metadata": {"name": name, "uid": name, "namespace": namespace, "ownerReferences": references}, **parts}


def _names(owner: dict[str, Any], *objects: tuple[ResourceType, dict[str, Any]]) -> list[tuple[int, str]]:
    return [
        (row.depth, str(row.object["metadata"]["name"])) for row in owned_tree(owner, objects, ["StatefulSet", "Pod"])
    ]


def test_each_behind_what_it_belongs_to() -> None:
    found = _names(
        _object("db"),
        (POD, _object("set-10", "set")),
        (POD, _object("set-2", "set")),
        (SET, _object("set", "db")),
        (POD, _object("another", "elsewhere")),
    )
    assert found == [(0, "set"), (1, "set-2"), (1, "set-10")]


def test_circles_end() -> None:
    assert _names(_object("a", "b"), (POD, _object("b", "a")), (POD, _object("a", "b"))) == [(0, "b")]


def test_an_object_with_two_owners_is_shown_once() -> None:
    assert _names(_object("db"), (SET, _object("set", "db")), (POD, _object("p", "db", "set"))) == [
        (0, "set"),
        (1, "p"),
    ]


def test_claims_of_a_stateful_set() -> None:
    templates = {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}
    owner = _object("db", spec=templates)
    claims = [
        _object(name) for name in ("data-db-0", "data-db-1", "data-db-x", "data-db-0-copy", "log-db-0", "data-db-2-0")
    ]
    elsewhere = _object("data-db-3", namespace="other")
    found = _names(owner, *((CLAIM, claim) for claim in [*claims, elsewhere]))
    assert found == [(0, "data-db-0"), (0, "data-db-1")]


def test_claims_may_have_odd_templates() -> None:
    odd: tuple[Any, ...] = ({"volumeClaimTemplates": "x"}, {"volumeClaimTemplates": [{}]}, None)
    for spec in odd:
        assert _names(_object("db", spec=spec), (CLAIM, _object("data-db-0"))) == []

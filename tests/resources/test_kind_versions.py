"""Which version of a kind is meant, and which are deprecated."""

from typing import Any
from uuid import uuid4

import pytest

from kube.discovery import ResourceType, api_version_priority
from kube.errors import Forbidden, NotFound
from resources.types import kind_versions
from resources.types.kind_versions import DefinedVersion, preferred


def test_versions_are_in_the_order_of_kubernetes() -> None:
    names = ["v10beta3", "v1", "foo1", "v12alpha1", "v2", "v3beta1", "v11alpha2", "v10", "foo10", "v11beta2", "v3"]
    expected = ["v10", "v3", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    assert sorted(names, key=api_version_priority) == expected


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ((DefinedVersion(name="v1alpha1", deprecated=True), DefinedVersion(name="v1beta1", storage=True)), "v1beta1"),
        ((DefinedVersion(name="v1"), DefinedVersion(name="v1beta1", storage=True)), "v1beta1"),
        ((DefinedVersion(name="v1alpha1", storage=True, deprecated=True), DefinedVersion(name="v1beta1")), "v1beta1"),
        ((DefinedVersion(name="v1", served=False, storage=True), DefinedVersion(name="v1beta1")), "v1beta1"),
        ((DefinedVersion(name="v1beta1", deprecated=True),), "v1beta1"),
        ((), ""),
    ],
)
def test_which_version_is_meant(versions: tuple[DefinedVersion, ...], expected: str) -> None:
    """H1: a deprecated version is never offered beside another."""
    assert preferred(versions) == expected


class Cluster:
    """A client with one kind in two versions."""

    def __init__(self, crd: dict[str, Any] | None) -> None:
        # Not id(self): another one may have it again while what was cached for this one lives.
        self.host, self.who, self.crd = uuid4().hex, "someone", crd
        self.boats = [
            ResourceType(group="sea.example", version=name, plural="boats", kind="Boat", namespaced=True)
            for name in ("v1", "v1beta1")
        ]

    def types(self) -> tuple[ResourceType, ...]:
        return tuple(self.boats)

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        if group == "sea.example" and plural != "boats":
            raise NotFound("no such kind")
        return self.boats[0]

    def get(self, _type: ResourceType, _name: str) -> dict[str, Any]:
        if self.crd is None:
            raise Forbidden("no definitions for you")
        return self.crd


def crd(**more: Any) -> dict[str, Any]:
    served = [
        {"name": "v1beta1", "served": True, "deprecated": True, **more},
        {"name": "v1", "served": True, "storage": True},
    ]
    return {"spec": {"versions": served}}


def test_deprecation_is_said_with_the_version_to_use() -> None:
    """H1: in the author's words where there are some."""
    client: Any = Cluster(crd())
    newest, old = kind_versions.versions(client, "sea.example", "boats")
    assert (newest.type.version, newest.preferred, newest.deprecation) == ("v1", True, "")
    assert "sea.example/v1" in old.deprecation
    spoken: Any = Cluster(crd(deprecationWarning="Boats are out"))
    assert kind_versions.deprecation(spoken, old.type) == "Boats are out"
    assert kind_versions.deprecation(spoken, newest.type) == ""


def test_without_its_definition_the_order_of_versions_decides() -> None:
    """H1: a reader of one namespace can't read definitions."""
    client: Any = Cluster(None)
    assert [
        (boat.type.version, boat.deprecation) for boat in kind_versions.versions(client, "sea.example", "boats")
    ] == [
        ("v1", ""),
        ("v1beta1", ""),
    ]
    assert kind_versions.preferred_type(client, "sea.example", "ships") is None

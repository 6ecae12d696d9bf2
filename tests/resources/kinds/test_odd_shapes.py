"""Whatever stands in an object, its page is made: one value after another is replaced by something of another shape."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string

from kube.discovery import ResourceType
from kube.errors import NotFound
from kube.objects import Access, ObjectList
from resources.page.detail import panels
from tests.resources.kinds.samples import SAMPLES

ODD: tuple[Any, ...] = (None, True, -1, 1.5, "", "\x00<b>", [], {}, [None, 1, "x"], {"a": 1}, [[]], [{}])


class Cluster:
    """Serves Pods, Roles and Secrets, and has the sample in every list."""

    name, host, user, who, by = "odd", "odd", "odd", "odd", ""

    def __init__(self, sample: dict[str, Any]) -> None:
        self.sample = sample

    def find_kind(self, group: str, kind: str, version: str = "") -> ResourceType:
        if not isinstance(group, str) or kind not in (
            "Pod",
            "Secret",
            "Role",
            "ReplicaSet",
            "Job",
            "EndpointSlice",
            "RoleBinding",
        ):
            raise NotFound(f"no kind {kind}")
        return ResourceType(group=group, version="v1", plural=f"{kind.lower()}s", kind=kind, namespaced=True)

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        raise NotFound(plural)

    def types(self) -> tuple[ResourceType, ...]:
        return ()

    def list(self, *_arguments: Any, **_options: Any) -> ObjectList:
        return ObjectList(items=[self.sample], resource_version="1", continue_="", remaining=None)

    def review(self, *_arguments: Any) -> Access:
        return Access(True, "")


def changed(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to all values below the top."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in entries:
        if (*path, key) not in (
            ("apiVersion",),
            ("kind",),
            ("metadata",),
            ("metadata", "name"),
            ("metadata", "namespace"),
        ):
            yield (*path, key)
        yield from changed(part, (*path, key))


def drawn(obj: dict[str, Any]) -> str:
    group, _, version = obj["apiVersion"].rpartition("/")
    type_ = ResourceType(
        group=group, version=version, plural=f"{obj['kind'].lower()}s", kind=obj["kind"], namespaced=True
    )
    found = panels(Cluster(obj), type_, obj)  # type: ignore[arg-type]
    contexts = ((item.template, {"panel": item, "data": item.data, "skeleton": "part.html"}) for item in found)
    return "".join(render_to_string(template, context) for template, context in contexts)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["kind"])
def test_every_value_of_every_other_shape(sample: dict[str, Any]) -> None:
    assert "<h2" in drawn(sample)
    for number, path in enumerate(changed(sample)):
        # Each place gets three of the odd ones; all of them come in turn.
        for odd in (ODD[(number * 3 + step) % len(ODD)] for step in range(3)):
            obj = copy.deepcopy(sample)
            holder: Any = obj
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = odd
            page = drawn(obj)
            assert "<b>" not in page, path


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["kind"])
def test_an_object_with_nothing_but_a_name(sample: dict[str, Any]) -> None:
    drawn({"apiVersion": sample["apiVersion"], "kind": sample["kind"], "metadata": {"name": "one"}})

"""Objects made small."""

from typing import Any

import pytest

from kube.discovery import ResourceType
from kube.objects import TableRow
from resources.lists.entries import Owner, Pool, entry_of, include, state_of
from resources.state.health import Health

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
MAPS = ResourceType(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)
THINGS = ResourceType(
    group="example.com",
    version="v1",
    plural="things",
    kind="Thing",
    namespaced=True,
    subresources=frozenset({"status"}),
)
PLAIN = ResourceType(group="example.com", version="v1", plural="plains", kind="Plain", namespaced=True)


def _entry(type_: ResourceType = MAPS, cells: tuple[Any, ...] = (), **metadata: Any) -> Any:
    return entry_of(type_, TableRow(cells, {"metadata": {"name": "it", "namespace": "here", "uid": "u", **metadata}}))


def test_whole_objects_are_asked_for_where_there_are_states() -> None:
    assert (include(PODS), include(MAPS), include(THINGS)) == ("Object", "Metadata", "Object")


def test_the_owner_is_the_controller_or_the_only_one() -> None:
    item = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "1"}
    other = {"apiVersion": "apps/v1", "kind": "B", "name": "b", "uid": "2", "controller": True}
    assert _entry(ownerReferences=[item, other]).owner == Owner("apps/v1", "B", "b")
    assert str(_entry(ownerReferences=[item]).owner) == "A/a"
    assert _entry(ownerReferences=[item, {**item, "name": "c"}]).owner is None
    assert _entry().owner is None


@pytest.mark.parametrize("odd", ["text", 5, [], ["x"], {"a": {"b": 1}}, None, True])
def test_odd_shapes_are_no_error(odd: Any) -> None:
    found = _entry(labels=odd, ownerReferences=odd, creationTimestamp=odd)
    assert found.name == "it"
    assert entry_of(THINGS, TableRow((odd,), {"metadata": odd, "status": odd, "spec": odd})).uid == ""


def test_a_state_is_that_of_the_type_asked_for() -> None:
    failed = {"kind": "PartialObjectMetadata", "metadata": {}, "status": {"phase": "Failed", "reason": "Shutdown"}}
    assert state_of(PODS, failed) == Health(state="Degraded", reason="Shutdown", ended=True)
    assert state_of(MAPS, failed) == Health()


def test_kinds_without_a_status_say_nothing_by_it() -> None:
    silent = {"metadata": {}, "spec": {"size": 1}}
    assert state_of(PLAIN, silent) == Health()
    assert state_of(THINGS, silent).state == "Unknown"


def test_what_repeats_is_kept_once() -> None:
    pool = Pool()
    rows = [
        TableRow((f"it-{number}", "".join(["Run", "ning"])), {"metadata": {"labels": {"a": "b"}}}) for number in (1, 2)
    ]
    first, second = (entry_of(MAPS, row, pool) for row in rows)
    assert first.cells[1] is second.cells[1]
    assert first.labels is second.labels

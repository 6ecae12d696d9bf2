"""Limits of kube/limits.py on what is read of lists that have no end."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from console.overview import changes, instances
from kube import limits
from kube.reader import read
from kube.types.cluster import PolicyRule
from operatorhub.bootstrap import manifest
from operatorhub.bundle import permissions
from operatorhub.removing import uninstall
from resources import tree
from resources.lists import snapshot
from resources.page import deletion_impact, events

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{0}}}\n"


def bounded(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setattr(limits, name, replace(getattr(limits, name), value=value))


class Endless:
    """A client of lists that have no end. `pages`: how many were asked for."""

    name = owner = "a"

    def __init__(self) -> None:
        self.pages = 0

    def find(self, group: str, version: str, plural: str) -> Any:
        return SimpleNamespace(group=group, version="v1", plural=plural, kind=plural, namespaced=True, verbs=())

    def _objects(self, limit: int) -> Iterator[dict[str, Any]]:
        self.pages += 1
        assert self.pages < 100, "it reads on and on"
        for number in range(limit):
            yield {"metadata": {"name": f"a{self.pages}-{number}", "namespace": "a", "uid": f"{self.pages}-{number}"}}

    def list(self, type_: Any, namespace: str = "", *, limit: int, continue_: str = "", **_more: Any) -> Any:
        return SimpleNamespace(items=list(self._objects(limit)), continue_="more")

    def table(self, type_: Any, namespace: str = "", *, limit: int, continue_: str = "", **_more: Any) -> Any:
        rows = [SimpleNamespace(object=obj, cells=()) for obj in self._objects(limit)]
        return SimpleNamespace(rows=rows, continue_="more", remaining=7, columns=())


@pytest.fixture
def client() -> Any:
    return Endless()


def test_the_overview_reads_the_states_of_so_many(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "OVERVIEW_OBJECTS", 3)
    monkeypatch.setattr(instances.snapshots, "has", lambda *_args: False)
    read: list[Any] = []
    monkeypatch.setattr(instances.snapshots, "get", lambda *args: read.append(args) or SimpleNamespace(all=tuple))
    monkeypatch.setattr(instances, "overlaid", lambda _client, _type, _namespace, entries: entries)
    for number, times in ((4, 0), (3, 1)):
        found = SimpleNamespace(number=number, problem="", forbidden=False)
        monkeypatch.setattr(instances, "count", lambda *_args, found=found: found)
        assert instances._ask(client, client.find("", "v1", "pods")).number == (4 if number == 4 else 0)
        assert len(read) == times


def test_warnings_of_the_overview_are_bounded(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "OVERVIEW_WARNINGS", 600)
    calls: list[tuple[int, bool]] = []

    def event_rows(found: list[Any], _query: Any, beyond: bool) -> Any:
        calls.append((len(found), beyond))
        raise StopIteration

    monkeypatch.setattr(changes.events, "event_list_of", event_rows)
    with pytest.raises(StopIteration):
        changes.collect_warnings(client)
    assert calls == [(1000, True)]


def test_events_of_a_namespace_are_bounded(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "EVENTS", 3000)
    found, beyond = events.read_all(client, "a")
    assert (len(found), beyond, client.pages) == (3000, True, 2)


def test_events_of_an_object_are_bounded(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "OBJECT_EVENTS", 600)
    assert len(events.read_events(client, "a", "")) == 1000


@pytest.mark.parametrize("bound", [600, 1000])
def test_what_an_object_owns_is_read_up_to_a_bound(client: Any, monkeypatch: pytest.MonkeyPatch, bound: int) -> None:
    bounded(monkeypatch, "OWNED_OBJECTS", bound)
    found, gap = tree.objects_of(client, client.find("", "v1", "configmaps"), "a")
    assert len(found) == 1000
    assert "1000" in gap


@pytest.mark.parametrize("bound", [600, 1000])
def test_pods_are_looked_through_up_to_a_bound(client: Any, monkeypatch: pytest.MonkeyPatch, bound: int) -> None:
    bounded(monkeypatch, "SCANNED_PODS", bound)
    found, gap = tree.scan_pods(client, client.find("", "v1", "pods"), "a", lambda _obj: False)
    assert found == []
    assert "1000" in gap and client.pages == 2


def test_what_goes_with_a_kind_is_read_up_to_a_bound(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "DELETED_OBJECTS", 600)
    monkeypatch.setattr(deletion_impact, "definition_owner", lambda *_args: None)
    found = deletion_impact.instances(client, {"spec": {"group": "a.example", "names": {"plural": "as"}}})
    assert (found.read, found.total) == (1000, 1007)


def test_an_uninstall_reads_so_many_objects(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "UNINSTALL_OBJECTS", 600)
    assert len(uninstall.every(client, client.find("", "v1", "as"))) == 600


def test_lists_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "SNAPSHOT_OBJECTS", 5)
    monkeypatch.setattr(snapshot.loop, "submit", lambda begun: begun.close())
    snapshots = snapshot.Snapshots()
    for name in ("first", "second", "third"):
        snapshots._keep(name, SimpleNamespace(entries=["a", "b"], used_at=0.0))  # type: ignore[arg-type]
    assert set(snapshots._kept) == {"second", "third"}
    # A snapshot that exceeds the limit alone stays, and the others go.
    snapshots._keep("large", SimpleNamespace(entries=["a"] * 6, used_at=0.0))  # type: ignore[arg-type]
    assert set(snapshots._kept) == {"large"}


def test_objects_of_olms_manifests_are_bounded() -> None:
    most = limits.OLM_MANIFEST_OBJECTS.value
    assert len(manifest.read([("a.yaml", "---\n".join(map(CONFIG_MAP.format, range(most))))])) == most
    with pytest.raises(manifest.ManifestProblem, match=str(most)):
        manifest.read([("a.yaml", "---\n".join(map(CONFIG_MAP.format, range(most + 1))))])


def test_a_rule_of_too_many_combinations_counts_as_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, "RULE_COMBINATIONS", 4)
    for resources, everything in ((4, False), (5, True)):
        rule = {"apiGroups": ["a"], "resources": [f"r{number}" for number in range(resources)], "verbs": ["get"]}
        role: Any = SimpleNamespace(scope="", service_account="a", rules=[read(rule, PolicyRule)])
        atoms = permissions._atoms([role])
        assert (set(atoms.values()) == {frozenset({"*"})}) is everything
        assert len(atoms) == (1 if everything else 4)

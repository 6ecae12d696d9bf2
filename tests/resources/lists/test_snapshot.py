"""Whole lists that stay true: read once, then watched; the right is judged at each use."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, Gone, NotFound
from resources.lists import listing, snapshot
from resources.lists.snapshot import Snapshot, Snapshots
from tests.eventually import until


@pytest.fixture
def snapshots() -> Iterator[Snapshots]:
    found = Snapshots()
    with translation.override("en"):
        yield found
    found.clear()


@pytest.fixture
def maps(client: ClusterClient) -> ResourceType:
    return client.find("", "v1", "configmaps")


@pytest.fixture
def put(client: ClusterClient, maps: ResourceType, namespace: str) -> Callable[..., Any]:
    def create(name: str, **labels: str) -> Any:
        return client.create(maps, {"metadata": {"name": name, "labels": labels}}, namespace)

    return create


def _names(found: Snapshot) -> set[str]:
    return {entry.name for entry in found.all()} - {"kube-root-ca.crt"}


def _watched(found: Snapshot) -> Snapshot:
    until(lambda: found.watched, "watched", seconds=60)
    return found


def _becomes(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_it_is_read_once_and_then_follows(
    client: ClusterClient, maps: ResourceType, namespace: str, put: Callable[..., Any], snapshots: Snapshots
) -> None:
    put("one")
    first = _watched(snapshots.get(client, maps, namespace))
    assert _names(first) == {"one"}
    put("two", team="shop")
    client.delete(maps, "one", namespace)
    assert _becomes(lambda: _names(snapshots.get(client, maps, namespace)) == {"two"})
    assert snapshots.get(client, maps, namespace) is first
    client.patch(maps, "two", {"metadata": {"labels": {"team": "bank"}}}, namespace)
    assert _becomes(lambda: [dict(item.labels) for item in first.all() if item.name == "two"] == [{"team": "bank"}])


def test_a_server_that_began_anew_is_read_anew(
    client: ClusterClient, maps: ResourceType, namespace: str, put: Callable[..., Any], snapshots: Snapshots
) -> None:
    """Recreated or restored under the same address: objects seen before have a version that it hasn't reached."""
    put("one")
    first = _watched(snapshots.get(client, maps, namespace))
    with first.changed:
        first.entries.clear()
        first.version = str(10**15)
    again = snapshots.get(client, maps, namespace)
    assert again is not first
    assert int(again.version) < 10**15
    assert _names(again) == {"one"}


def test_selectors_and_namespaces_are_apart(
    client: ClusterClient, maps: ResourceType, namespace: str, put: Callable[..., Any], snapshots: Snapshots
) -> None:
    put("one", team="shop")
    put("two")
    assert _names(snapshots.get(client, maps, namespace, labels="team=shop")) == {"one"}
    assert _names(snapshots.get(client, maps, namespace, fields="metadata.name=two")) == {"two"}
    assert {"one", "two"} <= _names(snapshots.get(client, maps, ""))
    assert not snapshots.has(client, maps, namespace)
    assert snapshots.has(client, maps, namespace, labels="team=shop")


def test_many_who_come_at_once_read_it_once(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("one")
    read: list[str] = []
    whole = Snapshot._read
    monkeypatch.setattr(Snapshot, "_read", lambda self: (read.append("once"), time.sleep(0.2), whole(self)))
    # Other tests write meanwhile, before the watch is established: without this the list would be read again.
    monkeypatch.setattr(Snapshot, "settle", lambda self, min_version: True)

    def get(_number: int) -> Snapshot:
        with translation.override("en"):
            return snapshots.get(client, maps, namespace)

    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(get, range(6)))
    assert read == ["once"]
    assert [_names(item) for item in found] == [{"one"}]


def test_a_right_that_is_gone_shows_nothing(
    client: ClusterClient, maps: ResourceType, namespace: str, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots.get(client, maps, namespace)

    def refused(*_arguments: Any, **_options: Any) -> Any:
        raise Forbidden("no more")

    monkeypatch.setattr(client, "table", refused)
    with pytest.raises(Forbidden):
        snapshots.get(client, maps, namespace)


def test_what_can_not_be_watched_is_read_anew(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ends(self: Snapshot) -> None:
        raise Forbidden("you may not watch")

    monkeypatch.setattr(Snapshot, "follow", ends)
    snapshots.get(client, maps, namespace)
    put("late")
    assert "late" in _names(snapshots.get(client, maps, namespace))


def test_beyond_the_bound_it_is_not_complete(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(5):
        put(f"item-{number}")
    monkeypatch.setattr(snapshot, "CHUNK_ROWS", 2)
    monkeypatch.setattr(limits, "LIST_OBJECTS", replace(limits.LIST_OBJECTS, value=3))
    found = snapshots.get(client, maps, namespace)
    assert not found.complete
    assert len(found.all()) == 4


def test_all_together_are_bounded(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("one", a="1")
    put("two", a="1")
    monkeypatch.setattr(limits, "SNAPSHOT_OBJECTS", replace(limits.SNAPSHOT_OBJECTS, value=3))
    snapshots.get(client, maps, namespace, labels="a=1")
    snapshots.get(client, maps, namespace, labels="a")
    assert not snapshots.has(client, maps, namespace, labels="a=1")
    assert snapshots.has(client, maps, namespace, labels="a")


def test_a_list_that_the_server_forgot_goes_on(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(5):
        put(f"item-{number}", all="yes")
    monkeypatch.setattr(snapshot, "CHUNK_ROWS", 2)
    whole, refused = client.table, []

    def forgets(*arguments: Any, **options: Any) -> Any:
        if options.get("continue_") and not refused:
            refused.append(error := Gone("too old"))
            error.continue_ = options["continue_"]
            raise error
        return whole(*arguments, **options)

    monkeypatch.setattr(client, "table", forgets)
    rows = [row for table in snapshot.list_tables(client, maps, namespace, labels="all=yes") for row in table.rows]
    assert len(rows) == 5
    # A snapshot begins again instead: a watch must continue from one version.
    refused.clear()
    assert len(snapshots.get(client, maps, namespace, labels="all=yes").all()) == 5
    assert refused


def test_a_kind_that_is_gone_is_said(client: ClusterClient, snapshots: Snapshots) -> None:
    with pytest.raises(NotFound):
        snapshots.get(
            client,
            ResourceType(group="example.com", version="v1", plural="unicorns", kind="Unicorn", namespaced=True),
            "",
        )


def test_languages_are_apart(client: ClusterClient, maps: ResourceType, namespace: str, snapshots: Snapshots) -> None:
    english = snapshots.get(client, maps, namespace)
    with translation.override("ko"):
        assert snapshots.get(client, maps, namespace) is not english


def test_counts_are_over_everything(client: ClusterClient, maps: ResourceType, namespace: str) -> None:
    with translation.override("en"):
        query = listing.Query(size=1)
        assert listing.counted(client, client.find("", "v1", "namespaces"), "", query)["Ready"] >= 2
        assert listing.counted(client, maps, namespace, query) == {}


def test_whoever_has_heard_of_a_version_gets_nothing_older(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("one")
    first = _watched(snapshots.get(client, maps, namespace))
    apply = Snapshot.apply
    # Its watch is slower than the hub's by far more than it settles for.
    monkeypatch.setattr(Snapshot, "apply", lambda self, burst: (time.sleep(0.4), apply(self, burst)))
    version = put("two")["metadata"]["resourceVersion"]
    assert "two" in _names(snapshots.get(client, maps, namespace, min_version=version))
    assert snapshots.get(client, maps, namespace) is first


def test_a_watch_that_hangs_is_not_waited_for_again_and_again(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("one")
    first = _watched(snapshots.get(client, maps, namespace))
    monkeypatch.setattr(Snapshot, "apply", lambda self, burst: None)
    monkeypatch.setattr(snapshot, "MIN_VERSION_SECONDS", 0.05)
    version = put("two")["metadata"]["resourceVersion"]
    # It says itself that it is not as new, so that it is asked again.
    assert snapshots.get(client, maps, namespace, min_version=version) is first
    assert int(first.sure_version) < int(version)
    monkeypatch.setattr(snapshot, "_BEHIND_SECONDS", 0.0)
    anew = snapshots.get(client, maps, namespace, min_version=version)
    assert "two" in _names(anew)
    assert int(anew.sure_version) >= int(version)


def test_with_selectors_a_version_of_another_object_is_not_waited_for_long(
    client: ClusterClient,
    maps: ResourceType,
    namespace: str,
    put: Callable[..., Any],
    snapshots: Snapshots,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("one", team="shop")
    first = _watched(snapshots.get(client, maps, namespace, labels="team=shop"))
    monkeypatch.setattr(snapshot, "MIN_VERSION_SECONDS", 60.0)
    version = put("two")["metadata"]["resourceVersion"]
    assert snapshots.get(client, maps, namespace, labels="team=shop", min_version=version) is first
    assert first.sure_version == ""

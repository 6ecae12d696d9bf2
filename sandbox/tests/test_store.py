"""Versions, history, subscriptions, and what outlives a kill."""

import asyncio
from pathlib import Path

import pytest

from sandbox import store as module
from sandbox.journal import Journal
from sandbox.store import Expired, Store, StoreEntry


def _put(store: Store, name: str, namespace: str = "n", data: bytes = b"{}") -> StoreEntry:
    entry = StoreEntry(namespace=namespace, name=name, version=store.next_version(), data=data, labels={})
    store.put("things", entry)
    return entry


def test_it_works() -> None:
    store = Store()
    entry = _put(store, "a")
    assert store.get("things", "n", "a") is entry
    assert store.get("things", "n", "b") is None
    assert store.changed("things") == entry.version == store.version


def test_scan_is_by_namespace_and_name() -> None:
    store = Store()
    for namespace, name in (("b", "x"), ("a", "y"), ("a", "x"), ("aa", "z")):
        _put(store, name, namespace)
    assert [entry.key for entry in store.scan("things")] == [("a", "x"), ("a", "y"), ("aa", "z"), ("b", "x")]
    assert [entry.key for entry in store.scan("things", "a")] == [("a", "x"), ("a", "y")]
    assert [entry.key for entry in store.scan("things", after=("a", "x"))] == [("a", "y"), ("aa", "z"), ("b", "x")]
    assert store.count_after("things", "a", ("a", "x")) == 1
    assert store.count_after("things", "", ("a", "x")) == 3


async def test_a_subscription_misses_nothing() -> None:
    store = Store()
    first = _put(store, "a")
    subscription = store.subscribe("things", since=first.version)
    _put(store, "a")
    store.remove("things", StoreEntry(namespace="n", name="a", version=store.next_version(), data=b"{}", labels={}))
    changes = [await subscription.next(), await subscription.next()]
    assert [change.type for change in changes] == ["MODIFIED", "DELETED"]
    assert changes[1].previous is changes[0].entry
    subscription.close()


async def test_waiting_ends_with_the_time() -> None:
    subscription = Store().subscribe("things")
    assert await subscription.wait(0.01) is False


def test_the_past_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HISTORY_EVENTS", 10)
    store = Store()
    first = _put(store, "a")
    for _ in range(20):
        _put(store, "a")
    with pytest.raises(Expired):
        store.subscribe("things", since=first.version)
    assert len(store.subscribe("things", since=store.version - 5).queue) == 5


def test_so_is_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HISTORY_BYTES", 5000)
    store = Store()
    for _ in range(20):
        _put(store, "a", data=b"x" * 1000)
    assert len(store.subscribe("things", since=store.version - 4).queue) == 4
    with pytest.raises(Expired):
        store.subscribe("things", since=store.version - 8)


async def test_a_slow_subscriber_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    subscription = store.subscribe("things", limit=3)
    for _ in range(5):
        _put(store, "a")
    for _ in range(3):
        await subscription.next()
    with pytest.raises(Expired):
        await subscription.next()


def test_what_was_committed_is_there_again(tmp_path: Path) -> None:
    store = Store(Journal(tmp_path / "c.db"))
    store.put(
        "things",
        StoreEntry(namespace="n", name="a", version=store.next_version(), data=b"one", labels={"x": "1"}, uid="uid"),
    )
    _put(store, "b")
    store.remove("things", StoreEntry(namespace="n", name="b", version=store.next_version(), data=b"{}", labels={}))
    # No close: as after a kill.
    again = Store(Journal(tmp_path / "c.db"))
    entry = again.get("things", "n", "a")
    assert entry is not None
    assert (entry.data, entry.labels, entry.uid) == (b"one", {"x": "1"}, "uid")
    assert again.version == store.version
    assert again.get("things", "n", "b") is None
    with pytest.raises(Expired):
        again.subscribe("things", since=entry.version)
    assert not again.subscribe("things", since=again.version).queue


async def test_one_transaction_for_one_step_of_the_loop(tmp_path: Path) -> None:
    store = Store(Journal(tmp_path / "c.db"))
    for number in range(100):
        _put(store, f"a{number}")
    assert Store(Journal(tmp_path / "c.db")).count("things") == 0
    await asyncio.sleep(0)
    assert Store(Journal(tmp_path / "c.db")).count("things") == 100

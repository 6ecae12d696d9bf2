"""A custom kind of the tests' own, and a recorder that writes while a test does things."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any
from uuid import uuid4

import pytest

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from resources.history import store
from resources.history.bootstep import Recorder
from resources.history.store import Event, Seen
from tests.eventually import until
from tests.resources.history.crd import GROUP, crd


@pytest.fixture
def gadgets(client: ClusterClient) -> Iterator[ResourceType]:
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    client.create(crds, crd())

    def served() -> ResourceType | None:
        client.forget_types()
        try:
            found = client.find(GROUP, "v1", "gadgets")
            client.list(found)
        except KubeError:
            return None
        return found

    yield until(served)
    client.delete(crds, f"gadgets.{GROUP}")
    until(lambda: not any(obj["metadata"]["name"] == f"gadgets.{GROUP}" for obj in client.list(crds).items))
    client.forget_types()


@pytest.fixture
def place(client: ClusterClient) -> Iterator[str]:
    """A namespace."""
    spaces = client.find("", "v1", "namespaces")
    name = f"history-{uuid4().hex[:6]}"
    client.create(spaces, {"metadata": {"name": name}})
    yield name
    client.delete(spaces, name)


class Watched:
    """The recorder's writing, without its watching: each call of `record` is one watch event."""

    def __init__(self, client: ClusterClient, type_: ResourceType) -> None:
        self.client, self.type = client, type_
        self.seen: Seen = {}

    def record(self, obj: dict[str, Any], kind: str = "MODIFIED", listed: bool = False) -> int:
        obj.setdefault("apiVersion", self.type.api_version)
        obj.setdefault("kind", self.type.kind)
        return store.record(self.client.name, self.type, [Event(kind, obj, listed)], self.seen)

    def create(self, namespace: str, name: str, **more: Any) -> dict[str, Any]:
        body = {"apiVersion": self.type.api_version, "kind": self.type.kind, "metadata": {"name": name}, **more}
        made = self.client.create(self.type, body, namespace)
        self.record(made, "ADDED")
        return made

    def patch(self, namespace: str, name: str, patch: dict[str, Any], subresource: str = "") -> dict[str, Any]:
        made = self.client.patch(self.type, name, patch, namespace, subresource=subresource)
        self.record(made)
        return made

    def delete(self, namespace: str, name: str) -> None:
        last = self.client.get(self.type, name, namespace)
        self.client.delete(self.type, name, namespace)
        last["metadata"]["resourceVersion"] = str(int(last["metadata"]["resourceVersion"]) + 1)
        self.record(last, "DELETED")


@pytest.fixture
def watched(client: ClusterClient, gadgets: ResourceType) -> Watched:
    return Watched(client, gadgets)


class Recording(Executor):
    """A Recorder in a thread of its own, whose writing is done by the test's thread while that waits: the tests'
    database is its connection's.
    """

    def __init__(self, client: ClusterClient, name: str) -> None:
        self._work: queue.Queue[tuple[Future[Any], Callable[[], Any]]] = queue.Queue()
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(Recorder(client, name, self).run())
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._error: BaseException | None = None

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        except Exception as error:
            self._error = error
        finally:
            self._loop.close()

    def submit(self, fn: Any, /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._work.put((future, lambda: fn(*given, **named)))
        return future

    def drain(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                future, act = self._work.get_nowait()
                if future.set_running_or_notify_cancel():
                    try:
                        future.set_result(act())
                    except Exception as error:
                        future.set_exception(error)

    def __enter__(self) -> "Recording":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)

        def ended() -> bool:
            self.drain()
            return not self._thread.is_alive()

        until(ended, "the recorder's end", seconds=30)
        assert self._error is None, self._error

    def until(self, holds: Callable[[], Any], *others: "Recording") -> Any:
        """Like `until`, while the recorder (and others) run."""

        def drained() -> Any:
            for item in (self, *others):
                item.drain()
            return holds()

        return until(drained)

"""A cluster with Memcacheds in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from examples.operators.memcached.memcached import GROUP, LABEL, VERSION
from examples.operators.tests import places
from examples.operators.tests.places import Object, Place, Wanted, condition
from tests.api import Answer, Api
from tests.eventually import until


class Caches(Place):
    """The Memcacheds of one namespace."""

    group, version, kind, plural = GROUP, VERSION, "Memcached", "memcacheds"

    def ask(self, name: str, **spec: Any) -> Answer:
        return super().ask(name, **{"size": 1, **spec})

    def scale(self, name: str, replicas: int) -> Answer:
        return self.api.patch(f"{self.home}/{name}/scale", {"spec": {"replicas": replicas}})

    def ready(self, name: str, size: int = 1) -> Object:
        return self.until(name, settled(size))

    def deployment(self, name: str) -> Object:
        return dict(self.api.get(self.path("deployments", name)).json)

    def pods(self, name: str) -> list[str]:
        """The names of the Pods that stay, as the API server lists them."""
        found = self.listed("pods", f"{LABEL}={name}")
        return sorted(pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"])

    def left(self, name: str) -> list[str]:
        """What is still there of a Memcached."""
        kinds = ("deployments", "replicasets", "pods")
        return [item["metadata"]["name"] for plural in kinds for item in self.listed(plural, f"{LABEL}={name}")]

    def away(self, *names: str) -> None:
        """Deletes them, and waits until none of their objects is left."""
        for name in names:
            self.delete(name)
        for name in names:
            self.gone(name)
            until(lambda name=name: self.left(name) == [])


def settled(size: int) -> Wanted:
    """Whether so many nodes are there, ready and listed, for the newest spec."""

    def holds(found: Object) -> bool:
        status, available = found.get("status") or {}, condition(found, "Available")
        newest = status.get("observedGeneration") == found["metadata"]["generation"]
        words = (available.get("status"), available.get("reason"))
        return newest and words == ("True", "NodesReady") and len(status["nodes"]) == size == status["replicas"]

    return holds


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[Caches]:
    """A namespace of its own."""
    with places.namespace(api, prefix) as name:
        yield Caches(api, name)

"""The verbs that a kubelet needs of an API server, wherever that is.

sandbox.cluster.Cluster has them inside the sandbox, sandbox.agent.remote.Remote over HTTP. Both raise sandbox.errors.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol, Self

from .objects import Object


class ObjectEvent(NamedTuple):
    """One change: ``type`` is ADDED, MODIFIED or DELETED, ``resource`` the key that was watched."""

    type: str
    resource: str
    object: Object


class Client(Protocol):
    """Resources are named ``pods``, ``deployments.apps``. Objects that come back are private copies."""

    def as_manager(self, manager: str) -> Self:
        """The same cluster, with writes recorded under another field manager."""
        ...

    def get(self, resource: str, name: str, namespace: str = "") -> Object:
        """One object; NotFound."""
        ...

    def list(self, resource: str, namespace: str = "", labels: str = "", fields: str = "") -> list[Object]:
        """The objects of a namespace, of all without one. Empty when the resource is not served."""
        ...

    def create(self, resource: str, obj: Object, namespace: str = "") -> Object:
        """The stored object; AlreadyExists, Invalid, Forbidden, NotFound."""
        ...

    def patch(self, resource: str, name: str, patch: Object, namespace: str = "", subresource: str = "") -> Object:
        """JSON merge patch."""
        ...

    def apply(self, resource: str, obj: Object, namespace: str = "", manager: str = "sandbox") -> Object:
        """Creates ``obj``, or merges it into the present one."""
        ...

    def delete(
        self,
        resource: str,
        name: str,
        namespace: str = "",
        propagation: str = "Background",
        grace: int | None = None,
        uid: str = "",
    ) -> None:
        """``uid`` is a precondition (Conflict). NotFound when there is none."""
        ...

    def watch(self, *resources: str) -> AsyncIterator[ObjectEvent]:
        """The present objects as ADDED, then every change."""
        ...

"""The verbs of sandbox.client over HTTP: what sandbox.runtime needs of a real cluster's API server.

They are synchronous, as inside the sandbox: one connection on the same machine, a few milliseconds for each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from ..client import ObjectEvent
from ..context import POD_TOKEN_SECONDS
from ..errors import AlreadyExists, Conflict, NotFound
from ..objects import Object
from .access import ServerAccess
from .connection import Connection
from .paths import Paths, Served
from .reflector import Reflector, open_session

_MERGE = "application/merge-patch+json"


class Remote:
    """``only`` are field selectors of what :meth:`watch` shows, by resource."""

    def __init__(self, access: ServerAccess, only: Mapping[str, str] | None = None, manager: str = "kubelet"):
        self._access = access
        self._only = dict(only or {})
        self._manager = manager
        self._connection = Connection(access)
        self._paths = Paths(self._connection)

    def as_manager(self, manager: str) -> Remote:
        """The same cluster, with writes recorded under another field manager; the connection is shared."""
        other = Remote(self._access, self._only, manager)
        other._connection, other._paths = self._connection, self._paths
        return other

    def get(self, resource: str, name: str, namespace: str = "") -> Object:
        """One object; NotFound."""
        served = self._paths.find(resource)
        return self._object(served, self._connection.ask("GET", served.path(namespace, name)))

    def list(self, resource: str, namespace: str = "", labels: str = "", fields: str = "") -> list[Object]:
        """The objects of a namespace, of all without one. Empty when the resource is not served."""
        try:
            served = self._paths.find(resource)
        except NotFound:
            return []
        path = served.path(namespace, labelSelector=labels, fieldSelector=fields)
        return [self._object(served, item) for item in self._connection.ask("GET", path).get("items") or []]

    def create(self, resource: str, obj: Object, namespace: str = "") -> Object:
        """The stored object; AlreadyExists, Invalid, Forbidden (namespace terminating), NotFound (no namespace)."""
        served = self._paths.find(resource)
        path = served.path(_namespace(obj, namespace), fieldManager=self._manager)
        return self._object(served, self._connection.ask("POST", path, obj))

    def update(self, resource: str, obj: Object, namespace: str = "", subresource: str = "") -> Object:
        """Replaces; Conflict when ``obj`` has a resourceVersion that is not the newest."""
        served = self._paths.find(resource)
        where = (_namespace(obj, namespace), str(obj["metadata"]["name"]), subresource)
        return self._object(served, self._connection.ask("PUT", served.path(*where, fieldManager=self._manager), obj))

    def patch(self, resource: str, name: str, patch: Object, namespace: str = "", subresource: str = "") -> Object:
        """JSON merge patch."""
        served = self._paths.find(resource)
        path = served.path(namespace, name, subresource, fieldManager=self._manager)
        return self._object(served, self._connection.ask("PATCH", path, patch, _MERGE))

    def apply(self, resource: str, obj: Object, namespace: str = "", manager: str = "sandbox") -> Object:
        """Creates ``obj``, or merges it into the present one (the server writes nothing when that changes nothing)."""
        namespace, cluster = _namespace(obj, namespace), self.as_manager(manager)
        desired = {**obj, "metadata": {**obj["metadata"]}}
        desired["metadata"].pop("resourceVersion", None)
        try:
            return cluster.patch(resource, desired["metadata"]["name"], desired, namespace)
        except NotFound:
            pass
        try:
            return cluster.create(resource, obj, namespace)
        except (AlreadyExists, Conflict):
            return cluster.patch(resource, desired["metadata"]["name"], desired, namespace)

    def delete(
        self,
        resource: str,
        name: str,
        namespace: str = "",
        propagation: str = "Background",
        grace: int | None = None,
        uid: str = "",
    ) -> None:
        """Deletes; with finalizers, or a Pod's grace, it only marks. ``grace=0`` is how the kubelet ends a Pod."""
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if uid:
            options["preconditions"] = {"uid": uid}
        self._connection.ask("DELETE", self._paths.find(resource).path(namespace, name), options)

    def pod_token(self, pod: Object, account: str) -> str:
        """A token of the Pod's ServiceAccount, valid as long as the Pod exists (TokenRequest); NotFound."""
        metadata = pod["metadata"]
        path = self._paths.find("serviceaccounts").path(metadata["namespace"], account, "token")
        bound = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "uid": metadata["uid"]}
        request = {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "spec": {"expirationSeconds": POD_TOKEN_SECONDS, "boundObjectRef": bound},
        }
        return str(self._connection.ask("POST", path, request)["status"]["token"])

    async def watch(self, *resources: str) -> AsyncIterator[ObjectEvent]:
        """The present objects as ADDED, then every change; what was missed while the server was away is made up for."""
        async with open_session(self._access) as session:
            events: asyncio.Queue[ObjectEvent] = asyncio.Queue(maxsize=1000)
            jobs = [
                asyncio.create_task(
                    Reflector(session, self._access.server, key, self._find, self._only.get(key, "")).run(events)
                )
                for key in resources
            ]
            try:
                while True:
                    yield await events.get()
            finally:
                for job in jobs:
                    job.cancel()
                await asyncio.gather(*jobs, return_exceptions=True)

    def _find(self, resource: str) -> Served:
        return self._paths.find(resource)

    def _object(self, served: Served, obj: Object) -> Object:
        """Items of a list come without their kind."""
        obj.setdefault("kind", served.kind)
        obj.setdefault("apiVersion", served.api_version)
        return obj

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()


def _namespace(obj: Object, namespace: str) -> str:
    return namespace or str((obj.get("metadata") or {}).get("namespace") or "")

"""The cluster's verbs for code that runs inside the sandbox: controllers, OLM, the kubelet.

They are synchronous (one event loop, nothing to wait for) and go through the same admission as HTTP requests. Objects
that come back are private copies. Resources are named ``pods``, ``deployments.apps``,
``sampledbs.samples.example.dev``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from .client import ObjectEvent
from .errors import AlreadyExists, NotFound
from .labels import Selector, label_selector
from .listing import ListQuery, selection
from .objects import Object, decode
from .outlines import Outline, outline_of
from .patches import merge_patch
from .resources import Resource
from .store import StoreChange, StoreEntry
from .verbs import Call, DeleteOptions, Verbs


class Cluster:
    """In-process verbs. Errors are those of sandbox.errors."""

    def __init__(self, verbs: Verbs, manager: str = "sandbox"):
        self.verbs = verbs
        self.manager = manager

    def as_manager(self, manager: str) -> Cluster:
        """The same cluster, with writes recorded under another field manager."""
        return Cluster(self.verbs, manager)

    def _call(self, subresource: str = "") -> Call:
        return Call(manager=self.manager, subresource=subresource, trusted=True)

    def _resource(self, key: str) -> Resource:
        resource = self.verbs.registry.by_key(key)
        if resource is None:
            raise NotFound()
        return resource

    def served(self) -> list[Resource]:
        """Every resource once, in its preferred version; CRDs' included. Verbs like ``list`` may be missing in some."""
        return self.verbs.registry.preferred()

    def resource_for(self, api_version: str, kind: str) -> Resource | None:
        """The resource that an ownerReference or a manifest means; the methods below take its ``key``."""
        return self.verbs.registry.by_kind(api_version, kind)

    def get(self, resource: str, name: str, namespace: str = "") -> Object:
        """One object; NotFound."""
        return decode(self.verbs.get(self._resource(resource), namespace, name))

    def list(self, resource: str, namespace: str = "", labels: str = "", fields: str = "") -> list[Object]:
        """Objects by namespace and name; of all namespaces when none is given. Nothing when it is not served."""
        served = self.verbs.registry.by_key(resource)
        if served is None:
            return []
        wanted = selection(served, namespace, ListQuery(labels=labels, fields=fields))
        found = self._entries(served.key, namespace, wanted.labels)
        return [decode(entry.data) for entry in found if wanted.matches(entry)]

    def _entries(self, key: str, namespace: str, wanted: Selector | None) -> Iterable[StoreEntry]:
        """The entries that a selector can match, found by an index, and few others."""
        if wanted is not None and wanted.has:
            return self.verbs.store.labelled(key, wanted.has, namespace)
        return self.verbs.store.scan(key, namespace)

    def outlines(self, resource: str, outline: Outline, namespace: str = "", labels: str = "") -> Sequence[Any]:
        """Like list, but with the outline of each object (outlines.py). Shared: don't change them."""
        served = self.verbs.registry.by_key(resource)
        if served is None:
            return []
        wanted, store = label_selector(labels), self.verbs.store
        return [
            outline_of(store, served.key, entry, outline)
            for entry in self._entries(served.key, namespace, wanted)
            if wanted is None or wanted(entry.labels)
        ]

    def labelled(
        self, resource: str, outline: Outline, labels: Mapping[str, str | None], namespace: str = ""
    ) -> Sequence[Any]:
        """Like outlines, of the objects with these labels (None: any value), also invalid ones."""
        served, store = self.verbs.registry.by_key(resource), self.verbs.store
        if served is None:
            return []
        found = store.labelled(served.key, labels, namespace)
        return [outline_of(store, served.key, entry, outline) for entry in found]

    def outline(self, resource: str, outline: Outline, name: str, namespace: str = "") -> Any:
        """The outline of one object; NotFound. Shared: don't change it."""
        served = self._resource(resource)
        return outline_of(self.verbs.store, served.key, self.verbs.entry(served, namespace, name), outline)

    def create(self, resource: str, obj: Object, namespace: str = "") -> Object:
        """The stored object; AlreadyExists, Invalid, Forbidden (namespace terminating), NotFound (no namespace)."""
        return self.verbs.create(self._resource(resource), self._namespace(obj, namespace), obj, self._call()).object

    def update(self, resource: str, obj: Object, namespace: str = "", subresource: str = "") -> Object:
        """Replaces; Conflict when ``obj`` has a resourceVersion that is not the newest."""
        name = obj["metadata"]["name"]
        namespace = self._namespace(obj, namespace)
        call = self._call(subresource)
        return self.verbs.update(self._resource(resource), namespace, name, obj, call).object

    def patch(self, resource: str, name: str, patch: Object, namespace: str = "", subresource: str = "") -> Object:
        """JSON merge patch."""
        return self.verbs.patch(
            self._resource(resource), namespace, name, lambda old: merge_patch(old, patch), self._call(subresource)
        ).object

    def apply(self, resource: str, obj: Object, namespace: str = "", manager: str = "sandbox") -> Object:
        """Creates ``obj``, or merges it into the present one (nothing is written when that changes nothing)."""
        served = self._resource(resource)
        namespace = self._namespace(obj, namespace)
        cluster = self.as_manager(manager)
        name = obj["metadata"]["name"]
        if self.verbs.store.get(served.key, namespace, name) is None:
            try:
                return cluster.create(resource, obj, namespace)
            except AlreadyExists:
                pass
        desired = {**obj, "metadata": {**obj["metadata"]}}
        desired["metadata"].pop("resourceVersion", None)
        return cluster.patch(resource, name, desired, namespace)

    def delete(
        self,
        resource: str,
        name: str,
        namespace: str = "",
        propagation: str = "Background",
        grace: int | None = None,
        uid: str = "",
    ) -> None:
        """Deletes; with finalizers, or a Pod's grace, it only marks. ``grace=0`` is how the kubelet ends a Pod.

        ``uid`` is a precondition (Conflict). NotFound when there is none.
        """
        options = DeleteOptions(propagation=propagation, grace=grace, uid=uid)
        self.verbs.delete(self._resource(resource), namespace, name, options, self._call())

    async def watch(self, *resources: str) -> AsyncIterator[ObjectEvent]:
        """The present objects as ADDED, then every change, without gaps.

        A resource that is not served yet begins to send when its CRD is there.
        """
        changes = self.changes(*resources)
        try:
            async for change in changes:
                yield ObjectEvent(change.type, change.resource, decode(change.entry.data))
        finally:
            await changes.aclose()

    async def changes(self, *resources: str) -> AsyncGenerator[StoreChange]:
        """Like watch, but with the stored bytes, for callers that need names and labels only."""
        store = self.verbs.store
        subscription = store.subscribe(*resources, limit=None)
        present = [StoreChange("ADDED", key, entry, None) for key in resources for entry in store.scan(key)]
        try:
            for change in present:
                yield change
            present.clear()
            while True:
                yield await subscription.next()
        finally:
            subscription.close()

    def _namespace(self, obj: Object, namespace: str) -> str:
        return namespace or str((obj.get("metadata") or {}).get("namespace") or "")

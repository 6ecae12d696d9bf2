"""The garbage collector: deletes dependents after their last owner, before it (foreground) or never (orphan).

It follows every resource that is served, CRDs' as they come, by their stored bytes: objects without owners are never
decoded. Source of the rules: kubernetes/pkg/controller/garbagecollector.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator

from ..cluster import Cluster
from ..context import Context
from ..deletion import FOREGROUND, ORPHAN
from ..errors import ApiError, Conflict, NotFound
from ..objects import Object, decode
from ..runtime.recorder import EventRecorder
from ..schemas import CRDS
from ..subscription import StoreChange, StoreEntry, StoreSubscription
from .workqueue import Workqueue

#: (resource, namespace, name)
Place = tuple[str, str, str]
#: Events about events and the lists of endpoints would only cost time.
_IGNORED = frozenset(("events", "events.events.k8s.io"))


class GarbageCollector:
    """Deletes dependents by their ownerReferences. Keys of its queue are (resource, namespace/name)."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "garbage-collector-controller")
        self._dependents: dict[str, dict[Place, None]] = defaultdict(dict)
        self._owners: dict[Place, tuple[str, ...]] = {}
        self.queue = Workqueue("garbage collector", self._look)

    def seen(self, resource: str, entry: StoreEntry) -> None:
        """An object is new or has changed."""
        place = (resource, entry.namespace, entry.name)
        owned = b'"ownerReferences"' in entry.data
        if not owned and place not in self._owners and b'"deletionTimestamp"' not in entry.data:
            return
        obj = decode(entry.data)
        owners = tuple(str(reference.get("uid")) for reference in obj["metadata"].get("ownerReferences") or [])
        known = self._owners.get(place, ())
        if owners != known:
            for uid in known:
                self._dependents[uid].pop(place, None)
            for uid in owners:
                self._dependents[uid][place] = None
            if owners:
                self._owners[place] = owners
            else:
                self._owners.pop(place, None)
            self._add(place)
        finalizers = obj["metadata"].get("finalizers") or []
        if obj["metadata"].get("deletionTimestamp") and (FOREGROUND in finalizers or ORPHAN in finalizers):
            self._add(place)

    def gone(self, resource: str, entry: StoreEntry) -> None:
        """An object is no more."""
        place = (resource, entry.namespace, entry.name)
        for uid in self._owners.pop(place, ()):
            self._dependents[uid].pop(place, None)
            if not self._dependents[uid]:
                del self._dependents[uid]
        for dependent in list(self._dependents.get(entry.uid, ())):
            self._add(dependent)
        if b'"ownerReferences"' in entry.data:  # an owner may be waiting for its last dependent
            for reference in decode(entry.data)["metadata"].get("ownerReferences") or []:
                owner = self._cluster.resource_for(str(reference.get("apiVersion")), str(reference.get("kind")))
                if owner is not None:
                    namespace = entry.namespace if owner.namespaced else ""
                    self._add((owner.key, namespace, str(reference.get("name"))))

    def _add(self, place: Place) -> None:
        self.queue.add(place[0], f"{place[1]}/{place[2]}")

    def _look(self, resource: str, key: str) -> None:
        namespace, _, name = key.partition("/")
        entry = self._cluster.verbs.store.get(resource, namespace, name)
        if entry is None or self._cluster.verbs.registry.by_key(resource) is None:
            return
        obj = decode(entry.data)
        try:
            self._as_owner(resource, obj)
            self._as_dependent(resource, obj)
        except NotFound:
            return

    # An owner that is being deleted

    def _as_owner(self, resource: str, obj: Object) -> None:
        metadata = obj["metadata"]
        finalizers = metadata.get("finalizers") or []
        if not metadata.get("deletionTimestamp"):
            return
        if ORPHAN in finalizers:
            for place, dependent in self._dependents_of(metadata["uid"]):
                self._disown(place, dependent, {metadata["uid"]})
            self._drop_finalizer(resource, obj, ORPHAN)
        elif FOREGROUND in finalizers:
            blocked = False
            for place, dependent in self._dependents_of(metadata["uid"]):
                blocked = blocked or self._blocks(dependent, metadata["uid"])
                if not dependent["metadata"].get("deletionTimestamp"):
                    self._add(place)
            if not blocked:
                self._drop_finalizer(resource, obj, FOREGROUND)

    def _dependents_of(self, uid: str) -> Iterator[tuple[Place, Object]]:
        for place in list(self._dependents.get(uid, ())):
            entry = self._cluster.verbs.store.get(*place)
            if entry is not None:
                yield place, decode(entry.data)

    def _blocks(self, dependent: Object, uid: str) -> bool:
        references = dependent["metadata"].get("ownerReferences") or []
        return any(reference.get("uid") == uid and reference.get("blockOwnerDeletion") for reference in references)

    def _drop_finalizer(self, resource: str, obj: Object, finalizer: str) -> None:
        metadata = obj["metadata"]
        remaining = [name for name in metadata.get("finalizers") or [] if name != finalizer]
        change = {"metadata": {"finalizers": remaining or None, "uid": metadata["uid"]}}
        self._cluster.patch(resource, metadata["name"], change, metadata.get("namespace", ""))

    # A dependent

    def _as_dependent(self, resource: str, obj: Object) -> None:
        references = obj["metadata"].get("ownerReferences") or []
        if not references or obj["metadata"].get("deletionTimestamp"):
            return
        solid, dangling, waiting = [], [], []
        for reference in references:
            owner = self._owner(reference, obj)
            if owner is None:
                dangling.append(reference)
            elif owner and self._waits(owner):
                waiting.append(reference)
            else:
                solid.append(reference)
        if solid:
            if dangling or waiting:
                uids = {str(item["uid"]) for item in (*dangling, *waiting)}
                self._disown((resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"]), obj, uids)
            return
        has_blocking = any(self._blocks_one(item) for item in waiting)
        policy = "Foreground" if waiting and has_blocking and self._dependents.get(obj["metadata"]["uid"]) else ""
        if not policy:
            finalizers = obj["metadata"].get("finalizers") or []
            policy = "Orphan" if ORPHAN in finalizers else "Foreground" if FOREGROUND in finalizers else "Background"
        self._delete(resource, obj, policy)

    def _blocks_one(self, reference: Object) -> bool:
        return bool(reference.get("blockOwnerDeletion"))

    def _waits(self, owner: Object) -> bool:
        metadata = owner["metadata"]
        return bool(metadata.get("deletionTimestamp")) and FOREGROUND in (metadata.get("finalizers") or [])

    def _owner(self, reference: Object, dependent: Object) -> Object | None:
        """The owner; {} when it's unknown whether there is one; None when there is none."""
        resource = self._cluster.resource_for(str(reference.get("apiVersion")), str(reference.get("kind")))
        if resource is None:
            return {}
        namespace = dependent["metadata"].get("namespace", "") if resource.namespaced else ""
        if resource.namespaced and not namespace:
            text = (
                f"ownerRef [{reference.get('apiVersion')}/{reference.get('kind')}, namespace: , name:"
                f' {reference.get("name")}, uid: {reference.get("uid")}] does not exist in namespace ""'
            )
            self._recorder.warning(dependent, "OwnerRefInvalidNamespace", text)
            return {}
        entry = self._cluster.verbs.store.get(resource.key, namespace, str(reference.get("name")))
        if entry is None or entry.uid != reference.get("uid"):
            return None
        return decode(entry.data)

    def _disown(self, place: Place, obj: Object, uids: set[str]) -> None:
        resource, namespace, name = place
        remaining = [
            reference for reference in obj["metadata"].get("ownerReferences") or [] if reference.get("uid") not in uids
        ]
        change = {"metadata": {"ownerReferences": remaining or None, "uid": obj["metadata"]["uid"]}}
        self._cluster.patch(resource, name, change, namespace)

    def _delete(self, resource: str, obj: Object, policy: str) -> None:
        metadata = obj["metadata"]
        try:
            self._cluster.delete(resource, metadata["name"], metadata.get("namespace", ""), policy, uid=metadata["uid"])
        except (NotFound, Conflict):
            return
        except ApiError as refused:
            raise Conflict(resource, metadata["name"], "", str(refused)) from refused


class Everything:
    """Changes of all resources, also of those that begin to be served later."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._store = cluster.verbs.store
        self._keys: frozenset[str] = frozenset()
        self._subscription: StoreSubscription | None = None

    def widen(self) -> list[str]:
        """Follows what is served now; returns the keys that are new. No change is lost: nothing awaits in here."""
        served = {resource.key for resource in self._cluster.served() if not resource.shares} - _IGNORED | {CRDS}
        keys = self._keys | served
        if keys == self._keys:
            return []
        new = sorted(keys - self._keys)
        old, self._keys = self._subscription, keys
        self._subscription = self._store.subscribe(*keys, limit=None)
        if old is not None:
            self._subscription.queue.extend(old.queue)
            old.close()
        return new

    async def next(self) -> StoreChange:
        """The next change of any of them."""
        assert self._subscription is not None
        return await self._subscription.next()

    def close(self) -> None:
        """No more changes."""
        if self._subscription is not None:
            self._subscription.close()


async def run(cluster: Cluster, context: Context) -> None:
    """Follows everything."""
    collector, everything = GarbageCollector(cluster), Everything(cluster)
    store = cluster.verbs.store
    try:
        for resource in everything.widen():
            for entry in store.scan(resource):
                collector.seen(resource, entry)
        while True:
            change = await everything.next()
            if change.type == "DELETED":
                collector.gone(change.resource, change.entry)
            else:
                collector.seen(change.resource, change.entry)
            if change.resource == CRDS:
                await asyncio.sleep(0)
                for resource in everything.widen():
                    for entry in store.scan(resource):
                        collector.seen(resource, entry)
    finally:
        everything.close()
        collector.queue.close()

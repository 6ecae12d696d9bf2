"""create, update, patch, delete: what happens to an object between a request and the store.

Both ways in, HTTP (rest.py) and the controllers' Cluster, come through here, so that nothing is stored that was not
admitted: metadata, namespace life, defaults, schema, generation, managed fields, finalizers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from . import admission, deletion, metadata
from .errors import AlreadyExists, Conflict, Invalid, NotFound, Plain, unreadable_patch
from .http import User
from .kinds import strategy
from .managed_fields import track
from .objects import Object, at_version, copy, decode, encode, entry_of, generate_name, go_text, in_order
from .resources import Registry, Resource
from .scale import replicas_causes
from .schemas import Schemas, Undecodable, struct_fault
from .store import Store, StoreChange, StoreEntry
from .typemeta import check_type

#: How often a patch is tried again when the object changed meanwhile; generated names likewise.
NAME_ATTEMPTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The options of a write. ``trusted``: from inside the sandbox, not over HTTP."""

    manager: str = "unknown"
    subresource: str = ""
    dry_run: bool = False
    validation: str = "Warn"
    trusted: bool = False
    user: User | None = None
    #: what reading the body found wrong, for fieldValidation
    problems: tuple[str, ...] = ()
    #: managedFields are set by the caller (server-side apply)
    applied: bool = False
    #: the subresource that managedFields name, where it is not ``subresource`` (scale)
    owner: str = ""
    #: a strategic merge patch, which is refused in other words than the object that JSON patches make
    structured: bytes = b""

    @property
    def owner_subresource(self) -> str:
        return self.owner or self.subresource


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """``grace`` in seconds, None for the kind's own; ``uid`` and ``version`` are preconditions."""

    propagation: str = ""
    grace: int | None = None
    uid: str = ""
    version: str = ""


class WriteResult(NamedTuple):
    """``data`` is the answer in the version that was asked for."""

    object: Object
    data: bytes
    created: bool
    warnings: list[str]


class Verbs:
    """The write verbs and ``get``; lists and watches read the store directly (listing.py, watches.py)."""

    def __init__(self, store: Store, registry: Registry):
        self.store = store
        self.registry = registry
        self.schemas = Schemas(store)
        #: Called with each change that is stored, in the same step: CRDs become served here.
        self.hooks: dict[str, Callable[[StoreChange], None]] = {}
        #: Called with what a person writes, before it is validated: refuses rights that the writer does not have.
        self.escalation: Callable[[Resource, str, Object, Object | None, User], None] | None = None

    def entry(self, resource: Resource, namespace: str, name: str) -> StoreEntry:
        """The stored entry or NotFound."""
        found = self.store.get(resource.key, namespace, name)
        if found is None:
            raise NotFound(resource.plural, name, resource.group)
        return found

    def get(self, resource: Resource, namespace: str, name: str) -> bytes:
        """One object, encoded."""
        return at_version(self.entry(resource, namespace, name), resource)

    def create(self, resource: Resource, namespace: str, obj: Object, call: Call) -> WriteResult:
        """Stores a new object."""
        obj = copy(obj)
        check_type(self.registry, resource, obj)
        warnings = self.schemas.prepare(resource, obj, call.validation, call.problems)
        admission.new_metadata(resource, namespace, obj)
        admission.check_served(resource, obj)
        admission.check_namespace(self.store, resource, namespace, obj["metadata"].get("name", ""))
        metadata_ = obj["metadata"]
        version = metadata_.pop("resourceVersion", "")
        if not metadata_.get("name") and metadata_.get("generateName"):
            metadata_["name"] = self._free_name(resource, namespace, metadata_["generateName"])
        rules = strategy(resource.key)
        warnings += metadata.finalizer_warnings(resource, obj)
        admission.reset_status(resource, obj, None)
        rules.defaults(obj)
        self._guard(resource, namespace, obj, None, call)
        if not call.applied:
            track(
                resource=resource,
                old=None,
                obj=obj,
                manager=call.manager,
                subresource=call.owner_subresource,
                schema=self._types(resource),
            )
        rules.create(obj, self.store)
        if resource.status and not resource.custom:
            obj.setdefault("status", {})
        self._validate(resource, obj, None, call, warnings)
        if version:
            raise Plain("resourceVersion should not be set on objects to be created")
        present = self.store.get(resource.key, namespace, metadata_["name"])
        if present is not None:
            leaving = bool(decode(present.data)["metadata"].get("deletionTimestamp"))
            generated = bool(metadata_.get("generateName"))
            raise AlreadyExists(resource.plural, metadata_["name"], resource.group, generated, leaving)
        return self._store(resource, obj, call, warnings, created=True)

    def _owned(self, resource: Resource, old: Object, obj: Object, call: Call) -> list[Object] | None:
        """managedFields as this write leaves them; before the server's own changes, which have no owner."""
        if call.applied or call.subresource == "binding":
            return None
        draft = {**obj, "metadata": {**obj["metadata"]}}
        track(
            resource=resource,
            old=old,
            obj=draft,
            manager=call.manager,
            subresource=call.owner_subresource,
            schema=self._types(resource),
        )
        owned: list[Object] | None = draft["metadata"].get("managedFields")
        return owned

    def _types(self, resource: Resource) -> Object | None:
        """The schema that says which lists are maps."""
        return self.schemas.schema_of(resource)

    def _free_name(self, resource: Resource, namespace: str, base: str) -> str:
        for _ in range(NAME_ATTEMPTS):
            name = generate_name(base)
            if self.store.get(resource.key, namespace, name) is None:
                return name
        return generate_name(base)

    def _guard(self, resource: Resource, namespace: str, obj: Object, old: Object | None, call: Call) -> None:
        if self.escalation is not None and call.user is not None:
            self.escalation(resource, namespace, obj, old, call.user)

    def _validate(self, resource: Resource, obj: Object, old: Object | None, call: Call, warnings: list[str]) -> None:
        rules = strategy(resource.key)
        causes = metadata.causes_of(resource, obj, old, rules.names)
        if old is not None:  # the API server looks several times at updates, and details.causes shows it
            causes *= 3 if resource.custom else 2
        causes += self.schemas.validate(resource, obj, old, call.subresource, warnings)
        causes += replicas_causes(resource, obj, call.subresource)
        causes += rules.validate_subresource.get(call.subresource, rules.validate)(obj, old)
        if causes:
            group = "" if resource.shares else resource.group
            raise Invalid(resource.kind, obj["metadata"].get("name", ""), causes, group)
        rules.allocate(obj, old, self.store)

    def update(self, resource: Resource, namespace: str, name: str, obj: Object, call: Call) -> WriteResult:
        """Replaces the object, or one of its subresources (``status``, ``finalize``)."""
        obj = copy(obj)
        check_type(self.registry, resource, obj)
        admission.check_names(resource, namespace, name, obj)
        found = self.store.get(resource.key, namespace, name)
        if found is None and strategy(resource.key).creates_on_update and not call.subresource:
            return self.create(resource, namespace, obj, call)
        old = decode(self.get(resource, namespace, name))
        return self._replace(resource, old, obj, call, patched=False)

    def patch(
        self, resource: Resource, namespace: str, name: str, change: Callable[[Object], Object], call: Call
    ) -> WriteResult:
        """``change`` gets the present object (which it may alter) and returns the wanted one."""
        old = decode(self.get(resource, namespace, name))
        obj = change(copy(old))
        try:
            check_type(self.registry, resource, obj, patched=True)
            admission.check_names(resource, namespace, name, obj)
            return self._replace(resource, old, obj, call, patched=True)
        except Undecodable as fault:
            if call.applied:
                raise
            if call.structured:
                raise unreadable_patch(go_text(decode(call.structured)), struct_fault(fault.why)) from None
            raise unreadable_patch(in_order(resource, change(copy(old))), fault.why) from None

    def _replace(self, resource: Resource, old: Object, obj: Object, call: Call, patched: bool) -> WriteResult:
        managed = obj["metadata"].get("managedFields")
        warnings = self.schemas.prepare(resource, obj, call.validation, call.problems, patched)
        admission.check_version(resource, old, obj, call.trusted or patched, patched)
        rules = strategy(resource.key)
        admission.keep_metadata(resource, old, obj)
        if call.subresource:
            obj = admission.only_subresource(resource, old, obj, call.subresource)
        else:
            admission.reset_status(resource, obj, old)
        if obj["metadata"].get("finalizers") != old["metadata"].get("finalizers"):
            warnings += metadata.finalizer_warnings(resource, obj)
        rules.defaults(obj)
        self._guard(resource, obj["metadata"].get("namespace", ""), obj, old, call)
        owned = self._owned(resource, old, obj, call)
        rules.update(obj, old)
        self._validate(resource, obj, old, call, warnings)
        if call.subresource != "status":
            admission.count_generation(resource, old, obj, rules.counted)
        if call.applied:
            obj["metadata"]["managedFields"] = managed
        elif managed == [{}] or managed == []:  # the client wants them cleared
            obj["metadata"].pop("managedFields", None)
            owned = []
        if obj == old and not self._stale(resource, obj):
            return WriteResult(obj, encode(obj), False, warnings)
        if owned:
            obj["metadata"]["managedFields"] = owned
        if deletion.finished(resource, obj):
            return self._remove(resource, obj, call, warnings)
        return self._store(resource, obj, call, warnings, created=False)

    def _stale(self, resource: Resource, obj: Object) -> bool:
        """Whether the stored bytes say something else than the object read from them: then writing it as it is moves
        it on.
        """
        metadata = obj["metadata"]
        entry = self.store.get(resource.key, metadata.get("namespace", ""), metadata["name"])
        if entry is None or resource.reading is None or resource.reshaped or entry.version >= resource.since:
            return False
        return decode(entry.data) != {**obj, "apiVersion": resource.storage_api_version}

    def delete(
        self, resource: Resource, namespace: str, name: str, options: DeleteOptions, call: Call
    ) -> tuple[Object, bool]:
        """(last state, gone at once). With finalizers or grace the object is only marked."""
        obj = decode(self.get(resource, namespace, name))
        deletion.check(resource, obj, options.uid, options.version)
        grace = options.grace
        rules = strategy(resource.key)
        default = rules.grace(obj) if rules.grace else 0
        grace = default if grace is None or default == 0 else 1 if grace < 0 else grace
        before = copy(obj)
        rules.delete(obj)
        propagation = options.propagation or ("Orphan" if rules.orphans else "")
        marked = deletion.mark(resource, obj, propagation, grace)
        if deletion.finished(resource, obj):
            last = obj if before["metadata"].get("deletionTimestamp") or rules.grace else before
            return self._remove(resource, last, call, []).object, True
        if marked:
            self._store(resource, obj, call, [], created=False)
        return obj, False

    def _store(self, resource: Resource, obj: Object, call: Call, warnings: list[str], created: bool) -> WriteResult:
        if call.dry_run:
            if created:
                obj["metadata"].pop("resourceVersion", None)
            return WriteResult(obj, encode(obj), created, warnings)
        entry = self._entry(resource, obj)
        self._run_hook(self.store.put(resource.key, entry))
        return WriteResult(obj, at_version(entry, resource), created, warnings)

    def _remove(self, resource: Resource, obj: Object, call: Call, warnings: list[str]) -> WriteResult:
        if call.dry_run:
            return WriteResult(obj, encode(obj), False, warnings)
        entry = self._entry(resource, obj)
        self._run_hook(self.store.remove(resource.key, entry))
        return WriteResult(obj, at_version(entry, resource), False, warnings)

    def _entry(self, resource: Resource, obj: Object) -> StoreEntry:
        if resource.converting is not None:
            resource.converting(resource.api_version)
        self.schemas.store(resource, obj)
        return entry_of(resource, obj, self.store.next_version())

    def _run_hook(self, change: StoreChange) -> None:
        hook = self.hooks.get(change.resource)
        if hook is not None:
            hook(change)


def dry(call: Call) -> Call:
    """The same call without effect."""
    return replace(call, dry_run=True)


__all__ = ["Call", "Conflict", "DeleteOptions", "Verbs", "WriteResult", "dry"]

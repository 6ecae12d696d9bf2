"""metadata.managedFields: the manager that changed a field last (structured-merge-diff's sets, as FieldsV1).

A set of fields is a set of paths; a path is a tuple of elements as FieldsV1 writes them: ``f:spec``,
``k:{"name":"a"}``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .fieldpaths import Path
from .fieldtypes import Type, identity, type_of
from .objects import Object, now
from .resources import Resource

Fields = set[Path]

_IGNORED = ("apiVersion", "kind")
_IGNORED_METADATA = frozenset(
    (
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
    )
)


class FieldOwner(NamedTuple):
    """The key of a set of fields."""

    manager: str
    operation: str
    api_version: str
    subresource: str


Owners = dict[FieldOwner, Fields]


# Sets and FieldsV1


def to_fields(tree: Any, path: Path = ()) -> Fields:
    """FieldsV1 as a set of paths."""
    found: Fields = set()
    for element, below in (tree or {}).items():
        if element == ".":
            found.add(path)
        elif below:
            found |= to_fields(below, (*path, element))
        else:
            found.add((*path, element))
    return found


def to_tree(fields: Fields) -> Object:
    """A set of paths as FieldsV1."""
    root: Object = {}
    inner: set[Path] = {path[:length] for path in fields for length in range(1, len(path))}
    for path in sorted(fields):
        at = root
        for element in path:
            at = at.setdefault(element, {})
        if path in inner:
            at["."] = {}
    return root


def owners_of(obj: Object | None) -> Owners:
    """The sets in an object's managedFields."""
    return {_owner(entry): to_fields(entry.get("fieldsV1")) for entry in _entries(obj)}


def write_owners(obj: Object, owners: Owners, before: Object | None, writer: FieldOwner | None) -> None:
    """Sets managedFields. ``writer`` did it now; the others keep their times."""
    times = {_owner(entry): entry.get("time") for entry in _entries(before)}
    entries = []
    for owner, fields in owners.items():
        if not fields:
            continue
        # kube-apiserver writes no time for the scale subresource
        time = now() if owner == writer and owner.subresource != "scale" else times.get(owner)
        entry = {
            "manager": owner.manager,
            "operation": owner.operation,
            "apiVersion": owner.api_version,
            **({"time": time} if time else {}),
            "fieldsType": "FieldsV1",
            "fieldsV1": to_tree(fields),
        }
        if owner.subresource:
            entry["subresource"] = owner.subresource
        entries.append(entry)
    entries.sort(key=_order)
    if entries:
        obj["metadata"]["managedFields"] = entries
    else:
        obj["metadata"].pop("managedFields", None)


def _entries(obj: Object | None) -> list[Object]:
    return ((obj or {}).get("metadata") or {}).get("managedFields") or []


def _owner(entry: Object) -> FieldOwner:
    return FieldOwner(
        entry.get("manager", ""), entry.get("operation", ""), entry.get("apiVersion", ""), entry.get("subresource", "")
    )


def _order(entry: Object) -> tuple[str, ...]:
    return (
        entry["operation"],
        entry.get("time", ""),
        entry["manager"],
        entry["apiVersion"],
        entry.get("subresource", ""),
    )


# What an object sets, and what changed


def fields_of(value: Any, type_: Type, path: Path = ()) -> Fields:
    """The leaves of an applied object; items of list maps count themselves."""
    found: Fields = set()
    if isinstance(value, dict) and value and not type_.atomic_map():
        for key, item in value.items():
            if not _ignored(path, key):
                at = (*path, f"f:{key}")
                found |= fields_of(item, type_.field(key), at)
                if not type_.declares(key):
                    found.add(at)
        return found
    if isinstance(value, list) and value:
        keys = type_.list_keys()
        if keys is not None:
            for item in value:
                at = (*path, identity(type_, keys, item))
                found.add(at)
                if keys:
                    found |= fields_of(item, type_.item(), at)
            return found
    if path:
        found.add(path)
    return found


def _ignored(path: Path, key: str) -> bool:
    if not path:
        return key in _IGNORED
    return path == ("f:metadata",) and key in _IGNORED_METADATA


def compare(old: Any, new: Any, type_: Type, path: Path = (), fresh: bool = False) -> tuple[Fields, Fields]:
    """(added or changed, removed) fields between two values.

    ``fresh``: they are in something that was not there, so that nothing was written before of itself.
    """
    if old == new:
        return set(), set()
    if isinstance(new, dict) and isinstance(old, dict | None) and not type_.atomic_map():
        return _compare_maps(old, new, type_, path, fresh)
    keys = type_.list_keys() if isinstance(new, list) else None
    if keys is not None and isinstance(old, list | None):
        return _compare_lists(old=old or [], new=new, type_=type_, keys=keys, path=path, fresh=fresh)
    removed = _below(old, type_, path) - {path} if isinstance(old, dict | list) else set()
    return {path}, removed


def _compare_maps(old: Object | None, new: Object, type_: Type, path: Path, fresh: bool) -> tuple[Fields, Fields]:
    changed: Fields = set()
    removed: Fields = set()
    if old is None and path and (fresh or not type_.written):
        changed.add(path)
        fresh = True
    before = old or {}
    for key, value in new.items():
        if _ignored(path, key):
            continue
        at = (*path, f"f:{key}")
        if key in before:
            more, less = compare(before[key], value, type_.field(key), at)
        elif isinstance(value, dict | list) and value:
            more, less = compare(None, value, type_.field(key), at, fresh)
        elif value == {} and type_.field(key).written and not fresh:
            continue
        else:
            more, less = {at}, set()
        changed |= more
        removed |= less
    for key in before:
        if key not in new and not _ignored(path, key):
            removed |= _below(before[key], type_.field(key), (*path, f"f:{key}"))
    return changed, removed


def _compare_lists(
    old: list[Any], new: list[Any], type_: Type, keys: tuple[str, ...], path: Path, fresh: bool
) -> tuple[Fields, Fields]:
    before = {identity(type_, keys, item): item for item in old}
    changed: Fields = set()
    removed: Fields = set()
    if not old and (fresh or not type_.written):
        changed.add(path)
    seen = set()
    for item in new:
        name = identity(type_, keys, item)
        seen.add(name)
        at = (*path, name)
        if name not in before:
            changed.add(at)
            if keys:
                changed |= compare(None, item, type_.item(), at, fresh=True)[0]
        elif keys:
            more, less = compare(before[name], item, type_.item(), at)
            changed |= more
            removed |= less
    for name, item in before.items():
        if name not in seen:
            removed |= _below(item, type_.item(), (*path, name))
    return changed, removed


def _below(value: Any, type_: Type, path: Path) -> Fields:
    """Every path at and below a value that is removed."""
    found: Fields = {path}
    if isinstance(value, dict):
        for key, item in value.items():
            found |= _below(item, type_.field(key), (*path, f"f:{key}"))
    elif isinstance(value, list):
        keys = type_.list_keys()
        if keys is not None:
            for item in value:
                found |= _below(item, type_.item(), (*path, identity(type_, keys, item)))
    return found


def track(
    resource: Resource, old: Object | None, obj: Object, manager: str, subresource: str, schema: Object | None = None
) -> None:
    """Gives the fields that changed between ``old`` and ``obj`` to ``manager`` (operation Update)."""
    changed, removed = compare(old or {}, obj, type_of(resource, schema))
    changed = of_subresource(resource, changed, subresource)
    if resource.key == "namespaces":  # spec.finalizers is the server's
        changed = {path for path in changed if path[0] != "f:spec"}
    gone = changed | removed
    mine = FieldOwner(manager, "Update", resource.api_version, subresource)
    touched = {path[0] for path in gone}
    entries = _entries(old)
    # Who owns nothing below the fields that changed keeps what is written: hundreds of owner references are not read
    # for a status.
    same = [
        entry for entry in entries if _owner(entry) != mine and touched.isdisjoint(entry.get("fieldsV1") or touched)
    ]
    owners = owners_of({"metadata": {"managedFields": [entry for entry in entries if entry not in same]}})
    had = owners.get(mine, set())
    for owner in owners:
        if owner != mine:
            owners[owner] -= gone
    owners[mine] = (had - removed) | changed
    write_owners(obj, owners, old, mine if changed or removed & had else None)
    if same:
        obj["metadata"]["managedFields"] = sorted([*same, *(obj["metadata"].get("managedFields") or [])], key=_order)


def of_subresource(resource: Resource, fields: Fields, subresource: str) -> Fields:
    """Only what a write to the (sub)resource may own: status belongs to the status subresource."""
    if subresource == "status":
        return {path for path in fields if path[0] == "f:status"}
    if resource.status:
        return {path for path in fields if path[0] != "f:status"}
    return fields

"""Server-side apply: an object is merged in, each manager owns what it applied, others' fields are refused.

After sigs.k8s.io/structured-merge-diff: (1) merge by the types of lists and maps; (2) fields that change and that
others own are conflicts, unless forced; (3) what this manager applied last time and no longer does goes, unless another
manager owns it.
"""

from __future__ import annotations

from typing import Any

from structural.causes import FieldCause

from .errors import ApplyConflict, BadRequest, Plain
from .fieldpaths import Path, dotted, in_order
from .fieldtypes import Type, identity, type_of
from .managed_fields import FieldOwner, Fields, Owners, compare, fields_of, of_subresource, owners_of, write_owners
from .objects import Object, copy
from .resources import Resource
from .type_check import typed_fault


def server_side_apply(
    resource: Resource,
    old: Object | None,
    applied: Object,
    manager: str,
    force: bool,
    schema: dict[str, Any] | None,
    subresource: str = "",
) -> Object:
    """The new object, with managedFields. ApplyConflict names every field and its owner."""
    if applied.get("metadata", {}).get("managedFields"):
        raise BadRequest("metadata.managedFields must be nil")
    _check_kind(resource, applied)
    type_ = type_of(resource, schema)
    if schema is not None and (fault := typed_fault(applied, type_)):
        metadata, kind = applied["metadata"], _kind(resource.api_version, resource.kind)
        about = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {kind}"
        raise Plain(f"failed to create typed patch object ({about}): {fault}")
    owners = owners_of(old)
    mine = FieldOwner(manager, "Apply", resource.api_version, subresource)
    wanted = of_subresource(resource, fields_of(applied, type_), subresource)
    merged: Object = _merge(old, applied, type_) if old is not None else copy(applied)
    if old is not None:
        merged = _prune(merged, type_, owners.get(mine, set()) - wanted, owners, mine)
        changed, _ = compare(old, merged, type_)
        _settle(owners, mine, changed & wanted, force)
    owners[mine] = wanted
    # Who changes nothing but ownership does so at no particular time.
    write_owners(merged, owners, old, mine if old is None or _without_owners(merged) != _without_owners(old) else None)
    return merged


def _without_owners(obj: Object) -> Object:
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "managedFields"}}


def _kind(api_version: str, kind: str) -> str:
    return f"{api_version if '/' in api_version else f'/{api_version}'}, Kind={kind}"


def _check_kind(resource: Resource, applied: Object) -> None:
    version, kind = str(applied.get("apiVersion") or ""), str(applied.get("kind") or "")
    if (version, kind) != (resource.api_version, resource.kind):
        raise BadRequest(f"invalid object type: {_kind(version, kind)}")


def _settle(owners: Owners, mine: FieldOwner, changed: Fields, force: bool) -> None:
    """Takes changed fields from others when forced, refuses otherwise."""
    clashes = [
        (owner, path)
        for owner, fields in owners.items()
        if owner != mine
        for path in sorted(fields & changed, key=in_order)
    ]
    if clashes and not force:
        raise _conflict(clashes)
    for owner, path in clashes:
        owners[owner].discard(path)


def _conflict(clashes: list[tuple[FieldOwner, Path]]) -> ApplyConflict:
    causes = [
        FieldCause(dotted(path), "FieldManagerConflict", f"conflict with {_described(owner)}")
        for owner, path in clashes
    ]
    by_owner: dict[str, list[str]] = {}
    for cause in causes:
        by_owner.setdefault(cause.message.removeprefix("conflict with "), []).append(cause.field)
    count = len(causes)
    title = f"Apply failed with {count} conflict{'s' if count > 1 else ''}: "
    if len(by_owner) == 1:
        owner, fields = next(iter(by_owner.items()))
        text = f"conflict with {owner}: {fields[0]}"
        if count > 1:
            text = f"conflicts with {owner}:\n" + "\n".join(f"- {field}" for field in fields)
    else:
        text = "\n".join(
            f"conflicts with {owner}:\n" + "\n".join(f"- {field}" for field in fields)
            for owner, fields in by_owner.items()
        )
    details = {"causes": [{"reason": c.reason, "message": c.message, "field": c.field} for c in causes]}
    return ApplyConflict(title + text, details)


def _described(owner: FieldOwner) -> str:
    text = f'"{owner.manager}"'
    if owner.subresource:
        text += f' with subresource "{owner.subresource}"'
    return f"{text} using {owner.api_version}" if owner.operation == "Update" else text


def _merge(old: Any, new: Any, type_: Type) -> Any:
    if isinstance(new, dict) and isinstance(old, dict) and not type_.atomic_map():
        result = dict(old)
        for key, value in new.items():
            result[key] = _merge(old[key], value, type_.field(key)) if key in old else copy(value)
        return result
    if isinstance(new, list) and isinstance(old, list):
        keys = type_.list_keys()
        if keys is not None:
            return _merge_lists(old, new, type_, keys)
    return copy(new)


def _merge_lists(old: list[Any], new: list[Any], type_: Type, keys: tuple[str, ...]) -> list[Any]:
    wanted = {identity(type_, keys, item): item for item in new}
    result = []
    for item in old:
        name = identity(type_, keys, item)
        result.append(_merge(item, wanted.pop(name), type_.item()) if name in wanted else item)
    result.extend(copy(item) for item in wanted.values())
    return result


def _prune(obj: Object, type_: Type, dropped: Fields, owners: Owners, mine: FieldOwner) -> Object:
    """Removes what this manager owned before and no longer applies, unless others own it or something below it."""
    others: Fields = set()
    for owner, fields in owners.items():
        if owner != mine:
            others |= fields
    owned_by_others = {path[:length] for path in others for length in range(1, len(path) + 1)}
    for path in sorted(dropped, key=len):
        if path not in owned_by_others:
            _remove(obj, type_, path)
    return obj


def _remove(value: Any, type_: Type, path: Path) -> None:
    element, rest = path[0], path[1:]
    if element.startswith("f:"):
        key = element[2:]
        if not isinstance(value, dict) or key not in value:
            return
        if not rest:
            del value[key]
            return
        value[key] = copy(value[key])
        _remove(value[key], type_.field(key), rest)
        if value[key] in ({}, []):  # what is emptied goes
            del value[key]
        return
    keys = type_.list_keys()
    if not isinstance(value, list) or keys is None:
        return
    for index, item in enumerate(value):
        if identity(type_, keys, item) == element:
            if rest:
                _remove(item, type_.item(), rest)
            else:
                del value[index]
            return

"""Strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch): maps are merged, lists as their types say.

Directives: ``$patch`` replaces or deletes, ``$retainKeys`` keeps, ``$deleteFromPrimitiveList/x`` takes out, and
``$setElementOrder/x`` tells the order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import BadRequest, Plain
from .fieldtypes import Type
from .objects import Object, copy, go_text

_DIRECTIVE = "$patch"
_DELETE_PRIMITIVES = "$deleteFromPrimitiveList/"
_SET_ORDER = "$setElementOrder/"
_RETAIN = "$retainKeys"
_GO = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
}


def strategic_patch(target: Object, patch: Object, type_: Type) -> Object:
    """The patched object. Neither argument is changed. BadRequest or a plain 500 for directives that mean nothing."""
    return _merge_map(copy(target), copy(patch), type_)


def _merge_map(old: Object, patch: Object, type_: Type) -> Object:
    directive = patch.pop(_DIRECTIVE, None)
    if directive == "replace":
        return patch
    if directive == "delete":
        return {}
    if directive is not None:
        raise Plain(f"unknown patch type: {directive} in map: {go_text({_DIRECTIVE: directive, **patch})}")
    _retain(old, patch)
    _set_orders(old, patch, type_)
    for key, value in patch.items():
        if key.startswith(_DELETE_PRIMITIVES):
            name = key.removeprefix(_DELETE_PRIMITIVES)
            if isinstance(old.get(name), list) and isinstance(value, list):
                old[name] = [item for item in old[name] if item not in value]
        elif value is None:
            old.pop(key, None)
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            below = type_.field(key)
            old[key] = value if "replace" in below.strategies else _merge_map(old[key], value, below)
        elif isinstance(value, list) and isinstance(old.get(key), list):
            below = type_.field(key)
            old[key] = _merge_list(old[key], value, below) if "merge" in below.strategies else value
        else:
            found = _without_directives(value)
            if found is None:
                old.pop(key, None)
            else:
                old[key] = found
    return old


def _without_directives(value: Any) -> Any:
    """A value for which there was nothing to merge with; None when it was only a directive. Nulls in it go."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return None
        values = {key: _without_directives(item) for key, item in value.items()}
        return {key: item for key, item in values.items() if item is not None}
    if isinstance(value, list):
        return [item for item in map(_without_directives, value) if item is not None]
    return value


def _retain(old: Object, patch: Object) -> None:
    retained = patch.pop(_RETAIN, None)
    if retained is None:
        return
    given = [
        key
        for key, value in patch.items()
        if value is not None and not key.startswith((_DELETE_PRIMITIVES, _SET_ORDER))
    ]
    if not isinstance(retained, list) or any(key not in retained for key in given):
        raise BadRequest("invalid patch format of retainKeys")
    for key in [key for key in old if key not in retained]:
        del old[key]


def _list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Plain(f"expected a []interface {{}}, but received a {_GO.get(type(value), 'nil')}")
    return value


# Lists


def _merge_list(old: list[Any], patch: list[Any], type_: Type) -> list[Any]:
    if not old and not patch:
        return old
    kinds = {type(item) for item in [*old, *patch]}
    if len(kinds) > 1:
        raise Plain(f"list element types are not identical: {go_text([old, patch])}")
    key, server = type_.merge_key, list(old)
    if kinds != {dict}:
        merged = old + [item for item in patch if item not in old]
        return _interleave(merged, patch, server, lambda item: item)
    merged, patch = _merge_items(old, patch, type_, key)
    return _interleave(merged, patch, server, lambda item: item.get(key))


def _merge_items(old: list[Any], patch: list[Any], type_: Type, key: str) -> tuple[list[Any], list[Any]]:
    """(all items, the items of the patch except directives)."""
    given: list[Any] = []
    replaced = False
    for item in patch:
        directive = item.get(_DIRECTIVE)
        if directive is None:
            given.append(item)
        elif directive == "delete":
            old = [have for have in old if have.get(key) != _key_of(item, key)]
        elif directive == "replace":
            replaced = True
        elif directive == "merge":
            raise Plain("merging lists cannot yet be specified in the patch")
        else:
            raise Plain(f"unknown patch type: {directive} in map: {go_text(item)}")
    if replaced:
        return given, []
    for item in given:
        wanted = _key_of(item, key)
        index = next((at for at, have in enumerate(old) if have.get(key) == wanted), None)
        if index is None:
            old = [*old, item]
        else:
            old = [*old[:index], _merge_map(old[index], item, type_.item()), *old[index + 1 :]]
    return old, given


def _key_of(item: Object, key: str) -> Any:
    if item.get(key) is None:
        raise Plain(f"map: {go_text(item)} does not contain declared merge key: {key}")
    return item[key]


Key = Callable[[Any], Any]


def _interleave(items: list[Any], first: list[Any], server: list[Any], key: Key) -> list[Any]:
    """The order of ``first`` for what it names; the server's other items where they were before."""
    order, known = [key(item) for item in first], [key(item) for item in server]
    mine = sorted((item for item in items if key(item) in order), key=lambda item: order.index(key(item)))
    others = [item for item in items if key(item) not in order]
    result: list[Any] = []
    while others and mine:
        left, right = key(others[0]), key(mine[0])
        before = left in known and right in known and known.index(left) < known.index(right)
        result.append(others.pop(0) if before else mine.pop(0))
    return result + others + mine


def _set_orders(old: Object, patch: Object, type_: Type) -> None:
    """Merges the lists for which the patch gives an order, and removes them from the patch."""
    for name in [key for key in patch if key.startswith(_SET_ORDER)]:
        order, key = _list_of(patch.pop(name)), name.removeprefix(_SET_ORDER)
        below = type_.field(key)
        given, present = _list_of(patch.pop(key, [])), old.get(key)
        _check_order(given, order, below.merge_key)
        if present is None and not given:
            continue
        if present is None:
            merged = _without_directives(given)
        else:
            merged = _merge_list(list(_list_of(present)), given, below) if given else list(_list_of(present))

        def identity(item: Any, by: str = below.merge_key) -> Any:
            return item.get(by) if by and isinstance(item, dict) else item

        old[key] = _interleave(merged, order, _list_of(present or []), identity)


def _check_order(given: list[Any], order: list[Any], key: str) -> None:
    """The items of a patch must be named, in the same order."""
    named = iter(order)
    for item in given if order else []:
        if isinstance(item, dict) and _DIRECTIVE in item:
            continue
        wanted = item.get(key) if key else item
        if not any((entry.get(key) if key and isinstance(entry, dict) else entry) == wanted for entry in named):
            raise Plain(
                f"The order in patch list:\n{go_text(given)}\n doesn't match $setElementOrder list:\n{go_text(order)}\n"
            )

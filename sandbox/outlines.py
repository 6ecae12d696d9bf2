"""Outlines: what controllers ask of each object of a resource, taken from it once for each of its stored versions.

Decoding a ClusterServiceVersion or a CustomResourceDefinition takes milliseconds, and each step of each operator reads
all of them: with outlines that costs microseconds. Outlines are shared between callers, which must not change them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .objects import Object, decode
from .store import Store, StoreEntry

#: A function of a module: it is part of the key under which its values are found.
Outline = Callable[[Object], Any]
#: Outlines of so many objects that are gone are kept before they are looked for.
_SLACK = 200


def outline_of(store: Store, resource: str, entry: StoreEntry, outline: Outline) -> Any:
    """The outline of one stored object."""
    known = store.outlines.setdefault((resource, outline), {})
    present = known.get(entry.key)
    if present is not None and present[0] == entry.version:
        return present[1]
    if len(known) > store.count(resource) + _SLACK:
        for key in [key for key in known if store.get(resource, *key) is None]:
            del known[key]
    value = outline(decode(entry.data))
    known[entry.key] = (entry.version, value)
    return value


def outlines(store: Store, resource: str, outline: Outline, namespace: str = "") -> Iterator[Any]:
    """Outlines by namespace and name; of one namespace if given."""
    for entry in store.scan(resource, namespace):
        yield outline_of(store, resource, entry, outline)


def whole(obj: Object) -> Object:
    """The object itself, for small ones that are asked for often."""
    return obj


def metadata(obj: Object) -> Object:
    """An object without its spec: its metadata but annotations and managed fields, and the conditions of its status."""
    left_out = ("annotations", "managedFields")
    meta = {key: value for key, value in obj["metadata"].items() if key not in left_out}
    conditions = (obj.get("status") or {}).get("conditions") or []
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "metadata": meta,
        "status": {"conditions": conditions},
    }

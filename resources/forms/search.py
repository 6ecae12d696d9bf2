"""Finding a field by what it is called or does, in the whole schema: in sections too that the page has not opened.

What can be found is collected once for a schema, and stays as long as the schema is in use; a search then only compares
texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from resources.forms import kubernetes_types, shapes
from resources.forms.descriptors import Descriptors
from resources.forms.paths import Path, element_id, token
from resources.forms.schema import CONTAINERS, Identity, Node, Schema, kind_of

#: Schemas whose entries are kept: some megabytes for the largest.
_KEPT = 6
_DEEPEST = 40
_MOST = 20_000
_METADATA = ("name", "generateName", "labels", "annotations")
#: What stands in an entry's steps for the items of a list and the entries of a map.
_ITEMS, _ENTRIES = 0, 1
#: Items of one list that are offered one by one.
_EACH = 3

Steps = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """`pointer` names the field, or what is around it where that is not there yet; `where` in the API's words:
    spec.users[].name.
    """

    path: Path
    pointer: str
    label: str
    where: str
    description: str

    @property
    def id(self) -> str:
        return element_id(self.pointer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    steps: Steps
    label: str
    where: str
    description: str
    name: str
    low_label: str
    low_where: str
    low_description: str


def find(schema: Schema, obj: Any, descriptors: Descriptors, text: str, limit: int = 30) -> tuple[Hit, ...]:
    """The fields that every word of `text` is in, the best first: by name, by label, by path, by description."""
    words = text.lower().split()
    if not words:
        return ()
    ranked = []
    for number, entry in enumerate(entries(schema, descriptors)):
        rank = _rank(entry, words)
        if rank is not None:
            ranked.append((rank, len(entry.steps), number, entry))
    ranked.sort(key=lambda ranked_entry: ranked_entry[:3])
    hits: list[Hit] = []
    for *_, entry in ranked:
        hits += _placed(entry, obj)
        if len(hits) >= limit:
            break
    return tuple(hits[:limit])


def _entries_key(schema: Schema, descriptors: Descriptors) -> tuple[Identity, int]:
    return Identity(schema.root), hash(frozenset(descriptors.by_path.items()))


@cached(LRUCache(_KEPT), key=_entries_key, lock=Lock())
def entries(schema: Schema, descriptors: Descriptors) -> tuple[_Entry, ...]:
    """Everything that can be found; kept."""
    return tuple(_collect(schema, descriptors))


def _collect(schema: Schema, descriptors: Descriptors) -> Iterator[_Entry]:
    """Breadth first, so that what a limit leaves out is deep.

    References to what they stand in are not followed again.
    """
    for name in _METADATA:
        yield _entry(("metadata", name), "", shapes.field_title(name))
    root = schema.node(schema.root)
    queue: list[tuple[Steps, Node, tuple[int, ...]]] = [
        ((name,), node, ()) for name, node in schema.properties(root) if name not in shapes.SERVERS
    ]
    claims: set[tuple[str, ...]] = set()
    for at in range(_MOST):
        if at >= len(queue):
            return
        steps, node, around = queue[at]
        names = tuple(step for step in steps if isinstance(step, str))
        descriptor = descriptors.get(names)
        node = kubernetes_types.better(node, descriptor, names, in_claim=names[:-1] in claims)
        if kubernetes_types.is_claim(node, names):
            claims.add(names)
        if isinstance(steps[-1], str):
            label = descriptor.display_name if descriptor and descriptor.display_name else shapes.field_title(names[-1])
            words = descriptor.description if descriptor and descriptor.description else node.get("description")
            yield _entry(steps, str(words or ""), label)
        kind, own = kind_of(node), id(node.get("properties"))
        if kind not in CONTAINERS or len(steps) >= _DEEPEST or own in around:
            continue
        inside = (*around, own) if "properties" in node else around
        if kind == "object":
            queue += [((*steps, name), child, inside) for name, child in schema.properties(node)]
        else:
            child = schema.items(node) if kind == "array" else schema.entry(node)
            queue.append(((*steps, _ITEMS if kind == "array" else _ENTRIES), child, inside))


def _entry(steps: Steps, description: str, label: str) -> _Entry:
    where = "".join(("[]" if step == _ITEMS else ".*") if isinstance(step, int) else f".{step}" for step in steps)[1:]
    name = str(steps[-1]).lower()
    return _Entry(
        steps=steps,
        label=label,
        where=where,
        description=description,
        name=name,
        low_label=label.lower(),
        low_where=where.lower(),
        low_description=description.lower(),
    )


def _rank(entry: _Entry, words: list[str]) -> int | None:
    """0 for the very name, more for less; None where a word is missing."""
    whole = " ".join(words)
    if whole in (entry.name, entry.low_where):
        return 0
    if whole == entry.low_label:
        return 1
    if entry.name.startswith(whole) or entry.low_label.startswith(whole):
        return 2
    if whole in entry.name or whole in entry.low_label:
        return 3
    if all(word in entry.low_where or word in entry.low_label for word in words):
        return 4
    if all(word in entry.low_description or word in entry.low_where or word in entry.low_label for word in words):
        return 5
    return None


def _placed(entry: _Entry, obj: Any) -> list[Hit]:
    """The entry in this object: at the first items of lists that are there, else at the list."""
    found: list[tuple[Path, str, Any]] = [((), "", obj)]
    for step in entry.steps:
        after: list[tuple[Path, str, Any]] = []
        for path, pointer, value in found:
            if isinstance(step, str):
                inner = value.get(step) if isinstance(value, dict) else None
                after.append(((*path, step), f"{pointer}/{token(step)}", inner))
            else:
                after += _items(path, pointer, value)
        if not after:
            break
        found = after[:_EACH]
    else:
        return [
            Hit(path=path, pointer=pointer, label=entry.label, where=_where(path), description=entry.description)
            for path, pointer, _ in found
        ]
    return [
        Hit(path=path, pointer=pointer, label=entry.label, where=entry.where, description=entry.description)
        for path, pointer, _ in found[:1]
    ]


def _items(path: Path, pointer: str, value: Any) -> list[tuple[Path, str, Any]]:
    if isinstance(value, list):
        return [((*path, index), f"{pointer}/@{index}", item) for index, item in enumerate(value[:_EACH])]
    if isinstance(value, dict):
        return [((*path, key), f"{pointer}/@{index}", value[key]) for index, key in enumerate(list(value)[:_EACH])]
    return []


def _where(path: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)[1:]

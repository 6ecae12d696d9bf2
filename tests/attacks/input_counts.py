"""How many inputs were put into how many fields: read from the objects themselves, so that the number can't be older
than they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.attacks import catalog, objects
from tests.attacks.texts import DEEP, FREE, KEYS, PATTERNS

_NUMBERED = re.compile(r"\d+")


@cache
def tried() -> dict[str, int]:
    """Each field (kind and path; items of lists and numbered keys are one) with how many different inputs stand in
    it, as a value or as a key.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for name, obj in _objects():
        for path, text in _texts(obj, name):
            found[path] |= _in(text)
    return {path: len(texts) for path, texts in sorted(found.items()) if texts}


@cache
def _in(text: str) -> frozenset[str]:
    whole = {*KEYS, *DEEP, *(pattern for pattern, _text in PATTERNS)} & {text}
    return frozenset(whole | {item for item in FREE if item in text})


def _objects() -> Iterator[tuple[str, dict[str, Any]]]:
    for item in (
        objects.config("ConfigMap", "x"),
        objects.config("Secret", "x"),
        objects.pod("x"),
        objects.deployment("x"),
        objects.definition(),
        objects.attack("x", objects.ALL),
    ):
        yield item["kind"], item
    for number, part in enumerate(objects.PARTS):
        yield "Event", objects.event("x", "x", part)
        yield "ClusterServiceVersion", objects.csv("x", part, number)
    for obj in objects.deep():
        yield obj["kind"], obj
    for role in objects.roles():
        yield "Role", role
    for blob in catalog.blobs():
        yield blob["schema"], blob


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        ours = [key for key in value if key not in FREE and key not in KEYS]
        yield from ((f"{path}.<key>", key) for key in value if key in FREE or key in KEYS)
        for key, item in value.items():
            yield from _texts(item, f"{path}.{_NUMBERED.sub('N', key)}" if key in ours else f"{path}.*")
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, f"{path}[]")
    elif isinstance(value, str):
        yield path, value

"""The search syntax: free words for names, and `key:value` for everything else. Pure.

    front kind:pod,deploy ns:shop label:app=web annotation:team=blue state:degraded group:apps

Only these keys mean something; any other colon is part of a name, as in system:node. Values with spaces stand in double
quotes.
"""

import re
from dataclasses import dataclass

_PART = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')
_KEYS = {
    "kind": "kinds",
    "k": "kinds",
    "ns": "namespaces",
    "namespace": "namespaces",
    "label": "labels",
    "l": "labels",
    "annotation": "annotations",
    "a": "annotations",
    "state": "states",
    "s": "states",
    "group": "groups",
    "g": "groups",
}
#: In lists of these a comma divides; a selector's commas are its own.
_MANY = ("kinds", "namespaces", "states", "groups")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """`labels`: one selector, '' for none.

    Of several kinds, namespaces, states or groups any one is enough; words and annotations must all be there.
    """

    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    labels: str = ""
    annotations: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


def parse(text: str) -> ParsedQuery:
    """Never fails: what isn't a known key is a word."""
    found: dict[str, list[str]] = {}
    for match in _PART.finditer(text):
        key, quoted, plain = match["key"], match["quoted"], match["plain"]
        value = plain if quoted is None else quoted
        name = _KEYS.get(key or "")
        if plain and plain[-1] == ":" and plain[:-1] in _KEYS:
            continue  # its value is still to be typed
        if name is None:
            found.setdefault("words", []).append(f"{key}:{value}" if key else value)
        elif value:
            values = value.split(",") if name in _MANY else [value]
            found.setdefault(name, []).extend(part.strip() for part in values if part.strip())
    return ParsedQuery(
        words=tuple(found.get("words", ())),
        kinds=tuple(found.get("kinds", ())),
        namespaces=tuple(found.get("namespaces", ())),
        labels=",".join(found.get("labels", ())),
        annotations=tuple(found.get("annotations", ())),
        states=tuple(word.lower() for word in found.get("states", ())),
        groups=tuple(found.get("groups", ())),
    )

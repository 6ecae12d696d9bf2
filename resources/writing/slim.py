"""A kind's schema as the YAML editor needs it: what may stand where, and what it means.

Kept encoded, with the hash that names it.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

_KEEP = frozenset(
    [
        "$ref",
        "type",
        "format",
        "description",
        "required",
        "enum",
        "default",
        "nullable",
        "pattern",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
    ]
)
_BRANCHES = ("allOf", "anyOf", "oneOf")
_LONG = 1200
_LIMIT = 12
_kept: "OrderedDict[int, tuple[Any, Slim]]" = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Slim:
    """`body` is JSON."""

    digest: str
    body: bytes


def slim(document: Mapping[str, Any]) -> Slim:
    """Of a document of kube.client, which is shared: as long as it is in use, the answer is made once."""
    with _lock:
        found = _kept.get(id(document))
        if found is not None and found[0] is document:
            _kept.move_to_end(id(document))
            return found[1]
    components = (document.get("components") or {}).get("schemas") or {}
    made = {**node(document), "components": {name: node(schema) for name, schema in components.items()}}
    body = msgspec.json.encode(made)
    answer = Slim(hashlib.sha256(body).hexdigest()[:16], body)
    with _lock:
        _kept[id(document)] = (document, answer)
        while len(_kept) > _LIMIT:
            _kept.popitem(last=False)
    return answer


def node(schema: Any) -> Any:
    """One node, and all below it."""
    if not isinstance(schema, Mapping):
        return schema if isinstance(schema, bool) else {}
    made = {key: value for key, value in schema.items() if key in _KEEP}
    if isinstance(made.get("description"), str) and len(made["description"]) > _LONG:
        made["description"] = f"{made['description'][: _LONG - 1]}…"
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {name: node(child) for name, child in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            made[key] = node(schema[key])
    for key in _BRANCHES:
        if isinstance(schema.get(key), list):
            made[key] = [node(branch) for branch in schema[key]]
    rules = schema.get("x-kubernetes-validations")
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, Mapping) and str(rule.get("rule", "")).replace(" ", "") in (
            "self==oldSelf",
            "oldSelf==self",
        ):
            made["immutable"] = True
    return made

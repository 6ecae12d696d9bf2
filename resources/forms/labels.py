"""Words for a field that come from its schema alone: its name, its type, its limits. Not translated: they are the API's own."""

import re
from typing import Any

from resources.forms import texts
from resources.forms.schema import Node, Schema, kind_of

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z0-9_-]+")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_ACRONYMS = frozenset(
    re.findall(
        r"\w+",
        "api aws ca cpu crd db dns gcp gpu ha http https iam id ip jmx json jvm kms ldap nfs oidc os pvc rbac ssl sql ssh sso tcp tls ttl udp ui uid uri url uuid yaml",
    )
)
_LIMITS = (
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "x-kubernetes-list-type",
)
_LONG = 300


def title(name: str) -> str:
    """`serviceURL` → "Service URL"; a key that is no identifier (dots, slashes) stays as it is."""
    if not _PLAIN.fullmatch(name):
        return texts.shown(name) or "“”"
    found = _WORDS.findall(name)
    return (
        " ".join(word.upper() if word.lower() in _ACRONYMS else word[:1].upper() + word[1:] for word in found) or name
    )


def _limit(value: Any) -> str:
    return "" if value is None or isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def limits(node: Node) -> tuple[tuple[str, str], ...]:
    """Everything the schema limits, by the schema's own words; `true` where the word has no number."""
    return tuple(
        (name, "true" if node[name] is True else _limit(node[name]) or str(node[name])[:_LONG])
        for name in _LIMITS
        if not (node.get(name) is None or node[name] is False or node[name] == "")
    )


def rules(node: Node) -> tuple[str, ...]:
    """The messages of the node's CEL rules, or the rules themselves where they have none."""
    found = node.get("x-kubernetes-validations")
    if not isinstance(found, list):
        return ()
    said = (str(rule.get("message") or rule.get("rule") or "") for rule in found if isinstance(rule, dict))
    return tuple(dict.fromkeys(" ".join(text.split())[:_LONG] for text in said if text))


def type_of(schema: Schema, node: Node, kind: str, depth: int = 3) -> str:
    """The type in words: "integer (int64)", "list of objects", "map of strings"."""
    if kind in ("array", "map"):
        inside = schema.items(node) if kind == "array" else schema.entry(node)
        of = type_of(schema, inside, kind_of(inside), depth - 1) if depth else "…"
        return f"{'list' if kind == 'array' else 'map'} of {_PLURALS.get(of, of)}"
    if kind == "enum":
        return str(node.get("type") or "one of")
    words = {"int-or-string": "integer or string", "any": _untyped(node), "bytes": "string (byte)"}.get(kind, kind)
    form = str(node.get("format") or "")
    return f"{words} ({form})" if form and kind in ("string", "integer", "number") else words


_PLURALS = {
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "object": "objects",
    "any value": "any values",
}


def _untyped(node: Node) -> str:
    declared = node.get("type")
    return (
        {"object": "object", "array": "list"}.get(declared, "any value") if isinstance(declared, str) else "any value"
    )

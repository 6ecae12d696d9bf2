"""The parts of a field that need no neighbours: its name in words, its limits, its control."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from resources.forms import texts
from resources.forms.descriptors import Descriptor
from resources.forms.fields import ABSENT, Constraints, Field, Option, Options, Typed
from resources.forms.paths import Path
from resources.forms.schema import Node, immutable

#: What a form never writes at the top of an object: the address knows kind and version, metadata has its own part, status is the server's.
SERVERS = frozenset({"apiVersion", "kind", "metadata", "status"})
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z0-9_-]+")
_LONG = 4000
_ACRONYMS = frozenset(
    [
        "api",
        "aws",
        "ca",
        "cpu",
        "crd",
        "dns",
        "gcp",
        "gpu",
        "ha",
        "http",
        "https",
        "id",
        "ip",
        "json",
        "oidc",
        "os",
        "pvc",
        "rbac",
        "ssl",
        "sso",
        "tls",
        "ttl",
        "ui",
        "uid",
        "uri",
        "url",
        "uuid",
        "yaml",
    ]
)


def metadata(namespaced: bool, namespaces: tuple[str, ...]) -> dict[str, Node]:
    """The schema of what people write into metadata, which custom resource definitions leave out."""
    texts_: Node = {"type": "object", "additionalProperties": {"type": "string"}}
    nodes: dict[str, Node] = {"name": {"type": "string", "maxLength": 253}}
    if namespaced:
        nodes["namespace"] = {"type": "string", "enum": list(namespaces)} if namespaces else {"type": "string"}
    return {**nodes, "labels": texts_, "annotations": texts_}


def title(name: str) -> str:
    """`serviceURL` → "Service URL"; a key that is no identifier (dots, slashes) stays as it is."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name or "“”"
    found = _WORDS.findall(name)
    return (
        " ".join(word.upper() if word.lower() in _ACRONYMS else word[:1].upper() + word[1:] for word in found) or name
    )


def known(
    node: Node, path: Path, pointer: str, required: bool, options: Options, item: int, present: bool
) -> dict[str, Any]:
    """What every field has, whatever its kind."""
    descriptor = None if item else options.descriptors.get(path)
    description = str(node.get("description") or "") or (descriptor.description if descriptor else "")
    last = path[-1] if path else ""
    default = node.get("default", ABSENT)
    return {
        "path": path,
        "pointer": pointer,
        "label": (descriptor.display_name if descriptor else "") or title(str(last)),
        "description": "" if item else description[:_LONG],
        "required": required,
        "default": "" if default is ABSENT or default in ({}, []) else _plain(default),
        "defaulted": default is not ABSENT,
        "error": options.typed.errors.get(path, ""),
        "locked": options.editing and present and immutable(node),
        "advanced": bool(descriptor and (descriptor.advanced or descriptor.hidden) and not required),
        "position": item,
        "constraints": constraints(node),
        "options": _described(descriptor),
        "hint": "password" if descriptor and "password" in descriptor.widgets else "",
    }


def _described(descriptor: Descriptor | None) -> tuple[Option, ...]:
    return tuple(Option(text, text, False) for text in descriptor.options) if descriptor else ()


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return texts.text_of("json", value)[:200]


def constraints(node: Node) -> Constraints:
    """Native constraints; a pattern as HTML wants it, anchored only where the schema anchors it."""
    pattern = str(node.get("pattern") or "")
    if pattern:
        start = "" if pattern.startswith("^") else ".*"
        end = "" if pattern.endswith("$") and not pattern.endswith(r"\$") else ".*"
        pattern = f"{start}(?:{pattern}){end}" if start or end else pattern
    return Constraints(
        minimum=_limit(node.get("minimum")),
        maximum=_limit(node.get("maximum")),
        min_length=_limit(node.get("minLength")),
        max_length=_limit(node.get("maxLength")),
        pattern=pattern,
    )


def _limit(value: Any) -> str:
    return "" if value is None or isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def scalar(kind: str, node: Node, value: Any, known: Mapping[str, Any], text: str | None) -> Field:
    """A field with one control. `text`: what was typed there and could not be read, shown instead of the value."""
    present = value is not ABSENT
    state = "null" if value is None else "empty" if value == "" and kind in ("string", "enum", "int-or-string") else ""
    described = tuple(known["options"])
    fields = {**known, "present": present, "state": state, "options": ()}
    if kind == "string" and described:
        kind, node = "enum", {**node, "enum": [option.value for option in described]}
    if kind == "enum":
        return _choice(node, value, fields)
    shown = text if text is not None else "" if not present or value is None else texts.text_of(kind, value)
    return Field(
        **{
            **fields,
            "kind": kind,
            "widget": _widget(kind, node, shown, known),
            "text": shown,
            "stateful": state == "null"
            or (not known["position"] and (bool(state) or (kind == "string" and bool(known["default"])))),
        }
    )


def _choice(node: Node, value: Any, fields: dict[str, Any]) -> Field:
    """A select. Its options are plain text where all are, else JSON, so that 1 and "1" stay different."""
    allowed = [item for item in node.get("enum") or () if item is not None]
    if value is not ABSENT and value is not None and value not in allowed:
        allowed.append(value)
    plain = all(isinstance(item, str) and item and texts.printable(item) for item in allowed)
    kind = "string" if plain else "json"
    options = tuple(
        Option(
            texts.text_of(kind, item), str(item) if item != "" else "“”", item == value and type(item) is type(value)
        )
        for item in allowed
    )
    shown = texts.text_of(kind, value) if value is not ABSENT and value is not None else ""
    state = "null" if value is None else ""
    return Field(
        **{
            **fields,
            "kind": kind,
            "widget": "select",
            "text": shown,
            "options": options,
            "state": state,
            "stateful": bool(state),
        }
    )


def _widget(kind: str, node: Node, shown: str, known: Mapping[str, Any]) -> str:
    if kind == "boolean":
        return "boolean"
    if kind == "any":
        return "yaml"
    if kind in ("integer", "number") and re.fullmatch(r"-?\d{0,15}(\.\d{1,15})?", shown):
        return "number"
    if (node.get("format") == "password" or known["hint"] == "password") and "\n" not in shown:
        return "password"
    if "\n" in shown or "\r" in shown or (kind == "string" and (node.get("maxLength") or 0) > 2000):
        return "lines"
    return "line"


def entry(field: Field, typed: Typed, key: str) -> Field:
    """The field as an entry of a map: with its key, as it was typed last."""
    return dataclasses.replace(
        field,
        is_entry=True,
        key=typed.keys.get(field.path, key),
        key_error=typed.key_errors.get(field.path, ""),
    )


def captioned(field: Field, node: Node, value: Any) -> Field:
    """An item of a list with what tells it from the others: the list's own key, else its name."""
    if not isinstance(value, dict):
        return field
    keys = (*(node.get("x-kubernetes-list-map-keys") or ()), "name", "key", "type", "host")
    caption = next((value[key] for key in keys if isinstance(value.get(key), str) and value[key]), "")
    return dataclasses.replace(field, caption=caption[:80])

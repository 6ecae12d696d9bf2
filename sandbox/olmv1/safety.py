"""Changes in a new version of a CustomResourceDefinition that could lose data or break clients. Pure.

Source of the rules: operator-controller, docs/concepts/crd-upgrade-safety.md; the messages are those of its preflight
check.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]

_UPPER = ("maximum", "maxLength", "maxItems", "maxProperties")
_LOWER = ("minimum", "minLength", "minItems", "minProperties")


def problems(old: Object, new: Object) -> list[str]:
    """One line for each change that is refused; [] when the upgrade is safe."""
    found = []
    before, after = old["spec"], new["spec"]
    if before["scope"] != after["scope"]:
        found.append(f'scope: scope changed from "{before["scope"]}" to "{after["scope"]}"')
    versions = {version["name"]: version for version in after["versions"]}
    stored = (old.get("status") or {}).get("storedVersions") or []
    found += [f'storedVersionRemoval: stored version "{name}" removed' for name in stored if name not in versions]
    for item in before["versions"]:
        if item["name"] in versions:
            pair = (_schema(item), _schema(versions[item["name"]]))
            found += [f"{item['name']}: {line}" for line in _node("^", *pair)]
    return found


def _schema(version: Object) -> Object:
    return dict((version.get("schema") or {}).get("openAPIV3Schema") or {})


def _node(path: str, old: Object, new: Object) -> Iterator[str]:
    if old.get("type") != new.get("type"):
        yield f'{path}: type: type changed from "{old.get("type", "")}" to "{new.get("type", "")}"'
        return
    yield from _values(path, old, new)
    fields, others = old.get("properties") or {}, new.get("properties") or {}
    loose = new.get("x-kubernetes-preserve-unknown-fields")
    for name, node in fields.items():
        if name in others:
            yield from _node(f"{path}.{name}", node, others[name])
        elif not loose:
            yield f"{path}.{name}: existingFieldRemoval: field removed"
    for key, step in (("items", "[*]"), ("additionalProperties", "[*]")):
        if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
            yield from _node(path + step, old[key], new[key])


def _values(path: str, old: Object, new: Object) -> Iterator[str]:
    if added := sorted(set(new.get("required") or []) - set(old.get("required") or [])):
        yield f"{path}: required: new required fields [{' '.join(added)}] added"
    if "default" in old or "default" in new:
        if "default" not in old:
            yield f"{path}: default: default value {new['default']!r} added when there was no default previously"
        elif "default" not in new:
            yield f"{path}: default: default value {old['default']!r} removed"
        elif old["default"] != new["default"]:
            yield f"{path}: default: default value changed from {old['default']!r} to {new['default']!r}"
    if new.get("enum"):
        if not old.get("enum"):
            yield f"{path}: enum: enum constraints {new['enum']} added when there were no restrictions previously"
        elif gone := [item for item in old["enum"] if item not in new["enum"]]:
            yield f"{path}: enum: allowed enum values removed: {gone}"
    for key in (*_UPPER, *_LOWER):
        if key in new and key not in old:
            yield f"{path}: {key}: constraint {new[key]} added when there was none previously"
        elif key in new and (new[key] < old[key] if key in _UPPER else new[key] > old[key]):
            yield f"{path}: {key}: changed from {old[key]} to {new[key]}"

"""``x-kubernetes-validations``: which rules run on what, and what they say (apiextensions pkg/apiserver/schema/cel).

A rule that cannot be run here is skipped, and the log says so once: a sandbox that lets something pass is a nuisance,
one that refuses what a cluster takes is a lie.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import re
from typing import Any

from . import words
from .causes import FieldCause
from .nodes import SchemaNode
from .structure import same

log = logging.getLogger(__name__)

_OLD_SELF = re.compile(r"\boldSelf\b")
_TIMES = re.compile(r'"format": "(date-time|date|duration)"')
_LIBRARY = "cel_expr_python"
_told: set[str] = set()


def _tell_once(text: str, *details: object) -> None:
    key = text % details
    if key not in _told:
        _told.add(key)
        log.warning(text, *details)


def available() -> bool:
    """Whether there is a CEL library on this platform; without it no rule is checked."""
    return importlib.util.find_spec(_LIBRARY) is not None


def has_rules(node: SchemaNode) -> bool:
    """Whether the schema has a rule; cached for each schema."""
    return id(node.raw) in _ruled(node)


def _ruled(node: SchemaNode) -> frozenset[int]:
    family = node.family
    if family.ruled is None:
        found: set[int] = set()
        _find_rules(family.root, found)
        family.ruled = frozenset(found)
    return family.ruled


def _find_rules(raw: Any, found: set[int]) -> bool:
    if not isinstance(raw, dict):
        return False
    inner = [raw.get("items"), raw.get("additionalProperties"), *(raw.get("properties") or {}).values()]
    inner += raw.get("allOf") or []
    ruled = [part for part in inner if _find_rules(part, found)]  # a list: every part is searched
    if ruled or raw.get("x-kubernetes-validations"):
        found.add(id(raw))
        return True
    return False


def check_rules(
    node: SchemaNode, obj: dict[str, Any], old: dict[str, Any] | None, warnings: list[str] | None = None
) -> list[FieldCause]:
    """Runs every rule that concerns the object. Transition rules run where there is an old value to compare with.

    Broken rules on unchanged values are not errors, but added to ``warnings``.
    """
    if not available():
        _tell_once("CEL rules are not checked: %s is not there for this platform", _LIBRARY)
        return []
    causes: list[FieldCause] = []
    _walk(
        node=node,
        value=obj,
        old=old,
        path="",
        unchanged=False,
        causes=causes,
        warnings=[] if warnings is None else warnings,
    )
    return causes


def _walk(
    node: SchemaNode, value: Any, old: Any, path: str, unchanged: bool, causes: list[FieldCause], warnings: list[str]
) -> None:
    """``unchanged``: this value, or the nearest one around it that has an old one, is as it was."""
    if value is None or not has_rules(node):
        return
    if old is not None:
        unchanged = same(old, value)
    rules = node.raw.get("x-kubernetes-validations") or []
    for branch in node.raw.get("allOf") or []:
        rules = rules + (branch.get("x-kubernetes-validations") or [])
    for rule in rules:
        cause = _run(rule, node, value, old, path)
        if cause is not None and unchanged and not _OLD_SELF.search(rule["rule"]):
            warnings.append(f"{cause.field}: {cause.message}")
        elif cause is not None:
            causes.append(cause)
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for name, inner in value.items():
            known = node.declared(name)
            if known is not None:
                _walk(
                    node=known,
                    value=inner,
                    old=before.get(name),
                    path=f"{path}.{name}" if path else name,
                    unchanged=unchanged,
                    causes=causes,
                    warnings=warnings,
                )
            elif node.additional is not None:
                _walk(
                    node=node.additional,
                    value=inner,
                    old=before.get(name),
                    path=f"{path}[{name}]",
                    unchanged=unchanged,
                    causes=causes,
                    warnings=warnings,
                )
    elif isinstance(value, list) and node.items is not None:
        matching = _matching(node, old)
        for index, inner in enumerate(value):
            _walk(
                node=node.items,
                value=inner,
                old=matching.get(_key(node, inner)),
                path=f"{path}[{index}]",
                unchanged=unchanged,
                causes=causes,
                warnings=warnings,
            )


def _matching(node: SchemaNode, old: Any) -> dict[str, Any]:
    if node.raw.get("x-kubernetes-list-type") != "map" or not isinstance(old, list):
        return {}
    return {_key(node, item): item for item in old if isinstance(item, dict)}


def _key(node: SchemaNode, item: Any) -> str:
    names = node.raw.get("x-kubernetes-list-map-keys") or []
    return repr([item.get(name) for name in names]) if isinstance(item, dict) else ""


def _run(rule: dict[str, Any], node: SchemaNode, value: Any, old: Any, path: str) -> FieldCause | None:
    source = rule.get("rule") or ""
    optional = bool(rule.get("optionalOldSelf"))
    if not source.strip() or (old is None and not optional and _OLD_SELF.search(source)):
        return None
    engine = importlib.import_module(".cel.engine", __package__)
    uses_old = _OLD_SELF.search(source) is not None or _OLD_SELF.search(rule.get("messageExpression") or "") is not None
    try:
        held, message = engine.evaluate(rule, node, value, old if uses_old else None, optional)
    except engine.Unsupported as error:
        _tell_once("rule is not checked, it cannot be run here: %s (%s)", source, error)
        return None
    except engine.Failed as error:
        return _failed(rule, node, path, str(error))
    return None if held else _broken(rule, value, path, message)


def _failed(rule: dict[str, Any], node: SchemaNode, path: str, error: str) -> FieldCause | None:
    about = (rule.get("message") or rule["rule"]).strip()
    if error.startswith("no such overload"):
        if _TIMES.search(json.dumps(node.raw)):
            _tell_once("rule is not checked, it compares dates or durations: %s", rule["rule"])
            return None
        detail = (
            f"'{error}': call arguments did not match a supported operator, function or macro signature for rule:"
            f" {about}"
        )
    else:
        detail = f"{error} evaluating rule: {about}"
    return words.invalid(path or words.NOWHERE, node.raw.get("type") or "", detail)


def _broken(rule: dict[str, Any], value: Any, path: str, message: str | None) -> FieldCause:
    place = path + _field_path(rule.get("fieldPath") or "")
    place = place.removeprefix(".") or words.NOWHERE
    detail = message or (rule.get("message") or "").strip() or f"failed rule: {rule['rule'].strip()}"
    compound = isinstance(value, (dict, list))
    match rule.get("reason"):
        case "FieldValueForbidden":
            return words.forbidden(place, detail)
        case "FieldValueRequired":
            return words.required(place, detail)
        case "FieldValueDuplicate":
            return FieldCause(
                place, words.DUPLICATE, "Duplicate value" if compound else f"Duplicate value: {words.show(value)}"
            )
    return words.invalid_unshown(place, detail) if compound else words.invalid(place, value, detail)


def _field_path(path: str) -> str:
    """``.spec['a b']`` as the API server then writes it."""
    return re.sub(r"\['((?:[^'\\]|\\.)*)'\]", lambda found: f".{found[1]}", path)

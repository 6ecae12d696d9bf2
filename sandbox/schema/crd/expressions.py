"""CEL rules of a schema, before anything is checked by them: are they there, are they CEL, can they compare."""

from __future__ import annotations

import importlib
import re
from typing import Any

from structural.causes import Cause
from structural.rules import available
from structural.words import invalid, not_supported, required, to_json

_OLD_SELF = re.compile(r"\boldSelf\b")
_MISTYPED = {
    "BOOL": "cel expression must evaluate to a bool",
    "STRING": "messageExpression must evaluate to a string",
}
_REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]


def check_expressions(
    schema: dict[str, Any], path: str, compile_rules: bool, uncorrelatable: str
) -> tuple[list[Cause], list[Cause]]:
    """(what is wrong with how rules are written down, what is wrong with the rules themselves)."""
    causes: list[Cause] = []
    rules: list[Cause] = []
    for index, rule in enumerate(schema["x-kubernetes-validations"]):
        causes += _check_written(rule, schema, f"{path}.x-kubernetes-validations[{index}]")
    for index, rule in enumerate(schema["x-kubernetes-validations"] if compile_rules and not causes else ()):
        rules += _check_rule(rule, f"{path}.x-kubernetes-validations[{index}]", uncorrelatable)
    return causes, rules


def _check_written(rule: dict[str, Any], schema: dict[str, Any], place: str) -> list[Cause]:
    causes: list[Cause] = []
    source, message = rule.get("rule") or "", rule.get("message") or ""
    if not source.strip():
        causes.append(required(f"{place}.rule", "rule is not specified"))
    elif message and not message.strip():
        causes.append(invalid(f"{place}.message", message, "must be non-empty if specified"))
    elif "\n" in message.strip():
        causes.append(invalid(f"{place}.message", message, "must not contain line breaks"))
    elif "\n" in source.strip() and not message.strip():
        causes.append(required(f"{place}.message", "message must be specified if rule contains line breaks"))
    expression = rule.get("messageExpression") or ""
    if expression and not expression.strip():
        causes.append(required(f"{place}.messageExpression", "messageExpression must be non-empty if specified"))
    if rule.get("reason") is not None and rule["reason"] not in _REASONS:
        causes.append(not_supported(f"{place}.reason", rule["reason"], list(_REASONS)))
    path = rule.get("fieldPath") or ""
    if path and not path.strip():
        causes.append(invalid(f"{place}.fieldPath", path, "must be non-empty if specified"))
    if "\n" in path:
        causes.append(invalid(f"{place}.fieldPath", path, "must not contain line breaks"))
    if path and not _leads_somewhere(path, schema):
        causes.append(invalid(f"{place}.fieldPath", path, "must be a valid path"))
    return causes


_STEP = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]")


def find_field(path: str, schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema that ``.a.b['c']`` leads to; None when it leads nowhere."""
    at = 0
    current: dict[str, Any] = schema
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return None
        name = step[1] if step[1] is not None else step[2]
        more = current.get("additionalProperties")
        found = (current.get("properties") or {}).get(name)
        if found is None and not current.get("properties") and isinstance(more, dict):
            found = more
        if found is None:
            return None
        current = found
        at = step.end()
    return current


def _leads_somewhere(path: str, schema: dict[str, Any]) -> bool:
    return find_field(path, schema) is not None


def _check_rule(rule: dict[str, Any], place: str, uncorrelatable: str) -> list[Cause]:
    causes: list[Cause] = []
    for keyword, word, wanted in (("rule", "", "BOOL"), ("messageExpression", "messageExpression ", "STRING")):
        said = _malformed(rule.get(keyword) or "", bool(rule.get("optionalOldSelf")), wanted)
        if said:
            why = said if said in _MISTYPED.values() else f"{word}compilation failed: {said}"
            text = f"Invalid value: {to_json(_shown(rule), in_order=True)}: {why}"
            causes.append(Cause(f"{place}.{keyword}", "FieldValueInvalid", text))
    if _OLD_SELF.search(rule["rule"]):
        if uncorrelatable:
            detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
            causes.append(invalid(f"{place}.rule", rule["rule"], detail))
    elif rule.get("optionalOldSelf") is not None:
        detail = "may not be set if oldSelf is not used in rule"
        causes.append(invalid(f"{place}.optionalOldSelf", rule["optionalOldSelf"], detail))
    return causes


def _shown(rule: dict[str, Any]) -> dict[str, Any]:
    """The rule as the API server prints it: under Go's names."""
    return {
        "Rule": rule.get("rule") or "",
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath") or "",
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }


def _malformed(source: str, optional: bool, wanted: str) -> str:
    """Why the text is no CEL, or none of the ``wanted`` type; empty when it is, or when nobody here can tell."""
    if not source.strip() or not available():
        return ""
    expressions = importlib.import_module("structural.cel.expressions")
    try:
        given = expressions.result_of(expressions.compile_expression(source, optional))
    except expressions.Malformed as error:
        return str(error)
    except expressions.Unsupported:
        return ""
    return "" if given in ("", wanted) else _MISTYPED[wanted]

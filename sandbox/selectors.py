"""Label and field selectors, as query parameters write them (k8s.io/apimachinery/pkg/labels, /fields)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .errors import BadRequest

Matches = Callable[[Mapping[str, str]], bool]
FieldTest = tuple[str, bool, str]

_NAME = re.compile(r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
_VALUE = re.compile(r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$")
_SET = re.compile(r"^\s*([^\s!=(),<>]+)\s+(in|notin)\s*\(([^)]*)\)\s*$")
_COMPARE = re.compile(r"^\s*([^\s!=(),<>]+)\s*(==|=|!=|>|<)\s*([^\s!=(),<>]*)\s*$")
_EXISTS = re.compile(r"^\s*(!?)\s*([^\s!=(),<>]+)\s*$")


def _split(text: str) -> list[str]:
    """At the commas that are not inside parentheses."""
    parts, depth, begin = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    parts.append(text[begin:])
    return parts


def _requirement(text: str) -> Matches:
    if found := _SET.match(text):
        key, operator, raw = found.groups()
        values = frozenset(value.strip() for value in raw.split(","))
        _check(key, values)
        if operator == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if found := _COMPARE.match(text):
        key, operator, value = found.groups()
        _check(key, [] if operator in "<>" else [value])
        return _comparison(key, operator, value)
    if found := _EXISTS.match(text):
        absent, key = found.groups()
        _check(key, [])
        return (lambda labels: key not in labels) if absent else (lambda labels: key in labels)
    raise BadRequest(f"unable to parse requirement: found '{text.strip()}', expected: in, notin, =, ==, !=, gt, lt")


def _comparison(key: str, operator: str, value: str) -> Matches:
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    if operator in ("=", "=="):
        return lambda labels: labels.get(key) == value
    try:
        limit = int(value)
    except ValueError:
        raise BadRequest(f"for 'Gt', 'Lt' operators, the value must be an integer: {value!r}") from None
    sign = 1 if operator == ">" else -1

    def compare(labels: Mapping[str, str]) -> bool:
        try:
            return sign * (int(labels.get(key, "x")) - limit) > 0
        except ValueError:
            return False

    return compare


def _check(key: str, values: Any) -> None:
    if not _NAME.match(key) or len(key) > 317:
        raise BadRequest(
            f'unable to parse requirement: <nil>: Invalid value: "{key}": name part must consist of alphanumeric '
            "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
            "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
        )
    for value in values:
        if not _VALUE.match(value) or len(value) > 63:
            raise BadRequest(
                f'unable to parse requirement: values[0][{key}]: Invalid value: "{value}": a valid label must be an '
                "empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            )


def label_selector(text: str) -> Matches | None:
    """A test of labels; None when everything matches. BadRequest when it cannot be parsed."""
    if not text.strip():
        return None
    tests = [_requirement(part) for part in _split(text)]
    if len(tests) == 1:
        return tests[0]
    return lambda labels: all(test(labels) for test in tests)


def field_tests(text: str) -> list[FieldTest]:
    """(path, wanted equal, value) of each term of a field selector."""
    tests: list[FieldTest] = []
    for part in text.split(","):
        if not part.strip():
            continue
        found = re.match(r"^\s*([^!=\s]+)\s*(==|=|!=)\s*(.*?)\s*$", part)
        if found is None:
            raise BadRequest(f"invalid selector: '{part}'; can't understand '{part}'")
        path, operator, value = found.groups()
        tests.append((path, operator != "!=", value.replace("\\,", ",").replace("\\=", "=")))
    return tests


#: Fields that can be selected by, beside metadata.name and metadata.namespace.
SELECTABLE: dict[str, dict[str, str]] = {
    "pods": dict.fromkeys(
        (
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ),
        "",
    ),
    "events": {
        **dict.fromkeys(
            (
                "involvedObject.kind",
                "involvedObject.namespace",
                "involvedObject.name",
                "involvedObject.uid",
                "involvedObject.apiVersion",
                "involvedObject.resourceVersion",
                "involvedObject.fieldPath",
                "reason",
                "reportingComponent",
                "type",
            ),
            "",
        ),
        "source": "source.component",
    },
    "secrets": {"type": ""},
    "namespaces": {"status.phase": ""},
    "nodes": {"spec.unschedulable": ""},
    "replicasets.apps": {"status.replicas": ""},
    "replicationcontrollers": {"status.replicas": ""},
    "jobs.batch": {"status.successful": "status.succeeded"},
    "services": {"spec.clusterIP": "", "spec.type": ""},
}


def field_selector(
    tests: list[FieldTest], key: str, extra: tuple[str, ...] = (), custom: bool = False
) -> Callable[[Any], bool]:
    """A test of whole objects. ``extra``: JSON paths (``.spec.x``) that the CRD makes selectable."""
    known = {"metadata.name": "", "metadata.namespace": "", **SELECTABLE.get(key, {})}
    known.update({path.lstrip("."): "" for path in extra})
    compiled = []
    for path, equal, value in tests:
        if path not in known:
            if custom:
                raise BadRequest(f"field label not supported: {path}")
            listed = ", ".join(f'"{name}"' for name in known)
            raise BadRequest(f'"{path}" is not a known field selector: only {listed}')
        compiled.append(((known[path] or path).split("."), equal, value))

    def matches(obj: Any) -> bool:
        for parts, equal, value in compiled:
            found = obj
            for part in parts:
                found = found.get(part) if isinstance(found, dict) else None
            text = str(found).lower() if isinstance(found, bool) else "" if found is None else str(found)
            if not text and parts[-1] in ("unschedulable", "hostNetwork"):
                text = "false"
            if not text and parts[-1] in ("replicas", "succeeded"):
                text = "0"
            if (text == value) != equal:
                return False
        return True

    return matches

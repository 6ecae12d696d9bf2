"""Field selectors, as query parameters write them (k8s.io/apimachinery/pkg/fields), and the fields of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import BadRequest

FieldTest = tuple[str, bool, str]


def field_tests(text: str) -> list[FieldTest]:
    """(path, wanted equal, value) of each term of a field selector."""
    return [_term(part, text) for part in _split(text) if part]


def _split(text: str) -> list[str]:
    """At the commas that no backslash precedes."""
    parts, begin, at = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == ",":
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [*parts, text[begin:]]


def _term(part: str, whole: str) -> FieldTest:
    for at in range(len(part)):
        for operator in ("!=", "==", "="):
            if part.startswith(operator, at):
                return part[:at], operator != "!=", _unescaped(part[at + len(operator) :])
    raise BadRequest(f"invalid selector: '{whole}'; can't understand '{part}'")


def _unescaped(value: str) -> str:
    found, letters = "", iter(value)
    for letter in letters:
        if letter == "\\":
            following = next(letters, "")
            if not following or following not in "\\,=":
                raise BadRequest(f"invalid field selector: invalid escape sequence: \\{following}")
            found += following
        elif letter in ",=":
            raise BadRequest(f"invalid field selector: unescaped character in value: {ord(letter)}")
        else:
            found += letter
    return found


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
            "status.podIPs",
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
    "events.events.k8s.io": {
        **{
            f"regarding.{name}": f"involvedObject.{name}"
            for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        },
        "reason": "",
        "reportingController": "reportingComponent",
        "type": "",
    },
    "secrets": {"type": ""},
    "namespaces": {"status.phase": ""},
    "nodes": {"spec.unschedulable": ""},
    "replicationcontrollers": {"status.replicas": ""},
    "jobs.batch": {"status.successful": "status.succeeded"},
    "services": {"spec.clusterIP": "", "spec.type": ""},
}


#: Kinds with selectable fields that have no namespace.
_CLUSTER = ("nodes", "namespaces")


def _unknown(path: str, key: str, custom: bool) -> str:
    """Kinds with fields of their own have words of their own."""
    if key == "jobs.batch":
        return f'field label "{path}" not supported for Job'
    if custom or key in SELECTABLE:
        return f"field label not supported: {path}"
    return f'"{path}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def field_selector(
    tests: list[FieldTest], key: str, extra: tuple[str, ...] = (), custom: bool = False
) -> Callable[[Any], bool]:
    """A test of whole objects. ``extra``: JSON paths (``.spec.x``) that the CRD makes selectable."""
    known = {"metadata.name": "", "metadata.namespace": "", **SELECTABLE.get(key, {})}
    known.update({path.lstrip("."): "" for path in extra})
    if key in _CLUSTER:
        del known["metadata.namespace"]
    compiled = []
    for path, equal, value in tests:
        if path not in known:
            raise BadRequest(_unknown(path, key, custom))
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

"""One column, and the cells that many kinds share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..durations import since
from ..objects import dig

Object = dict[str, Any]
NONE = "<none>"
UNSET = "<unset>"
NAME_TEXT = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
AGE_TEXT = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be set in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """``cell`` takes the whole object. ``priority`` above 0: only shown wide."""

    name: str
    cell: Callable[[Object], Any]
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


def text(name: str, *path: str, default: str = "", priority: int = 0) -> Column:
    """A string at a path."""
    return Column(name=name, cell=lambda obj: _shown(dig(obj, *path), default), priority=priority)


def number(name: str, *path: str, priority: int = 0) -> Column:
    """An integer at a path, 0 when there is none."""
    return Column(name=name, cell=lambda obj: int(dig(obj, *path) or 0), type="integer", priority=priority)


def cell(name: str, make: Callable[[Object], Any], kind: str = "string", priority: int = 0) -> Column:
    """A computed cell."""
    return Column(name=name, cell=make, type=kind, priority=priority)


def _shown(value: Any, default: str) -> str:
    return default if value is None or value == "" else str(value)


def labels_text(labels: Any) -> str:
    """``a=b,c=d`` by key."""
    if not labels:
        return NONE
    return ",".join(f"{key}={value}" if value else key for key, value in sorted(labels.items()))


def selector_text(selector: Any) -> str:
    """A LabelSelector as kubectl writes it."""
    if not selector:
        return NONE
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for wanted in selector.get("matchExpressions") or []:
        values = ",".join(sorted(wanted.get("values") or []))
        parts.append(
            {
                "In": f"{wanted['key']} in ({values})",
                "NotIn": f"{wanted['key']} notin ({values})",
                "Exists": wanted["key"],
                "DoesNotExist": f"!{wanted['key']}",
            }[wanted["operator"]]
        )
    return ",".join(parts) or NONE


def containers(spec: Any, field: str) -> str:
    """Names or images of a Pod template's containers."""
    return ",".join(str(container.get(field, "")) for container in (spec or {}).get("containers") or [])


NAME = Column(name="Name", cell=lambda obj: obj["metadata"].get("name", ""), format="name", description=NAME_TEXT)
AGE = Column(
    name="Age",
    cell=lambda obj: since(obj["metadata"].get("creationTimestamp")),
    description=AGE_TEXT,
)

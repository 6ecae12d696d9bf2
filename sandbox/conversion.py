"""Events are served in two shapes, core/v1 and events.k8s.io/v1, and stored in the first (pkg/apis/events/v1)."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

#: core/v1 name, events.k8s.io/v1 name
_NAMES = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
)
#: What core/v1 shows even when it is empty, and events.k8s.io/v1 leaves out.
_ALWAYS: Object = {
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
_LEFT_OUT = ("reportingController", "reportingInstance")
_TO_NEW = dict(_NAMES)
_TO_CORE = {new: core for core, new in _NAMES}


def to_events(obj: Object) -> Object:
    """A stored Event as events.k8s.io/v1."""
    found = _renamed(obj, _TO_NEW, "events.k8s.io/v1")
    return {key: value for key, value in found.items() if value != "" or key not in _LEFT_OUT}


def to_core(obj: Object) -> Object:
    """An events.k8s.io/v1 Event as it is stored."""
    return {**_ALWAYS, **_renamed(obj, _TO_CORE, "v1")}


def _renamed(obj: Object, names: dict[str, str], api_version: str) -> Object:
    result = {names.get(key, key): value for key, value in obj.items()}
    result["apiVersion"] = api_version
    return result

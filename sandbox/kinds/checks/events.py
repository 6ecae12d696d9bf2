"""Events, of which events.k8s.io asks for more than the core group. Fields are named as in the internal type."""

from __future__ import annotations

from .basics import Causes, Object, invalid, qualified, required

_FIXED = (
    ("involvedObject", "regarding"),
    ("reason", "reason"),
    ("message", "note"),
    ("reason", "reason"),
    ("type", "type"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
)


def event(obj: Object, old: Object | None) -> Causes:
    """An Event in either of its shapes."""
    new = str(obj.get("apiVersion")).startswith("events.k8s.io/")
    yield from _always(obj, new)
    if not new:
        return
    if old is None or obj.get("series") != old.get("series"):
        yield from _series(obj)
    if old is None:
        yield from _created(obj)
        return
    for name, field in _FIXED:
        if (obj.get(field) or None) != (old.get(field) or None):
            yield invalid(name, obj.get(field), "field is immutable")


def _always(obj: Object, new: bool) -> Causes:
    about = (obj.get("regarding" if new else "involvedObject") or {}).get("namespace") or ""
    namespace = obj["metadata"].get("namespace", "")
    wrong = invalid("involvedObject.namespace", about, "does not match event.namespace")
    if not obj.get("eventTime"):
        if about != namespace and (about or namespace != "default"):
            yield wrong
        return
    if not about and namespace not in ("default", "kube-system"):
        yield wrong
    name = "reportingController" if new else "reportingComponent"
    controller = obj.get(name) or ""
    if not controller:
        yield required(name)
    yield from qualified(name, controller)
    for field in ("reportingInstance", "action", "reason"):
        if not obj.get(field):
            yield required(field)
        elif len(obj[field]) > 128:
            yield invalid(field, "", "can have at most 128 characters")
    if len(obj.get("note" if new else "message") or "") > 1024:
        yield invalid("message", "", "can have at most 1024 characters")


def _series(obj: Object) -> Causes:
    series = obj.get("series")
    if series is None:
        return
    if (series.get("count") or 0) < 2:
        yield invalid("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")


def _created(obj: Object) -> Causes:
    if not obj.get("eventTime"):
        yield required("eventTime")
    if obj.get("type") not in ("Normal", "Warning"):
        yield invalid("type", "", f"has invalid value: {obj.get('type') or ''}")
    for name in ("firstTimestamp", "lastTimestamp", "count", "source"):
        if obj.get(f"deprecated{name[0].upper()}{name[1:]}"):
            yield invalid(name, "", "needs to be unset")

"""Events as kubectl describe shows them: one object for a repeated message, with a count."""

from __future__ import annotations

import time
from collections import OrderedDict
from datetime import UTC, datetime

from ..client import Client
from ..errors import ApiError
from ..objects import Object, now

#: How many events are remembered for counting on.
REMEMBERED = 4096
MESSAGE_LIMIT = 1024

_Key = tuple[str, str, str, str, str, str]


class EventRecorder:
    """Records events of one component (``kubelet``, ``deployment-controller``); ``host`` is a kubelet's node.

    ``new``: with the fields of events.k8s.io.
    """

    def __init__(self, cluster: Client, component: str, host: str = "", new: bool = False):
        self._new = new
        self._cluster = cluster.as_manager(component)
        self._component = component
        self._host = host
        self._known: OrderedDict[_Key, tuple[str, str]] = OrderedDict()

    def normal(self, about: Object, reason: str, message: str, field: str = "", action: str = "") -> None:
        """Something went as it should. ``field`` is the part of the object (``spec.containers{web}``)."""
        self._record(about=about, kind="Normal", reason=reason, message=message, field=field, action=action)

    def warning(self, about: Object, reason: str, message: str, field: str = "", action: str = "") -> None:
        """Something did not."""
        self._record(about=about, kind="Warning", reason=reason, message=message, field=field, action=action)

    def _record(self, about: Object, kind: str, reason: str, message: str, field: str, action: str) -> None:
        """Creates or counts up the Event. A refusal (the namespace is terminating) is ignored."""
        message = message[:MESSAGE_LIMIT]
        key = (about["metadata"].get("uid", ""), about["kind"], kind, reason, message, field)
        try:
            if key in self._known and self._count(*self._known[key]):
                self._known.move_to_end(key)
                return
            event = self._event(about, kind, reason, message, field)
            if self._new:
                event = self._as_new(event, action)
            event = self._cluster.create("events", event)
        except ApiError:
            return
        self._known[key] = (event["metadata"]["namespace"], event["metadata"]["name"])
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def _count(self, namespace: str, name: str) -> bool:
        try:
            event = self._cluster.get("events", name, namespace)
            change: Object = {"count": int(event.get("count") or 1) + 1, "lastTimestamp": now()}
            if self._new:
                again = int((event.get("series") or {}).get("count") or 1) + 1
                change = {"series": {"count": again, "lastObservedTime": _precisely_now()}}
            self._cluster.patch("events", name, change, namespace)
        except ApiError:
            return False
        return True

    def _as_new(self, event: Object, action: str) -> Object:
        """In the form of events.k8s.io: one time in microseconds, and the reporting instance for the source."""
        left_out = ("source", "firstTimestamp", "lastTimestamp", "count")
        shared = {key: value for key, value in event.items() if key not in left_out}
        instance = event["reportingInstance"] or f"{self._component}-sandbox"
        return {**shared, "eventTime": _precisely_now(), "action": action, "reportingInstance": instance}

    def _event(self, about: Object, kind: str, reason: str, message: str, field: str) -> Object:
        metadata = about["metadata"]
        involved = {
            "kind": about["kind"],
            "namespace": metadata.get("namespace", ""),
            "name": metadata["name"],
            "uid": metadata.get("uid", ""),
            "apiVersion": about["apiVersion"],
            "resourceVersion": metadata.get("resourceVersion", ""),
            "fieldPath": field,
        }
        source = {"component": self._component}
        if self._host:
            source["host"] = self._host
        moment = now()
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{metadata['name'][:230]}.{time.time_ns():x}",
                "namespace": metadata.get("namespace") or "default",
            },
            "involvedObject": {key: value for key, value in involved.items() if value},
            "reason": reason,
            "message": message,
            "source": source,
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
            "type": kind,
            "reportingComponent": self._component,
            "reportingInstance": source.get("host", ""),
        }


def _precisely_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

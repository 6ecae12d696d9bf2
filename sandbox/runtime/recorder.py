"""Events as kubectl describe shows them: one object for what is said several times, with a count."""

from __future__ import annotations

import time
from collections import OrderedDict

from ..client import Client
from ..errors import ApiError
from ..objects import Object, now

#: How many events are remembered for counting on.
REMEMBERED = 4096
MESSAGE_LIMIT = 1024

_Key = tuple[str, str, str, str, str, str]


class Recorder:
    """Records events of one component (``kubelet``, ``deployment-controller``); ``host`` is a kubelet's node."""

    def __init__(self, cluster: Client, component: str, host: str = ""):
        self._cluster = cluster.as_manager(component)
        self._component = component
        self._host = host
        self._known: OrderedDict[_Key, tuple[str, str]] = OrderedDict()

    def normal(self, about: Object, reason: str, message: str, field: str = "") -> None:
        """Something went as it should. ``field`` is the part of the object (``spec.containers{web}``)."""
        self._record(about, "Normal", reason, message, field)

    def warning(self, about: Object, reason: str, message: str, field: str = "") -> None:
        """Something did not."""
        self._record(about, "Warning", reason, message, field)

    def _record(self, about: Object, kind: str, reason: str, message: str, field: str) -> None:
        """A refusal (the namespace is going) is nothing that anybody could act on."""
        message = message[:MESSAGE_LIMIT]
        key = (about["metadata"].get("uid", ""), about["kind"], kind, reason, message, field)
        try:
            if key in self._known and self._count(*self._known[key]):
                self._known.move_to_end(key)
                return
            event = self._cluster.create("events", self._event(about, kind, reason, message, field))
        except ApiError:
            return
        self._known[key] = (event["metadata"]["namespace"], event["metadata"]["name"])
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def _count(self, namespace: str, name: str) -> bool:
        try:
            event = self._cluster.get("events", name, namespace)
            change = {"count": int(event.get("count") or 1) + 1, "lastTimestamp": now()}
            self._cluster.patch("events", name, change, namespace)
        except ApiError:
            return False
        return True

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

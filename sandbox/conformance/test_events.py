"""Events: one object in two API groups, selectors, refusals"""

from typing import Any

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import path

TIME = "2026-01-02T03:04:05Z"
MICRO = "2026-01-02T03:04:05.000006Z"


@pytest.fixture
def core(namespace: str) -> str:
    """The path of Events of the core group."""
    return path(namespace, "events")


@pytest.fixture
def new(namespace: str) -> str:
    """The path of Events of events.k8s.io."""
    return f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"


def _old(namespace: str, name: str = "a", **fields: Any) -> Any:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "name": "m", "namespace": namespace, "fieldPath": "data"}
    times = {"firstTimestamp": TIME, "lastTimestamp": TIME, "count": 3}
    source = {"source": {"component": "me", "host": "h"}}
    body = {"involvedObject": about, "reason": "Tried", "message": "some words", "type": "Normal", **times, **source}
    return {"metadata": {"name": name}, **body, **fields}


def _new(namespace: str, name: str = "b", **fields: Any) -> Any:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "name": "m", "namespace": namespace}
    who = {"reportingController": "example.com/me", "reportingInstance": "me-1"}
    body = {
        "regarding": about,
        "eventTime": MICRO,
        "reason": "Tried",
        "action": "Trying",
        "note": "some words",
        "type": "Warning",
    }
    return {"metadata": {"name": name}, **body, **who, **fields}


def test_both_groups(seen: Seen, api: Api, core: str, new: str, namespace: str) -> None:
    """What is written in one group is read in the other"""
    old = seen("written in core", api.post(core, _old(namespace))).json
    seen("read in events.k8s.io", api.get(f"{new}/a"))
    seen("written in events.k8s.io", api.post(new, _new(namespace)))
    seen("read in core", api.get(f"{core}/b"))
    assert api.get(f"{new}/a").json["metadata"]["uid"] == old["metadata"]["uid"]
    assert len(api.get(new).json["items"]) == len(api.get(core).json["items"]) == 2
    seen("by update", api.patch(f"{core}/a", {"count": 4}), only=["count", "metadata.name"])
    seen("counted in both", api.get(f"{new}/a"), only=["deprecatedCount"])


def test_field_selectors(seen: Seen, api: Api, core: str, new: str, namespace: str) -> None:
    """Events are found by what they are about, by reason, type and source"""
    api.post(core, _old(namespace))
    api.post(new, _new(namespace))
    for selector in (
        "involvedObject.name=m",
        "involvedObject.kind=ConfigMap",
        "involvedObject.kind!=ConfigMap",
        "involvedObject.fieldPath=data",
        "involvedObject.namespace=x",
        "reason=Tried",
        "type=Warning",
        "source=me",
        "reportingComponent=example.com/me",
        "metadata.name=a",
    ):
        found = api.get(f"{core}?fieldSelector={selector}")
        seen.value(selector, sorted(item["metadata"]["name"] for item in found.json["items"]))
    seen("unknown", api.get(f"{core}?fieldSelector=message=x"))
    for selector in ("regarding.name=m", "reportingController=example.com/me", "type=Normal"):
        found = api.get(f"{new}?fieldSelector={selector}")
        seen.value(f"new: {selector}", sorted(item["metadata"]["name"] for item in found.json["items"]))
    seen("new: unknown", api.get(f"{new}?fieldSelector=involvedObject.name=m"))


def test_columns(seen: Seen, api: Api, core: str, new: str, namespace: str, k: Kubectl) -> None:
    """Events as a table"""
    api.post(core, _old(namespace))
    api.post(new, _new(namespace))
    seen("columns", api.get(core, accept=TABLE), only=["columnDefinitions"])
    lines = k("get", "events", "--sort-by=.metadata.name").splitlines()
    seen.value("lines", [line.split()[1:] for line in lines])
    wide = k("get", "events.events.k8s.io", "-o", "wide", "--sort-by=.metadata.name").splitlines()
    seen.value("wide", [[word for word in line.split() if not word[0].isdigit() or len(word) == 1] for line in wide])


def test_deletion(seen: Seen, api: Api, core: str, namespace: str) -> None:
    """An Event is deleted as anything else; all of a namespace at once too"""
    for name in ("a", "b"):
        api.post(core, _old(namespace, name))
    seen("one", api.delete(f"{core}/a"))
    seen("all", api.delete(f"{core}?fieldSelector=reason%3DTried"), only=["kind", "items.reason"])
    assert api.get(core).json["items"] == []

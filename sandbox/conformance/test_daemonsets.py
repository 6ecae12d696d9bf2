"""DaemonSets: defaults, one Pod a node, refusals"""

from typing import Any

import pytest

from tests.api import STRATEGIC, TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, items, path, workload


@pytest.fixture
def at(namespace: str) -> str:
    """The path of DaemonSets."""
    return path(namespace, "daemonsets")


def _nodes(api: Api) -> int:
    return len(api.get("/api/v1/nodes").json["items"])


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal DaemonSet gets its defaults and a generation of its template"""
    seen("create", api.post(at, workload()))


def test_pods(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Each node gets a Pod that tolerates what nodes may suffer from"""
    count = _nodes(api)
    body = workload()
    body["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    api.post(at, body)
    done = api.until(f"{at}/a", lambda item: item["status"]["numberReady"] == count)
    assert done["status"]["desiredNumberScheduled"] == done["status"]["numberAvailable"] == count
    seen.value("fields of the status", sorted(done["status"]))
    pods = items(api, namespace, "pods")
    assert len({pod["spec"]["nodeName"] for pod in pods}) == len(pods) == count
    (revision,) = items(api, namespace, "controllerrevisions")
    seen.alias("hash", revision["metadata"]["name"].removeprefix("a-"))
    seen.value("revision", revision)
    seen.value("metadata", pods[0]["metadata"], without=["annotations", "name"])
    affinity = pods[0]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert affinity["nodeSelectorTerms"][0]["matchFields"][0]["values"] == [pods[0]["spec"]["nodeName"]]
    seen.value("tolerations", pods[0]["spec"]["tolerations"])


def test_node_selector(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Nodes that do not fit get none"""
    body = workload()
    body["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    api.post(at, body)
    seen.value("status", api.until(f"{at}/a", lambda item: item["status"].get("observedGeneration"))["status"])
    assert items(api, namespace, "pods") == []


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a DaemonSet's spec is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "empty selector": {"selector": {}},
        "other selector": {"selector": {"matchLabels": {"x": "y"}}},
        "negative": {"minReadySeconds": -1, "revisionHistoryLimit": -1},
    }.items():
        seen(name, api.post(dry, workload(**spec)))
    body = workload()
    body["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    seen("restartPolicy", api.post(dry, body))


def test_update(seen: Seen, api: Api, at: str) -> None:
    """The selector never changes; another template counts the template's generation up"""
    body = workload()
    body["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    api.post(at, body)
    changed = {"spec": {"selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}}}}}
    seen("selector", api.patch(f"{at}/a", changed))
    image: Any = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": f"{IMAGE}.1"}]}}}}
    seen("image", api.patch(f"{at}/a", image, STRATEGIC), only=["metadata.generation", "metadata.annotations"])


def test_columns(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """DaemonSets as a table"""
    body = workload()
    body["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    api.post(at, body)
    api.until(f"{at}/a", lambda item: item["status"].get("observedGeneration"))
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen.text("get", k("get", "daemonsets", "-o", "wide"))
    seen.text("rollout status", k("rollout", "status", "daemonset/a"))

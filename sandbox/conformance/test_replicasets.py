"""ReplicaSets: defaults, status, adoption, scaling, refusals"""

import pytest

from tests.api import STRATEGIC, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, conditions, container, events, items, path, pod, workload


@pytest.fixture
def at(namespace: str) -> str:
    """The path of ReplicaSets."""
    return path(namespace, "replicasets")


def _full(body: dict) -> bool:
    return body["status"].get("availableReplicas", 0) == body["spec"]["replicas"] == body["status"]["replicas"]


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal ReplicaSet gets one replica, and its template the defaults of Pods"""
    seen("create", api.post(at, workload()))


def test_pods(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Pods are named after the ReplicaSet, which owns them"""
    api.post(at, workload(replicas=2))
    found = api.until(f"{at}/a", _full)
    seen.value("status", found["status"], without=["terminatingReplicas"])
    pods = items(api, namespace, "pods")
    assert len(pods) == 2 and all(item["metadata"]["name"].startswith("a-") for item in pods)
    seen.value("metadata", pods[0]["metadata"], without=["name", "annotations"])
    lines = events(api, namespace, "a", lambda lines: len(lines) == 2)
    assert sorted(line.rpartition(": ")[2] for line in lines) == sorted(item["metadata"]["name"] for item in pods)
    seen.value("events", [line.rpartition(": ")[0] for line in lines])


def test_replacement(api: Api, seen: Seen, at: str, namespace: str) -> None:
    """A Pod that was deleted is replaced; one too many is deleted"""
    api.post(at, workload(replicas=1))
    api.until(f"{at}/a", _full)
    (first,) = items(api, namespace, "pods")
    api.delete(f"{path(namespace, 'pods')}/{first['metadata']['name']}?gracePeriodSeconds=0")
    api.until(
        path(namespace, "pods"),
        lambda body: [item["metadata"]["uid"] for item in body["items"]] not in ([], [first["metadata"]["uid"]]),
    )
    extra = pod("extra", nodeSelector={"no": "such-node"})
    extra["metadata"]["labels"] = {"app": "a"}
    api.post(path(namespace, "pods"), extra)
    api.until_gone(f"{path(namespace, 'pods')}/extra")
    seen.value("replicas", api.until(f"{at}/a", _full)["status"], without=["terminatingReplicas"])


def test_adoption(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Pod that fits and has no owner is adopted; without its label it is let go"""
    loner = pod("loner")
    loner["metadata"]["labels"] = {"app": "a"}
    api.post(path(namespace, "pods"), loner)
    api.post(at, workload(replicas=1))
    adopted = api.until(path(namespace, "pods", "loner"), lambda item: "ownerReferences" in item["metadata"])
    seen.value("owner", adopted["metadata"]["ownerReferences"])
    api.until(f"{at}/a", _full)
    assert len(items(api, namespace, "pods")) == 1
    api.patch(path(namespace, "pods", "loner"), {"metadata": {"labels": {"app": "b"}}})
    free = api.until(path(namespace, "pods", "loner"), lambda item: "ownerReferences" not in item["metadata"])
    assert free["metadata"]["labels"] == {"app": "b"}
    api.until(path(namespace, "pods"), lambda body: len(body["items"]) == 2)


def test_template_of_later_pods(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Another template is for later Pods only"""
    api.post(at, workload())
    api.until(f"{at}/a", _full)
    image = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": f"{IMAGE}.1"}]}}}}
    seen("change", api.patch(f"{at}/a", image, STRATEGIC), only=["metadata.generation"])
    api.patch(f"{at}/a/scale", {"spec": {"replicas": 2}})
    api.until(f"{at}/a", lambda item: item["status"].get("readyReplicas") == 2)
    images = sorted(item["spec"]["containers"][0]["image"] for item in items(api, namespace, "pods"))
    assert images == [IMAGE, f"{IMAGE}.1"]


def test_refused_pods(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A condition and an Event report that Pods can't be created"""
    body = workload()
    body["spec"]["template"]["spec"]["serviceAccountName"] = "none"
    api.post(at, body)
    failed = api.until(f"{at}/a", lambda item: conditions(item).get("ReplicaFailure"))
    condition = conditions(failed)["ReplicaFailure"]
    seen.value("condition", condition, without=["message"])
    assert 'serviceaccount "none" not found' in condition["message"]
    failure = f"Warning FailedCreate: Error creating: {condition['message']}"
    assert events(api, namespace, "a", lambda lines: failure in lines)


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Selector and template are checked, and the selector never changes"""
    dry = f"{at}?dryRun=All"
    seen("no template", api.post(dry, {"metadata": {"name": "a"}, "spec": {"selector": {"matchLabels": {"app": "a"}}}}))
    other = workload()
    other["spec"]["template"]["metadata"]["labels"] = {"app": "b"}
    seen("other labels", api.post(dry, other))
    seen("empty selector", api.post(dry, workload(selector={})))
    seen(
        "no selector", api.post(dry, {"metadata": {"name": "a"}, "spec": {"template": workload()["spec"]["template"]}})
    )
    seen("negative", api.post(dry, workload(replicas=-1, minReadySeconds=-1)))
    two = workload()
    two["spec"]["template"]["spec"]["containers"] *= 2
    seen("same container twice", api.post(dry, two))
    api.post(at, workload(replicas=0))
    changed = {"spec": {"selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}}}}}
    seen("changed selector", api.patch(f"{at}/a", changed))


def test_orphans(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """kubectl delete --cascade=orphan leaves the Pods"""
    api.post(at, workload())
    api.until(f"{at}/a", _full)
    seen("delete", api.delete(f"{at}/a?propagationPolicy=Orphan"), only=["kind", "metadata.finalizers"])
    api.until_gone(f"{at}/a")
    (left,) = items(api, namespace, "pods")
    assert "ownerReferences" not in left["metadata"]


def test_foreground(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """Deleted in the foreground, it goes after its Pods"""
    body = workload()
    body["spec"]["template"]["metadata"]["finalizers"] = ["example.com/keep"]
    api.post(at, body)
    api.until(path(namespace, "pods"), lambda body: body["items"])
    (made,) = items(api, namespace, "pods")
    seen(
        "delete",
        api.delete(f"{at}/a?propagationPolicy=Foreground"),
        only=["kind", "metadata.finalizers", "metadata.generation"],
    )
    name = path(namespace, "pods", made["metadata"]["name"])
    api.until(name, lambda item: "deletionTimestamp" in item["metadata"])
    assert api.get(f"{at}/a").status == 200
    api.patch(name, {"metadata": {"finalizers": None}})
    api.until_gone(f"{at}/a")
    assert container()

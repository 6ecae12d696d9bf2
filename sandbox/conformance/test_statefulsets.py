"""StatefulSets: order, names, claims, revisions, refusals"""

from typing import Any

import pytest

from tests.api import STRATEGIC, TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, events, items, path, workload

CLAIM = {
    "metadata": {"name": "data", "labels": {"l": "1"}, "annotations": {"n": "1"}},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "none-such",
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


@pytest.fixture
def at(namespace: str) -> str:
    """The path of StatefulSets."""
    return path(namespace, "statefulsets")


def _body(**spec: Any) -> Any:
    return workload(serviceName="s", **spec)


def _full(body: Any) -> bool:
    status, wanted = body["status"], body["spec"]["replicas"]
    counts = [status.get(name, 0) for name in ("replicas", "readyReplicas", "availableReplicas", "currentReplicas")]
    return counts == [wanted] * 4 and status.get("observedGeneration") == body["metadata"]["generation"]


def _rolled(body: Any) -> bool:
    return _full(body) and body["status"]["currentRevision"] == body["status"]["updateRevision"]


def _create(api: Api, at: str, **spec: Any) -> Any:
    created = api.post(at, _body(**spec))
    assert created.status == 201, created.raw
    return api.until(f"{at}/a", _full)


def _revisions(api: Api, seen: Seen, namespace: str) -> list[Any]:
    """ControllerRevisions by number; their names stand as <revision N>."""
    found = sorted(
        items(api, namespace, "controllerrevisions"), key=lambda controllerrevision: controllerrevision["revision"]
    )
    for item in found:
        seen.alias(f"revision {item['revision']}", item["metadata"]["name"])
        seen.alias(f"hash {item['revision']}", item["metadata"]["name"].rpartition("-")[2])
    return found


def _image(image: str = f"{IMAGE}.1") -> Any:
    return {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}}


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal StatefulSet gets its defaults"""
    seen("create", api.post(at, _body()))


def test_order(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Pods are made in order, each when the one before is ready, and taken away from the highest"""
    with api.watch(f"{path(namespace, 'pods')}?watch=1") as watch:
        done = _create(api, at, replicas=3)
        order: list[str] = []
        ready: set[str] = set()
        for event in watch:
            made = event["object"]
            name = made["metadata"]["name"]
            if event["type"] == "ADDED":
                assert ready == set(order), "the one before is ready"
                order.append(name)
            if any(
                condition["type"] == "Ready" and condition["status"] == "True"
                for condition in made["status"].get("conditions") or []
            ):
                ready.add(name)
            if ready == {"a-0", "a-1", "a-2"}:
                break
        assert order == ["a-0", "a-1", "a-2"]
        _revisions(api, seen, namespace)
        seen.value("status", done["status"])
        api.patch(f"{at}/a/scale", {"spec": {"replicas": 1}})
        gone = []
        for event in watch:
            if event["type"] == "DELETED":
                gone.append(event["object"]["metadata"]["name"])
            if len(gone) == 2:
                break
        assert gone == ["a-2", "a-1"]
    api.until(f"{at}/a", _full)
    seen.value("events", events(api, namespace, "a", lambda lines: len(lines) == 5))


def test_pods(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Each Pod knows its name, its number and its revision"""
    _create(api, at, replicas=2)
    (revision,) = _revisions(api, seen, namespace)
    made = api.get(path(namespace, "pods", "a-1")).json
    seen.value("metadata", made["metadata"], without=["annotations"])
    seen.value("spec", made["spec"], only=["hostname", "subdomain"])
    seen.value("revision", revision, without=["metadata.creationTimestamp"])


def test_parallel(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Parallel makes all Pods at once"""
    body = _body(replicas=3, podManagementPolicy="Parallel")
    body["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    api.post(at, body)
    api.until(path(namespace, "pods"), lambda body: len(body["items"]) == 3)
    _revisions(api, seen, namespace)
    seen.value("status", api.until(f"{at}/a", lambda item: item["status"]["replicas"] == 3)["status"])


def test_start(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """ordinals.start is where the numbers begin"""
    _create(api, at, replicas=2, ordinals={"start": 5})
    assert [pod["metadata"]["name"] for pod in items(api, namespace, "pods")] == ["a-5", "a-6"]
    seen.value(
        "labels",
        api.get(path(namespace, "pods", "a-6")).json["metadata"]["labels"],
        without=["controller-revision-hash"],
    )


def test_claims(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Each Pod has claims of its own, which stay when it goes"""
    body = _body(replicas=1, volumeClaimTemplates=[CLAIM])
    created = seen(
        "create", api.post(at, body), only=["spec.volumeClaimTemplates", "spec.persistentVolumeClaimRetentionPolicy"]
    )
    assert created.status == 201
    claim = api.until(path(namespace, "persistentvolumeclaims", "data-a-0"), bool)
    seen.value("claim", claim, without=["metadata.annotations"])
    made = api.until(path(namespace, "pods", "a-0"), bool)
    seen.value("volumes", made["spec"]["volumes"])
    api.patch(f"{at}/a", {"spec": {"replicas": 0}})
    api.until_gone(path(namespace, "pods", "a-0"))
    claim = api.get(path(namespace, "persistentvolumeclaims", "data-a-0")).json
    assert "deletionTimestamp" not in claim["metadata"]
    lines = events(api, namespace, "a", lambda lines: len(lines) == 3)
    seen.value("events", lines)


def test_retention(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """persistentVolumeClaimRetentionPolicy lets claims go with the set, or with their Pod"""
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    body = _body(
        replicas=2,
        volumeClaimTemplates=[CLAIM],
        persistentVolumeClaimRetentionPolicy=policy,
        podManagementPolicy="Parallel",
    )
    api.post(at, body)
    claims = path(namespace, "persistentvolumeclaims")
    owned = api.until(f"{claims}/data-a-1", lambda item: "ownerReferences" in item["metadata"])
    seen.value("owned by the set", owned["metadata"]["ownerReferences"])
    api.patch(f"{at}/a", {"spec": {"replicas": 1}})
    api.until_gone(f"{claims}/data-a-1")
    assert "deletionTimestamp" not in api.get(f"{claims}/data-a-0").json["metadata"]
    api.delete(f"{at}/a?propagationPolicy=Background")
    api.until_gone(f"{claims}/data-a-0")


def test_update(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Another template replaces the Pods from the highest number down"""
    _create(api, at, replicas=2)
    with api.watch(f"{path(namespace, 'pods')}?watch=1") as watch:
        api.patch(f"{at}/a", _image(), STRATEGIC)
        # The controller may see its own status late and make a-1 of the old template once more, to replace it again.
        gone: list[str] = []
        for event in watch:
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED" and name not in gone:
                gone.append(name)
            if len(gone) == 2:
                break
    assert gone == ["a-1", "a-0"]
    done = api.until(f"{at}/a", _rolled)
    revisions = _revisions(api, seen, namespace)
    assert [revision["revision"] for revision in revisions] == [1, 2]
    seen.value("status", done["status"])
    seen.value("events", events(api, namespace, "a", lambda lines: sum("Create" in line for line in lines) == 2))


def test_partition(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A partition keeps the lower numbers at the old revision"""
    _create(api, at, replicas=3, updateStrategy={"rollingUpdate": {"partition": 2}})
    api.patch(f"{at}/a", _image(), STRATEGIC)
    found = api.until(
        f"{at}/a", lambda item: item["status"].get("updatedReplicas") == 1 and item["status"].get("readyReplicas") == 3
    )
    _revisions(api, seen, namespace)
    seen.value("status", found["status"])
    images = {pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"] for pod in items(api, namespace, "pods")}
    assert images == {"a-0": IMAGE, "a-1": IMAGE, "a-2": f"{IMAGE}.1"}


def test_on_delete(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """OnDelete waits until the Pod is deleted"""
    _create(api, at, replicas=1, updateStrategy={"type": "OnDelete"})
    api.patch(f"{at}/a", _image(), STRATEGIC)
    found = api.until(f"{at}/a", lambda item: item["status"]["updateRevision"] != item["status"]["currentRevision"])
    _revisions(api, seen, namespace)
    seen.value("waiting", found["status"])
    api.delete(f"{path(namespace, 'pods')}/a-0?gracePeriodSeconds=0")
    new = api.until(path(namespace, "pods", "a-0"), lambda item: item["spec"]["containers"][0]["image"] != IMAGE)
    assert new["metadata"]["labels"]["controller-revision-hash"] == found["status"]["updateRevision"]


def test_rollback(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """kubectl rollout: status, history, undo"""
    _create(api, at)
    seen.text("status", k("rollout", "status", "statefulset/a"))
    api.patch(f"{at}/a", _image(), STRATEGIC)
    api.until(f"{at}/a", _rolled)
    _revisions(api, seen, namespace)
    seen.text("history", k("rollout", "history", "statefulset/a"))
    seen.text("undo", k("rollout", "undo", "statefulset/a"))
    api.until(f"{at}/a", _rolled)
    assert api.get(f"{at}/a").json["spec"]["template"]["spec"]["containers"][0]["image"] == IMAGE
    assert [revision["revision"] for revision in _revisions(api, seen, namespace)] == [2, 3]
    seen.text("scale", k("scale", "statefulset/a", "--replicas=0"))


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a StatefulSet's spec is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "replicas": {"replicas": -1},
        "empty selector": {"selector": {}},
        "other selector": {"selector": {"matchLabels": {"x": "y"}}},
        "minReadySeconds": {"minReadySeconds": -1},
        "claim without a size": {
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]
        },
    }.items():
        seen(name, api.post(dry, _body(**spec)))
    body = _body()
    body["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    seen("restartPolicy", api.post(dry, body))
    seen("dots in the name", api.post(dry, {**_body(), "metadata": {"name": "a.b"}}))


def test_forbidden_updates(seen: Seen, api: Api, at: str) -> None:
    """Only some fields of a StatefulSet may change"""
    api.post(at, _body(replicas=0, volumeClaimTemplates=[CLAIM]))
    seen("service", api.patch(f"{at}/a", {"spec": {"serviceName": "t"}}))
    seen("policy", api.patch(f"{at}/a", {"spec": {"podManagementPolicy": "Parallel"}}))
    larger = {**CLAIM["spec"], "resources": {"requests": {"storage": "2Gi"}}}
    seen("claims", api.patch(f"{at}/a", {"spec": {"volumeClaimTemplates": [{**CLAIM, "spec": larger}]}}))
    allowed = {
        "replicas": 0,
        "minReadySeconds": 1,
        "revisionHistoryLimit": 2,
        "updateStrategy": {"type": "OnDelete", "rollingUpdate": None},
    }
    seen("allowed", api.patch(f"{at}/a", {"spec": allowed}), only=["spec.updateStrategy", "metadata.generation"])


def test_columns(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """StatefulSets as a table"""
    _create(api, at)
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen.text("get", k("get", "statefulsets", "-o", "wide"))

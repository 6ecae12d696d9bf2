"""Volumes: claims, volumes made by hand, binding, storage classes"""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import container, path, pod

VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"


@pytest.fixture
def at(namespace: str) -> str:
    """The path of claims."""
    return path(namespace, "persistentvolumeclaims")


@pytest.fixture
def unique(api: Api, seen: Seen) -> Iterator[str]:
    """A name for a volume or a class; both are deleted afterwards."""
    name = f"conformance-{uuid4().hex[:8]}"
    seen.alias("unique", name)
    yield name
    for cluster_scoped in (VOLUMES, CLASSES):
        api.delete(f"{cluster_scoped}/{name}")


def _claim(name: str = "a", **spec: Any) -> Any:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}
    return {"metadata": {"name": name}, "spec": {**wanted, **spec}}


def _volume(name: str, **spec: Any) -> Any:
    given = {"capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/none-such"}}
    return {"metadata": {"name": name}, "spec": {**given, **spec}}


def _bound(body: Any) -> bool:
    return body["status"].get("phase") == "Bound"


def test_claim(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A claim without a class waits for a volume"""
    seen("create", api.post(at, _claim()))
    found = api.until(f"{at}/a", lambda item: item["status"].get("phase"))
    seen.value("status", found["status"])
    event = api.until(path(namespace, "events"), lambda body: body["items"])["items"][0]
    seen.value("event", event, only=["type", "reason", "message", "source.component", "involvedObject.kind"])


def test_claim_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a claim is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "no modes": {"accessModes": []},
        "mode": {"accessModes": ["Odd"]},
        "no size": {"resources": {}},
        "no storage": {"resources": {"requests": {"cpu": 1}}},
        "zero": {"resources": {"requests": {"storage": "0"}}},
        "negative": {"resources": {"requests": {"storage": "-1Gi"}}},
        "source": {"dataSource": {"kind": "Odd", "name": ""}},
    }.items():
        seen(name, api.post(dry, _claim(**spec)))
    seen("no spec", api.post(dry, {"metadata": {"name": "a"}}))


def test_claim_updates(seen: Seen, api: Api, at: str) -> None:
    """A claim's spec does not change; only a bound one may grow"""
    api.post(at, _claim())
    modes = api.patch(f"{at}/a", {"spec": {"accessModes": ["ReadWriteMany"]}})
    seen("modes", modes, only=["code", "details.causes.field", "details.causes.reason"])
    larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    grown = api.patch(f"{at}/a", larger)
    seen("size", grown, only=["code", "details.causes.field", "details.causes.reason"])
    seen("labels", api.patch(f"{at}/a", {"metadata": {"labels": {"l": "1"}}}), only=["metadata.labels"])


def test_class(seen: Seen, api: Api, at: str, namespace: str, unique: str) -> None:
    """A class whose volumes are created by hand: claims wait for their first Pod, or for a volume"""
    body = {"metadata": {"name": unique}, "provisioner": "kubernetes.io/no-provisioner"}
    seen("create", api.post(CLASSES, body))
    seen("again", api.post(CLASSES, body))
    seen("changed", api.patch(f"{CLASSES}/{unique}", {"provisioner": "example.com/odd"}))
    seen("changed parameters", api.patch(f"{CLASSES}/{unique}", {"parameters": {"a": "b"}}))
    api.post(at, _claim(storageClassName=unique))
    event = api.until(path(namespace, "events"), lambda body: body["items"])["items"][0]
    seen.value("event", event, only=["type", "reason", "message"])
    seen("delete", api.delete(f"{CLASSES}/{unique}"))


def test_unknown_class(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A claim of a class that is not there waits, and says so"""
    api.post(at, _claim(storageClassName="none-such"))
    event = api.until(path(namespace, "events"), lambda body: body["items"])["items"][0]
    seen.value("event", event, only=["type", "reason", "message", "source.component"])
    seen("get", api.get(f"{at}/a"), only=["status", "spec", "metadata.annotations", "metadata.finalizers"])


def test_first_consumer(seen: Seen, api: Api, at: str, namespace: str, unique: str) -> None:
    """WaitForFirstConsumer waits for a Pod"""
    wait = {"provisioner": "example.com/a", "volumeBindingMode": "WaitForFirstConsumer"}
    api.post(CLASSES, {"metadata": {"name": unique}, **wait})
    api.post(at, _claim(storageClassName=unique))
    event = api.until(path(namespace, "events"), lambda body: body["items"])["items"][0]
    seen.value("event", event, only=["type", "reason", "message"])
    seen("claim", api.get(f"{at}/a"), only=["status", "metadata.annotations"])


def test_binding(seen: Seen, api: Api, at: str, unique: str) -> None:
    """A volume made by hand is bound to the claim that fits, and released when the claim goes"""
    created = seen("volume", api.post(VOLUMES, _volume(unique, storageClassName=unique)))
    assert created.status == 201
    seen.value(
        "available", api.until(f"{VOLUMES}/{unique}", lambda item: item["status"].get("phase") == "Available")["status"]
    )
    api.post(at, _claim(storageClassName=unique))
    claim = api.until(f"{at}/a", _bound)
    seen.value("claim", claim)
    volume = api.until(f"{VOLUMES}/{unique}", _bound)
    seen.value("bound volume", volume)
    assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
    api.delete(f"{at}/a")
    api.until_gone(f"{at}/a")
    released = api.until(f"{VOLUMES}/{unique}", lambda item: item["status"]["phase"] == "Released")
    seen.value("released", released, only=["status", "spec.claimRef"])
    seen("delete", api.delete(f"{VOLUMES}/{unique}"), only=["kind", "metadata.name", "metadata.finalizers"])
    api.until_gone(f"{VOLUMES}/{unique}")


def test_binding_by_name(seen: Seen, api: Api, at: str, unique: str) -> None:
    """A claim may name its volume; a volume that is bound is not deleted"""
    api.post(VOLUMES, _volume(unique))
    api.post(at, _claim(volumeName=unique))
    claim = api.until(f"{at}/a", _bound)
    seen.value("claim", claim, only=["metadata.annotations", "spec.volumeName", "status"])
    api.delete(f"{VOLUMES}/{unique}")
    volume = api.get(f"{VOLUMES}/{unique}").json
    seen.value("kept", volume, only=["metadata.deletionTimestamp", "metadata.finalizers", "status.phase"])
    api.delete(f"{at}/a")
    api.until_gone(f"{VOLUMES}/{unique}")


def test_too_small(seen: Seen, api: Api, at: str, unique: str) -> None:
    """A volume that is too small, or of other modes, is not bound"""
    api.post(VOLUMES, _volume(unique, storageClassName=unique))
    api.until(f"{VOLUMES}/{unique}", lambda item: item["status"].get("phase") == "Available")
    api.post(at, _claim(storageClassName=unique, resources={"requests": {"storage": "3Gi"}}))
    api.post(at, _claim("b", storageClassName=unique, accessModes=["ReadWriteMany"]))
    api.post(at, _claim("c", storageClassName=unique, selector={"matchLabels": {"l": "1"}}))
    api.post(at, _claim("d", storageClassName=unique))
    api.until(f"{at}/d", _bound)
    phases = {item["metadata"]["name"]: item["status"]["phase"] for item in api.get(at).json["items"]}
    seen.value("phases", phases)


def test_reclaim_policy(seen: Seen, api: Api, unique: str) -> None:
    """What becomes of a volume without its claim may change"""
    api.post(VOLUMES, _volume(unique))
    seen(
        "changed policy",
        api.patch(f"{VOLUMES}/{unique}", {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}),
        only=["spec.persistentVolumeReclaimPolicy"],
    )


def test_protection(seen: Seen, api: Api, at: str, namespace: str, unique: str) -> None:
    """A claim that a Pod uses stays until the Pod is gone"""
    api.post(VOLUMES, _volume(unique, storageClassName=unique))
    api.post(at, _claim(storageClassName=unique))
    api.until(f"{at}/a", _bound)
    used = container(volumeMounts=[{"name": "v", "mountPath": "/v"}])
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "a"}}
    api.post(path(namespace, "pods"), pod("p", containers=[used], volumes=[volume]))
    api.until(path(namespace, "pods", "p"), lambda item: item["spec"].get("nodeName"))
    seen(
        "delete",
        api.delete(f"{at}/a"),
        only=["kind", "metadata.finalizers", "metadata.deletionGracePeriodSeconds", "status.phase"],
    )
    assert api.get(f"{at}/a").status == 200
    api.delete(f"{path(namespace, 'pods', 'p')}?gracePeriodSeconds=0")
    api.until_gone(f"{at}/a")


def test_columns(seen: Seen, api: Api, at: str, unique: str, k: Kubectl) -> None:
    """Claims, volumes and classes as tables"""
    seen("columns of claims", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen("columns of volumes", api.get(f"{VOLUMES}?limit=1", accept=TABLE), only=["columnDefinitions"])
    seen("columns of classes", api.get(f"{CLASSES}?limit=1", accept=TABLE), only=["columnDefinitions"])
    api.post(VOLUMES, _volume(unique, storageClassName=unique))
    api.post(at, _claim(storageClassName=unique))
    api.until(f"{at}/a", _bound)
    seen.text("claims", k("get", "pvc", "-o", "wide"))
    seen.text("volume", k("get", "pv", unique, "-o", "wide"))
    api.post(CLASSES, {"metadata": {"name": unique}, "provisioner": "example.com/a"})
    seen.text("class", k("get", "storageclass", unique))
    api.delete(f"{at}/a")

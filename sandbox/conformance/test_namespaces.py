"""Namespaces: what each begins with, and how it ends"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.api import Api, config_map

from .observations import Seen

NAMESPACES = "/api/v1/namespaces"


@pytest.fixture
def name(api: Api, seen: Seen) -> Iterator[str]:
    """A name for a namespace, which goes afterwards."""
    found = f"conformance-{uuid4().hex[:8]}"
    seen.alias("name", found)
    yield found
    api.delete(f"{NAMESPACES}/{found}")


def test_create(seen: Seen, api: Api, name: str) -> None:
    """A new Namespace is Active, has its finalizer and a label with its name, a ServiceAccount and the cluster's CA"""
    created = seen("create", api.post(NAMESPACES, {"metadata": {"name": name}}))
    assert created.json["spec"]["finalizers"] == ["kubernetes"]
    api.until(f"{NAMESPACES}/{name}/serviceaccounts/default", bool)
    api.until(f"{NAMESPACES}/{name}/configmaps/kube-root-ca.crt", bool)
    seen("the account", api.get(f"{NAMESPACES}/{name}/serviceaccounts/default"))
    seen("the CA", api.get(f"{NAMESPACES}/{name}/configmaps/kube-root-ca.crt"), without=["data"])
    seen("twice", api.post(NAMESPACES, {"metadata": {"name": name}}))
    seen(
        "with a label of its own",
        api.patch(f"{NAMESPACES}/{name}", {"metadata": {"labels": {"a": "b"}}}),
        only=["metadata.labels"],
    )
    taken = api.patch(f"{NAMESPACES}/{name}", {"metadata": {"labels": {"kubernetes.io/metadata.name": "x"}}})
    seen("its own label cannot be another", taken)
    gone = api.patch(f"{NAMESPACES}/{name}", {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}})
    seen("nor go", gone, only=["metadata.labels"])


def test_names(seen: Seen, api: Api) -> None:
    """The name of a Namespace is a DNS label"""
    for wrong in ("A", "a.b", "a_b", "-a", "a" * 64):
        seen(wrong if len(wrong) < 64 else "64 characters", api.post(NAMESPACES, {"metadata": {"name": wrong}}))


def test_restored(seen: Seen, api: Api, namespace: str) -> None:
    """The default ServiceAccount and the CA come back when they are deleted"""
    place = f"{NAMESPACES}/{namespace}"
    before = api.get(f"{place}/serviceaccounts/default").json["metadata"]["uid"]
    seen("delete the account", api.delete(f"{place}/serviceaccounts/default"), only=["kind", "status"])
    after = api.until(f"{place}/serviceaccounts/default", lambda body: body["metadata"]["uid"] != before)
    seen.value("the account", after)
    old = api.get(f"{place}/configmaps/kube-root-ca.crt").json
    api.delete(f"{place}/configmaps/kube-root-ca.crt")
    new = api.until(
        f"{place}/configmaps/kube-root-ca.crt", lambda body: body["metadata"]["uid"] != old["metadata"]["uid"]
    )
    assert new["data"] == old["data"]
    api.patch(f"{place}/configmaps/kube-root-ca.crt", {"data": {"ca.crt": "other"}})
    api.until(f"{place}/configmaps/kube-root-ca.crt", lambda body: body["data"] == old["data"])


def test_end(seen: Seen, api: Api, name: str) -> None:
    """A Namespace is Terminating until everything in it is gone; its conditions name the finalizers"""
    api.post(NAMESPACES, {"metadata": {"name": name}})
    maps = f"{NAMESPACES}/{name}/configmaps"
    api.until(f"{NAMESPACES}/{name}/serviceaccounts/default", bool)
    api.post(maps, config_map("plain"))
    held = config_map("held")
    held["metadata"]["finalizers"] = ["conformance.example/wait"]
    api.post(maps, held)
    deleted = seen("delete", api.delete(f"{NAMESPACES}/{name}"))
    assert deleted.json["status"]["phase"] == "Terminating"
    api.until_gone(f"{maps}/plain")
    remaining = "NamespaceFinalizersRemaining"
    body = api.until(
        f"{NAMESPACES}/{name}",
        lambda body: any(
            condition["type"] == remaining and condition["status"] == "True"
            for condition in body["status"].get("conditions") or []
        ),
    )
    seen.value("conditions", sorted(body["status"]["conditions"], key=lambda item: str(item["type"])))
    assert api.get(f"{maps}/held").json["metadata"]["deletionTimestamp"]
    seen("create in it", api.post(maps, config_map("new")))
    seen("update in it", api.patch(f"{maps}/held", {"data": {"a": "b"}}), only=["data"])
    seen("delete again", api.delete(f"{NAMESPACES}/{name}"), only=["status.phase"])
    seen("its finalizer goes", api.patch(f"{maps}/held", {"metadata": {"finalizers": None}}), only=["kind"])
    api.until_gone(f"{NAMESPACES}/{name}")
    seen("gone", api.get(f"{NAMESPACES}/{name}"))
    seen("create in what is gone", api.post(maps, config_map("new")))
    seen("list in what is gone", api.get(maps), only=["kind", "items"])


def test_finalizers(seen: Seen, api: Api, name: str) -> None:
    """spec.finalizers are changed through /finalize only; other finalizers hold the Namespace when it is empty"""
    body = {"metadata": {"name": name}, "spec": {"finalizers": ["conformance.example/mine"]}}
    seen("create", api.post(NAMESPACES, body), only=["spec"])
    place = f"{NAMESPACES}/{name}"
    api.until(f"{place}/serviceaccounts/default", bool)
    seen("not by an update", api.patch(place, {"spec": {"finalizers": ["kubernetes"]}}), only=["spec"])
    api.delete(place)
    api.until(place, lambda body: body["spec"].get("finalizers") == ["conformance.example/mine"])
    present = api.get(place).json
    seen("empty, but held", api.get(place), only=["status.phase", "spec"])
    present["spec"]["finalizers"] = []
    seen("finalize", api.put(f"{place}/finalize", present), only=["kind", "spec", "status.phase"])
    api.until_gone(place)


def test_metadata_finalizers(seen: Seen, api: Api, name: str) -> None:
    """A finalizer in the metadata holds the Namespace after its content is gone"""
    api.post(NAMESPACES, {"metadata": {"name": name, "finalizers": ["conformance.example/wait"]}})
    place = f"{NAMESPACES}/{name}"
    api.until(f"{place}/serviceaccounts/default", bool)
    api.delete(place)
    api.until(place, lambda body: not body["spec"].get("finalizers"))
    seen("held", api.get(place), only=["metadata.finalizers", "spec", "status.phase"])
    api.patch(place, {"metadata": {"finalizers": None}})
    api.until_gone(place)


def test_protected(seen: Seen, api: Api) -> None:
    """The namespaces of the system cannot be deleted"""
    for name in ("default", "kube-system", "kube-public"):
        seen(name, api.delete(f"{NAMESPACES}/{name}?dryRun=All"))


def test_collection(seen: Seen, api: Api, name: str) -> None:
    """Namespaces are not deleted all at once, and have no namespace"""
    seen("deletecollection", api.delete(NAMESPACES))
    seen(
        "a namespace in its metadata",
        api.post(f"{NAMESPACES}?dryRun=All", {"metadata": {"name": name, "namespace": "x"}}),
    )
    seen("status", api.get(f"{NAMESPACES}/default/status"), only=["kind", "status"])
    seen("finalize", api.get(f"{NAMESPACES}/default/finalize"))

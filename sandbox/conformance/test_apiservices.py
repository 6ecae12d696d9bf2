"""An API group whose own server is not there: named as stale, refused on its own paths, without effect on others"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import CRDS, Api

from .observations import Seen
from .test_crds import conditions, crds, widgets

__all__ = ["crds"]  # the fixture

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.fixture
def broken(api: Api, group: str) -> Iterator[str]:
    """A group that a Service which does not exist should serve."""
    name = f"v1beta1.{group}"
    spec = {"group": group, "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100}
    spec |= {"insecureSkipTLSVerify": True, "service": {"namespace": "default", "name": "nothing"}}
    body = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name}, "spec": spec}
    assert api.post(SERVICES, body).status == 201
    yield group
    api.delete(f"{SERVICES}/{name}")


def test_a_server_that_is_not_there(seen: Seen, api: Api, broken: str) -> None:
    """Its condition, discovery in both forms, and its paths"""
    found = api.until(f"{SERVICES}/v1beta1.{broken}", lambda body: bool(conditions(body).get("Available")))
    seen.value("the condition", found["status"]["conditions"])
    api.until(f"/apis/{broken}", bool)
    seen("the group", api.get(f"/apis/{broken}"))
    items: Any = api.until("/apis", lambda body: any(group["name"] == broken for group in body["groups"]))["groups"]
    seen.value("in /apis", next(item for item in items if item["name"] == broken))
    seen("the version", api.get(f"/apis/{broken}/v1beta1"))
    seen("a list", api.get(f"/apis/{broken}/v1beta1/things"))
    whole = json.loads(api.get("/apis", accept=AGGREGATED).raw)
    stale = next(item for item in whole["items"] if item["metadata"]["name"] == broken)
    seen.value("aggregated discovery", stale, without=["metadata.creationTimestamp"])
    assert api.get("/apis/apps/v1").status == 200


def test_a_conversion_webhook_without_its_service(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """Objects are read in the version in which they are stored, and in no other"""
    crd = widgets(group)
    old = {**crd["spec"]["versions"][0], "name": "v1beta1", "storage": False}
    crd["spec"]["versions"].append(old)
    service = {"namespace": namespace, "name": "converter", "path": "/convert"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    assert api.post(CRDS, crd).status == 201
    path = f"/apis/{group}/{{}}/namespaces/{namespace}/widgets"
    for version in ("v1", "v1beta1"):
        api.until(path.format(version), lambda body: "items" in body)
    seen("an empty list", api.get(path.format("v1beta1")), without=["metadata"])
    body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    assert api.post(path.format("v1"), body).status == 201
    seen("the list in the stored version", api.get(path.format("v1")), only=["items.metadata.name"])
    seen("the list in the other", api.get(path.format("v1beta1")))
    seen("one in the other", api.get(path.format("v1beta1") + "/a"))

"""Discovery: groups, versions, resources, aggregated and plain"""

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import CRDS, Api, custom_resource_definition
from tests.kubectl import Kubectl

from .observations import Seen

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#: What operators and consoles work with; a real cluster has more.
GROUPS = (
    "apps",
    "batch",
    "autoscaling",
    "policy",
    "rbac.authorization.k8s.io",
    "networking.k8s.io",
    "storage.k8s.io",
    "coordination.k8s.io",
    "events.k8s.io",
    "discovery.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authorization.k8s.io",
    "authentication.k8s.io",
    "admissionregistration.k8s.io",
    "scheduling.k8s.io",
)


@pytest.fixture
def widgets(api: Api, group: str) -> Iterator[str]:
    """A group with one kind in two versions, with everything that discovery can say of it."""
    crd = custom_resource_definition(
        group,
        "widgets",
        "Widget",
        subresources={
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
    )
    crd["spec"]["names"] |= {"singular": "widget", "shortNames": ["wd", "wdg"], "categories": ["all", "mine"]}
    old = {**crd["spec"]["versions"][0], "name": "v1beta1", "storage": False, "subresources": None}
    crd["spec"]["versions"].append({key: value for key, value in old.items() if value is not None})
    assert api.post(CRDS, crd).status == 201
    api.until(f"/apis/{group}/v1/widgets", lambda _: True)
    api.until(f"/apis/{group}", lambda _: True)
    yield group
    api.delete(f"{CRDS}/widgets.{group}")


def resource(listed: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((item for item in listed if item["name"] == name), None)


def test_roots(seen: Seen, api: Api) -> None:
    """/api and /apis"""
    core = api.get("/api").json
    seen.value("/api", {**core, "serverAddressByClientCIDRs": len(core["serverAddressByClientCIDRs"]) > 0})
    groups = api.get("/apis").json
    seen.value("head of /apis", {key: value for key, value in groups.items() if key != "groups"})
    found = {group["name"]: group for group in groups["groups"]}
    assert set(GROUPS) <= set(found)
    for name in GROUPS:
        preferred = found[name]["preferredVersion"]
        seen.value(name, [preferred, sorted(found[name])])


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1",
        "/apis/apps/v1",
        "/apis/batch/v1",
        "/apis/rbac.authorization.k8s.io/v1",
        "/apis/networking.k8s.io/v1",
        "/apis/apiextensions.k8s.io/v1",
        "/apis/events.k8s.io/v1",
        "/apis/discovery.k8s.io/v1",
        "/apis/policy/v1",
        "/apis/storage.k8s.io/v1",
        "/apis/coordination.k8s.io/v1",
        "/apis/autoscaling/v2",
    ],
)
def test_builtin_resources(seen: Seen, api: Api, path: str) -> None:
    """Resources of the built-in groups with verbs, short names, categories and storage versions"""
    listed = api.get(path).json
    seen.value("head", {key: value for key, value in listed.items() if key != "resources"})
    wanted = (
        "pods",
        "pods/log",
        "pods/exec",
        "pods/status",
        "pods/eviction",
        "configmaps",
        "secrets",
        "services",
        "services/proxy",
        "services/status",
        "namespaces",
        "namespaces/finalize",
        "namespaces/status",
        "serviceaccounts",
        "serviceaccounts/token",
        "events",
        "endpoints",
        "nodes",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "persistentvolumes",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "limitranges",
        "resourcequotas",
        "podtemplates",
        "deployments",
        "deployments/scale",
        "deployments/status",
        "replicasets",
        "statefulsets",
        "daemonsets",
        "daemonsets/status",
        "controllerrevisions",
        "jobs",
        "jobs/status",
        "cronjobs",
        "roles",
        "rolebindings",
        "clusterroles",
        "clusterrolebindings",
        "ingresses",
        "ingressclasses",
        "networkpolicies",
        "customresourcedefinitions",
        "customresourcedefinitions/status",
        "endpointslices",
        "poddisruptionbudgets",
        "storageclasses",
        "leases",
        "horizontalpodautoscalers",
    )
    seen.value("resources", {name: found for name in wanted if (found := resource(listed["resources"], name))})


def test_custom_group(seen: Seen, api: Api, widgets: str) -> None:
    """The group of a CRD"""
    seen("group", api.get(f"/apis/{widgets}"))
    for name in ("v1", "v1beta1"):
        listed = api.get(f"/apis/{widgets}/{name}")
        seen(name, listed, without=["resources.storageVersionHash"])
        digest = hashlib.sha256(f"{widgets}/v1/Widget".encode()).digest()[:8]
        assert listed.json["resources"][0]["storageVersionHash"] == base64.b64encode(digest).decode()
    seen("unknown version", api.get(f"/apis/{widgets}/v2"))
    listed = api.until("/apis", lambda found: any(group["name"] == widgets for group in found["groups"]))
    seen.value("in /apis", next(group for group in listed["groups"] if group["name"] == widgets))


def test_aggregated(seen: Seen, api: Api, widgets: str) -> None:
    """Aggregated discovery tells all groups at once"""

    def listed() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = api.get("/apis", accept=AGGREGATED).json["items"]
        return [item for item in found if item["metadata"]["name"] == widgets]

    api.until("/apis", lambda found: any(group["name"] == widgets for group in found["groups"]))
    answer = api.get("/apis", accept=AGGREGATED)
    seen.value("head", {key: value for key, value in answer.json.items() if key != "items"})
    seen.value("content type", answer.headers["content-type"])
    assert re.fullmatch(r'"[0-9A-F]{128}"', answer.headers["etag"])
    seen.value("group", listed())
    core = api.get("/api", accept=AGGREGATED).json["items"]
    seen.value("core", [core[0]["metadata"], [version["version"] for version in core[0]["versions"]]])
    items = {item["resource"]: item for item in core[0]["versions"][0]["resources"]}
    for name in ("pods", "configmaps", "namespaces"):
        seen.value(name, {key: value for key, value in items[name].items() if key != "subresources"})


def test_version(seen: Seen, api: Api) -> None:
    """/version names the fields that clients read"""
    found = api.get("/version").json
    seen.value("names", sorted(found))
    assert re.match(rf"v{found['major']}\.{found['minor']}\.\d+", found["gitVersion"])


def test_health(seen: Seen, api: Api) -> None:
    """Health endpoints say ok"""
    for path in ("/healthz", "/livez", "/readyz"):
        seen(path, api.get(path))
    verbose = api.get("/readyz?verbose").raw.decode()
    assert verbose.endswith("readyz check passed\n")


def test_openapi_index(seen: Seen, api: Api, widgets: str) -> None:
    """The index of OpenAPI v3 has a hashed address for each group version"""
    key = f"apis/{widgets}/v1"
    paths = api.until("/openapi/v3", lambda found: key in found["paths"])["paths"]
    address = paths[key]["serverRelativeURL"]
    assert re.fullmatch(rf"/openapi/v3/{key}\?hash=[0-9A-F]{{128}}", address)
    assert {"api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"} <= set(paths)
    answer = api.get(address)
    seen.value("document", [answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")])
    stale = api.get(address[:-3] + "000")
    seen.value("stale hash", [stale.status, stale.headers["location"] == address])


def test_kubectl(seen: Seen, k: Kubectl, widgets: str) -> None:
    """kubectl finds them by all their names"""
    seen.text("api-resources", k("api-resources", "--api-group", widgets, "-o", "wide"))
    for name in ("widgets", "widget", "wd", "Widget", f"widgets.{widgets}", f"widgets.v1beta1.{widgets}"):
        seen.text(f"get {name}" if widgets not in name else f"get {name.replace(widgets, 'group')}", k("get", name))
    seen.text("api-versions", "\n".join(line for line in k("api-versions").splitlines() if widgets in line))

"""Services: addresses, ports, types, refusals, Endpoints and EndpointSlices"""

from typing import Any

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import container, path, pod, settled, workload


@pytest.fixture
def at(namespace: str) -> str:
    """The path of Services."""
    return path(namespace, "services")


def _body(name: str = "a", **spec: Any) -> Any:
    return {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal Service gets an address"""
    created = seen("create", api.post(at, _body(selector={"app": "a"})))
    spec = created.json["spec"]
    assert spec["clusterIPs"] == [spec["clusterIP"]]
    other = api.post(at, _body("b")).json["spec"]
    assert other["clusterIP"] != spec["clusterIP"]


def test_types(seen: Seen, api: Api, at: str) -> None:
    """Headless, NodePort, LoadBalancer and ExternalName"""
    seen("headless", api.post(at, _body("headless", clusterIP="None", selector={"app": "a"})))
    seen("headless without selector", api.post(at, _body("loose", clusterIP="None")))
    seen(
        "headless without ports",
        api.post(at, {"metadata": {"name": "bare"}, "spec": {"clusterIP": "None", "selector": {"app": "a"}}}),
    )
    node = seen("NodePort", api.post(at, _body("node", type="NodePort"))).json
    assert 30000 <= node["spec"]["ports"][0]["nodePort"] < 32768
    seen("LoadBalancer", api.post(at, _body("balanced", type="LoadBalancer")))
    seen(
        "ExternalName",
        api.post(
            at, {"metadata": {"name": "outside"}, "spec": {"type": "ExternalName", "externalName": "example.com"}}
        ),
    )
    seen("ExternalName with ports", api.post(at, _body("ported", type="ExternalName", externalName="example.com")))


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a Service's spec is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "no ports": {"ports": []},
        "port": {"ports": [{"port": 0}]},
        "large port": {"ports": [{"port": 70000}]},
        "no port": {"ports": [{"name": "a"}]},
        "target": {"ports": [{"port": 80, "targetPort": 70000}]},
        "target name": {"ports": [{"port": 80, "targetPort": "A_"}]},
        "two without names": {"ports": [{"port": 80}, {"port": 81}]},
        "same name": {"ports": [{"name": "a", "port": 80}, {"name": "a", "port": 81}]},
        "bad name": {"ports": [{"name": "A", "port": 80}]},
        "protocol": {"ports": [{"port": 80, "protocol": "HTTP"}]},
        "type": {"type": "Odd"},
        "config without affinity": {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10}}},
        "address out of range": {"clusterIP": "192.0.2.1"},
        "no external name": {"type": "ExternalName"},
        "two families": {"ipFamilyPolicy": "RequireDualStack"},
    }.items():
        seen(name, api.post(dry, _body(**spec)))
    seen("name", api.post(dry, _body("1a")))
    seen("no spec", api.post(dry, {"metadata": {"name": "a"}}))


def test_taken(seen: Seen, api: Api, at: str) -> None:
    """An address or node port that is taken is refused"""
    low = {"port": 80, "nodePort": 80}
    seen("node port out of range", api.post(at, _body("b", type="NodePort", ports=[low])))
    taken = api.post(at, _body(type="NodePort")).json["spec"]
    seen.alias("taken", str(taken["ports"][0]["nodePort"]))
    seen("address", api.post(at, _body("b", clusterIP=taken["clusterIP"])))
    port = {"port": 80, "nodePort": taken["ports"][0]["nodePort"]}
    seen("node port", api.post(at, _body("b", type="NodePort", ports=[port])))


def test_updates(seen: Seen, api: Api, at: str) -> None:
    """The address stays; types may change, and take ports with them"""
    before = api.post(at, _body()).json["spec"]
    seen("address", api.patch(f"{at}/a", {"spec": {"clusterIP": "10.0.0.250", "clusterIPs": ["10.0.0.250"]}}))
    seen("headless", api.patch(f"{at}/a", {"spec": {"clusterIP": "None", "clusterIPs": ["None"]}}))
    without = api.put(f"{at}/a", _body(ports=[{"port": 81}])).json["spec"]
    assert without["clusterIP"] == before["clusterIP"]
    node = seen("to NodePort", api.patch(f"{at}/a", {"spec": {"type": "NodePort"}})).json["spec"]
    assert node["clusterIP"] == before["clusterIP"] and node["ports"][0]["nodePort"]
    seen("back to ClusterIP", api.patch(f"{at}/a", {"spec": {"type": "ClusterIP"}}))
    seen("to ExternalName", api.patch(f"{at}/a", {"spec": {"type": "ExternalName", "externalName": "example.com"}}))
    affinity = {"spec": {"type": "ClusterIP", "externalName": None, "sessionAffinity": "ClientIP"}}
    seen("with affinity", api.patch(f"{at}/a", affinity))


def _ready_deployment(api: Api, namespace: str, replicas: int) -> None:
    body = workload(replicas=replicas)
    body["spec"]["template"]["spec"]["containers"] = [container(ports=[{"name": "http", "containerPort": 8080}])]
    api.post(path(namespace, "deployments"), body)
    api.until(path(namespace, "deployments", "a"), settled)


def _addresses(body: Any) -> list[Any]:
    return [address for subset in body.get("subsets") or [] for address in subset.get("addresses") or []]


def _slice(api: Api, namespace: str, ready: int) -> Any:
    def complete(body: Any) -> bool:
        points = [point for item in body["items"] for point in item.get("endpoints") or []]
        return bool(body["items"]) and [point["conditions"]["ready"] for point in points] == [True] * ready

    (found,) = api.until(path(namespace, "endpointslices"), complete)["items"]
    return found


def test_endpoints(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Ready Pods that the selector finds are Endpoints and endpoints of a slice"""
    _ready_deployment(api, namespace, 2)
    ports = [{"name": "web", "port": 80, "targetPort": "http"}, {"name": "x", "port": 81}]
    api.post(at, _body(selector={"app": "a"}, ports=ports))
    found = api.until(path(namespace, "endpoints", "a"), lambda body: len(_addresses(body)) == 2)
    pods = {item["status"]["podIP"]: item["metadata"] for item in api.get(path(namespace, "pods")).json["items"]}
    for address in _addresses(found):
        assert address["targetRef"]["uid"] == pods[address["ip"]]["uid"]
    for metadata in pods.values():
        seen.alias("pod", metadata["name"])
    for subset in found["subsets"]:
        subset["ports"].sort(key=lambda port: port["name"])
    seen.value("endpoints", found, without=["metadata.annotations"])
    assert "endpoints.kubernetes.io/last-change-trigger-time" in found["metadata"]["annotations"]
    slice_ = _slice(api, namespace, 2)
    assert sorted(point["addresses"][0] for point in slice_["endpoints"]) == sorted(pods)
    seen.alias("slice", slice_["metadata"]["name"])
    slice_["ports"].sort(key=lambda port: port["name"])
    seen.value("slice", slice_, without=["metadata.annotations", "metadata.generation"])


def test_scaling(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Endpoints follow the Pods"""
    _ready_deployment(api, namespace, 1)
    api.post(at, _body(selector={"app": "a"}))
    endpoints = path(namespace, "endpoints", "a")
    api.until(endpoints, lambda body: len(_addresses(body)) == 1)
    api.patch(f"{path(namespace, 'deployments', 'a')}/scale", {"spec": {"replicas": 3}})
    api.until(endpoints, lambda body: len(_addresses(body)) == 3)
    api.patch(f"{path(namespace, 'deployments', 'a')}/scale", {"spec": {"replicas": 0}})
    empty = api.until(endpoints, lambda body: not _addresses(body))
    seen.value("none left", empty, without=["metadata.annotations"])
    api.delete(f"{at}/a")
    api.until_gone(endpoints)
    api.until(path(namespace, "endpointslices"), lambda body: body["items"] == [])


def test_not_ready(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Pods that aren't ready have no address in the endpoints, unless the Service publishes them"""
    api.post(path(namespace, "pods"), pod(nodeName="gone-away"))
    status = {"phase": "Running", "podIP": "10.9.9.9", "podIPs": [{"ip": "10.9.9.9"}]}
    api.patch(f"{path(namespace, 'pods', 'a')}/status", {"status": status})
    api.post(at, _body("ready", selector={"app": "a"}))
    api.post(at, _body("all", selector={"app": "a"}, publishNotReadyAddresses=True))
    ready = api.until(path(namespace, "endpoints", "ready"), lambda body: body.get("subsets"))
    seen.value("only ready ones", ready["subsets"])
    everyone = api.until(path(namespace, "endpoints", "all"), lambda body: body.get("subsets"))
    seen.value("all", everyone["subsets"])
    label = "?labelSelector=kubernetes.io/service-name=all"
    (all_,) = api.until(path(namespace, "endpointslices") + label, lambda body: body["items"])["items"]
    seen.value("slice", all_, only=["endpoints", "ports"])
    api.delete(f"{path(namespace, 'pods', 'a')}?gracePeriodSeconds=0")


def test_without_selector(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Service without a selector gets no Endpoints; they are made by hand"""
    api.post(at, _body())
    hand = {"metadata": {"name": "a"}, "subsets": [{"addresses": [{"ip": "192.0.2.7"}], "ports": [{"port": 80}]}]}
    seen("endpoints", api.post(path(namespace, "endpoints"), hand))


def test_columns(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """Services, Endpoints and EndpointSlices as tables"""
    api.post(at, _body("a", clusterIP="None", selector={"app": "a"}))
    api.post(at, {"metadata": {"name": "b"}, "spec": {"type": "ExternalName", "externalName": "example.com"}})
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen.text("services", k("get", "services", "-o", "wide"))
    seen.text("create", k("create", "service", "clusterip", "c", "--tcp=80:8080"))
    seen.value("created", api.get(f"{at}/c").json["spec"])
    api.post(
        path(namespace, "endpoints"),
        {"metadata": {"name": "z"}, "subsets": [{"addresses": [{"ip": "192.0.2.7"}], "ports": [{"port": 80}]}]},
    )
    seen.text("endpoints", k("get", "endpoints", "z"))
    slice_ = {
        "metadata": {"name": "s"},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["192.0.2.1"]}],
        "ports": [{"port": 80}],
    }
    api.post(path(namespace, "endpointslices"), slice_)
    seen.text("slice", k("get", "endpointslices", "s"))
    seen.text("delete", k("delete", "service", "c"))

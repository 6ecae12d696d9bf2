"""metrics.k8s.io: what the processes of Pods use, as metrics-server says it."""

import os
import re
import subprocess
import sys
import time

import pytest

from sandbox.runtime.usage import parse, processes, totals
from tests.api import TABLE, Api
from tests.kubectl import Kubectl

API = "/apis/metrics.k8s.io/v1beta1"
ENGINE = "operator-console.dev/sampledb-engine:7"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _pod(name: str, image: str) -> dict:
    labels = {"app": name}
    return {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}


@pytest.fixture
def engine(api: Api, namespace: str) -> str:
    """The path of a namespace's metrics: of a Pod whose program really runs, and of one that is simulated."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for name, image in (("engine", ENGINE), ("web", "nginx:1")):
        assert api.post(pods, _pod(name, image)).status == 201
        api.until(f"{pods}/{name}", lambda pod: pod["status"].get("phase") == "Running")
    path = f"{API}/namespaces/{namespace}/pods"
    api.until(path, lambda found: len(found["items"]) == 2)
    return path


def _bytes(usage: dict) -> int:
    assert re.fullmatch(r"\d+Ki", usage["memory"])
    assert re.fullmatch(r"0|\d+n", usage["cpu"])
    return int(usage["memory"][:-2]) * 1024


def test_it_is_discovered(api: Api) -> None:
    found = {resource["name"]: resource for resource in api.get(API).json["resources"]}
    assert {name: (item["kind"], item["namespaced"], item["verbs"]) for name, item in found.items()} == {
        "nodes": ("NodeMetrics", False, ["get", "list"]),
        "pods": ("PodMetrics", True, ["get", "list"]),
    }
    assert "metrics.k8s.io" in [group["name"] for group in api.get("/apis").json["groups"]]


def test_what_a_pod_uses(api: Api, engine: str) -> None:
    found = api.until(f"{engine}/engine", lambda body: body["containers"])
    assert (found["kind"], found["apiVersion"]) == ("PodMetrics", "metrics.k8s.io/v1beta1")
    assert found["metadata"]["labels"] == {"app": "engine"}
    assert TIME.fullmatch(found["timestamp"])
    assert re.fullmatch(r"[\d.]+s", found["window"])
    (container,) = found["containers"]
    assert container["name"] == "main"
    # A Python program: more than a megabyte, and less than all that there is.
    assert 1 << 20 < _bytes(container["usage"]) < 1 << 30


def test_a_simulated_container_uses_nothing(api: Api, engine: str) -> None:
    found = api.until(f"{engine}/web", lambda body: body["containers"])
    assert found["containers"] == [{"name": "main", "usage": {"cpu": "0", "memory": "0Ki"}}]


def test_lists(api: Api, engine: str) -> None:
    found = api.until(engine, lambda body: len(body["items"]) == 2)
    assert found["kind"] == "PodMetricsList"
    assert [item["metadata"]["name"] for item in found["items"]] == ["engine", "web"]
    chosen = api.get(f"{engine}?labelSelector=app%3Dweb").json["items"]
    assert [item["metadata"]["name"] for item in chosen] == ["web"]
    everywhere = api.get(f"{API}/pods").json["items"]
    assert {"engine", "web"} <= {item["metadata"]["name"] for item in everywhere}
    table = api.get(engine, accept=TABLE).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "cpu", "memory", "Window"]
    assert [row["cells"][0] for row in table["rows"]] == ["engine", "web"]


def test_the_node(api: Api, engine: str) -> None:
    (found,) = api.get(f"{API}/nodes").json["items"]
    assert found["metadata"]["name"] == "sandbox"
    pod = api.until(f"{engine}/engine", lambda body: body["containers"])["containers"][0]["usage"]
    # With the sandbox's own process.
    assert _bytes(found["usage"]) > _bytes(pod)
    assert api.get(f"{API}/nodes/sandbox").json["kind"] == "NodeMetrics"
    assert api.get(f"{API}/nodes/other").status == 404


def test_it_can_only_be_read(api: Api, engine: str) -> None:
    assert api.delete(f"{engine}/engine").status == 405
    assert api.post(engine, {}).status == 405
    assert api.get(f"{engine}?watch=1").status == 405
    gone = api.get(f"{engine}/nothing")
    assert (gone.status, gone.message) == (404, 'pods.metrics.k8s.io "nothing" not found')


def test_who_may_view_a_namespace_sees_its_metrics(api: Api, engine: str, namespace: str) -> None:
    reader = api.user("reader")
    assert reader.get(engine).status == 403
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings"
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    body = {"metadata": {"name": "v"}, "roleRef": reference, "subjects": [{"kind": "User", "name": "reader"}]}
    assert api.post(rbac, body).status == 201
    assert reader.get(engine).status == 200
    assert reader.get(f"{API}/nodes").status == 403
    assert reader.get(f"{API}/pods").status == 403


def test_kubectl_top(k: Kubectl, engine: str, namespace: str) -> None:
    assert "engine" in k("top", "pods")
    assert "sandbox" in k("top", "nodes")


def test_a_process_with_brackets_in_its_name() -> None:
    stat = "7 (a) b) (c) S 3 7 7 0 -1 4194304 9 9 0 0 100 50 25 25 20 0 1 0 4200 1000 256 1 1"
    found = parse(stat)
    ticks = os.sysconf("SC_CLK_TCK")
    assert (found.parent, found.session) == (3, 7)
    assert (found.cpu_seconds, found.began) == (200 / ticks, 4200 / ticks)
    assert found.memory_bytes == 256 * os.sysconf("SC_PAGE_SIZE")


def test_a_child_in_a_session_of_its_own_belongs_to_its_parent() -> None:
    child = "import time; time.sleep(30)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], start_new_session=True)"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as program:
        try:
            deadline = time.monotonic() + 10
            while not (below := [pid for pid, process in processes().items() if process.parent == program.pid]):
                assert time.monotonic() < deadline
            all_ = processes()
            whole = totals(all_, [program.pid])[program.pid][1]
            assert whole == all_[program.pid].memory_bytes + all_[below[0]].memory_bytes
        finally:
            subprocess.run(["kill", *map(str, below), str(program.pid)], check=False)

"""An agent's node beside the sandbox's own: its Node object, and the Pods that really run there."""

import json
import os
import sys
from pathlib import Path

from sandbox.tests.agent.kubelet import Kubelet, is_ready, pod
from tests.api import Api
from tests.eventually import until

NODE = "/api/v1/nodes/local"


def test_the_node_says_what_it_is(api: Api, kubelet: Kubelet) -> None:
    node = api.until(NODE, lambda node: node["status"].get("conditions"))
    labels = node["metadata"]["labels"]
    assert labels["operator-console.dev/runs"] == "programs"
    # Operators from before these labels were stable select nodes by them; kubelets still set both.
    for label in ("kubernetes.io/os", "kubernetes.io/arch"):
        assert labels[f"beta.{label}"] == labels[label]
    assert node["spec"]["taints"] == [{"key": "operator-console.dev/runs", "value": "programs", "effect": "NoSchedule"}]
    assert node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"] == kubelet.port
    assert {"type": "InternalIP", "address": "127.0.0.1"} in node["status"]["addresses"]
    assert {condition["type"]: condition["status"] for condition in node["status"]["conditions"]} == {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    lease = api.until("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/local", lambda lease: lease)
    assert lease["spec"]["holderIdentity"] == "local"


def test_only_pods_that_tolerate_it_are_scheduled_there(api: Api, kubelet: Kubelet, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    selector = {"operator-console.dev/runs": "programs"}
    refused = pod("refused", "", nodeSelector=selector, tolerations=[])
    api.post(pods, refused)
    api.post(pods, pod("placed", "", nodeSelector=selector))
    api.post(pods, pod("elsewhere", "", tolerations=[]))
    assert api.until(f"{pods}/placed", is_ready)["spec"]["nodeName"] == "local"
    assert api.until(f"{pods}/elsewhere", is_ready)["spec"]["nodeName"] == "sandbox"
    stuck = api.until(f"{pods}/refused", lambda found: found["status"].get("conditions"))
    assert stuck["status"]["conditions"][0]["message"].startswith(
        "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint"
    )


def test_a_program_runs_until_its_pod_is_deleted(api: Api, kubelet: Kubelet, namespace: str, data: Path) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods/engine"
    api.post(path.rpartition("/")[0], pod("engine"))
    found = api.until(path, is_ready)
    assert found["status"]["podIP"].startswith("10.245.")
    assert "operator-console.dev/simulated" not in found["metadata"].get("annotations", {})
    record = data / "processes" / f"{found['metadata']['uid']}.main.json"
    process = json.loads(record.read_text())["pid"]
    os.kill(process, 0)
    assert api.delete(path).status == 200
    api.until_gone(path)
    assert not record.exists()
    until(lambda: not (data / "pods" / found["metadata"]["uid"]).exists(), "its folder goes", seconds=20)


def test_an_unknown_image_is_simulated_and_says_so(api: Api, kubelet: Kubelet, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods/web"
    api.post(path.rpartition("/")[0], pod("web", image="nginx:1"))
    found = api.until(path, is_ready)
    assert found["metadata"]["annotations"]["operator-console.dev/simulated"] == "true"


_ASK = """
import asyncio, os
from examples.operators.access import ApiServerAccess
from examples.operators.kubeapi import KubeApi, ApiError
async def ask():
    access = ApiServerAccess.find()
    async with KubeApi(access) as api:
        try:
            await api.list("Secret", "kube-system")
        except ApiError as refused:
            print(access.server, refused)
asyncio.run(ask())
"""


def test_programs_reach_the_api_server_as_their_account(api: Api, kubelet: Kubelet, namespace: str) -> None:
    """Over TLS, with the authority and the token of the kubeconfig that they are given."""
    path = f"/api/v1/namespaces/{namespace}/pods/engine"
    api.post(path.rpartition("/")[0], pod("engine"))
    api.until(path, is_ready)
    answer = kubelet.run(f"{namespace}/engine", sys.executable, "-c", _ASK)[1].decode()
    assert answer.startswith(
        f'https://{api.host} secrets is forbidden: User "system:serviceaccount:{namespace}:default" cannot list'
    )


def test_a_program_that_fails_starts_again(api: Api, kubelet: Kubelet, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods/wrong"
    api.post(path.rpartition("/")[0], pod("wrong", container={"args": ["no-such-role"]}))
    status = api.until(path, lambda found: _restarts(found) >= 1)["status"]["containerStatuses"][0]
    assert status["lastState"]["terminated"]["exitCode"] != 0
    code, text = kubelet.get(f"/containerLogs/{namespace}/wrong/main?previous=true")
    assert (code, "there is no role 'no-such-role'" in text) == (200, True)


def _restarts(found: dict[str, dict[str, list[dict[str, int]]]]) -> int:
    return sum(status["restartCount"] for status in found["status"].get("containerStatuses", []))

"""Broken workloads (broken.py), and whether the console names what is wrong with them: all are created at once, then
each is looked at. The words are those of real kubelets, controllers and containerd.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from console.processes.parts import free_port
from tests.eventually import until
from tests.node.broken import CLUSTER_OBJECTS, NAMESPACE, NAMESPACES, WORKLOADS, Broken, made, surroundings, workload
from tests.node.conftest import Site, picture
from tools.realcluster.nodes import PYTHON

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def ports(site: Site) -> Iterator[dict[str, str]]:
    """Of the registries, by the words in broken.py."""
    layout, node = site.node.layout, site.node
    bad, tls = free_port(), free_port()
    # The node's authority is one that containerd doesn't trust.
    pair = layout.authority.issue("bad-registry", "bad-registry", hosts=("10.89.0.1",))
    with ExitStack() as stack:
        for arguments in ([str(bad)], [str(tls), *map(str, pair)]):
            command = [*node.machine.enter, sys.executable, "-m", "tests.node.bad_registry", *arguments]
            process = stack.enter_context(subprocess.Popen(command, env={**os.environ, **PYTHON}))
            stack.callback(process.terminate)
        yield {"REGISTRY": str(layout.ports["registry"]), "BAD": str(bad), "TLS": str(tls)}


def _with_ports(text: str, ports: dict[str, str]) -> str:
    for word, port in ports.items():
        text = text.replace(f":{word}/", f":{port}/")
    return text


@pytest.fixture(scope="module", autouse=True)
def workloads(site: Site, ports: dict[str, str]) -> Iterator[None]:
    """All of them. A Shop is a custom resource that owns a Deployment."""
    kubectl = site.node.kubectl

    def apply(*objects: dict[str, Any]) -> None:
        path = site.node.layout.data / "broken.json"
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        path.write_text(_with_ports(text, ports))
        kubectl("apply", "--server-side", "-f", str(path), seconds=600)

    apply(*surroundings())
    kubectl("wait", "--for=condition=Established", CLUSTER_OBJECTS[-1], "--timeout=60s")
    apply(
        made("Shop", "shop", "broken.example.com/v1", spec={"size": 1}),
        *(obj for each in WORKLOADS for obj in each.objects),
    )
    kubectl("-n", NAMESPACE, "delete", "configmap", "held", "--wait=false")
    uid = kubectl("-n", NAMESPACE, "get", "shop", "shop", "-o", "jsonpath={.metadata.uid}")
    owned = workload("Deployment", "shop-web", {"image": "localhost:REGISTRY/nothing:1"}, NAMESPACE)
    owner = {"apiVersion": "broken.example.com/v1", "kind": "Shop", "name": "shop", "uid": uid, "controller": True}
    owned["metadata"]["ownerReferences"] = [owner]
    apply(owned)
    yield
    kubectl("-n", NAMESPACE, "patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    kubectl("delete", "namespace", *NAMESPACES, "--wait=false")
    kubectl("delete", "--wait=false", *CLUSTER_OBJECTS)


def _answer(site: Site, page: str) -> dict[str, Any]:
    return dict(json.loads(site.ask(f"/api/resources/{page}causes/")[1]))


@pytest.mark.parametrize("broken", WORKLOADS, ids=lambda broken: broken.name)
def test_the_cause_is_named(site: Site, ports: dict[str, str], broken: Broken) -> None:
    def right() -> bool:
        found = answers[:] = [_answer(site, broken.page)]
        if not broken.sentence:
            return str(found[0]["state_reason"]) == broken.reason
        return any(cause["sentence"].startswith(sentence) for cause in found[0]["causes"][:1])

    answers: list[dict[str, Any]] = []
    sentence = _with_ports(broken.sentence, ports)
    try:
        until(right, seconds=240, not_yet=(OSError,))
    except AssertionError:
        pytest.fail(f"wanted: {sentence or broken.reason}; the console says: {json.dumps(answers, indent=1)}")


def test_a_custom_resource_has_the_cause_of_its_pods(site: Site, ports: dict[str, str], page: Page) -> None:
    sentence = _with_ports("shop-web can't pull localhost:REGISTRY/nothing:1: the registry has no such image", ports)
    page.goto(f"{site.url}/resources/broken.example.com/v1/shops/{NAMESPACE}/shop/")
    expect(page.locator(".pf-v6-c-alert__title").first).to_contain_text(sentence, timeout=90_000)
    picture(page, "real-node-cause")


def test_a_service_without_endpoints_says_so(site: Site) -> None:
    service = {"selector": {"app": "missing"}, "ports": [{"port": 80}]}
    path = site.node.layout.data / "service.json"
    path.write_text(json.dumps(made("Service", "unserved", "v1", spec=service)))
    site.node.kubectl("apply", "-f", str(path))
    _status, page = site.ask(f"/resources/core/v1/services/{NAMESPACE}/unserved/")
    assert "No Pod matches the selector, so the Service has no endpoints." in page

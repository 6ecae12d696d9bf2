"""“The same with kubectl” of pages that show something, or that lead into a Pod: H3, run as it stands there."""

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.processes.parts import free_port
from kube.client import ClusterClient
from resources.acting import acts
from resources.forward import tunnels
from tests.eventually import until
from tests.operatorhub.blocks import Kubectl, block_of

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]
# A program that really runs on the embedded cluster.
ENGINE = "operator-console.dev/sampledb-engine:7"
DEPLOYMENTS, PODS = "/resources/apps/v1/deployments", "/resources/core/v1/pods"


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    """With a Pod `engine`, and a Deployment `web` of one Pod."""
    name, spaces = f"reads-{uuid4().hex[:6]}", client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    labels = {"app": "web"}
    container = {"name": "engine", "image": ENGINE, "ports": [{"containerPort": 6379, "name": "db"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "engine"}, "spec": {"containers": [container]}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}}
    web = {
        "metadata": {"name": "web", "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    pods, deployments = client.find("", "v1", "pods"), client.find("apps", "v1", "deployments")
    client.create(pods, pod, name)
    client.create(deployments, {"apiVersion": "apps/v1", "kind": "Deployment", **web}, name)
    until(lambda: client.get(deployments, "web", name).get("status", {}).get("readyReplicas") == 1)
    until(lambda: client.get(pods, "engine", name).get("status", {}).get("phase") == "Running")
    yield name
    client.delete(spaces, name)


@pytest.mark.parametrize(
    ("page", "words", "endless"),
    [
        (DEPLOYMENTS + "/{namespace}/web/", "(?s)kind: Deployment.*name: web", 0),
        (DEPLOYMENTS + "/?namespace={namespace}&labels=app%3Dweb", "web +1/1", 0),
        (DEPLOYMENTS + "/?namespace={namespace}&labels=app%3Dnothing", "No resources found in {namespace}", 0),
        (DEPLOYMENTS + "/explain/?at=/spec", "(?s)KIND: +Deployment.*progressDeadlineSeconds", 0),
        ("/resources/", "deployments +deploy +apps/v1 +true +Deployment", 0),
        ("/resources/who-can/?verb=get&resource=pods&namespace={namespace}", "clusterrolebinding", 0),
        ("/resources/core/v1/namespaces/-/{namespace}/access/", "No resources found in {namespace}", 0),
        ("/resources/events/?namespace={namespace}", "(?i)scheduled|created|started", 4),
        (PODS + "/{namespace}/engine/logs/", ".", 4),
        (DEPLOYMENTS + "/{namespace}/web/logs/", r"\[pod/web-.*simulated", 4),
    ],
)
def test_kubectl_reads_what_the_page_shows(
    page: str, words: str, endless: int, namespace: str, kubectl: Kubectl
) -> None:
    """H3: nothing in the block is unknown to kubectl, and it prints what the page is about."""
    shown = Client().get(page.replace("{namespace}", namespace))
    printed = kubectl(block_of(shown), endless=endless)
    assert re.search(words.replace("{namespace}", namespace), printed), printed


def test_a_terminal(namespace: str, kubectl: Kubectl) -> None:
    """H3: a shell in the container that the page chose."""
    block = block_of(Client().get(f"{PODS}/{namespace}/engine/terminal/"))
    assert "said by the shell 42" in kubectl(block, stdin="echo said by the shell $((6 * 7))\n")


def test_a_forwarded_port(namespace: str, kubectl: Kubectl) -> None:
    """H3: the port that the page chose."""
    block = block_of(Client().get(f"{PODS}/{namespace}/engine/forward/"))
    assert re.search(r"Forwarding from 127\.0\.0\.1:\d+ -> 6379", kubectl(block, endless=4))


@pytest.mark.parametrize("remote", ["6379", "7000"])
def test_forwarded_ports_as_they_are_typed(
    remote: str, client: ClusterClient, namespace: str, kubectl: Kubectl, settings: Any
) -> None:
    """H3: from the port of this machine to the port of the Pod, declared or not, as the button does."""
    settings.LOCAL_ONLY = True
    here, local = f"{PODS}/{namespace}/engine/forward/", free_port()
    typed = {"local": str(local), "remote": remote}
    printed = kubectl(block_of(Client().get(here), typed=typed), endless=4)
    assert f"Forwarding from 127.0.0.1:{local} -> {remote}" in printed
    assert Client().post(here, {"target": "Pod/engine"} | typed).status_code == 302
    (tunnel,) = tunnels.tunnels(client)
    tunnels.close_tunnel(client, tunnel.id)
    assert (tunnel.local, tunnel.remote) == (local, int(remote))


def test_a_port_that_is_refused_stays_one_word(namespace: str, settings: Any) -> None:
    """H3: what was typed comes back quoted, so that pasting it runs nothing else; no port asks for one."""
    settings.LOCAL_ONLY = True
    here, web = f"{PODS}/{namespace}/engine/forward/", Client()
    refused = web.post(here, {"target": "Pod/engine", "remote": "1; id", "local": ""})
    assert block_of(refused) == f"kubectl port-forward pod/engine :'1; id' -n {namespace}"
    assert block_of(refused, typed={"remote": ""}) == f"kubectl port-forward pod/engine :PORT -n {namespace}"


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ({}, {"image": acts.DEBUG_IMAGE, "target": "engine"}),
        ({"image": " example.com/tools:2 "}, {"image": " example.com/tools:2 ", "target": "engine"}),
        ({"target": ""}, {"image": acts.DEBUG_IMAGE, "target": ""}),
    ],
    ids=["as the page comes", "another image", "no target"],
)
def test_a_debug_container(
    typed: dict[str, str], sent: dict[str, str], client: ClusterClient, namespace: str, kubectl: Kubectl
) -> None:
    """H3: the same container beside the same one, as far as kubectl lets its name be chosen."""
    here = f"{PODS}/{namespace}/engine/debug/"
    kubectl(block_of(Client().get(here), typed=typed), endless=5)
    assert Client().post(here, sent).status_code == 302
    found = client.get(client.find("", "v1", "pods"), "engine", namespace)["spec"]["ephemeralContainers"]
    by_kubectl, button = (
        {key: value for key, value in item.items() if key not in ("name", "command", "args", "resources")}
        | {"runs": item.get("command") or item.get("args")}
        for item in found
    )
    assert json.dumps(by_kubectl, sort_keys=True) == json.dumps(button, sort_keys=True)

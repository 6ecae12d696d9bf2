"""Whether new Pods come to a node is switched from its page, and noted."""

import logging
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient


def test_closed_and_opened_again(browser: Client, client: ClusterClient, caplog: pytest.LogCaptureFixture) -> None:
    nodes, name = client.find("", "v1", "nodes"), f"spare-{uuid4().hex[:6]}"
    # No Pod tolerates it: nothing is put there meanwhile.
    taint = {"key": "example.com/spare", "value": "yes", "effect": "NoSchedule"}
    client.create(nodes, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {"taints": [taint]}})
    url = f"/resources/core/v1/nodes/-/{name}/"
    try:
        page = browser.get(url).content.decode()
        assert "example.com/spare=yes" in page
        assert f"kubectl cordon {name}" in page
        with caplog.at_level(logging.INFO, logger="console.audit"):
            assert browser.post(f"{url}cordon/", {"closed": "true"})["Location"] == url
        assert client.get(nodes, name)["spec"]["unschedulable"] is True
        assert f"verb=cordon object=core/v1/nodes {name} outcome=ok" in caplog.text
        assert "No new Pods are scheduled on this node" in browser.get(url).content.decode()
        assert browser.post(f"{url}cordon/", {"closed": "false"}).status_code == 302
        assert not client.get(nodes, name)["spec"].get("unschedulable")
    finally:
        client.delete(nodes, name)


def test_only_nodes_and_only_by_post(browser: Client, namespace: str) -> None:
    assert browser.get(f"/resources/core/v1/namespaces/-/{namespace}/cordon/").status_code == 405
    assert browser.post(f"/resources/core/v1/namespaces/-/{namespace}/cordon/").status_code == 404
    assert browser.post("/resources/core/v1/nodes/-/no-such-node/cordon/", {"closed": "true"}).status_code == 404

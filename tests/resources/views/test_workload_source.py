"""…/add-to-workload/: a Secret or ConfigMap in a workload, on a cluster."""

import re
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.console.audit.conftest import acts, outcome_of
from tests.resources.views.test_rights import Become, become, dev  # noqa: F401  fixtures


@pytest.fixture
def web(client: ClusterClient, namespace: str) -> str:
    """The name of a Deployment with two containers."""
    labels = {"app": "web"}
    containers = [{"name": name, "image": "nginx"} for name in ("web", "side")]
    spec = {"replicas": 0, "selector": {"matchLabels": labels}}
    template: dict[str, Any] = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    client.create(
        client.find("apps", "v1", "deployments"),
        {"metadata": {"name": "web"}, "spec": {**spec, "template": template}},
        namespace,
    )
    return "web"


def _pod_spec(client: ClusterClient, namespace: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(client.find("apps", "v1", "deployments"), "web", namespace)
    spec: dict[str, Any] = found["spec"]["template"]["spec"]
    return spec


def test_as_variables_then_as_files_and_back(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, web: str
) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/add-to-workload/"
    assert url in browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/").content.decode()
    assert f"Deployment {web}" in browser.get(url).content.decode()
    sent = {"workload": f"deployments/{web}", "use": "environment", "key_prefix": "P_"}
    done = browser.post(url, sent)
    assert (done.status_code, done["Location"]) == (302, f"/resources/apps/v1/deployments/{namespace}/{web}/")
    entry = {"configMapRef": {"name": config_map}, "prefix": "P_"}
    assert [item["envFrom"] for item in _pod_spec(client, namespace)["containers"]] == [[entry], [entry]]
    assert browser.post(url, sent).status_code == 422, "it has them already"

    files = {"workload": f"deployments/{web}", "use": "files", "path": "/etc/paint", "container": "side"}
    assert browser.post(url, files).status_code == 302
    first, second = _pod_spec(client, namespace)["containers"]
    assert "volumeMounts" not in first
    assert [(mount["mountPath"], mount["readOnly"]) for mount in second["volumeMounts"]] == [("/etc/paint", True)]
    assert [volume["configMap"]["name"] for volume in _pod_spec(client, namespace)["volumes"]] == [config_map]
    assert [outcome_of(row) for row in acts(namespace, name=web)] == [("set", web, "ok")] * 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"workload": ""}, "workload"),
        ({"workload": "deployments/none"}, "workload"),
        ({"key_prefix": "1st"}, "key_prefix"),
        ({"use": "files", "path": "etc"}, "path"),
        ({"use": "files", "path": ""}, "path"),
        ({"use": "files", "path": "/a:b"}, "path"),
        ({"container": "none"}, "container"),
    ],
)
def test_bad_input_is_shown_at_its_field_and_kept(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, web: str, wrong: dict[str, str], field: str
) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/add-to-workload/"
    sent = {"workload": f"deployments/{web}", "use": "environment", "key_prefix": "KEPT_", **wrong}
    answer = browser.post(url, sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.findall(r'id="(\w+)-help" role="alert"', page) == [field]
    assert f'value="{sent["key_prefix"]}"' in page
    assert "envFrom" not in str(_pod_spec(client, namespace))


def test_who_may_not_change_workloads_is_refused(
    browser: Client,
    client: ClusterClient,
    namespace: str,
    config_map: str,
    web: str,
    become: Become,  # noqa: F811
    dev: str,  # noqa: F811
) -> None:
    become(dev)
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/add-to-workload/"
    answer = browser.post(url, {"workload": f"deployments/{web}", "use": "environment"})
    assert answer.status_code in (403, 422)
    assert "envFrom" not in str(_pod_spec(client, namespace))


def test_only_secrets_and_config_maps(browser: Client, namespace: str, web: str) -> None:
    assert browser.get(f"/resources/apps/v1/deployments/{namespace}/{web}/add-to-workload/").status_code == 404

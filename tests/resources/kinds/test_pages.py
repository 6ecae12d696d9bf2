"""The page of each built-in kind says what people look for there."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.eventually import until

Make = Callable[..., str]

POD_SPEC: dict[str, Any] = {
    "serviceAccountName": "default",
    "containers": [
        {
            "name": "web",
            "image": "example.com/web:1",
            "ports": [{"name": "http", "containerPort": 80}],
            "env": [
                {"name": "COLOUR", "value": "blue"},
                {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "password"}}},
            ],
            "envFrom": [{"configMapRef": {"name": "paint"}}],
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 80}, "periodSeconds": 7},
            "volumeMounts": [{"name": "settings", "mountPath": "/etc/web", "readOnly": True}],
            "securityContext": {"runAsUser": 1001},
        }
    ],
    "volumes": [{"name": "settings", "configMap": {"name": "paint"}}],
}


@pytest.fixture
def make(client: ClusterClient, namespace: str) -> Make:
    """Creates an object and answers with its page's address."""

    def made(api_version: str, kind: str, name: str, **parts: Any) -> str:
        group, _, version = api_version.rpartition("/")
        type_ = client.find_kind(group, kind, version)
        metadata = {"name": name, **parts.pop("metadata", {})}
        where = namespace if type_.namespaced else ""
        client.create(type_, {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}, where)
        return f"/resources/{type_.topic_part}/{where or '-'}/{name}/"

    return made


def read(browser: Client, url: str) -> str:
    answer = browser.get(url)
    assert answer.status_code == 200, answer.content.decode()[:2000]
    return answer.content.decode()


def test_a_pod(browser: Client, client: ClusterClient, make: Make, namespace: str) -> None:
    make("v1", "Secret", "login", stringData={"password": "hunter2"})
    make("v1", "ConfigMap", "paint", data={"colour": "blue"})
    url = make("v1", "Pod", "web", spec=POD_SPEC)
    page = read(browser, url)
    for words in (
        "COLOUR=blue",
        "PASSWORD from Secret login, key password",
        "cpu: 100m",
        "memory: 128Mi",
        "80/TCP http",
        "GET :80/ready, every 7 s",
        "/etc/web ← settings (read-only)",
        "runs as user 1001",
        "Burstable",
    ):
        assert words in page, words
    assert f'href="/resources/core/v1/secrets/{namespace}/login/"' in page
    assert f'href="/resources/core/v1/configmaps/{namespace}/paint/"' in page
    assert "hunter2" not in page
    used = read(browser, f"/resources/core/v1/configmaps/{namespace}/paint/")
    assert "volume settings, environment of container web" in used


def workload(**more: Any) -> dict[str, Any]:
    labels = {"app": "web"}
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": POD_SPEC}, **more}


def test_a_deployment(browser: Client, make: Make) -> None:
    url = make("apps/v1", "Deployment", "web", spec=workload(replicas=2))
    until(lambda: "web-" in read(browser, url) and ">1</span>" in read(browser, url))
    page = read(browser, url)
    for words in (
        "of 2 ready",
        "RollingUpdate",
        "max surge: 25%",
        "app=web",
        "example.com/web:1",
        "Revisions",
    ):
        assert words in page, words


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet", "ReplicaSet"])
def test_other_workloads(browser: Client, make: Make, kind: str) -> None:
    page = read(browser, make("apps/v1", kind, "web", spec=workload()))
    assert "Pod template" in page
    assert "app=web" in page


def test_a_job_and_a_cron_job(browser: Client, make: Make, namespace: str) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "x", "image": "example.com/x:1"}]}}
    page = read(
        browser, make("batch/v1", "Job", "once", spec={"template": template, "completions": 3, "parallelism": 2})
    )
    assert "of 3" in page
    url = make(
        "batch/v1",
        "CronJob",
        "often",
        spec={"schedule": "*/15 * * * *", "jobTemplate": {"spec": {"template": template}}},
    )
    page = read(browser, url)
    assert "every 15 minutes" in page
    assert "Next runs (UTC)" in page
    assert "Recent runs" in page


def test_a_service_and_its_endpoints(browser: Client, make: Make, namespace: str) -> None:
    make("v1", "Pod", "web", spec=POD_SPEC, metadata={"labels": {"app": "web"}})
    url = make("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    assert f"web.{namespace}.svc" in read(browser, url)
    until(lambda: f'href="/resources/core/v1/pods/{namespace}/web/"' in read(browser, f"{url}?part=object"))


def test_an_ingress_and_a_network_policy(browser: Client, make: Make, namespace: str) -> None:
    rule = {
        "host": "shop.example.com",
        "http": {
            "paths": [
                {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}
            ]
        },
    }
    page = read(
        browser,
        make(
            "networking.k8s.io/v1",
            "Ingress",
            "shop",
            spec={"rules": [rule], "tls": [{"hosts": ["shop.example.com"], "secretName": "cert"}]},
        ),
    )
    assert 'href="https://shop.example.com/"' in page
    assert f'href="/resources/core/v1/services/{namespace}/web/"' in page
    spec = {
        "podSelector": {"matchLabels": {"app": "db"}},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5432}]}],
    }
    page = read(browser, make("networking.k8s.io/v1", "NetworkPolicy", "db", spec=spec))
    assert "Pods with app=db" in page
    assert "Pods with app=web in this namespace, on TCP 5432" in page


def test_storage(browser: Client, make: Make, client: ClusterClient, namespace: str) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    page = read(browser, make("v1", "PersistentVolumeClaim", "data", spec=spec))
    assert "ReadWriteOnce (RWO)" in page
    assert "No existing Pods use this object." in page
    classes = client.list(client.find_kind("storage.k8s.io", "StorageClass")).items
    if classes:
        name = classes[0]["metadata"]["name"]
        assert "Volume binding mode" in read(browser, f"/resources/storage.k8s.io/v1/storageclasses/-/{name}/")


def test_quotas_and_limits(browser: Client, make: Make, namespace: str) -> None:
    page = read(browser, make("v1", "ResourceQuota", "small", spec={"hard": {"configmaps": "10", "requests.cpu": "2"}}))
    assert "of 10 (" in page
    limits = [{"type": "Container", "default": {"memory": "256Mi"}, "max": {"cpu": "2"}}]
    assert "256Mi" in read(browser, make("v1", "LimitRange", "each", spec={"limits": limits}))
    whole = read(browser, f"/resources/core/v1/namespaces/-/{namespace}/")
    assert "configmaps (small)" in whole
    assert "256Mi" in whole


def test_roles_and_who_has_them(browser: Client, make: Make, namespace: str) -> None:
    rbac = "rbac.authorization.k8s.io"
    make("v1", "ServiceAccount", "bot")
    rules = [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
    ]
    url = make(f"{rbac}/v1", "Role", "reader", rules=rules)
    subject = {"kind": "ServiceAccount", "name": "bot", "namespace": namespace}
    reference = {"apiGroup": rbac, "kind": "Role", "name": "reader"}
    bound = make(f"{rbac}/v1", "RoleBinding", "bot-reads", roleRef=reference, subjects=[subject])
    page = read(browser, url)
    assert "read Secrets" in page
    assert "Secrets contain the passwords" in page
    assert f'href="{bound}"' in page
    assert f"service account bot ({namespace})" in page
    page = read(browser, bound)
    assert f'href="{url}"' in page
    assert "read Pods" in page
    page = read(browser, f"/resources/core/v1/serviceaccounts/{namespace}/bot/")
    assert f'href="{bound}"' in page
    assert "Role reader" in page


def test_the_strongest_role_says_so(browser: Client) -> None:
    page = read(browser, "/resources/rbac.authorization.k8s.io/v1/clusterroles/-/cluster-admin/")
    assert "Can do everything that an administrator can." in page


def test_a_node(browser: Client, client: ClusterClient) -> None:
    nodes = client.list(client.find_kind("", "Node")).items
    page = read(browser, f"/resources/core/v1/nodes/-/{nodes[0]['metadata']['name']}/")
    for words in ("Allocated resources", "Based on the requests of its Pods.", "Kubelet", "Cordon"):
        assert words in page, words


def test_the_list_of_pods(browser: Client, client: ClusterClient, make: Make, namespace: str) -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
    }
    make("apps/v1", "Deployment", "web", spec={"selector": {"matchLabels": {"app": "web"}}, "template": template})
    asked = {"namespace": namespace, "columns": "state,=Ready,=Status,=Restarts,owner,=IP,=Node,=Age"}
    until(lambda: bool(client.list(client.find("", "v1", "pods"), namespace).items))
    until(lambda: "1/1" in browser.get("/resources/core/v1/pods/", asked).content.decode())
    page = browser.get("/resources/core/v1/pods/", asked).content.decode()
    for heading in ("State", "Ready", "Status", "Restarts", "Owner", "IP", "Node", "Age"):
        assert f'data-label="{heading}"' in page, heading
    assert "Running" in page
    assert "ReplicaSet" in page
    assert "who-can" in page
    bad = browser.get("/resources/core/v1/pods/", {**asked, "state": "Degraded"}).content.decode()
    assert "1/1" not in bad

"""kubectl against the sandbox: the commands that people type."""

import json

from tests.api import CRDS, Api, custom_resource_definition
from tests.kubectl import Kubectl


def test_generators(k: Kubectl) -> None:
    """They send protobuf, and take nothing else."""
    k("create", "configmap", "c", "--from-literal=a=b")
    k("create", "secret", "generic", "s", "--from-literal=password=x")
    k("create", "serviceaccount", "robot")
    k("create", "deployment", "web", "--image=nginx:1", "--replicas=0", "--port=80")
    k("create", "job", "once", "--image=busybox", "--", "true")
    k("create", "cronjob", "often", "--image=busybox", "--schedule=*/5 * * * *")
    k("create", "service", "clusterip", "web", "--tcp=80:8080")
    k("create", "role", "reader", "--verb=get", "--resource=pods")
    k("create", "rolebinding", "reads", "--role=reader", "--user=ann", "--serviceaccount=default:robot")
    k("create", "quota", "small", "--hard=pods=3")
    k("create", "ingress", "site", "--rule=a.example/=web:80")
    k("create", "pdb", "kept", "--selector=a=b", "--min-available=1")
    k("run", "one", "--image=busybox")
    web = json.loads(k("get", "deployment", "web", "-o", "json"))
    assert web["spec"]["replicas"] == 0
    assert web["spec"]["template"]["spec"]["containers"][0]["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    job = json.loads(k("get", "job", "once", "-o", "json"))
    assert job["spec"]["template"]["spec"]["containers"][0]["command"] == ["true"]
    service = json.loads(k("get", "service", "web", "-o", "json"))
    assert service["spec"]["ports"] == [{"name": "80-8080", "port": 80, "protocol": "TCP", "targetPort": 8080}]
    assert k("get", "secret", "s", "-o", "jsonpath={.data.password}") == "eA=="
    binding = json.loads(k("get", "rolebinding", "reads", "-o", "json"))
    assert [subject["kind"] for subject in binding["subjects"]] == ["User", "ServiceAccount"]


def test_get_and_describe(k: Kubectl) -> None:
    k("create", "configmap", "c", "--from-literal=a=b")
    header, row = k("get", "configmap", "c").splitlines()
    assert header.split() == ["NAME", "DATA", "AGE"]
    assert row.split()[:2] == ["c", "1"]
    assert "Name:         c" in k("describe", "configmap", "c")
    assert "configmap/c" in k("get", "cm", "-o", "name")
    assert 'configmaps "x" not found' in k("get", "cm", "x", fails=True)
    assert "deployments.apps" in k("api-resources", "-o", "name")
    assert "apps/v1" in k("api-versions")


MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {tier: front}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
"""


def test_apply_edit_scale_delete(k: Kubectl) -> None:
    assert "created" in k("apply", "-f", "-", stdin=MANIFEST)
    assert "unchanged" in k("apply", "-f", "-", stdin=MANIFEST)
    assert "configured" in k("apply", "-f", "-", stdin=MANIFEST.replace("nginx:1", "nginx:2"))
    without = MANIFEST.replace(", labels: {tier: front}", "")
    k("apply", "-f", "-", stdin=without)
    assert "tier" not in k("get", "deployment", "web", "--show-labels")
    assert "scaled" in k("scale", "deployment", "web", "--replicas=2")
    assert k("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "2"
    k("label", "deployment", "web", "a=b")
    k("annotate", "deployment", "web", "note=hello")
    k("set", "image", "deployment/web", "web=nginx:3")
    k("patch", "deployment", "web", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"web","tty":true}]}}}}')
    found = json.loads(k("get", "deployment", "web", "-o", "json"))
    assert found["metadata"]["labels"]["a"] == "b"
    assert (
        found["spec"]["template"]["spec"]["containers"][0] | {"tty": True, "image": "nginx:3"}
        == (found["spec"]["template"]["spec"]["containers"][0])
    )
    assert "deleted" in k("delete", "deployment", "web")
    assert "not found" in k("get", "deployment", "web", fails=True)


def test_server_side_apply(k: Kubectl) -> None:
    assert "serverside-applied" in k("apply", "--server-side", "--validate=false", "-f", "-", stdin=MANIFEST)
    k("scale", "deployment", "web", "--replicas=3")
    refused = k("apply", "--server-side", "--validate=false", "-f", "-", stdin=MANIFEST, fails=True)
    assert 'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas' in refused
    k("apply", "--server-side", "--force-conflicts", "--validate=false", "-f", "-", stdin=MANIFEST)
    assert k("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "0"


def test_wait_and_watch(k: Kubectl, api: Api, namespace: str) -> None:
    api.post(CRDS, custom_resource_definition("kubectl.test", "parcels", "Parcel"))
    assert "condition met" in k("wait", "--for=condition=Established", "crd/parcels.kubectl.test", "--timeout=5s")
    box = "apiVersion: kubectl.test/v1\nkind: Parcel\nmetadata: {name: b}\nspec: {size: one}"
    k("create", "--validate=false", "-f", "-", stdin=box)
    assert k("get", "parcels").split()[:2] == ["NAME", "AGE"]
    k("wait", "parcel/b", "--for=jsonpath={.spec.size}=one", "--timeout=5s")
    k("delete", "parcel", "b", "--wait=false")
    k("wait", "parcel/b", "--for=delete", "--timeout=5s")
    api.delete(f"{CRDS}/parcels.kubectl.test")


def test_who_may(k: Kubectl) -> None:
    assert k("auth", "can-i", "create", "pods").strip() == "yes"
    assert k("auth", "can-i", "create", "pods", "--as=stranger", fails=True).strip() == "no"
    assert "kubernetes-admin" in k("auth", "whoami")
    assert "Forbidden" in k("get", "pods", "--as=stranger", fails=True)
    k("create", "serviceaccount", "robot")
    assert k("create", "token", "robot").count(".") == 2


def test_delete_a_namespace_marks_it(k: Kubectl) -> None:
    k("create", "namespace", "short-lived")
    k("delete", "namespace", "short-lived", "--wait=false")

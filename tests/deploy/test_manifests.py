"""Every overlay of deploy/ is built, and every object of it is taken by the API server: server-side apply as a dry run, unknown fields refused."""

import json
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api import APPLY, Api
from tests.deploy.rendered import OVERLAYS, ROOT, containers, objects, template, text

ISTIO = "istio.io/api@v1.31.1"
# Kinds of others, each group with where its CustomResourceDefinitions are had from.
FOREIGN = {"networking.istio.io", "cert-manager.io"}
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "Service": "/api/v1/namespaces/{}/services",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "Ingress": "/apis/networking.k8s.io/v1/namespaces/{}/ingresses",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "Certificate": "/apis/cert-manager.io/v1/namespaces/{}/certificates",
    "Gateway": "/apis/networking.istio.io/v1/namespaces/{}/gateways",
    "DestinationRule": "/apis/networking.istio.io/v1/namespaces/{}/destinationrules",
    "VirtualService": "/apis/networking.istio.io/v1/namespaces/{}/virtualservices",
}
DRY = "dryRun=All&fieldValidation=Strict&fieldManager=deploy-test"


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


@pytest.fixture(scope="module")
def place(api: Api) -> Iterator[str]:
    """A namespace as deploy/ makes it, under a name of this test's, with its ServiceAccounts."""
    name = f"okd-style-{secrets.token_hex(3)}"
    made = objects("tutorial", name)
    for obj in made:
        if obj["kind"] in ("Namespace", "ServiceAccount"):
            answer = api.post(PATHS[obj["kind"]].format(name), obj)
            assert answer.status == 201, answer.raw
    api.until(f"/api/v1/namespaces/{name}/serviceaccounts/default", bool, 60)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture(scope="module")
def foreign_kinds(api: Api, real_catalog: Path) -> Iterator[set[str]]:
    """cert-manager's and Istio's own definitions, served while this module runs; the groups that could be had."""
    found = [
        yaml.safe_load(path.read_text())
        for path in sorted((real_catalog / "cert-manager/1.16.5/crds").glob("cert-manager.io_certificates.yaml"))
    ] + istio()
    made = []
    for crd in found:
        # What tells which operator it came with is no part of the kind.
        crd["metadata"] = {"name": crd["metadata"]["name"], "annotations": crd["metadata"].get("annotations", {})}
        answer = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        assert answer.status in (201, 409), answer.raw
        if answer.status == 201:
            made.append(crd["metadata"]["name"])
        served = crd["spec"]["names"]["plural"]
        api.until(
            f"/apis/{crd['spec']['group']}/v1",
            lambda body, served=served: any(one["name"] == served for one in body["resources"]),
            60,
        )
    yield {crd["spec"]["group"] for crd in found}
    for name in made:
        api.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")


def istio() -> list[dict[str, Any]]:
    """Gateways, VirtualServices and DestinationRules, from Istio's own module, which the Go module proxy keeps and checks; [] without Go."""
    if shutil.which("go") is None:
        return []
    done = subprocess.run(
        ["go", "mod", "download", "-json", ISTIO], capture_output=True, text=True, check=False, timeout=300, cwd="/"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    listed = (Path(json.loads(done.stdout)["Dir"]) / "kubernetes/customresourcedefinitions.gen.yaml").read_text()
    wanted = [f"{one}.networking.istio.io" for one in ("destinationrules", "gateways", "virtualservices")]
    return [one for one in yaml.safe_load_all(listed) if one and one["metadata"]["name"] in wanted]


def path(obj: dict[str, Any]) -> str:
    return PATHS[obj["kind"]].format(obj["metadata"].get("namespace", ""))


def applied(api: Api, obj: dict[str, Any]) -> Any:
    """What the API server makes of `kubectl apply --server-side --dry-run=server --validate=strict`."""
    until = time.monotonic() + 30
    while True:
        answer = api("PATCH", f"{path(obj)}/{obj['metadata']['name']}?{DRY}", obj, APPLY)
        # A definition is in discovery a moment before its instances are taken.
        if answer.status != 404 or time.monotonic() > until or obj["apiVersion"].partition("/")[0] not in FOREIGN:
            break
        time.sleep(0.2)
    assert answer.status in (200, 201), f"{obj['kind']} {obj['metadata']['name']}: {answer.raw.decode()}"
    assert "warning" not in answer.headers, f"{obj['kind']} {obj['metadata']['name']}: {answer.headers['warning']}"
    return answer.json


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_api_server_takes_every_object(overlay: str, api: Api, place: str, foreign_kinds: set[str]) -> None:
    found = objects(overlay, place)
    assert len(found) > 20
    taken = 0
    for obj in found:
        group = obj["apiVersion"].partition("/")[0]
        if group in FOREIGN and group not in foreign_kinds:
            continue
        if obj["metadata"].get("namespace", place) != place:
            # Another's namespace (istio-system) may not be there: what is judged is the object.
            obj["metadata"]["namespace"] = place
        assert applied(api, obj)["metadata"]["name"] == obj["metadata"]["name"]
        taken += 1
    assert taken == len(found) or foreign_kinds != FOREIGN


def test_a_misspelt_field_is_refused(api: Api, place: str) -> None:
    """So the test above can fail."""
    (web,) = (
        one
        for one in objects("tutorial", place)
        if one["kind"] == "Deployment" and one["metadata"]["name"] == "console"
    )
    web["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    answer = api("PATCH", f"{path(web)}/console?{DRY}", web, APPLY)
    # A real kube-apiserver says 500 to an apply of an unknown field, and names it.
    assert answer.status in (400, 500), answer.raw
    assert "readynessProbe" in answer.raw.decode()


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_pod_keeps_to_the_restricted_standard(overlay: str, api: Api, place: str) -> None:
    """The namespace enforces it: each template as a Pod is judged by the API server's own admission, and by eye where a cluster has none."""
    seen = 0
    for obj in objects(overlay, place):
        pod = template(obj)
        if pod is None:
            continue
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is (spec.get("serviceAccountName") in ("console", "console-setup"))
        for one in containers(pod):
            assert one["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, one["name"]
            assert one["resources"]["requests"].keys() == {"cpu", "memory"}
            assert one["resources"]["limits"].keys() == {"memory"}
            assert not one["image"].endswith(":latest")
            assert ":" in one["image"].rpartition("/")[2], f"{one['image']} is not pinned"
        # The claim of a StatefulSet's template is no Pod's.
        known = {volume["name"] for volume in spec["volumes"]}
        claims = [
            {"name": one["metadata"]["name"], "emptyDir": {}} for one in obj["spec"].get("volumeClaimTemplates", [])
        ]
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "judged", "namespace": place, "labels": pod["metadata"]["labels"]},
            "spec": {**spec, "volumes": [*spec["volumes"], *(one for one in claims if one["name"] not in known)]},
        }
        answer = api.post(f"/api/v1/namespaces/{place}/pods?dryRun=All&fieldValidation=Strict", body)
        assert answer.status == 201, f"{obj['metadata']['name']}: {answer.raw.decode()}"
        seen += 1
    assert seen >= 7


def test_no_secret_stands_in_the_manifests() -> None:
    for overlay in OVERLAYS:
        assert not [one for one in objects(overlay) if one["kind"] == "Secret"]


def test_services_and_budgets_find_their_pods() -> None:
    """Each selector of a Service, a PodDisruptionBudget and a NetworkPolicy matches a template, and each named port is one of its."""
    for overlay in OVERLAYS:
        found = objects(overlay)
        templates = [pod for pod in map(template, found) if pod is not None]
        for obj in found:
            if obj["kind"] == "Service":
                chosen = [
                    pod for pod in templates if obj["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
                ]
                assert len(chosen) == 1, obj["metadata"]["name"]
                ports = {port["name"] for one in containers(chosen[0]) for port in one.get("ports", [])}
                assert {port["targetPort"] for port in obj["spec"]["ports"]} <= ports
            elif obj["kind"] in ("PodDisruptionBudget", "NetworkPolicy"):
                selector = obj["spec"].get("selector") or obj["spec"].get("podSelector") or {}
                wanted = selector.get("matchLabels", {}).items()
                assert any(wanted <= pod["metadata"]["labels"].items() for pod in templates), obj["metadata"]["name"]


@pytest.mark.parametrize("overlay", ["public-istio", "public-ingress"])
def test_the_public_name_stands_in_one_place(overlay: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    host = tmp_path / "deploy/overlays" / overlay / "host.yaml"
    host.write_text(host.read_text().replace("console.example.com", "ops.acme.dev"))
    built = text(overlay, tmp_path)
    assert "console.example.com" not in built
    assert "ALLOWED_HOSTS: localhost,127.0.0.1,ops.acme.dev" in built
    assert "CSRF_TRUSTED_ORIGINS: https://ops.acme.dev" in built
    # The ConfigMap, two settings, the certificate, and the gateway's places.
    assert built.count("ops.acme.dev") == (7 if overlay == "public-istio" else 6)


def test_the_console_listens_on_loopback_only_and_people_come_through_the_sign_in() -> None:
    for overlay in OVERLAYS:
        for obj in objects(overlay):
            pod = template(obj)
            if pod is None or pod["metadata"]["labels"].get("app.kubernetes.io/component") != "web":
                continue
            (web,) = (one for one in pod["spec"]["containers"] if one["name"] == "web")
            assert web["args"][web["args"].index("--host") + 1] == "127.0.0.1"
            others = [one["name"] for one in pod["spec"]["containers"] if one["name"] != "web"]
            assert others == (["sign-in"] if overlay.startswith("public-") else [])

"""K3, K7: from one overlay to another by `kubectl apply -k`, and what the console may do afterwards."""

import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api import Api
from tests.deploy.manifests import OVERLAYS, containers, kubectl, named, objects, template
from tests.kubectl import Kubectl

#: The parts that a changed overlay could not change, and those that grant something.
KINDS = ("Namespace", "ServiceAccount", "Job", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
Object = dict[str, Any]


def test_k3_what_cannot_be_changed_is_the_same_in_every_overlay() -> None:
    """K3: roleRefs and templates of Jobs are immutable: `kubectl apply` of another overlay would fail."""
    seen: dict[tuple[str, str], Object] = {}
    for overlay in OVERLAYS:
        for obj in objects(overlay):
            fixed = {"roleRef": obj.get("roleRef")} if obj["kind"].endswith("RoleBinding") else obj.get("spec")
            if obj["kind"] in ("Job", "ClusterRoleBinding", "RoleBinding"):
                key = (obj["kind"], obj["metadata"]["name"])
                assert seen.setdefault(key, fixed or {}) == fixed, f"{key} differs in {overlay}"
    assert ("Job", "console-migrate") in seen


def test_k3_no_overlay_binds_a_role_that_it_does_not_have() -> None:
    """What is bound is the overlay's to change; cluster-admin would stay as it is."""
    for overlay in OVERLAYS:
        found = objects(overlay)
        for binding in (obj for obj in found if obj["kind"] == "ClusterRoleBinding"):
            assert named(found, "ClusterRole", binding["roleRef"]["name"])


@pytest.fixture
def namespace() -> str:
    """The test's own: the overlays get this name."""
    return f"okd-style-{secrets.token_hex(3)}"


@pytest.fixture
def k(cluster_kubeconfig: Path, tmp_path: Path, namespace: str) -> Iterator[Kubectl]:
    k = Kubectl(kubectl(), cluster_kubeconfig, namespace, tmp_path)
    yield k
    roles = [f"clusterrole/{namespace}-console{end}" for end in ("", "-reads", "-logs", "-operators")]
    k("delete", *roles, f"clusterrolebinding/{namespace}-console", f"namespace/{namespace}", "--wait=false")


def apply(k: Kubectl, overlay: str, namespace: str) -> None:
    found = [obj for obj in objects(overlay, namespace) if obj["kind"] in KINDS]
    output = k("apply", "-f", "-", stdin=yaml.safe_dump_all(found))
    assert "rror" not in output, output


def granted(api: Api, namespace: str) -> dict[str, bool]:
    """What the ServiceAccount may do, by the API server's word."""
    questions = {
        "everything": {"verb": "*", "group": "*", "resource": "*"},
        "secrets": {"verb": "get", "resource": "secrets"},
        "install": {"verb": "create", "group": "operators.coreos.com", "resource": "subscriptions"},
        "logs": {"verb": "get", "resource": "pods", "subresource": "log"},
        "lists": {"verb": "list", "resource": "pods"},
        "catalogs": _proxy("https:catalogd-service:443"),
        "other services": _proxy("https:other:443"),
    }
    answers = {}
    for name, attributes in questions.items():
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {
                "user": f"system:serviceaccount:{namespace}:console",
                "resourceAttributes": {"namespace": "default", **attributes},
            },
        }
        answer = api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        answers[name] = bool(answer.json["status"]["allowed"])
    return answers


def _proxy(name: str) -> dict[str, str]:
    return {"verb": "get", "resource": "services", "subresource": "proxy", "name": name}


LEAST = {
    "everything": False,
    "secrets": False,
    "install": True,
    "logs": True,
    "lists": True,
    "catalogs": True,
    "other services": False,
}


def test_k3_k7_one_overlay_after_the_other(cluster_kubeconfig: Path, k: Kubectl, namespace: str) -> None:
    """Nothing of a more generous overlay stays; K7: catalogs of OLM v1 can be read, logs only where no user has a
    token.
    """
    api = Api(cluster_kubeconfig)
    wanted = {
        "tutorial": dict.fromkeys(LEAST, True),
        "least-privilege": LEAST,
        "public-ingress": {**LEAST, "install": False, "logs": False},
    }
    for overlay in ("tutorial", "least-privilege", "public-ingress", "tutorial", "public-ingress", "least-privilege"):
        apply(k, overlay, namespace)
        # Aggregated roles take effect a moment later.
        assert eventually(lambda: granted(api, namespace), wanted[overlay]) == wanted[overlay], overlay


def eventually(ask: Any, wanted: Any, seconds: float = 30) -> Any:
    end = time.monotonic() + seconds
    while (found := ask()) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return found


def test_k8_openshift_chooses_the_users() -> None:
    """K8: the SCC restricted-v2 refuses Pods with a user or group of their own; what else it asks for is there."""
    seen = 0
    for obj in objects("openshift"):
        if (pod := template(obj)) is None:
            continue
        for context in (
            pod["spec"]["securityContext"],
            *(container["securityContext"] for container in containers(pod)),
        ):
            assert not {"runAsUser", "runAsGroup", "fsGroup", "supplementalGroups"} & context.keys()
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert all(container["securityContext"]["capabilities"] == {"drop": ["ALL"]} for container in containers(pod))
        seen += 1
    assert seen >= 7

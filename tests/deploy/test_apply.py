"""`kubectl apply -k deploy/overlays/tutorial` as the tutorial has it, kept and not tried only: twice, and every
workload gets its Pods.
"""

import secrets
from pathlib import Path

from tests.api import Api
from tests.deploy.manifests import kubectl, text
from tests.kubectl import Kubectl

COMPONENTS = {"web": 2, "worker": 2, "beat": 1, "redis": 1, "postgres": 1, "migrate": 1, "setup": 1}


def test_it_is_applied_and_applied_again(cluster_kubeconfig: Path, tmp_path: Path) -> None:
    api, namespace = Api(cluster_kubeconfig), f"okd-style-{secrets.token_hex(3)}"
    k = Kubectl(kubectl(), cluster_kubeconfig, namespace, tmp_path)
    manifests = text("tutorial").replace("okd-style", namespace)
    try:
        first = k("apply", "-f", "-", stdin=manifests)
        assert "deployment.apps/console created" in first
        assert "Warning" not in first
        # Jobs too: an unchanged manifest can be applied again, and restarts no Pod.
        again = k("apply", "-f", "-", stdin=manifests)
        assert "created" not in again and "job.batch/console-migrate unchanged" in again, again
        deployments = api.get(f"/apis/apps/v1/namespaces/{namespace}/deployments").json["items"]
        assert {deployment["metadata"]["generation"] for deployment in deployments} == {1}
        api.until(f"/api/v1/namespaces/{namespace}/pods", lambda found: counted(found) == COMPONENTS, 90)
        claims = api.get(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims").json["items"]
        assert [claim["metadata"]["name"] for claim in claims] == ["data-console-postgres-0"]
        may = k("auth", "can-i", "*", "*", f"--as=system:serviceaccount:{namespace}:console")
        assert may.strip().endswith("yes")
    finally:
        k("delete", "namespace", namespace, "--wait=false")
        k("delete", "clusterrolebinding", f"{namespace}-console")


def counted(found: dict) -> dict[str, int]:  # type: ignore[type-arg]
    parts = [obj["metadata"]["labels"].get("app.kubernetes.io/component", "") for obj in found["items"]]
    return {part: parts.count(part) for part in parts}

"""R3: SampleDB's operator from its image, a database made by the console, and its data on a volume that outlives its
Pod.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.eventually import until
from tests.node.conftest import Site

pytestmark = pytest.mark.timeout(1800)
BUNDLE = Path(__file__).resolve().parents[2] / "examples/operators/packages/sampledb/1.0.0"
OPERATOR, NAMESPACE = "sampledb-operator", "databases"
DATABASE = {
    "apiVersion": "samples.operator-console.dev/v1",
    "kind": "SampleDB",
    "metadata": {"name": "sessions", "namespace": NAMESPACE},
    "spec": {"engine": "valkey", "version": "8.0", "replicas": 1, "storage": "64Mi", "appendOnly": True},
}


def _operator() -> list[dict[str, Any]]:
    """What OLM makes of the bundle for the operator to run: the node has no OLM."""
    csv = yaml.safe_load((BUNDLE / "csv.yaml").read_text())
    install = csv["spec"]["install"]["spec"]
    deployment = install["deployments"][0]
    deployment["spec"]["template"]["metadata"]["annotations"] = {"olm.targetNamespaces": NAMESPACE}
    subject = {"kind": "ServiceAccount", "name": OPERATOR, "namespace": NAMESPACE}
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": OPERATOR, "namespace": NAMESPACE}},
        *(yaml.safe_load(path.read_text()) for path in sorted((BUNDLE / "crds").iterdir())),
    ]
    for kind, key in (("Role", "permissions"), ("ClusterRole", "clusterPermissions")):
        place = {"name": OPERATOR} | ({"namespace": NAMESPACE} if kind == "Role" else {})
        version = {"apiVersion": "rbac.authorization.k8s.io/v1"}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": OPERATOR}
        objects += [
            {**version, "kind": kind, "metadata": place, "rules": install[key][0]["rules"]},
            {**version, "kind": f"{kind}Binding", "metadata": place, "roleRef": reference, "subjects": [subject]},
        ]
    place = {"name": OPERATOR, "namespace": NAMESPACE}
    return [*objects, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": place, "spec": deployment["spec"]}]


@pytest.fixture(scope="module")
def operator(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("operator") / "operator.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": _operator()}))
    site.node.kubectl("apply", "--server-side", "-f", str(path))
    site.node.kubectl("-n", NAMESPACE, "rollout", "status", f"deployment/{OPERATOR}", "--timeout=300s")


@pytest.mark.usefixtures("operator")
def test_a_database_keeps_its_data_on_a_volume(site: Site, page: Page) -> None:
    def phase() -> object:
        return site.get("-n", NAMESPACE, "sampledb", "sessions").get("status", {}).get("phase")

    def ask(*command: str) -> str:
        script = 'REDISCLI_AUTH="$SAMPLEDB_PASSWORD" valkey-cli ' + " ".join(command)
        return site.node.kubectl("-n", NAMESPACE, "exec", "sessions-0", "--", "sh", "-c", script).strip()

    page.goto(f"{site.url}/resources/import/")
    page.locator(".cm-content").fill(yaml.safe_dump(DATABASE))
    page.get_by_role("button", name="Import", exact=True).click()
    until(lambda: phase() == "Ready", "the database is ready", seconds=300)
    page.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/{NAMESPACE}/sessions/")
    expect(page.locator("#object")).to_contain_text("Ready", timeout=60_000)

    claim = site.get("-n", NAMESPACE, "pvc", "data-sessions-0")
    assert claim["status"]["phase"] == "Bound"
    assert claim["spec"]["storageClassName"] == "local-path"
    assert ask("SET", "teapot", "24") == "OK"
    before = site.get("-n", NAMESPACE, "pod", "sessions-0")["metadata"]["uid"]
    site.node.kubectl("-n", NAMESPACE, "delete", "pod", "sessions-0")

    def replaced() -> bool:
        pod = site.get("-n", NAMESPACE, "pod", "sessions-0")
        statuses = pod["status"].get("containerStatuses", [])
        return pod["metadata"]["uid"] != before and bool(statuses) and all(each["ready"] for each in statuses)

    until(replaced, "another Pod on the same claim", seconds=180, not_yet=(Exception,))
    assert ask("GET", "teapot") == "24"

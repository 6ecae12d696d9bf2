"""From the catalog to a running operator, on a really started sandbox: SampleDB and its database, and Argo CD."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from examples.operators.sampledb import resp
from tests import processes

from .kube import OLM, Kube, Refused, namespaced, phase, subscribe

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ROOT / "examples" / "operators" / "packages"
SAMPLES = "/apis/samples.operator-console.dev/v1"
APPS = "/apis/apps/v1"
ARGOCD_CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/argocds.argoproj.io"


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, PACKAGES):
        yield data / "kubeconfig"


@pytest.fixture(scope="module")
def kube(kubeconfig: Path) -> Kube:
    return Kube(kubeconfig)


def example(name: str) -> dict:
    csv = yaml.safe_load((PACKAGES / "sampledb" / "1.0.0" / "csv.yaml").read_text())
    examples = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    return next(item for item in examples if item["metadata"]["name"] == name)


@contextmanager
def port_forward(kubeconfig: Path, namespace: str, target: str, port: int) -> Iterator[int]:
    """The local port behind which ``kubectl port-forward`` reaches the target."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("needs kubectl on PATH")
    command = [kubectl, f"--kubeconfig={kubeconfig}", "-n", namespace, "port-forward", target, f":{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        try:
            assert found, line + process.stdout.read()
            yield int(found[1])
        finally:
            process.terminate()


def test_sampledb_from_the_catalog_to_the_database_and_away(kube: Kube, kubeconfig: Path) -> None:
    subscribe(kube, "shop", "sampledb", "samples-catalog", ["shop"], channel="stable")
    csv = kube.until(namespaced(OLM, "shop", "clusterserviceversions"), phase("Succeeded", "Failed"))
    assert csv["status"]["phase"] == "Succeeded", csv["status"]["message"]
    reasons = [condition["reason"] for condition in csv["status"]["conditions"]]
    assert reasons[0] == "RequirementsUnknown"
    assert "AllRequirementsMet" in reasons
    assert reasons[-1] == "InstallSucceeded"
    subscription = kube.get(f"{namespaced(OLM, 'shop', 'subscriptions')}/sampledb")["status"]
    assert (subscription["state"], subscription["installedCSV"]) == ("AtLatestKnown", "sampledb-operator.v1.0.0")

    databases = namespaced(SAMPLES, "shop", "sampledbs")
    kube.create(databases, example("example-database"))
    found = kube.until(databases, phase("Ready", "Failed"))
    assert found["status"]["phase"] == "Ready", found["status"]
    assert found["status"]["readyReplicas"] == 1
    claim = kube.get(f"{namespaced('/api/v1', 'shop', 'persistentvolumeclaims')}/data-example-database-0")
    assert claim["status"]["phase"] == "Bound"
    secret = kube.get(f"{namespaced('/api/v1', 'shop', 'secrets')}/example-database-credentials")
    password = base64.b64decode(secret["data"]["password"]).decode()
    with (
        port_forward(kubeconfig, "shop", "service/example-database", 6379) as port,
        resp.RespConnection("127.0.0.1", port, password) as database,
    ):
        assert database.call("GET", "greeting") == b"Hello from SampleDB"
        database.call("SET", "mine", "kept")

    kube.patch(f"{databases}/example-database", {"spec": {"replicas": 2}})
    ready = kube.until(databases, lambda item: item["status"].get("readyReplicas") == 2 and phase("Ready")(item))
    assert ready["status"]["replicas"] == 2

    kube.delete(f"{databases}/example-database")
    kube.until_gone(databases, "example-database")
    kube.until_gone(namespaced(APPS, "shop", "statefulsets"), "example-database")
    kube.until_gone(namespaced("/api/v1", "shop", "persistentvolumeclaims"), "data-example-database-0")
    snapshots = kube.get(f"{namespaced('/api/v1', 'shop', 'configmaps')}/sampledb-snapshots")["data"]
    (record,) = [json.loads(text) for text in snapshots.values()]
    assert record["database"] == "example-database"
    assert record["keys"] >= 3


def test_the_servers_field_errors(kube: Kube) -> None:
    kube.until(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        lambda _: True,
        name="sampledbs.samples.operator-console.dev",
    )
    bad = {**example("example-database"), "spec": {"engine": "redis", "replicas": 9, "backup": {"enabled": True}}}
    with pytest.raises(Refused) as refused:
        kube.create(namespaced(SAMPLES, "shop", "sampledbs"), bad)
    causes = {cause["field"] for cause in json.loads(str(refused.value))["details"]["causes"]}
    assert {"spec.replicas", "spec.backup.schedule"} <= causes


def test_a_manual_install_waits_for_approval_and_is_cleared_up(kube: Kube) -> None:
    subscribe(kube, "careful", "sampledb", "samples-catalog", ["careful"], installPlanApproval="Manual")
    plans = namespaced(OLM, "careful", "installplans")
    plan = kube.until(plans, phase("RequiresApproval"))
    assert plan["spec"] | {"generation": 0} == {
        "approval": "Manual",
        "approved": False,
        "clusterServiceVersionNames": ["sampledb-operator.v1.0.0"],
        "generation": 0,
    }
    kinds = [step["resource"]["kind"] for step in plan["status"]["plan"]]
    assert kinds[:2] == ["ClusterServiceVersion", "CustomResourceDefinition"]
    csvs = namespaced(OLM, "careful", "clusterserviceversions")
    assert kube.get(csvs)["items"] == []
    kube.patch(f"{plans}/{plan['metadata']['name']}", {"spec": {"approved": True}})
    kube.until(plans, phase("Complete"))
    kube.until(csvs, phase("Succeeded"))
    # A setting that is removed from spec.config goes from the Deployment, too.
    subscription, deployments = (
        f"{namespaced(OLM, 'careful', 'subscriptions')}/sampledb",
        namespaced(APPS, "careful", "deployments"),
    )
    for selector in ({"no": "such-node"}, None):
        kube.patch(subscription, {"spec": {"config": {"nodeSelector": selector}}})
        kube.until(
            deployments, lambda item, wanted=selector: item["spec"]["template"]["spec"].get("nodeSelector") == wanted
        )
    kube.until(csvs, phase("Succeeded"))
    kube.delete(f"{namespaced(OLM, 'careful', 'subscriptions')}/sampledb")
    kube.delete(f"{csvs}/sampledb-operator.v1.0.0")
    kube.until_gone(namespaced(APPS, "careful", "deployments"), "sampledb-operator")
    kube.until_gone(namespaced("/api/v1", "careful", "serviceaccounts"), "sampledb-operator")


def test_who_stayed_back_for_a_rival_goes_on_when_that_is_gone(kube: Kube) -> None:
    # Without a channel it would upgrade to the newest of all channels meanwhile.
    subscribe(kube, "rival-first", "flightticket", "samples-catalog", ["rival-first"], channel="stable")
    first, second = (namespaced(OLM, place, "clusterserviceversions") for place in ("rival-first", "rival-second"))
    csv = kube.until(first, phase("Succeeded"))
    # In all namespaces: also in the first one's, which has the same kinds already.
    subscribe(kube, "rival-second", "flightticket", "samples-catalog", channel="stable")
    stayed = kube.until(second, phase("Failed"))
    assert stayed["status"]["reason"] == "InterOperatorGroupOwnerConflict"
    kube.delete(f"{namespaced(OLM, 'rival-first', 'subscriptions')}/flightticket")
    kube.delete(f"{first}/{csv['metadata']['name']}")
    kube.until(second, phase("Succeeded"))
    kube.delete(f"{namespaced(OLM, 'rival-second', 'subscriptions')}/flightticket")
    kube.delete(f"{second}/{csv['metadata']['name']}")


def test_an_unknown_package_is_told(kube: Kube) -> None:
    subscribe(kube, "lost", "nothing", "samples-catalog")

    def refused(item: dict) -> bool:
        return any(c["type"] == "ResolutionFailed" for c in (item.get("status") or {}).get("conditions", []))

    status = kube.until(namespaced(OLM, "lost", "subscriptions"), refused)["status"]
    (condition,) = [item for item in status["conditions"] if item["type"] == "ResolutionFailed"]
    assert condition["reason"] == "ConstraintsNotSatisfiable"
    assert "no operators found in package nothing" in condition["message"]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, real_catalog: Path) -> Iterator[Kube]:
    data = tmp_path_factory.mktemp("large")
    with processes.sandbox(data, PACKAGES, real_catalog):
        kube = Kube(data / "kubeconfig")
        kube.until(
            namespaced(OLM, "olm", "catalogsources"),
            lambda item: item.get("status", {}).get("connectionState", {}).get("lastObservedState") == "READY",
            name="community-catalog",
        )
        yield kube


def test_the_tutorials_argo_cd_leaves_room_for_the_communitys(large: Kube) -> None:
    """It comes and goes; of its CRD, which stays as every CRD does, the test after this one makes the community's."""
    subscribe(large, "learn", "argocd-tutorial", "samples-catalog", ["learn"])
    csvs = namespaced(OLM, "learn", "clusterserviceversions")
    large.until(csvs, phase("Succeeded"), name="argocd-tutorial.v1.0.0", seconds=60)
    assert [version["name"] for version in large.get(ARGOCD_CRD)["spec"]["versions"]] == ["v1beta1"]
    for path in (f"{namespaced(OLM, 'learn', 'subscriptions')}/argocd-tutorial", f"{csvs}/argocd-tutorial.v1.0.0"):
        large.delete(path)
    large.until_gone(csvs, "argocd-tutorial.v1.0.0")


def test_argo_cd_from_the_real_catalog(large: Kube) -> None:
    subscribe(large, "argocd", "argocd-operator", "community-catalog")
    csv = large.until(namespaced(OLM, "argocd", "clusterserviceversions"), phase("Succeeded", "Failed"))
    assert csv["status"]["phase"] == "Succeeded", csv["status"]["message"]
    instances = namespaced("/apis/argoproj.io/v1beta1", "argocd", "argocds")
    body = {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": {"name": "example-argocd"}}
    dex = {"provider": "dex", "dex": {"config": "connectors: []"}}
    large.create(instances, {**body, "spec": {"usersAnonymousEnabled": True, "sso": dex}})
    large.until(instances, phase("Available"))
    deployments = {
        deployment["metadata"]["name"] for deployment in large.get(namespaced(APPS, "argocd", "deployments"))["items"]
    }
    assert {f"example-argocd-{name}" for name in ("redis", "repo-server", "server", "dex-server")} <= deployments
    pods = large.get(namespaced("/api/v1", "argocd", "pods"))["items"]
    parts = [pod for pod in pods if pod["metadata"]["name"].startswith("example-argocd-")]
    assert len(parts) == 5
    assert all(part["status"]["phase"] == "Running" for part in parts)
    config = large.get(f"{namespaced('/api/v1', 'argocd', 'configmaps')}/argocd-cm")["data"]
    assert config["users.anonymous.enabled"] == "true"
    assert [version["name"] for version in large.get(ARGOCD_CRD)["spec"]["versions"]] == ["v1alpha1", "v1beta1"]


def test_the_tutorials_argo_cd_is_refused_beside_the_communitys(large: Kube) -> None:
    """Both serve the kind ArgoCD; the community's does in every namespace. docs/decisions/0019."""
    subscribe(large, "beside", "argocd-tutorial", "samples-catalog", ["beside"])

    def refused(item: dict) -> bool:
        return any(c["type"] == "ResolutionFailed" for c in (item.get("status") or {}).get("conditions", []))

    subscription = large.until(namespaced(OLM, "beside", "subscriptions"), refused)
    (message,) = [c["message"] for c in subscription["status"]["conditions"] if c["type"] == "ResolutionFailed"]
    assert "argocd-tutorial.v1.0.0 provide ArgoCD (argoproj.io/v1beta1)" in message
    csvs = large.get(namespaced(OLM, "beside", "clusterserviceversions"))["items"]
    assert "argocd-tutorial.v1.0.0" not in [csv["metadata"]["name"] for csv in csvs]


def test_an_upgrade_goes_to_the_head_of_the_channel(large: Kube) -> None:
    subscribe(large, "snap", "snapscheduler", "community-catalog", startingCSV="snapscheduler.v3.3.0", channel="stable")
    csvs = namespaced(OLM, "snap", "clusterserviceversions")
    large.until(csvs, phase("Succeeded"), name="snapscheduler.v3.5.0", seconds=90)
    large.until_gone(csvs, "snapscheduler.v3.3.0")
    large.until_gone(csvs, "snapscheduler.v3.4.0")

"""What kubectl does with the schemas: explain, refuse unknown fields, compare, own fields."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubectl import Kubectl
from tests.processes import ROOT

CRD = ROOT / "examples/operators/packages/sampledb/1.0.0/crds/samples.operator-console.dev_sampledbs.yaml"
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
"""
DATABASE = """
apiVersion: samples.operator-console.dev/v1
kind: SampleDB
metadata: {name: one}
spec: {engine: redis, storage: 1Gi}
"""


@pytest.fixture(scope="module")
def sampledb(kubectl: str, kubeconfig: Path) -> Iterator[None]:
    """The kind SampleDB, without its operator."""
    command = [kubectl, "--kubeconfig", str(kubeconfig)]
    subprocess.run([*command, "apply", "-f", str(CRD)], check=True, capture_output=True)
    yield
    subprocess.run([*command, "delete", "-f", str(CRD)], check=True, capture_output=True)


def test_explain(k: Kubectl) -> None:
    output = k("explain", "pods.spec.containers.imagePullPolicy")
    assert "FIELD: imagePullPolicy <string>" in output
    assert "IfNotPresent" in output.partition("ENUM:")[2]
    assert "activeDeadlineSeconds\t<integer>" in k("explain", "pods.spec", "--recursive")
    assert "VERSION:    v2" in k("explain", "hpa")


def test_explain_a_custom_kind(k: Kubectl, sampledb: None) -> None:
    output = k("explain", "sampledb.spec")
    assert "GROUP:      samples.operator-console.dev" in output
    assert "appendOnly\t<boolean>" in output
    assert "ENUM:\n    redis\n    valkey" in k("explain", "sdb.spec.engine")
    assert "FIELD: metadata <ObjectMeta>" in k("explain", "sampledb.metadata")


def test_unknown_fields_are_refused(k: Kubectl, sampledb: None) -> None:
    wrong = DEPLOYMENT.replace("replicas: 0", "replicsa: 0").replace('"nginx:1"', '"nginx:1", prots: []')
    output = k("apply", "-f", "-", stdin=wrong, fails=True)
    assert "strict decoding error" in output
    assert 'unknown field "spec.replicsa"' in output
    assert 'unknown field "spec.template.spec.containers[0].prots"' in output
    typo = DATABASE.replace("engine:", "egnine: redis, engine:")
    assert 'unknown field "spec.egnine"' in k("create", "--validate=strict", "-f", "-", stdin=typo, fails=True)
    assert 'unknown field "spec.egnine"' in k("create", "--validate=warn", "-f", "-", stdin=typo)
    assert "egnine" not in k("get", "sampledb", "one", "-o", "yaml")


def test_what_does_not_fit_is_refused(k: Kubectl, sampledb: None) -> None:
    output = k("apply", "-f", "-", stdin=DATABASE.replace("redis", "oracle"), fails=True)
    assert 'spec.engine: Unsupported value: "oracle": supported values: "redis", "valkey"' in output
    output = k("apply", "-f", "-", stdin=DEPLOYMENT.replace("replicas: 0", "replicas: many"), fails=True)
    assert "cannot be handled as a Deployment" in output
    output = k("apply", "-f", "-", stdin=DEPLOYMENT.replace("name: web, image", "image"), fails=True)
    assert "spec.template.spec.containers[0].name: Required value" in output


def test_diff_and_dry_runs(k: Kubectl) -> None:
    assert "created (server dry run)" in k("apply", "--dry-run=server", "-f", "-", stdin=DEPLOYMENT)
    assert "not found" in k("get", "deployment", "web", fails=True)
    k("apply", "-f", "-", stdin=DEPLOYMENT)
    assert k("diff", "-f", "-", stdin=DEPLOYMENT) == ""
    output = k("diff", "-f", "-", stdin=DEPLOYMENT.replace("nginx:1", "nginx:2"), fails=True)
    assert "-      - image: nginx:1\n+      - image: nginx:2" in output
    assert "nginx:1" in k("get", "deployment", "web", "-o", "yaml")


def test_server_side_apply(k: Kubectl, sampledb: None) -> None:
    for manifest, before, after in ((DEPLOYMENT, "nginx:1", "nginx:2"), (DATABASE, "1Gi", "2Gi")):
        assert "serverside-applied" in k("apply", "--server-side", "-f", "-", stdin=manifest)
        other = manifest.replace(before, after)
        output = k("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=other, fails=True)
        assert 'conflict with "kubectl"' in output
        k("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", "-", stdin=other)
    assert "storage: 2Gi" in k("get", "sampledb", "one", "-o", "yaml")


def test_edit(k: Kubectl, sampledb: None, tmp_path: Path) -> None:
    k("apply", "-f", "-", stdin=DEPLOYMENT)
    k("apply", "-f", "-", stdin=DATABASE)
    assert "edited" in k("edit", "deployment", "web", EDITOR="sed -i s/nginx:1/nginx:5/")
    assert "edited" in k("edit", "sampledb", "one", EDITOR="sed -i s/1Gi/3Gi/")
    assert k("get", "sampledb", "one", "-o", "jsonpath={.spec.storage}").strip() == "3Gi"
    output = k("edit", "sampledb", "one", EDITOR="sed -i s/redis/oracle/", fails=True, TMPDIR=str(tmp_path))
    assert '"one" is invalid' in output


def test_patches_of_both_kinds(k: Kubectl, sampledb: None) -> None:
    k("apply", "-f", "-", stdin=DATABASE)
    assert "patched" in k("patch", "sampledb", "one", "--type=merge", "-p", '{"spec":{"replicas":2}}')
    output = k("patch", "sampledb", "one", "--type=merge", "-p", '{"spec":{"replicas":99}}', fails=True)
    assert "spec.replicas in body should be less than or equal to 5" in output
    step = '[{"op":"replace","path":"/spec/replicas","value":3}]'
    assert "patched" in k("patch", "sampledb", "one", "--type=json", "-p", step)
    assert "scaled" in k("scale", "sampledb", "one", "--replicas=1")
    assert k("get", "sampledb", "one", "-o", "jsonpath={.spec.replicas}") == "1"
    assert "Name:         one" in k("describe", "sampledb", "one")

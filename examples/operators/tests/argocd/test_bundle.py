"""What is special about the bundle: its example, its rights, and that it stays apart from the community's.

The rest: examples/operators/tests/test_bundles.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples.operators.argocd.argocd import ArgoCD
from examples.operators.argocd.parts import PARTS, enabled
from examples.operators.argocd.reconcile import KINDS
from examples.operators.argocd.status import status
from examples.operators.argocd.workloads import IMAGE_VARIABLE
from examples.operators.kubeapi import PATHS

ROOT = Path(__file__).resolve().parents[4]
BUNDLE = ROOT / "examples" / "operators" / "packages" / "argocd-tutorial" / "1.0.0"


@pytest.fixture(scope="module")
def csv() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "csv.yaml").read_text())


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    crd = yaml.safe_load((BUNDLE / "crds" / "argoproj.io_argocds.yaml").read_text())
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_example_asks_for_every_component(csv: dict[str, Any]) -> None:
    (example,) = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert example["metadata"]["name"] == "example-argocd"
    item = ArgoCD(example)
    assert enabled(item) == list(PARTS)
    assert item.mistake() == ""


def test_the_operator_may_do_what_it_does_and_no_more(csv: dict[str, Any]) -> None:
    install = csv["spec"]["install"]["spec"]
    assert "clusterPermissions" not in install
    (permission,) = install["permissions"]
    allowed = {
        (group, resource): set(rule["verbs"])
        for rule in permission["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    made = {(PATHS[kind][0].removeprefix("api").strip("s/").rpartition("/")[0], PATHS[kind][1]) for kind in KINDS}
    ours = {("argoproj.io", f"argocds{part}") for part in ("", "/status", "/finalizers")}
    assert allowed.keys() == made | ours | {("", "pods"), ("", "events"), ("coordination.k8s.io", "leases")}
    for item in made:
        assert allowed[item] == {"get", "list", "watch", "create", "patch", "delete"}


def test_its_pods_run_the_image_that_is_listed(csv: dict[str, Any]) -> None:
    (deployment,) = csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    given = next(item["value"] for item in container["env"] if item["name"] == IMAGE_VARIABLE)
    assert [container["image"], given] == [image["image"] for image in csv["spec"]["relatedImages"]]


def test_the_status_has_no_field_that_the_schema_drops(schema: dict[str, Any]) -> None:
    """Such a field would never be found as it was written, and be written again at each look."""
    item = ArgoCD({"metadata": {"name": "a", "namespace": "b", "uid": "1"}, "spec": {}})
    assert status(item, {}, []).keys() <= schema["properties"]["status"]["properties"].keys()


def test_every_component_has_its_section_and_its_field(schema: dict[str, Any]) -> None:
    for part in PARTS:
        assert part.setting in schema["properties"]["spec"]["properties"]
        assert part.field in schema["properties"]["status"]["properties"]


def test_every_field_is_one_of_the_real_ones(schema: dict[str, Any], real_catalog: Path) -> None:
    """So that what is written for this one is right for the real one, too."""
    (folder,) = (real_catalog / "argocd-operator").glob("0.18.0")
    crd = yaml.load((folder / "crds" / "argoproj.io_argocds.yaml").read_text(), yaml.CSafeLoader)
    (real,) = [version for version in crd["spec"]["versions"] if version["name"] == "v1beta1"]

    def fields(node: dict[str, Any], path: str = "") -> set[tuple[str, str]]:
        found = set()
        for name, child in (node.get("properties") or {}).items():
            found |= {(f"{path}.{name}", child.get("type", ""))} | fields(child, f"{path}.{name}")
        return found

    theirs = fields(real["schema"]["openAPIV3Schema"])
    assert fields(schema["properties"]["spec"], ".spec") | fields(schema["properties"]["status"], ".status") <= theirs


def test_it_can_not_be_mistaken_for_the_communitys(csv: dict[str, Any], real_catalog: Path) -> None:
    """Docs: docs/decisions/0019. A person sees both tiles; OLM sees two packages of which a namespace can have one."""
    package = json.loads((real_catalog / "argocd-operator" / "package.json").read_text())
    assert package["name"] != BUNDLE.parent.name
    assert csv["metadata"]["name"] not in [bundle["name"] for bundle in package["bundles"]]
    real = yaml.load((real_catalog / "argocd-operator" / "0.18.0" / "csv.yaml").read_text(), yaml.CSafeLoader)
    assert csv["spec"]["displayName"] != real["spec"]["displayName"]
    owned = {item["name"] for item in csv["spec"]["customresourcedefinitions"]["owned"]}
    assert owned <= {item["name"] for item in real["spec"]["customresourcedefinitions"]["owned"]}

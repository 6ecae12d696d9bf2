"""What is special about the bundle: its example, what it refuses, what its operator may do.

The rest: examples/operators/tests/test_bundles.py.
"""

import json
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from examples.operators.memcached.memcached import GROUP, IMAGE, IMAGE_VARIABLE

ROOT = Path(__file__).resolve().parents[4]
PACKAGE = ROOT / "examples" / "operators" / "packages" / "memcached"


@pytest.fixture(scope="module", params=["0.0.1", "0.1.0"])
def bundle(request: pytest.FixtureRequest) -> Path:
    return PACKAGE / str(request.param)


@pytest.fixture(scope="module")
def csv(bundle: Path) -> dict[str, Any]:
    return yaml.safe_load((bundle / "csv.yaml").read_text())


@pytest.fixture
def crd(bundle: Path) -> dict[str, Any]:
    return yaml.safe_load((bundle / "crds" / f"{GROUP}_memcacheds.yaml").read_text())


@pytest.fixture
def schema(crd: dict[str, Any]) -> dict[str, Any]:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_example_is_the_tutorials(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    example, *others = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert [each["spec"]["size"] for each in others] == [3] * len(others)
    assert (example["metadata"]["name"], example["spec"]["size"]) == ("memcached-sample", 3)
    jsonschema.validate(example, schema)
    jsonschema.validate({**example, "spec": {"size": 5}}, schema)


@pytest.mark.parametrize("spec", [{}, {"size": -1}, {"size": 8}, {"size": 1, "containerPort": 65536}])
def test_the_schema_refuses(spec: dict[str, Any], schema: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"spec": spec}, schema)


def test_k11_no_node_at_all_and_the_tutorials_version(bundle: Path, crd: dict[str, Any]) -> None:
    """K11: Operator SDK's tutorial lets size be 0. The newer bundle serves v1 too, with the same schema: nothing is
    converted, and nothing is lost on the way from one version to the other.
    """
    versions = {version.pop("name"): version for version in crd["spec"]["versions"]}
    specs = [each["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] for each in versions.values()]
    least = [spec["size"]["minimum"] for spec in specs]
    if bundle.name == "0.0.1":
        assert (list(versions), least) == (["v1alpha1"], [1])
        return
    assert (list(versions), least) == (["v1alpha1", "v1"], [0, 0])
    assert versions["v1"] | {"storage": True} == versions["v1alpha1"]


def test_it_can_be_scaled(crd: dict[str, Any], schema: dict[str, Any]) -> None:
    scale = crd["spec"]["versions"][0]["subresources"]["scale"]
    assert scale["specReplicasPath"] == ".spec.size"
    for path in scale.values():
        _, part, name = path.split(".")
        assert name in schema["properties"][part]["properties"]


def test_the_operator_may_do_what_it_does_and_no_more(csv: dict[str, Any]) -> None:
    install = csv["spec"]["install"]["spec"]
    assert "clusterPermissions" not in install
    (permission,) = install["permissions"]
    allowed = {
        f"{resource}.{group}".rstrip("."): rule["verbs"]
        for rule in permission["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert allowed == {
        f"memcacheds.{GROUP}": ["get", "list", "watch"],
        f"memcacheds/status.{GROUP}": ["patch"],
        f"memcacheds/finalizers.{GROUP}": ["update"],
        "deployments.apps": ["get", "list", "watch", "create", "patch"],
        "pods": ["list", "watch"],
        "events": ["create"],
        "leases.coordination.k8s.io": ["get", "create", "patch"],
    }


def test_its_images(bundle: Path, csv: dict[str, Any]) -> None:
    """The older one runs an older memcached, so that there is something to upgrade."""
    image = IMAGE if bundle.name == "0.1.0" else IMAGE.replace("1.6", "1.5")
    listed = [item["image"] for item in csv["spec"]["relatedImages"]]
    (deployment,) = csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    given = next(item["value"] for item in container["env"] if item["name"] == IMAGE_VARIABLE)
    assert [container["image"], given] == listed == [csv["metadata"]["annotations"]["containerImage"], image]
    images = tomllib.loads((ROOT / "examples" / "operators" / "images.toml").read_text())["image"]
    (entry,) = [item for item in images if fnmatch(container["image"], item["match"])]
    assert entry["command"] == ["{python}", "-m", "examples.operators.memcached.operator"]

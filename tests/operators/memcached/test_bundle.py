"""The bundle agrees with itself and with the operator: names, example, descriptors, permissions, images."""

import base64
import json
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from operators.memcached.memcached import GROUP, IMAGE, IMAGE_VARIABLE, VERSION

ROOT = Path(__file__).resolve().parents[3]
BUNDLE = ROOT / "operators" / "packages" / "memcached" / "0.0.1"


@pytest.fixture(scope="module")
def csv() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "csv.yaml").read_text())


@pytest.fixture(scope="module")
def crd() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "crds" / f"{GROUP}_memcacheds.yaml").read_text())


@pytest.fixture(scope="module")
def schema(crd: dict[str, Any]) -> dict[str, Any]:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_csv_owns_the_crd(csv: dict[str, Any], crd: dict[str, Any]) -> None:
    (owned,) = csv["spec"]["customresourcedefinitions"]["owned"]
    assert owned["name"] == crd["metadata"]["name"]
    assert owned["kind"] == crd["spec"]["names"]["kind"]
    assert [owned["version"]] == [one["name"] for one in crd["spec"]["versions"]] == [VERSION]


def test_the_package_points_at_the_bundle(csv: dict[str, Any]) -> None:
    package = json.loads((BUNDLE.parent / "package.json").read_text())
    assert package["bundles"] == [
        {"name": csv["metadata"]["name"], "version": csv["spec"]["version"], "path": BUNDLE.name}
    ]
    assert package["channels"][0]["head"] == csv["metadata"]["name"]
    assert package["defaultChannel"] == package["channels"][0]["name"]
    annotations = yaml.safe_load((BUNDLE / "metadata" / "annotations.yaml").read_text())["annotations"]
    assert annotations["operators.operatorframework.io.bundle.package.v1"] == package["name"]
    assert annotations["operators.operatorframework.io.bundle.channels.v1"] == package["defaultChannel"]


def test_the_example_is_the_tutorials(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    (example,) = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert (example["metadata"]["name"], example["spec"]["size"]) == ("memcached-sample", 3)
    jsonschema.validate(example, schema)
    jsonschema.validate({**example, "spec": {"size": 5}}, schema)


@pytest.mark.parametrize("spec", [{}, {"size": 0}, {"size": 8}, {"size": 1, "containerPort": 65536}])
def test_the_schema_refuses(spec: dict[str, Any], schema: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"spec": spec}, schema)


def test_every_descriptor_names_a_field(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    (owned,) = csv["spec"]["customresourcedefinitions"]["owned"]
    for part in ("spec", "status"):
        for descriptor in owned[f"{part}Descriptors"]:
            assert descriptor["path"] in schema["properties"][part]["properties"]


def test_every_field_is_described(schema: dict[str, Any]) -> None:
    def fields(node: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, child in [*(node.get("properties") or {}).items(), ("[]", node.get("items"))]:
            if child:
                yield f"{path}.{name}", child
                yield from fields(child, f"{path}.{name}")

    for part in ("spec", "status"):
        found = schema["properties"][part]
        assert found["description"]
        assert [path for path, node in fields(found, part) if not node.get("description")] == []


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
    }


def test_its_images(csv: dict[str, Any]) -> None:
    listed = [one["image"] for one in csv["spec"]["relatedImages"]]
    (deployment,) = csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    given = next(one["value"] for one in container["env"] if one["name"] == IMAGE_VARIABLE)
    assert [container["image"], given] == listed == [csv["metadata"]["annotations"]["containerImage"], IMAGE]
    images = tomllib.loads((ROOT / "operators" / "images.toml").read_text())["image"]
    (entry,) = [one for one in images if fnmatch(container["image"], one["match"])]
    assert entry["command"] == ["{python}", "-m", "operators.memcached.operator"]


def test_its_icon_is_the_file(csv: dict[str, Any]) -> None:
    (icon,) = csv["spec"]["icon"]
    assert base64.b64decode(icon["base64data"]) == (ROOT / "operators" / "memcached" / "icon.svg").read_bytes()


def test_it_installs_in_every_mode(csv: dict[str, Any]) -> None:
    modes = {one["type"]: one["supported"] for one in csv["spec"]["installModes"]}
    assert modes == dict.fromkeys(("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"), True)

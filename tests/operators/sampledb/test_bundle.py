"""The bundle agrees with itself and with the operator: names, examples, descriptors, permissions, images."""

import json
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from operators.kubeapi import PATHS
from operators.sampledb.database import ENGINE_IMAGE, GROUP

ROOT = Path(__file__).resolve().parents[3]
BUNDLE = ROOT / "operators" / "packages" / "sampledb" / "1.0.0"


@pytest.fixture(scope="module")
def csv() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "csv.yaml").read_text())


@pytest.fixture(scope="module")
def crd() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "crds" / f"{GROUP}_sampledbs.yaml").read_text())


@pytest.fixture(scope="module")
def schema(crd: dict[str, Any]) -> dict[str, Any]:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_csv_owns_the_crd(csv: dict[str, Any], crd: dict[str, Any]) -> None:
    (owned,) = csv["spec"]["customresourcedefinitions"]["owned"]
    assert owned["name"] == crd["metadata"]["name"]
    assert owned["kind"] == crd["spec"]["names"]["kind"]
    assert owned["version"] in [one["name"] for one in crd["spec"]["versions"]]


def test_the_package_points_at_the_bundle(csv: dict[str, Any]) -> None:
    package = json.loads((BUNDLE.parent / "package.json").read_text())
    assert package["bundles"][0] == {
        "name": csv["metadata"]["name"],
        "version": csv["spec"]["version"],
        "path": BUNDLE.name,
    }
    assert package["channels"][0]["head"] == csv["metadata"]["name"]
    assert package["defaultChannel"] == package["channels"][0]["name"]


def test_the_examples_are_valid(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    examples = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert [one["metadata"]["name"] for one in examples] == ["example-database", "sessions"]
    for example in examples:
        jsonschema.validate(example, schema)


def test_every_descriptor_names_a_field(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    (owned,) = csv["spec"]["customresourcedefinitions"]["owned"]
    for part in ("spec", "status"):
        for descriptor in owned[f"{part}Descriptors"]:
            node = schema["properties"][part]
            for step in descriptor["path"].split("."):
                node = node["properties"][step]


def test_every_field_is_described(schema: dict[str, Any]) -> None:
    def fields(node: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, child in (node.get("properties") or {}).items():
            yield f"{path}.{name}", child
            yield from fields(child, f"{path}.{name}")
        if items := node.get("items"):
            yield from fields(items, f"{path}[]")

    undescribed = [path for path, node in fields(schema["properties"]["spec"], "spec") if not node.get("description")]
    assert undescribed == [
        f"spec.resources.{kind}.{name}" for kind in ("requests", "limits") for name in ("cpu", "memory")
    ]


def test_the_operator_may_do_what_it_does(csv: dict[str, Any]) -> None:
    (permission,) = csv["spec"]["install"]["spec"]["permissions"]
    allowed = {
        (group, resource): set(rule["verbs"])
        for rule in permission["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    for kind in (
        "ConfigMap",
        "PersistentVolumeClaim",
        "Secret",
        "Service",
        "StatefulSet",
        "CronJob",
        "Job",
        "SampleDB",
    ):
        prefix, plural = PATHS[kind]
        group = prefix.split("/")[1] if prefix.startswith("apis/") else ""
        assert {"get", "create", "patch"} <= allowed[group, plural], kind
    assert "get" in allowed["", "pods/log"]
    assert "patch" in allowed[GROUP, "sampledbs/status"]


def test_each_image_is_known_to_the_sandbox(csv: dict[str, Any]) -> None:
    images = tomllib.loads((ROOT / "operators" / "images.toml").read_text())["image"]
    listed = [one["image"] for one in csv["spec"]["relatedImages"]]
    assert f"{ENGINE_IMAGE}:7" in listed
    for image in listed:
        assert any(fnmatch(image, entry["match"]) for entry in images), image

"""What is special about the bundle: its examples, what it refuses, what its operator may do.

The rest: examples/operators/tests/test_bundles.py.
"""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from examples.operators.kubeapi import PATHS
from examples.operators.sampledb.database import GROUP
from examples.operators.sampledb.versions import STEPS
from examples.operators.sampledb.workload import image

ROOT = Path(__file__).resolve().parents[4]
BUNDLE = ROOT / "examples" / "operators" / "packages" / "sampledb" / "1.0.0"


@pytest.fixture(scope="module")
def csv() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "csv.yaml").read_text())


@pytest.fixture(scope="module")
def crd() -> dict[str, Any]:
    return yaml.safe_load((BUNDLE / "crds" / f"{GROUP}_sampledbs.yaml").read_text())


@pytest.fixture(scope="module")
def schema(crd: dict[str, Any]) -> dict[str, Any]:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_examples_are_valid(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    examples = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert [item["metadata"]["name"] for item in examples] == ["example-database", "sessions", "example-restored"]
    for example in examples:
        jsonschema.validate(example, schema)


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
    assert {"get", "list", "watch", "delete"} <= allowed["", "pods"]
    assert "get" in allowed["", "pods/log"]
    assert "patch" in allowed[GROUP, "sampledbs/status"]


def test_every_engine_that_a_database_may_ask_for_is_an_image_of_the_bundle(
    csv: dict[str, Any], schema: dict[str, Any]
) -> None:
    """Those who mirror the images for a cluster without the Internet go by this list."""
    spec = schema["properties"]["spec"]["properties"]
    asked = {(engine, version) for engine in spec["engine"]["enum"] for version in spec["version"]["enum"]}
    wanted = {image(*item) for item in asked - {("valkey", "6.2")}}
    assert wanted == {item["image"] for item in csv["spec"]["relatedImages"] if "-engine" in item["image"]}


def test_the_schema_names_the_steps_that_the_operator_knows(schema: dict[str, Any]) -> None:
    (rule,) = [item["rule"] for item in schema["x-kubernetes-validations"] if "deployedVersion" in item["rule"]]
    found = re.findall(r"deployedVersion == '([\d.]+)' && self.spec.version == '([\d.]+)'", rule)
    assert dict(found) == STEPS["redis"]
    assert STEPS["valkey"].items() <= STEPS["redis"].items()

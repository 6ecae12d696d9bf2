"""What is special about the bundle: its examples, what it refuses, what its operator may do. The rest: tests/operators/test_bundles.py."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from operators.kubeapi import PATHS
from operators.sampledb.database import GROUP

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


def test_the_examples_are_valid(csv: dict[str, Any], schema: dict[str, Any]) -> None:
    examples = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    assert [one["metadata"]["name"] for one in examples] == ["example-database", "sessions"]
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
    assert "get" in allowed["", "pods/log"]
    assert "patch" in allowed[GROUP, "sampledbs/status"]

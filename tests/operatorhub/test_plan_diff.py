"""What a plan changes, without a cluster: schemas in words, images, manifests wherever OLM keeps them."""

import base64
import gzip
import json
from typing import Any

import pytest
import yaml

from kube.reader import read
from kube.types.extensions import CustomResourceDefinition
from kube.types.olm import ClusterServiceVersionSpec
from operatorhub.upgrade import plan_check, plan_diff, plans, schema_diff
from structural.nodes import node_of


def crd(
    versions: dict[str, dict[str, Any]], stored: tuple[str, ...] = (), storage: str = "", **spec: Any
) -> dict[str, Any]:
    storage = storage or list(versions)[-1]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "dbs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "dbs", "kind": "Db"},
            "versions": [
                {
                    "name": name,
                    "served": True,
                    "storage": name == storage,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
                }
                for name, schema in versions.items()
            ],
            **spec,
        },
        "status": {"storedVersions": list(stored)},
    }


def compare(before: dict[str, Any], after: dict[str, Any]) -> schema_diff.SchemaDiff:
    return schema_diff.compare(read(before, CustomResourceDefinition), read(after, CustomResourceDefinition))


def remarks(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = compare(crd({"v1": before}), crd({"v1": after})).remarks
    return [(item.level, item.where, item.words) for item in found]


def text(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **more}}}


@pytest.mark.parametrize(
    ("before", "after", "level", "words"),
    [
        (text(), text(maxLength=3), "tight", "maxLength is now 3. There was no such limit before."),
        (text(maxLength=3), text(maxLength=2), "tight", "maxLength changed from 3 to 2."),
        (text(maxLength=2), text(maxLength=3), "info", "maxLength changed from 2 to 3."),
        (text(maxLength=2), text(), "info", "The constraint maxLength: 2 no longer applies."),
        (text(), text(enum=["x"]), "tight", "Only these values are now allowed: x."),
        (text(enum=["x", "y"]), text(enum=["x", "z"]), "tight", "These values are no longer allowed: y."),
        (text(), text(pattern="^a"), "tight", "pattern is now ^a. There was no such limit before."),
        (text(nullable=True), text(), "tight", "Null is no longer allowed."),
        (text(default="x"), text(default="y"), "info", "The default changed from x to y."),
        (
            text(),
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            "tight",
            "The type changed from string to integer.",
        ),
        (text(), {**text(), "required": ["a"]}, "tight", "The field is now required."),
        (
            text(),
            {"type": "object", "properties": {}},
            "tight",
            "The field was removed. Its value is dropped when the object is next saved.",
        ),
        (
            text(),
            text(**{"x-kubernetes-validations": [{"rule": "self != 'x'", "message": "not x"}]}),
            "tight",
            "New rule: not x",
        ),
    ],
)
def test_each_change_is_said(before: dict[str, Any], after: dict[str, Any], level: str, words: str) -> None:
    assert (level, "v1 spec.a", words) in remarks(before, after)


def test_what_is_equal_is_not_spoken_of() -> None:
    assert remarks(text(maxLength=3), text(maxLength=3)) == []


def test_lists_and_maps_are_looked_into() -> None:
    def nested(limit: int) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "l": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {"type": "integer", "maximum": limit}},
                }
            },
        }

    assert remarks(nested(5), nested(4)) == [("tight", "v1 spec.l[].*", "maximum changed from 5 to 4.")]


def test_versions_come_and_go() -> None:
    found = compare(crd({"v1alpha1": text(), "v1": text()}, ("v1alpha1", "v1")), crd({"v1": text(), "v2": text()}))
    assert found.grave
    assert [(remark.level, remark.where) for remark in found.remarks if remark.where != "v2"] == [
        ("danger", "v1alpha1"),
        ("tight", "v1alpha1"),
    ]
    assert "The version v2 is new." in [remark.words for remark in found.remarks]


def test_a_new_required_field_with_a_default_is_mild() -> None:
    after = {
        "type": "object",
        "required": ["b"],
        "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}},
    }
    assert [remark[0] for remark in remarks(text(), after)] == ["info"]


def test_a_schema_of_a_megabyte_is_walked_quickly() -> None:
    def wide(limit: int) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                f"f{i}": {
                    "type": "object",
                    "properties": {f"g{j}": {"type": "string", "maxLength": limit} for j in range(40)},
                }
                for i in range(200)
            },
        }

    found = compare(crd({"v1": wide(9)}), crd({"v1": wide(8)}))
    assert len(found.remarks) + found.more == 8000
    assert len(found.remarks) == schema_diff.REMARKS


def csv(image: str, name: str = "op") -> ClusterServiceVersionSpec:
    pod = {"spec": {"containers": [{"name": name, "image": image}]}}
    deployments = [{"name": "op", "spec": {"template": pod}}]
    return read({"install": {"spec": {"deployments": deployments}}}, ClusterServiceVersionSpec)


def test_images_that_change_come_and_go() -> None:
    assert list(plan_diff.images(csv("a:1"), csv("a:1"))) == []
    assert list(plan_diff.images(csv("a:1"), csv("a:2"))) == [plan_diff.ImageChange("op", "op", "a:1", "a:2")]
    assert list(plan_diff.images(csv("a:1", "old"), csv("a:1"))) == [
        plan_diff.ImageChange("op", "op", "", "a:1"),
        plan_diff.ImageChange("op", "old", "a:1", ""),
    ]


def test_what_servers_add_is_no_change() -> None:
    live = {"spec": {"ports": [{"port": 80, "protocol": "TCP"}], "clusterIP": "10.0.0.1"}}
    assert plan_diff.covers(live, {"spec": {"ports": [{"port": 80}]}})
    assert not plan_diff.covers(live, {"spec": {"ports": [{"port": 81}]}})


REFERENCE = {
    "kind": "ConfigMap",
    "namespace": "olm",
    "name": "abc",
    "catalogSourceName": "c",
    "catalogSourceNamespace": "olm",
    "replaces": "",
    "properties": "",
}


def test_a_reference_is_told_from_a_config_map() -> None:
    assert plans.referred(REFERENCE) == ("olm", "abc")
    assert plans.referred({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {}}) is None
    assert plans.referred({**REFERENCE, "catalogSourceName": ""}) is None
    assert plans.referred(None) is None


@pytest.mark.parametrize("packed", [False, True])
def test_bundles_in_config_maps(packed: bool) -> None:
    service = yaml.safe_dump({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
    config: dict[str, Any] = {"data": {"s.yaml": service, "annotations.yaml": "annotations: {}", "broken.yaml": "a: ["}}
    if packed:
        twice = base64.b64encode(base64.b64encode(gzip.compress(service.encode()))).decode()
        config = {
            "metadata": {"annotations": {"olm.contentEncoding": "gzip+base64"}},
            "binaryData": {"s.yaml": twice, "bad": "%%%"},
        }
    assert [item["metadata"]["name"] for item in plans.bundle_objects(config)] == ["s"]


class Bundles:
    """A client that has one ConfigMap."""

    def __init__(self, *objects: dict[str, Any]) -> None:
        self.config = {"data": {f"{number}.yaml": yaml.safe_dump(item) for number, item in enumerate(objects)}}
        self.reads = 0

    def find(self, *_names: str) -> None:
        return None

    def get(self, _type: Any, name: str, namespace: str) -> dict[str, Any]:
        self.reads += 1
        assert (name, namespace) == ("abc", "olm")
        return self.config


def plan_of(*steps: tuple[str, str, dict[str, Any]]) -> plans.InstallPlan:
    entries = [
        {
            "resolving": "db.v2",
            "status": "Unknown",
            "resource": {"kind": kind, "group": "", "version": "v1", "name": name, "manifest": json.dumps(manifest)},
        }
        for kind, name, manifest in steps
    ]
    return plans.plan(
        {
            "metadata": {"name": "install-1", "namespace": "apps"},
            "spec": {},
            "status": {"phase": "RequiresApproval", "plan": entries},
        }
    )


def test_steps_inline_and_by_reference() -> None:
    client: Any = Bundles(
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}},
    )
    found = plans.steps(
        client,
        plan_of(
            ("ConfigMap", "c", {"metadata": {"name": "c"}}),
            ("Service", "s", REFERENCE),
            ("BundleSecret", "key", REFERENCE),
            ("Role", "r-1", REFERENCE),
            ("Service", "gone", REFERENCE),
        ),
    )
    assert [item.manifest["kind"] if item.manifest else None for item in found] == [
        "ConfigMap",
        "Service",
        "Secret",
        None,
        None,
    ]
    assert client.reads == 1
    assert "OLM creates it from the CSV" in found[3].gap
    assert "doesn't contain this object" in found[4].gap
    assert found[2].real_kind == "Secret"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [({"a": "x"}, None), ({"a": "toolong"}, False), ({}, True)],
)
def test_instances_are_judged_as_olm_does(spec: dict[str, Any], expected: bool | None) -> None:
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "string", "maxLength": 3, "default": "x"}},
            }
        },
    }
    found = plan_check.examine(
        node_of(schema), {"apiVersion": "example.com/v1", "kind": "Db", "metadata": {"name": "d"}, "spec": spec}
    )
    assert (found and found[1]) == expected
    if found:
        assert "spec.a" in found[0][0]

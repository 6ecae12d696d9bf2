"""Schemas of built-in kinds: there for every kind that is served, with all they refer to, and small in memory."""

import pytest

from sandbox.builtins import BUILTIN
from sandbox.resources import Resource
from sandbox.schema import builtin, prepare, validate
from sandbox.schema.builtin import FILE, content, without_descriptions


@pytest.mark.parametrize("resource", BUILTIN, ids=lambda resource: f"{resource.api_version}/{resource.kind}")
def test_every_served_kind_has_one(resource: Resource) -> None:
    schema = builtin(resource.group, resource.version, resource.kind)
    assert schema is not None
    assert {"apiVersion", "kind"} <= set(schema["properties"])


def test_references_lead_to_components() -> None:
    schema = builtin("apps", "v1", "Deployment")
    assert schema is not None
    name = schema["properties"]["spec"]["allOf"][0]["$ref"].rpartition("/")[2]
    spec = schema["components"]["schemas"][name]
    assert spec["properties"]["replicas"] == {"type": "integer", "format": "int32"}
    assert schema is builtin("apps", "v1", "Deployment"), "one object for each kind: checks keep what they learn by it"


def test_other_kinds_have_none() -> None:
    assert builtin("apps", "v1", "SampleDB") is None
    assert builtin("nothing.test", "v1", "Pod") is None


def test_the_file_is_small_and_says_what_it_is() -> None:
    assert FILE.stat().st_size < 400_000
    assert content().version.startswith("v1.")


def test_a_property_called_description_stays() -> None:
    schema = {"description": "gone", "properties": {"description": {"type": "string", "description": "gone"}}}
    assert without_descriptions(schema) == {"properties": {"description": {"type": "string"}}}


def test_objects_are_checked_by_them() -> None:
    schema = builtin("", "v1", "Pod")
    assert schema is not None
    container = {"name": "c", "image": "i", "prots": []}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
    assert prepare(schema, pod) == ["spec.containers[0].prots"]
    assert validate(schema, pod, None) == []

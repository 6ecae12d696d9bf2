"""A CRD's schema as a tree in words: opened part by part, searched as a whole."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from resources.types import schematree as schemas

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "required": ["size"],
            "description": "What is wanted",
            "x-kubernetes-validations": [{"rule": "self.size > 0", "message": "more"}],
            "properties": {
                "size": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9, "default": 3},
                "mode": {"type": "string", "enum": ["a", "b"], "description": "Deprecated: use size"},
                "port": {"x-kubernetes-int-or-string": True},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "list": {
                    "type": "array",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string", "maxLength": 63}, "a/b~c": {}},
                    },
                },
            },
        },
        "status": {"type": "object", "properties": {"sizeNow": {"type": "integer"}}},
    },
}


def fields(*where: str) -> dict[str, schemas.SchemaField]:
    return {child.name: child for child in schemas.children(SCHEMA, where)}


def test_the_top_has_what_is_its_own() -> None:
    assert list(fields()) == ["spec", "status"]
    spec = fields()["spec"]
    assert (spec.required, spec.children, spec.rules) == (True, 6, (("self.size > 0", "more"),))


def test_fields_in_words_the_required_first() -> None:
    found = fields("spec")
    assert next(iter(found)) == "size"
    size = found["size"]
    assert (size.type, size.default, size.limits, size.path, size.at) == (
        "integer (int32)",
        "3",
        ("≥ 1", "≤ 9"),
        "spec.size",
        "/spec/size",
    )
    assert found["mode"].enum == ("a", "b")
    assert found["mode"].deprecated
    assert (found["port"].type, found["labels"].type, found["free"].type) == (
        "integer or string",
        "map of string",
        "anything",
    )
    assert (found["list"].type, found["list"].children) == ("list of object", 2)
    assert found["list"].limits == ("unique by name",)


def test_what_a_list_holds_is_looked_through() -> None:
    name = fields("spec", "list")["name"]
    assert (name.path, name.at, name.required) == ("spec.list[].name", "/spec/list/[]/name", True)


def test_addresses_come_back() -> None:
    odd = fields("spec", "list")["a/b~c"]
    assert odd.at == "/spec/list/[]/a~1b~0c"
    assert schemas.place(odd.at) == ("spec", "list", "[]", "a/b~c")
    assert schemas.field(SCHEMA, schemas.place(odd.at)) == odd
    assert schemas.field(SCHEMA, ("spec", "nothing")) is None
    assert schemas.children(SCHEMA, ("nothing",)) == ()


def test_search() -> None:
    assert [field.path for field in schemas.search(SCHEMA, "size").fields] == [
        "spec.size",
        "status.sizeNow",
        "spec.mode",
    ]
    assert [field.path for field in schemas.search(SCHEMA, "list name").fields] == ["spec.list[].name"]
    assert schemas.search(SCHEMA, "nowhere").total == 0
    assert schemas.search(SCHEMA, " ").total == 0
    assert (len(schemas.search(SCHEMA, "s", 2).fields), schemas.search(SCHEMA, "s", 2).total > 2) == (2, True)


def test_versions() -> None:
    crd = {
        "spec": {
            "versions": [
                {"name": "v1", "served": True, "schema": {"openAPIV3Schema": SCHEMA}},
                {"name": "v0", "served": False},
                {"name": "v2", "served": True, "deprecated": True, "deprecationWarning": "no"},
            ]
        }
    }
    assert [(version.name, version.deprecated) for version in schemas.versions(crd)] == [("v1", ""), ("v2", "no")]
    assert schemas.versions({}) == ()


@pytest.mark.parametrize("odd", [{}, {"properties": 3}, {"properties": {"a": None}}, {"items": []}])
def test_odd_schemas_are_no_error(odd: dict[str, Any]) -> None:
    schemas.children(odd, ())
    schemas.search(odd, "a")


def test_the_largest_schemas(real_catalog: Path) -> None:
    files = sorted((real_catalog.parent / "schemas").glob("*.json.gz"), key=lambda file: -file.stat().st_size)[:5]
    for file in files:
        schema = json.loads(gzip.decompress(file.read_bytes()))
        started = time.process_time()
        assert schemas.children(schema, ())
        assert schemas.search(schema, "name").total > 10
        assert time.process_time() - started < 1, file

"""What the tables of real answers do not show: forgiveness on update, built-in kinds, rules that cannot run, speed."""

import gzip
import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from sandbox.schema import builtin, prepare, validate
from structural import rules

SCHEMAS = Path(__file__).resolve().parents[4] / "shared" / "catalog" / "schemas"


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def thing(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}


def fields(found: list[Any]) -> list[str]:
    return [cause.field for cause in found]


STRICT = schema(size={"type": "integer", "minimum": 5}, name={"type": "string", "maxLength": 3})


def test_what_was_wrong_before_is_forgiven() -> None:
    old = thing(size=1, name="abc")
    assert validate(STRICT, thing(size=1, name="ab"), old) == []
    assert fields(validate(STRICT, thing(size=2, name="ab"), old)) == ["spec.size"]
    assert fields(validate(STRICT, thing(size=1, name="abcd"), old)) == ["spec.name"]


def test_one_and_true_are_not_the_same() -> None:
    flags = schema(flag={"type": "integer"})
    assert fields(validate(flags, thing(flag=True), thing(flag=1))) == ["spec.flag"]


def test_items_of_keyed_lists_are_forgiven_wherever_they_move() -> None:
    items = {"type": "object", "properties": {"name": {"type": "string"}, "v": {"type": "integer", "minimum": 5}}}
    keyed = schema(
        list={"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    )
    old = thing(list=[{"name": "a", "v": 1}, {"name": "b", "v": 7}])
    assert validate(keyed, thing(list=[{"name": "b", "v": 8}, {"name": "a", "v": 1}]), old) == []
    assert fields(validate(keyed, thing(list=[{"name": "a", "v": 2}]), old)) == ["spec.list[0].v"]


def test_rules_are_found_after_defaults_were_checked() -> None:
    ruled = schema(
        a={"type": "integer", "default": 1}, b={"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}
    )
    assert fields(validate(ruled, thing(b=1), None)) == ["spec.b"]


def test_rules_forgive_too_unless_they_look_back() -> None:
    ruled = schema(
        a={"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]},
        b={"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "only grows"}]},
    )
    assert validate(ruled, thing(a=1, b=2), thing(a=1, b=1)) == []
    assert fields(validate(ruled, thing(a=1, b=0), thing(a=1, b=1))) == ["spec.b"]
    assert fields(validate(ruled, thing(a=2, b=0), None)) == ["spec.a"]


def test_a_rule_that_cannot_run_is_skipped_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    rule = {"rule": "self.spec.transformList(i, v, v + 1) == [1]"}
    odd = schema(list={"type": "array", "items": {"type": "integer"}}) | {"x-kubernetes-validations": [rule]}
    with caplog.at_level(logging.WARNING):
        assert validate(odd, thing(list=[1]), None) == []
        assert validate(odd, thing(list=[2]), None) == []
    assert [record.getMessage()[:24] for record in caplog.records] == ["rule is not checked, it "]


def test_without_a_library_no_rule_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    ruled = schema(a={"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]})
    assert fields(validate(ruled, thing(a=1), None)) == ["spec.a"]
    monkeypatch.setattr(rules, "available", lambda: False)
    assert validate(ruled, thing(a=1), None) == []


def test_dates_in_rules_are_not_refused_by_mistake() -> None:
    when = {"type": "string", "format": "date-time"}
    limits = {"rule": "self.a < self.b && self.a > timestamp('2020-01-01T00:00:00Z')"}
    dated = {"type": "object", "properties": {"a": when, "b": when}, "x-kubernetes-validations": [limits]}
    obj = thing(when={"a": "2021-01-01T00:00:00Z", "b": "2022-01-01T00:00:00Z"})
    assert validate(schema(when=dated), obj, None) == []


def test_built_in_kinds() -> None:
    found = builtin("apps", "v1", "Deployment")
    assert found is not None
    pod = {"containers": [{"image": "x", "env": [{"value": "y"}], "securityContext": None}]}
    obj = {"kind": "Deployment", "spec": {"replicas": "3", "template": {"spec": pod}}, "status": {"conditions": [{}]}}
    place = "spec.template.spec.containers[0]"
    assert sorted((cause.field, cause.reason) for cause in validate(found, obj, None)) == [
        ("spec.replicas", "FieldValueTypeInvalid"),
        ("spec.selector", "FieldValueRequired"),
        (f"{place}.env[0].name", "FieldValueRequired"),
        (f"{place}.name", "FieldValueRequired"),
    ]


def test_a_role_without_rules_is_fine() -> None:
    found = builtin("rbac.authorization.k8s.io", "v1", "ClusterRole")
    assert found is not None
    assert validate(found, {"kind": "ClusterRole", "rules": None}, None) == []


def test_schemas_that_refer_to_themselves() -> None:
    found = builtin("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    assert found is not None
    deep: dict[str, Any] = {"type": "string", "maxLength": "x"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"a": deep}}
    crd = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": deep}}]}}
    assert prepare(found, crd) == []
    assert any(cause.field.endswith("properties.a.maxLength") for cause in validate(found, crd, None))


@pytest.mark.skipif(not SCHEMAS.is_dir(), reason=f"the schemas are not at {SCHEMAS}")
def test_a_schema_of_900_kilobytes_is_no_burden_when_warm() -> None:
    index = json.loads((SCHEMAS / "index.json").read_text())
    files = index if isinstance(index, list) else index["schemas"]
    largest = max(files, key=lambda file: file["bytes"])
    big = json.loads(gzip.decompress((SCHEMAS / largest["file"]).read_bytes()))
    spec = {name: {} for name in list(big["properties"]["spec"].get("properties") or {})[:50]}
    prepare(big, thing(**spec))
    validate(big, thing(**spec), None)
    best = 1.0
    for _ in range(5):
        obj = thing(**spec)
        start = time.perf_counter()
        prepare(big, obj)
        validate(big, obj, None)
        best = min(best, time.perf_counter() - start)
    assert best < 0.010

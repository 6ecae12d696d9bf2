"""Pruning and defaulting: what goes, what comes, what is reported."""

from typing import Any

from sandbox.schema import builtin, prepare

TEXT = {"type": "string"}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def thing(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}


def test_unknown_fields_go_and_are_named_in_order() -> None:
    obj = thing(b=1, a="x", list=[{"x": "y", "z": 1}]) | {"other": {}}
    obj["metadata"] |= {"nmae": "typo", "ownerReferences": [{"name": "a", "uuid": "b"}]}
    unknown = prepare(
        schema(a=TEXT, list={"type": "array", "items": {"type": "object", "properties": {"x": TEXT}}}), obj
    )
    assert unknown == ["metadata.nmae", "metadata.ownerReferences[0].uuid", "other", "spec.b", "spec.list[0].z"]
    assert obj == thing(a="x", list=[{"x": "y"}]) | {
        "metadata": {"name": "x", "ownerReferences": [{"name": "a"}]},
    }


def test_type_meta_is_known_at_the_root_only() -> None:
    obj = thing(inner={"kind": "Pod", "a": "x"})
    assert prepare(schema(inner={"type": "object", "properties": {"a": TEXT}}), obj) == ["spec.inner.kind"]


def test_preserved_fields_stay_but_what_is_declared_inside_is_pruned() -> None:
    preserving = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    preserving["properties"] = {"a": {"type": "object", "properties": {"b": TEXT}}}
    obj = thing(kept={"free": {"x": 1}, "a": {"b": "1", "c": "2"}})
    assert prepare(schema(kept=preserving), obj) == ["spec.kept.a.c"]
    assert obj["spec"] == {"kept": {"free": {"x": 1}, "a": {"b": "1"}}}


def test_embedded_resources_keep_their_type_and_lose_unknown_metadata() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}}
    obj = thing(pod={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "nmae": 1}, "data": {}})
    assert prepare(schema(pod=embedded), obj) == ["spec.pod.data", "spec.pod.metadata.nmae"]


def test_defaults_reach_into_lists_maps_and_defaults() -> None:
    inner = {"type": "object", "properties": {"protocol": {"type": "string", "default": "TCP"}}}
    obj = thing(list=[{}, {"protocol": "UDP"}], map={"a": {}})
    prepare(
        schema(
            list={"type": "array", "items": inner},
            map={"type": "object", "additionalProperties": inner},
            whole=inner | {"default": {}},
        ),
        obj,
    )
    tcp = {"protocol": "TCP"}
    assert obj["spec"] == {"list": [tcp, {"protocol": "UDP"}], "map": {"a": tcp}, "whole": tcp}


def test_a_default_is_copied() -> None:
    shared = schema(
        whole={"type": "object", "default": {"list": []}, "properties": {"list": {"type": "array", "items": TEXT}}}
    )
    first, second = thing(), thing()
    prepare(shared, first)
    first["spec"]["whole"]["list"].append("x")
    prepare(shared, second)
    assert second["spec"] == {"whole": {"list": []}}


def test_null_is_kept_only_where_it_is_allowed() -> None:
    obj = thing(a=None, b=None, c=None, d=None)
    prepare(
        schema(
            a=TEXT, b=TEXT | {"nullable": True}, c=TEXT | {"default": "x"}, d=TEXT | {"default": "x", "nullable": True}
        ),
        obj,
    )
    assert obj["spec"] == {"b": None, "c": "x", "d": None}


def test_built_in_kinds_lose_what_they_do_not_know() -> None:
    found = builtin("", "v1", "ConfigMap")
    assert found is not None
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "foo": 1}, "spec": 1, "data": {"a": "b"}}
    assert prepare(found, obj) == ["metadata.foo", "spec"]
    assert obj == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}


def test_built_in_kinds_get_no_zero_values_and_no_nulls() -> None:
    found = builtin("apps", "v1", "Deployment")
    assert found is not None
    container = {"image": "x", "ports": [{"containerPort": 80}], "command": None}
    obj: dict[str, Any] = {
        "spec": {"template": {"metadata": {"creationTimestamp": None}, "spec": {"containers": [container]}}}
    }
    assert prepare(found, obj) == []
    (made,) = obj["spec"]["template"]["spec"]["containers"]
    assert made == {"image": "x", "ports": [{"containerPort": 80, "protocol": "TCP"}]}
    assert obj["spec"]["template"]["metadata"] == {}
    assert set(obj) == {"spec"}


def test_a_crd_keeps_its_schema() -> None:
    found = builtin("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    assert found is not None
    inner = {"type": "object", "properties": {"a": {"default": {"x": None}, "enum": [None, 1]}}, "x-kubernetes-foo": 1}
    obj: dict[str, Any] = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": inner}}]}}
    assert prepare(found, obj) == ["spec.versions[0].schema.openAPIV3Schema.x-kubernetes-foo"]
    assert inner["properties"]["a"] == {"default": {"x": None}, "enum": [None, 1]}

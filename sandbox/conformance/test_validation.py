"""Validation of custom resources: what is refused, at which field, in which words"""

from collections.abc import Callable
from typing import Any

from tests.api import Answer, Api

from .observations import Seen
from .test_custom_resources import INTEGER, STRING, Define, widget

LIST = {"type": "array", "items": STRING}


def refused(seen: Seen, api: Api, path: str, cases: dict[str, dict[str, Any]]) -> None:
    """One check for each spec. Causes are put in order: the API server goes through fields as Go's maps give them."""
    for name, spec in cases.items():
        answer = api.post(f"{path}?dryRun=All", widget(path, **spec))
        observe(seen, name, answer)


def observe(seen: Seen, name: str, answer: Answer) -> None:
    """The status and the causes."""
    causes = answer.json.get("details", {}).get("causes", [])
    listed = sorted([cause["field"], cause["reason"], cause["message"]] for cause in causes)
    if len(causes) < 2:
        seen(name, answer, without=["metadata"])
    else:
        seen.value(name, {"status": answer.status, "causes": listed})


def test_types(seen: Seen, api: Api, define: Define) -> None:
    """A value of a wrong type"""
    kinds = ("string", "integer", "number", "boolean", "array", "object")
    path = define({kind: {"type": kind, **({"items": STRING} if kind == "array" else {})} for kind in kinds})
    values: dict[str, Any] = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": ["x"], "object": {}}
    for wanted in kinds:
        for given, value in values.items():
            if wanted != given:
                refused(seen, api, path, {f"{given} for {wanted}": {wanted: value}})
    refused(seen, api, path, {"1.0 for integer": {"integer": 1.0}, "a wrong item": {"array": ["x", 1]}})


def test_required(seen: Seen, api: Api, define: Define) -> None:
    """Required fields, at every depth"""
    inner = {"type": "object", "required": ["a", "b"], "properties": {"a": STRING, "b": STRING}}
    path = define(
        {
            "inner": inner,
            "items": {"type": "array", "items": inner},
            "byName": {"type": "object", "additionalProperties": inner},
        }
    )
    refused(
        seen,
        api,
        path,
        {
            "one": {"inner": {"a": "x"}},
            "two": {"inner": {}},
            "null": {"inner": {"a": "x", "b": None}},
            "in a list": {"items": [{"a": "x", "b": "y"}, {"a": "x"}]},
            "in a map": {"byName": {"some.name": {"a": "x"}}},
        },
    )


def test_values(seen: Seen, api: Api, define: Define) -> None:
    """enum, bounds, multiples, lengths and patterns"""
    path = define(
        {
            "enum": STRING | {"enum": ["Red", "Green"]},
            "numbers": INTEGER | {"enum": [1, 2]},
            "least": INTEGER | {"minimum": 3},
            "most": {"type": "number", "maximum": 2.5},
            "above": INTEGER | {"minimum": 3, "exclusiveMinimum": True},
            "below": INTEGER | {"maximum": 3, "exclusiveMaximum": True},
            "multiple": INTEGER | {"multipleOf": 5},
            "long": STRING | {"minLength": 3},
            "short": STRING | {"maxLength": 3},
            "pattern": STRING | {"pattern": "^[a-z]+$"},
            "quantity": {
                "x-kubernetes-int-or-string": True,
                "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
            },
        }
    )
    refused(
        seen,
        api,
        path,
        {
            "enum": {"enum": "Blue"},
            "enum, empty": {"enum": ""},
            "enum of numbers": {"numbers": 3},
            "minimum": {"least": 2},
            "maximum": {"most": 2.75},
            "exclusiveMinimum": {"above": 3},
            "exclusiveMaximum": {"below": 3},
            "multipleOf": {"multiple": 7},
            "minLength": {"long": "é"},
            "maxLength": {"short": "abcd"},
            "maxLength counts characters": {"short": "äöü"},
            "pattern": {"pattern": "A b"},
            "pattern of a number": {"quantity": 5},
            "pattern of a text": {"quantity": "5 Gi"},
            "several": {"enum": "Blue", "least": 1, "short": "abcd", "multiple": 1},
        },
    )


def test_formats(seen: Seen, api: Api, define: Define) -> None:
    """Formats that are checked, and those that are not"""
    bad = {
        "date-time": "yesterday",
        "date": "2026-13-01",
        "duration": "5 apples",
        "email": "nobody",
        "hostname": "-x-",
        "ipv4": "1.2.3",
        "ipv6": "1.2.3.4",
        "cidr": "10.0.0.0",
        "mac": "x",
        "uri": "no uri",
        "uuid": "1-2-3",
        "byte": "***",
        "password": "any",
        "k8s-short-name": "Not_Short",
        "k8s-long-name": "Not_Long",
        "unheard-of": "any",
    }
    path = define({name: STRING | {"format": name} for name in bad} | {"int32": INTEGER | {"format": "int32"}})
    refused(seen, api, path, {name: {name: value} for name, value in bad.items()} | {"int32": {"int32": 2**40}})


def test_lists(seen: Seen, api: Api, define: Define) -> None:
    """Sizes of lists; sets and maps without duplicates"""
    keyed = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "port"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": STRING, "port": INTEGER | {"default": 80}, "value": STRING},
        },
    }
    path = define(
        {
            "least": LIST | {"minItems": 2},
            "most": LIST | {"maxItems": 2},
            "set": LIST | {"x-kubernetes-list-type": "set"},
            "map": keyed,
        }
    )
    refused(
        seen,
        api,
        path,
        {
            "minItems": {"least": ["a"]},
            "maxItems": {"most": ["a", "b", "c"]},
            "set": {"set": ["a", "b", "a", "a"]},
            "map": {"map": [{"name": "a"}, {"name": "a", "port": 80}, {"name": "a", "port": 81}]},
            "map without a key": {"map": [{"port": 1}]},
        },
    )


def test_objects(seen: Seen, api: Api, define: Define) -> None:
    """Sizes of maps, and what their values may be"""
    path = define(
        {
            "least": {"type": "object", "additionalProperties": STRING, "minProperties": 2},
            "most": {"type": "object", "additionalProperties": STRING, "maxProperties": 1},
            "numbers": {"type": "object", "additionalProperties": INTEGER | {"maximum": 5}},
        }
    )
    refused(
        seen,
        api,
        path,
        {
            "minProperties": {"least": {"a": "x"}},
            "maxProperties": {"most": {"a": "x", "b": "y"}},
            "a value of a wrong type": {"numbers": {"a.b/c": "x"}},
            "a value too large": {"numbers": {"a": 6, "b": 1}},
        },
    )


def test_junctors(seen: Seen, api: Api, define: Define) -> None:
    """anyOf, oneOf, allOf and not"""
    either: Callable[..., dict[str, Any]] = lambda **junctor: {  # noqa: E731
        "type": "object",
        "properties": {"a": STRING, "b": INTEGER},
        **junctor,
    }
    path = define(
        {
            "any": either(anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
            "one": either(oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
            "all": either(allOf=[{"required": ["a"]}, {"properties": {"b": {"minimum": 3}}}]),
            "not": either(**{"not": {"required": ["a", "b"]}}),
        }
    )
    both, neither = {"a": "x", "b": 1}, dict[str, Any]()
    refused(
        seen,
        api,
        path,
        {
            "anyOf: none": {"any": neither},
            "anyOf: both": {"any": both},
            "oneOf: none": {"one": neither},
            "oneOf: both": {"one": both},
            "allOf: none": {"all": {"b": 1}},
            "allOf: one": {"all": {"b": 5}},
            "not": {"not": both},
        },
    )


def test_ratcheting(seen: Seen, api: Api, define: Define) -> None:
    """What was allowed once may stay as it is while other fields change"""
    path = define(
        {"color": STRING, "size": INTEGER, "inner": {"type": "object", "properties": {"a": STRING, "b": STRING}}}
    )
    created = api.post(path, widget(path, color="Blue", size=1, inner={"a": "x", "b": "y"}))
    assert created.status == 201
    group = path.split("/")[2]
    spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"
    stricter = [
        {"op": "add", "path": f"{spec}/color/enum", "value": ["Red"]},
        {"op": "add", "path": f"{spec}/inner/properties/a/maxLength", "value": 0},
    ]
    crd = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}"
    assert api.patch(crd, stricter, "application/json-patch+json").status == 200
    # The schema holds a moment after the answer.
    while api.post(f"{path}?dryRun=All", widget(path, "b", color="Blue")).status == 201:
        pass
    observe(seen, "a new one", api.post(f"{path}?dryRun=All", widget(path, "b", color="Blue", inner={"a": "x"})))
    observe(seen, "another field", api.patch(f"{path}/a", {"spec": {"size": 2, "inner": {"b": "z"}}}))
    observe(seen, "the field itself", api.patch(f"{path}/a", {"spec": {"color": "Green", "inner": {"a": "w"}}}))
    observe(seen, "to what is allowed", api.patch(f"{path}/a", {"spec": {"color": "Red", "inner": {"a": ""}}}))
    observe(seen, "and back", api.patch(f"{path}/a", {"spec": {"color": "Blue"}}))

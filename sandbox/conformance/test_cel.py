"""CEL rules of custom resources: x-kubernetes-validations"""

from typing import Any

import pytest

from tests.api import CRDS, JSON_PATCH, Api, custom_resource_definition

from .observations import Seen
from .test_custom_resources import INTEGER, STRING, Define, widget
from .test_validation import observe

RULES = "x-kubernetes-validations"


def ruled(schema: dict[str, Any], *rules: str | dict[str, Any]) -> dict[str, Any]:
    """The schema with rules; a text is a rule without anything else."""
    return schema | {RULES: [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]}


def test_messages(seen: Seen, api: Api, define: Define) -> None:
    """A rule that does not hold is reported by its text, its message or its messageExpression"""
    name = STRING | {"maxLength": 20}
    sizes = {"type": "object", "properties": {"min": INTEGER, "max": INTEGER, "name": name, "other": name}}
    path = define(
        {
            "plain": ruled(sizes, "self.min <= self.max"),
            "message": ruled(sizes, {"rule": "self.min <= self.max", "message": "min must not exceed max"}),
            "expression": ruled(
                sizes,
                {
                    "rule": "self.min <= self.max",
                    "messageExpression": "'min exceeds max in ' + self.name",
                },
            ),
            "both": ruled(
                sizes,
                {"rule": "self.min <= self.max", "message": "static", "messageExpression": "'of ' + self.other"},
            ),
            "scalar": ruled(INTEGER, {"rule": "self % 2 == 0", "message": "must be even"}),
            "text": ruled(name, "self.startsWith('a')"),
            "several": ruled(sizes, "self.min > 0", "self.max > 0", "self.min < 100"),
        }
    )
    wrong = {"min": 3, "max": 1, "name": "x"}
    for name in ("plain", "message", "expression", "both"):
        observe(seen, name, api.post(f"{path}?dryRun=All", widget(path, **{name: wrong})))
    observe(seen, "scalar", api.post(f"{path}?dryRun=All", widget(path, scalar=3)))
    observe(seen, "text", api.post(f"{path}?dryRun=All", widget(path, text="b")))
    observe(seen, "several", api.post(f"{path}?dryRun=All", widget(path, several={"min": -1, "max": -1})))
    observe(seen, "a field that is not there", api.post(f"{path}?dryRun=All", widget(path, plain={"min": 1})))
    observe(seen, "after another error", api.post(f"{path}?dryRun=All", widget(path, plain=wrong, scalar="x")))
    observe(seen, "all well", api.post(f"{path}?dryRun=All", widget(path, plain={"min": 1, "max": 2}, scalar=2)))


def test_reasons(seen: Seen, api: Api, define: Define) -> None:
    """reason and fieldPath say what is wrong and where"""
    inner = {"type": "object", "properties": {"a": STRING, "odd name": STRING}}
    fields = {"type": "object", "properties": {"a": STRING, "inner": inner}}
    rule = {"rule": "has(self.a) && self.a == 'x'", "message": "a must be x"}
    path = define(
        {
            "invalid": ruled(fields, rule | {"reason": "FieldValueInvalid"}),
            "forbidden": ruled(fields, rule | {"reason": "FieldValueForbidden"}),
            "required": ruled(fields, rule | {"reason": "FieldValueRequired"}),
            "duplicate": ruled(fields, rule | {"reason": "FieldValueDuplicate"}),
            "inside": ruled(fields, rule | {"fieldPath": ".inner.a"}),
            "odd": ruled(fields, rule | {"fieldPath": ".inner['odd name']"}),
        }
    )
    for name in ("invalid", "forbidden", "required", "duplicate", "inside", "odd"):
        observe(seen, name, api.post(f"{path}?dryRun=All", widget(path, **{name: {"a": "y"}})))


def test_transitions(seen: Seen, api: Api, define: Define) -> None:
    """Rules with oldSelf hold a change against what was before"""
    path = define(
        {
            "fixed": ruled(STRING, {"rule": "self == oldSelf", "message": "fixed is immutable"}),
            "growing": ruled(INTEGER, "self >= oldSelf"),
            "once": ruled(
                STRING,
                {
                    "rule": "oldSelf.hasValue() || self == 'first'",
                    "optionalOldSelf": True,
                    "message": "must begin with first",
                },
            ),
        }
    )
    observe(seen, "created otherwise", api.post(path, widget(path, once="second")))
    assert api.post(path, widget(path, fixed="x", growing=5, once="first")).status == 201
    observe(seen, "immutable", api.patch(f"{path}/a", {"spec": {"fixed": "y"}}))
    observe(seen, "shrinking", api.patch(f"{path}/a", {"spec": {"growing": 4}}))
    observe(seen, "growing", api.patch(f"{path}/a", {"spec": {"growing": 6}}))
    observe(seen, "an old value", api.patch(f"{path}/a", {"spec": {"once": "second"}}))
    observe(seen, "taken away", api.patch(f"{path}/a", {"spec": {"fixed": None}}))
    observe(seen, "and put back", api.patch(f"{path}/a", {"spec": {"fixed": "z"}}))


def test_root(seen: Seen, api: Api, define: Define) -> None:
    """Rules at the root know metadata.name; status is held to its rules too"""
    parts = {
        "spec": {"type": "object", "properties": {"size": INTEGER}},
        "status": {"type": "object", "properties": {"ready": INTEGER}},
    }
    schema = ruled(
        {"type": "object", "properties": parts},
        {"rule": "self.metadata.name.startsWith('a')", "message": "the name must begin with a"},
        "!has(self.status) || !has(self.status.ready) || self.status.ready <= self.spec.size",
    )
    path = define({}, schema={"openAPIV3Schema": schema}, subresources={"status": {}})
    observe(seen, "a bad name", api.post(path, widget(path, "b", size=1)))
    assert api.post(path, widget(path, "a", size=1)).status == 201
    observe(seen, "a bad status", api.patch(f"{path}/a/status", {"status": {"ready": 2}}))
    observe(seen, "a good status", api.patch(f"{path}/a/status", {"status": {"ready": 1}}))
    observe(seen, "spec beside status", api.patch(f"{path}/a", {"spec": {"size": 0}}))


def test_lists(seen: Seen, api: Api, define: Define) -> None:
    """Rules on items of lists and on values of maps, with their old values where items have keys"""
    item = ruled(
        {"type": "object", "required": ["name"], "properties": {"name": STRING, "size": INTEGER}},
        {"rule": "!has(self.size) || self.size < 10", "message": "too large"},
        {"rule": "!has(oldSelf.size) || self.size >= oldSelf.size", "message": "must not shrink"},
    )
    keyed = {
        "type": "array",
        "maxItems": 10,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": item,
    }
    values = ruled(INTEGER, {"rule": "self > 0", "message": "must be positive"})
    path = define(
        {
            "map": keyed,
            "byName": {"type": "object", "maxProperties": 10, "additionalProperties": values},
            "names": ruled(
                {"type": "array", "maxItems": 10, "items": STRING | {"maxLength": 9}},
                {"rule": "self.all(x, self.exists_one(y, x == y))", "message": "names must be unique"},
            ),
        }
    )
    observe(seen, "an item", api.post(path, widget(path, map=[{"name": "a"}, {"name": "b", "size": 11}])))
    observe(seen, "a value", api.post(path, widget(path, byName={"a.b": 0, "c": 1})))
    observe(seen, "a list", api.post(path, widget(path, names=["a", "b", "a"])))
    assert api.post(path, widget(path, map=[{"name": "a", "size": 1}, {"name": "b", "size": 5}])).status == 201
    moved = {"spec": {"map": [{"name": "b", "size": 4}, {"name": "a", "size": 1}]}}
    observe(seen, "an item that moved and shrank", api.patch(f"{path}/a", moved))


def test_ratcheting(seen: Seen, api: Api, define: Define) -> None:
    """An invalid value from before a rule may stay; changing it is held to the rule"""
    path = define({"color": STRING, "size": INTEGER})
    assert api.post(path, widget(path, color="Blue", size=1)).status == 201
    place = f"{CRDS}/widgets.{path.split('/')[2]}"
    rule = [{"rule": "self == 'Red'", "message": "must be Red"}]
    where = f"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/{RULES}"
    assert api.patch(place, [{"op": "add", "path": where, "value": rule}], JSON_PATCH).status == 200
    while api.post(f"{path}?dryRun=All", widget(path, "b", color="Blue")).status == 201:
        pass
    observe(seen, "a new one", api.post(path, widget(path, "b", color="Blue")))
    observe(seen, "another field", api.patch(f"{path}/a", {"spec": {"size": 2}}))
    observe(seen, "the field", api.patch(f"{path}/a", {"spec": {"color": "Green"}}))


#: Function → (type of the field, rule, a value that holds, one that does not).
LIBRARY: dict[str, tuple[dict[str, Any], str, Any, Any]] = {
    "matches": (STRING, "self.matches('^[a-z]+$')", "abc", "A1"),
    "find": (STRING, "self.find('[0-9]+') == '12'", "a12b", "ab"),
    "split": (STRING, "self.split(',').size() == 2", "a,b", "a"),
    "lowerAscii": (STRING, "self == self.lowerAscii()", "abc", "aBc"),
    "replace": (STRING, "self.replace('-', '') == 'ab'", "a-b", "abc"),
    "isURL": (STRING, "isURL(self)", "https://example.com/x", "no url"),
    "url host": (
        STRING,
        "isURL(self) && url(self).getHost() == 'example.com'",
        "https://example.com/x",
        "https://other/",
    ),
    "isQuantity": (STRING, "isQuantity(self)", "1.5Gi", "much"),
    "quantity": (STRING, "quantity(self).isLessThan(quantity('2Gi'))", "1Gi", "3Gi"),
    "isIP": (STRING, "isIP(self)", "::1", "1.2.3"),
    "ip family": (STRING, "ip(self).family() == 4", "10.0.0.1", "::1"),
    "cidr": (STRING, "cidr('10.0.0.0/8').containsIP(self)", "10.1.2.3", "11.1.2.3"),
    "format": (STRING | {"maxLength": 99}, "!format.dns1123Label().validate(self).hasValue()", "my-name", "My_Name"),
    "isSorted": ({"type": "array", "items": INTEGER, "maxItems": 9}, "self.isSorted()", [1, 2, 3], [2, 1]),
    "sum": ({"type": "array", "items": INTEGER, "maxItems": 9}, "self.sum() < 10", [1, 2], [9, 9]),
    "indexOf": ({"type": "array", "items": INTEGER, "maxItems": 9}, "self.indexOf(7) == 1", [1, 7], [7, 1]),
    "duration": (STRING | {"format": "duration"}, "self < duration('1h')", "30m", "2h"),
    "date-time": (
        STRING | {"format": "date-time"},
        "self.getFullYear() > 2000",
        "2020-01-01T00:00:00Z",
        "1999-01-01T00:00:00Z",
    ),
    "int or string": (
        {"x-kubernetes-int-or-string": True},
        "type(self) == int ? self < 5 : self == '50%'",
        "50%",
        7,
    ),
    "semver": (STRING, "isSemver(self) && semver(self).major() == 1", "1.2.3", "2.0.0"),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_library(seen: Seen, api: Api, group: str, name: str) -> None:
    """The functions that rules may use"""
    schema, rule, good, bad = LIBRARY[name]
    # A default must hold the rules of its field, so the CRD itself tells, without a moment's wait.
    for word, value in (("holds", good), ("does not hold", bad)):
        crd = custom_resource_definition(group, "widgets", "Widget")
        spec = {"type": "object", "properties": {"field": ruled(schema, rule) | {"default": value}}}
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = spec
        answer = api.post(f"{CRDS}?dryRun=All", crd)
        causes = answer.json.get("details", {}).get("causes", [])
        seen.value(word, {"status": answer.status, "causes": causes})


BAD_RULES: dict[str, dict[str, Any]] = {
    "syntax": ruled(STRING, "self =="),
    "an unknown field": ruled({"type": "object", "properties": {"a": STRING}}, "self.b == 'x'"),
    "an unknown function": ruled(STRING, "self.shout()"),
    "an unknown variable": ruled(STRING, "other == 'x'"),
    "wrong types": ruled({"type": "object", "properties": {"a": STRING}}, "self.a > 5"),
    "empty": ruled(STRING, ""),
    "too expensive": {
        "type": "array",
        "items": {"type": "array", "items": ruled(STRING, "self.contains('x') && self.matches('a+b+')")},
    },
    "a map of unknown types": ruled({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "self.a == 'x'"),
}


@pytest.mark.parametrize("name", BAD_RULES)
def test_bad_rules(seen: Seen, api: Api, group: str, name: str) -> None:
    """Rules that cannot be compiled, or cost too much, are refused with the CRD"""
    crd = custom_resource_definition(group, "widgets", "Widget")
    spec = {"type": "object", "properties": {"field": BAD_RULES[name]}}
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = spec
    answer = api.post(f"{CRDS}?dryRun=All", crd)
    causes = answer.json.get("details", {}).get("causes", [])
    listed = sorted([cause["field"], cause["reason"]] for cause in causes)
    seen.value("answer", {"status": answer.status, "causes": listed})

"""Which control a field gets, whose names it offers, and what a copy of an item carries along."""

from typing import Any

import pytest
from django.template.loader import get_template

from resources.forms import kubernetes_types, shapes, texts, widgets
from resources.forms.descriptors import Descriptor
from resources.forms.parse import parse
from resources.forms.paths import Path
from resources.forms.schema import kind_of
from resources.forms.widgets import WIDGETS, Widget, widget

QUANTITY = kubernetes_types.QUANTITY


def widget_of(node: dict[str, Any], *path: str, descriptor_name: str = "", text: str = "") -> Widget:
    descriptor = Descriptor(widgets=frozenset([descriptor_name])) if descriptor_name else None
    return widget(kind_of(node), node, descriptor, ("spec", *path), text)


@pytest.mark.parametrize(
    ("node", "name", "shown"),
    [
        ({"type": "string"}, "title", "line"),
        ({"type": "string", "maxLength": 5000}, "story", "lines"),
        ({"type": "string", "format": "password"}, "x", "password"),
        ({"type": "string", "format": "byte"}, "x", "bytes"),
        ({"type": "string", "format": "date-time"}, "x", "datetime"),
        ({"type": "string", "format": "duration"}, "x", "duration"),
        ({"type": "string", "pattern": "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$"}, "x", "duration"),
        ({"type": "string"}, "image", "image"),
        ({"type": "string", "description": "In Cron format."}, "schedule", "cron"),
        ({"type": "string"}, "schedule", "line"),
        ({"type": "string", "enum": ["a", "b"]}, "x", "radios"),
        ({"type": "string", "enum": list("abcd")}, "x", "select"),
        ({"type": "boolean"}, "x", "boolean"),
        ({"type": "integer"}, "x", "number"),
        ({"type": "integer"}, "replicas", "stepper"),
        ({"type": "integer", "maximum": 65535}, "httpPort", "port"),
        ({"x-kubernetes-int-or-string": True}, "x", "int-or-string"),
        (QUANTITY, "x", "quantity"),
        ({"type": "array", "items": {"type": "string"}}, "x", "rows"),
        ({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}, "x", "cards"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "x", "pairs"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "x", "section"),
        ({"type": "object", "properties": {"limits": {}, "requests": {}}}, "resources", "resources"),
        ({"type": "object", "properties": {"name": {}, "key": {}}}, "passwordSecretRef", "reference"),
        ({}, "x", "yaml"),
    ],
)
def test_by_schema_and_name(node: dict[str, Any], name: str, shown: str) -> None:
    assert widget_of(node, name).name == shown
    assert shown in WIDGETS


@pytest.mark.parametrize("name", WIDGETS)
def test_each_has_a_template(name: str) -> None:
    assert get_template(WIDGETS[name].template)


@pytest.mark.parametrize(
    ("descriptor_name", "kind", "shown"),
    [
        ("booleanSwitch", "boolean", "boolean"),
        ("checkbox", "boolean", "boolean"),
        ("podCount", "integer", "stepper"),
        ("password", "string", "password"),
        ("imagePullPolicy", "string", "radios"),
    ],
)
def test_by_descriptor(descriptor_name: str, kind: str, shown: str) -> None:
    assert widget_of({"type": kind}, "x", descriptor_name=descriptor_name).name == shown


def test_a_text_of_many_lines_never_goes_into_one_line() -> None:
    assert widget_of({"type": "string"}, "image", text="a\nb").name == "lines"
    assert widget_of({"type": "string", "format": "password"}, "x", text="a\nb").name == "lines"


def test_a_number_that_a_browser_would_round_is_text() -> None:
    assert widget_of({"type": "integer"}, "x", text="9007199254740993123").name == "line"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (("secretName",), "core/Secret"),
        (("tls", "certSecretName"), "core/Secret"),
        (("auth", "passwordSecretRef", "name"), "core/Secret"),
        (("imagePullSecrets", 0, "name"), "core/Secret"),
        (("configMapRef", "name"), "core/ConfigMap"),
        (("serviceAccountName",), "core/ServiceAccount"),
        (("storageClassName",), "storage.k8s.io/StorageClass"),
        (("claimName",), "core/PersistentVolumeClaim"),
        (("ingressClassName",), "networking.k8s.io/IngressClass"),
        (("priorityClassName",), "scheduling.k8s.io/PriorityClass"),
        (("runtimeClassName",), "node.k8s.io/RuntimeClass"),
        (("targetNamespace",), "core/Namespace"),
        (("name",), ""),
        (("users", 0, "name"), ""),
        (("clientSecret",), ""),
        ((), ""),
    ],
)
def test_whose_name_it_is(path: Path, kind: str) -> None:
    assert widgets.named_picker(path) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Secret", "core/Secret"),
        ("infinispan.org:v1:Infinispan", "infinispan.org/Infinispan"),
        ("EtcdCluster", "/EtcdCluster"),
        ("custom", ""),
        ("Probe", ""),
    ],
)
def test_whose_name_a_descriptor_says(text: str, kind: str) -> None:
    assert widgets.described_picker(Descriptor(kubernetes=text))[0] == kind
    assert widgets.described_picker(Descriptor(kubernetes=f"{text}?app=x")) == (kind, "app=x" if kind else "")


def test_a_key_belongs_to_the_object_beside_it() -> None:
    assert widget_of({"type": "string"}, "passwordSecretRef", "key") == Widget(name="key", picker="core/Secret")
    assert widget_of({"type": "string"}, "other", "key").name == "line"


class TestKnownTypes:
    def test_an_open_object_of_a_known_name_gets_kubernetes_own_schema(self) -> None:
        node = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "description": "Where."}
        made = kubernetes_types.better(node, None, ("spec", "affinity"))
        assert set(made["properties"]) == {"nodeAffinity", "podAffinity", "podAntiAffinity"}
        assert made["description"] == "Where."
        assert made["x-kubernetes-preserve-unknown-fields"]

    @pytest.mark.parametrize(
        "descriptor_name", ["nodeAffinity", "podAffinity", "podAntiAffinity", "resourceRequirements"]
    )
    def test_a_descriptor_says_which(self, descriptor_name: str) -> None:
        node = {"x-kubernetes-preserve-unknown-fields": True}
        made = kubernetes_types.better(node, Descriptor(widgets=frozenset([descriptor_name])), ("spec", "x"))
        assert made["properties"]

    def test_a_schema_that_says_something_stays(self) -> None:
        node = {"type": "object", "properties": {"mine": {"type": "string"}}}
        assert kubernetes_types.better(node, None, ("spec", "affinity")) is node
        closed = {"type": "object"}  # the API server would drop whatever is in it
        assert kubernetes_types.better(closed, None, ("spec", "affinity")) is closed
        text = {"type": "string", "x-kubernetes-preserve-unknown-fields": True}
        assert kubernetes_types.better(text, None, ("spec", "affinity")) is text

    def test_a_strategy_is_chosen_where_the_schema_leaves_it_open(self) -> None:
        descriptor = Descriptor(widgets=frozenset(["updateStrategy"]))
        node = {"type": "object", "properties": {"rollingUpdate": {"type": "object"}, "type": {"type": "string"}}}
        made = kubernetes_types.better(node, descriptor, ("spec", "strategy"))
        assert made["properties"]["type"]["enum"] == ["RollingUpdate", "Recreate"]
        own = {"type": "object", "properties": {"type": {"type": "string", "enum": ["OnDelete"]}}}
        assert kubernetes_types.better(own, descriptor, ("spec", "strategy")) == own
        other = {"type": "object", "properties": {"mode": {"type": "string"}}}
        assert kubernetes_types.better(other, descriptor, ("spec", "strategy")) == other

    def test_amounts_have_names(self) -> None:
        amounts = {"type": "object", "additionalProperties": QUANTITY}
        node = {"type": "object", "properties": {"limits": amounts, "requests": amounts, "claims": {"type": "array"}}}
        made = kubernetes_types.better(node, None, ("spec", "resources"))
        assert list(made["properties"]["limits"]["properties"]) == ["cpu", "memory", "ephemeral-storage"]
        assert made["properties"]["limits"]["additionalProperties"] == QUANTITY
        assert made["properties"]["claims"] == {"type": "array"}

    def test_a_reference_names_its_object_first(self) -> None:
        node = {"type": "object", "properties": {"key": {}, "name": {}, "optional": {}}}
        assert list(kubernetes_types.better(node, None, ("spec", "x"))["properties"]) == ["name", "key", "optional"]


class TestCopies:
    BASE = {"spec": {"users": [{"name": "ann", "port": "80", "deep": {"x": [1, None]}}]}}

    def read(self, *posted: tuple[str, str]) -> Any:
        parsed = parse(self.BASE, [("a:/spec/users", "1"), *posted])
        assert not parsed.problems
        return parsed.object["spec"]["users"]

    def test_a_copy_carries_what_it_does_not_show_and_keeps_types(self) -> None:
        found = self.read(
            ("s:/spec/users/@0/name", "ann"),
            ("c:/spec/users/@n7", "0"),
            ("o:/spec/users/@n7", "1"),
            ("s:/spec/users/@n7/name", "bob"),
            ("q:/spec/users/@n7/port", texts.text_of("int-or-string", "80")),
        )
        assert found == [self.BASE["spec"]["users"][0], {**self.BASE["spec"]["users"][0], "name": "bob"}]

    @pytest.mark.parametrize("place", ["7", "-1", "x", "", "99999999999999999999"])
    def test_a_copy_of_nothing_is_new(self, place: str) -> None:
        found = self.read(("c:/spec/users/@n7", place), ("o:/spec/users/@n7", "1"), ("s:/spec/users/@n7/name", "bob"))
        assert found == [{"name": "bob"}]


def test_a_limit_of_nought_is_a_limit() -> None:
    assert shapes.schema_limits({"minimum": 0, "maximum": 1, "exclusiveMinimum": False}) == (
        ("minimum", "0"),
        ("maximum", "1"),
    )

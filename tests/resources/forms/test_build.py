"""The fields of the sample operator's form: which, in which order, how they look."""

import contextlib
from collections.abc import Iterable
from typing import Any

import pytest

from resources.forms.build import Builder, at
from resources.forms.fields import FormField, FormInput, Options
from resources.forms.parse import parse
from resources.forms.schema import Schema
from tests.resources.forms import html, pages


def walk(fields: Iterable[FormField]) -> dict[str, FormField]:
    found: dict[str, FormField] = {}
    for field in fields:
        found[field.where] = field
        found |= walk(field.children)
    return found


def sampledb_object(number: int | None = 0) -> dict[str, Any]:
    type_, schema, offer = pages.sampledb()
    return pages.beginning(type_, schema, offer.examples[number].object if number is not None else None)


def sampledb_fields(number: int | None = 0, **options: object) -> dict[str, FormField]:
    _type, schema, offer = pages.sampledb()
    obj = sampledb_object(number)
    return walk(Builder(schema, Options(offer.descriptors, **options)).top(obj))  # type: ignore[arg-type]


def test_what_a_schema_leaves_open_is_not_behind_a_fold_of_an_empty_form() -> None:
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    (rest,) = Builder(Schema.from_document(free), Options()).top({})
    assert rest.open
    fields = Builder(Schema.from_document({**free, "properties": {"spec": free}}), Options()).top({})
    assert [field.open for field in fields if not field.path] == [False]


def test_every_field_of_the_spec_is_there() -> None:
    _, schema, _ = pages.sampledb()
    spec = schema.root["properties"]["spec"]["properties"]
    assert {f"spec.{name}" for name in spec} <= sampledb_fields().keys()


def test_kinds_follow_the_schema() -> None:
    fields = sampledb_fields()
    kinds = {name: fields[f"spec.{name}"].kind for name in ("engine", "replicas", "appendOnly", "users", "config")}
    assert kinds == {
        "engine": "string",
        "replicas": "integer",
        "appendOnly": "boolean",
        "users": "array",
        "config": "map",
    }
    assert fields["spec.port"].kind == "int-or-string"
    assert [option.value for option in fields["spec.engine"].options][:2] == ["redis", "valkey"]


def test_required_comes_first_then_the_operators_order() -> None:
    type_, schema, offer = pages.sampledb()
    (spec,) = Builder(schema, Options(offer.descriptors)).top(pages.beginning(type_, schema, None))
    assert [field.path[-1] for field in spec.children[:5]] == [
        "engine",
        "version",
        "replicas",
        "storage",
        "storageClassName",
    ]


def test_words_and_limits() -> None:
    fields = sampledb_fields()
    assert fields["spec.appendOnly"].label == "Append-only file"
    assert fields["spec.initScript"].label == "Init Script"
    assert fields["spec.engine"].required
    assert (fields["spec.replicas"].constraints.minimum, fields["spec.replicas"].constraints.maximum) == ("0", "5")
    assert fields["spec.version"].default == "7.2"
    assert fields["spec.storageClassName"].advanced


def test_immutable_fields_are_locked_on_edit_only() -> None:
    stored = sampledb_object()
    assert sampledb_fields(stored=stored)["spec.engine"].locked
    changed = {**stored, "spec": {**stored["spec"], "engine": "valkey"}}
    assert not sampledb_fields(stored=changed)["spec.engine"].locked
    assert not sampledb_fields()["spec.engine"].locked


def test_a_form_with_little_room_leaves_sections_for_later() -> None:
    fields = sampledb_fields(room=1)
    assert fields["spec.resources"].lazy
    assert "spec.engine" in fields


def test_a_section_and_an_item_can_be_fetched() -> None:
    type_, schema, offer = pages.sampledb()
    obj = pages.beginning(type_, schema, offer.examples[0].object)
    section = at(schema, obj, "/spec/resources", Options())
    assert [child.path[-1] for child in section.children] == ["limits", "requests"] or len(section.children) == 2
    item = at(schema, obj, "/spec/users/@n5", Options(), 2)
    assert (item.position, item.pointer) == (2, "/spec/users/@n5")
    entry = at(schema, obj, "/metadata/labels/@n1", Options(), 1)
    assert entry.is_entry


@pytest.mark.parametrize("pointer", ["nowhere", "/spec/users/@99999999999/name"])
def test_a_pointer_that_leads_nowhere_is_no_crash(pointer: str) -> None:
    type_, schema, _ = pages.sampledb()
    with contextlib.suppress(ValueError, LookupError):
        assert at(schema, pages.beginning(type_, schema, None), pointer, Options()).kind


def test_a_value_of_another_type_than_the_schema_says_survives() -> None:
    type_, schema, offer = pages.sampledb()
    obj = {"spec": {"engine": 5, "replicas": "many", "users": "nobody", "config": None, "backup": [1]}, "metadata": {}}
    assert parse(obj, html.controls(pages.html_of(type_, schema, obj, offer))).object == obj


@pytest.mark.parametrize("number", [0, 1])
def test_the_examples_survive_the_form(number: int) -> None:
    type_, schema, offer = pages.sampledb()
    obj = pages.beginning(type_, schema, offer.examples[number].object)
    assert repr(parse(obj, html.controls(pages.html_of(type_, schema, obj, offer))).object) == repr(obj)


TRAPS = ["a\r\nb", "\nleading", "\x00nul", "\ud800", "<b>&amp;", "", "  ", "\u2028", 'q"uote', "tab\tbed"]


@pytest.mark.parametrize("trap", TRAPS)
def test_texts_that_html_would_change_survive(trap: str) -> None:
    type_, schema, offer = pages.sampledb()
    spec = {"engine": trap, "storage": trap, "initScript": trap, "config": {"k": trap, f"key{trap}": "v"}}
    obj = {"metadata": {"labels": {"a": trap}}, "spec": spec | {"users": [{"name": trap, "keys": [trap, "x"]}]}}
    assert parse(obj, html.controls(pages.html_of(type_, schema, obj, offer))).object == obj


def test_what_could_not_be_read_is_shown_again() -> None:
    type_, schema, offer = pages.sampledb()
    parsed = parse(pages.beginning(type_, schema, None), [("o:/spec", "1"), ("i:/spec/replicas", "many")])
    text = pages.html_of(type_, schema, parsed.object, offer, parsed.typed)
    assert ("i:/spec/replicas", "many") in html.controls(text)


def test_errors_open_their_section() -> None:
    typed = FormInput(errors={("spec", "resources", "limits", "cpu"): "too much"})
    fields = sampledb_fields(room=1, typed=typed)
    assert fields["spec.resources"].open
    assert fields["spec.resources.limits.cpu"].error == "too much"


def test_a_schema_that_refers_to_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/N"}}}
    schema = Schema.from_document(
        {"properties": {"spec": {"$ref": "#/components/schemas/N"}}, "components": {"schemas": {"N": node}}}
    )
    fields = walk(Builder(schema, Options()).top({"spec": {}}))
    assert len(fields) < 200

"""The outline beside a form: one row for each section, in the form's order."""

from typing import Any

from resources.forms.build import Builder
from resources.forms.fields import FormField, Options
from resources.forms.schema import Schema
from resources.views.form_page import MAX_SECTIONS, Section, outline
from tests.forms.test_order import TEXT

SECTION = {"type": "object", "properties": {"a": TEXT}}


def fields_of(properties: dict[str, Any], spec: dict[str, Any]) -> tuple[tuple[FormField, ...], tuple[FormField, ...]]:
    schema = Schema.from_document(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    )
    obj = {"metadata": {"name": "x", "namespace": "default"}, "spec": spec}
    builder = Builder(schema, Options())
    return builder.metadata(obj, True, ()), builder.top(obj)


def test_sections_in_the_order_of_the_form() -> None:
    metadata, fields = fields_of({"one": TEXT, "first": SECTION, "second": SECTION}, {"one": "1", "second": {"a": "1"}})
    rows = outline(metadata, fields)
    assert [section.label for section in rows] == ["Name", "General", "Second", "First"]
    assert rows[1] == Section("General", "f.spec.one", ("/spec/one",))
    assert rows[2] == Section("Second", "f.spec.second", ("/spec/second",))
    assert "/metadata/labels" in rows[0].pointers


def test_what_is_folded_away_is_no_section() -> None:
    metadata, fields = fields_of(dict.fromkeys("abcde", SECTION) | {"set": SECTION}, {"set": {"a": "1"}})
    assert [section.label for section in outline(metadata, fields)] == ["Name", "Set"]


def test_a_long_outline_is_cut() -> None:
    properties = {f"s{number}": SECTION for number in range(60)}
    metadata, fields = fields_of(properties, {name: {"a": "1"} for name in properties})
    assert len(outline(metadata, fields)) == MAX_SECTIONS


def test_kinds_without_spec_have_their_own_parts() -> None:
    schema = Schema.from_document({"type": "object", "properties": {"data": SECTION, "type": TEXT}})
    rows = outline((), Builder(schema, Options()).top({"data": {"a": "1"}}))
    assert [section.label for section in rows] == ["Data", "Type"]

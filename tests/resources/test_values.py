"""A spec as a tree to read: bounded, in order, with a Secret's values hidden."""

import re
from typing import Any

from django.template.loader import render_to_string

from resources.forms.schema import Schema
from resources.page.values import MASK, ValueNode, sections


def _texts(node: ValueNode) -> dict[str, Any]:
    return {child.name: _texts(child) if child.children else child.text or child.empty for child in node.children}


def test_it_works() -> None:
    spec: dict[str, Any] = {
        "size": 3,
        "on": True,
        "none": None,
        "empty": {},
        "users": [{"name": "ann"}, {"role": "x"}],
        "tags": ["a", "b"],
    }
    (found,) = sections({"kind": "Thing", "spec": spec})
    users = {"0 · ann": {"name": "ann"}, "1": {"role": "x"}}
    expected = {"size": "3", "on": "true", "none": "null", "empty": "{}", "users": users, "tags": "a, b"}
    assert _texts(found) == expected


def test_spec_and_status_come_first_and_conditions_have_their_own_table() -> None:
    obj = {"kind": "X", "extra": 1, "status": {"phase": "Ready", "conditions": [{"type": "Ready"}]}, "spec": {"a": 1}}
    found = sections(obj)
    assert [node.name for node in found] == ["spec", "status", "extra"]
    assert _texts(found[1]) == {"phase": "Ready"}


def test_a_secret_hides_its_values() -> None:
    found = sections({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": {"password": "aHVudGVyMg=="}})
    assert "aHVudGVyMg" not in repr(found)
    assert MASK in repr(found)


def test_it_is_bounded() -> None:
    deep: Any = "end"
    for _ in range(200):
        deep = {"down": deep}
    (found,) = sections({"spec": {"deep": deep}})
    assert "end" in repr(found)
    (wide,) = sections({"spec": {"items": [{"name": str(number), "x": 1} for number in range(100_000)]}})
    assert len(repr(wide)) < 1_000_000
    assert wide.children[0].cut
    assert wide.children[0].size == 100_000
    (long,) = sections({"spec": {"text": "x" * 1_000_000}})
    assert len(long.children[0].text) < 5000


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "description": "How many."},
                "hosts": {"type": "array", "items": {"$ref": "#/components/schemas/Host"}},
                "word": {"type": "string", "format": "password"},
            },
        }
    },
    "components": {"schemas": {"Host": {"type": "object", "properties": {"name": {"description": "Its DNS name."}}}}},
}


def test_each_field_has_its_path_and_what_the_schema_says() -> None:
    spec = {"size": 3, "hosts": [{"name": "a", "port": {"x": 1}}], "odd.key/it's": {"a": 1}}
    (found,) = sections({"kind": "X", "spec": spec}, Schema.from_document(SCHEMA))
    size, hosts, odd = found.children
    assert (size.where, size.help) == (".spec.size", "How many.")
    name = hosts.children[0].children[0]
    assert (name.where, name.help) == (".spec.hosts[0].name", "Its DNS name.")
    assert odd.children[0].where == ".spec['odd.key/it\\'s'].a"


def test_secrets_are_known_by_format_and_by_descriptor() -> None:
    spec = {"word": "hunter2", "user": {"token": ["deep", "er"]}, "users": [{"key": "of-one", "name": ""}], "a": "b"}
    secrets = {("spec", "user", "token"), ("spec", "users", "key"), ("spec", "users", "name")}
    (found,) = sections({"kind": "X", "spec": spec}, Schema.from_document(SCHEMA), secrets)
    word, user, users, other = found.children
    assert (word.secret, word.text, other.secret) == (True, "hunter2", False)
    assert (user.children[0].secret, user.children[0].text) == (True, '["deep", "er"]')
    key, empty = users.children[0].children
    assert (key.secret, key.text, empty.secret, empty.empty) == (True, "of-one", False, '""')


def test_a_secret_is_revealed_on_the_page() -> None:
    """As one of the status is: in dots until its button is pressed, and not found by the search of the fields."""
    (found,) = sections({"kind": "X", "spec": {"word": "<hunter2>"}}, Schema.from_document(SCHEMA))
    page = render_to_string("resources/_node.html", {"node": found.children[0]})
    summary, value = re.findall(r'<summary aria-label="Reveal .spec.word">(.*?)</summary>\s*<code[^>]*>(.*?)<', page)[0]
    assert (summary, value) == (MASK, "&lt;hunter2&gt;")
    assert "<details open" not in page and "resource-value" not in page


def test_schemas_that_are_none() -> None:
    for odd in (None, {}, {"properties": None}, {"properties": {"spec": "x"}}, {"$ref": "#/nowhere"}):
        (found,) = sections({"kind": "X", "spec": {"a": [{"b": 1}]}}, Schema.from_document(odd))
        assert _texts(found) == {"a": {"0": {"b": "1"}}}

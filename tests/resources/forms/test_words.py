"""What a field's schema says, in words; long descriptions fold, harmful ones do nothing."""

from typing import Any

import pytest
from django.utils.html import conditional_escape

from resources.forms.fields import Dependency, FormField, is_met
from resources.forms.widgets import Widget
from resources.templatetags import forms


def field(widget: str = "line", kind: str = "string", **more: Any) -> FormField:
    limits = tuple(more.pop("limits", {}).items())
    return FormField(
        path=("spec", "x"),
        pointer="/spec/x",
        kind=kind,
        label="X",
        limits=limits,
        **{"extra": Widget(name=widget), **more},
    )


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (field(), "text"),
        (field(limits={"maxLength": "63"}), "text, at most 63 characters"),
        (field(limits={"minLength": "3", "maxLength": "63"}), "text, 3 to 63 characters"),
        (field(limits={"minLength": "1"}), "text, not empty"),
        (field("number", "integer", limits={"minimum": "1", "maximum": "10"}), "whole number, 1 to 10"),
        (field("number", "integer", limits={"minimum": "0"}), "whole number, at least 0"),
        (
            field("number", "number", limits={"minimum": "0", "exclusiveMinimum": "true", "maximum": "1"}),
            "number, more than 0, at most 1",
        ),
        (field("number", "integer", limits={"multipleOf": "5"}), "whole number, a multiple of 5"),
        (field("rows", "array", limits={"maxItems": "1"}), "list, at most 1 item"),
        (
            field("rows", "array", limits={"minItems": "2", "uniqueItems": "true"}),
            "list, at least 2 items, no duplicates",
        ),
        (field("quantity", "int-or-string"), "quantity such as 500m or 2Gi"),
        (field("picker", extra=Widget(name="picker", picker="core/Secret")), "name of a Secret"),
        (field("key", extra=Widget(name="key", picker="core/ConfigMap")), "key of a ConfigMap"),
        (field("select"), ""),
        (field("section", "object"), ""),
    ],
)
def test_types_and_limits(made: FormField, words: str) -> None:
    assert forms.type_words(made) == words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "Lowercase letters, digits and “-”."),
        (
            r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "Lowercase letters, digits, “-” and “.”.",
        ),
        ("^<b>$", "Must match <code>^&lt;b&gt;$</code>"),
        ("", ""),
    ],
)
def test_patterns(pattern: str, words: str) -> None:
    assert forms.pattern_words(field(limits={"pattern": pattern} if pattern else {})) == words


def test_a_long_pattern_is_cut_and_whole_in_its_title() -> None:
    words = forms.pattern_words(field(limits={"pattern": '"' + "a" * 200}))
    assert "…</code>" in words
    assert 'title="&quot;aaa' in words


class TestDescriptions:
    def test_a_short_one_is_shown_whole(self) -> None:
        assert forms.folded("Short. Words.") == ("<p>Short. Words.</p>", "")

    def test_a_long_one_folds_behind_a_sentence(self) -> None:
        shown, rest = forms.folded("This is the first sentence, and it is long enough. " + "More words. " * 40)
        assert shown.startswith("This is the first sentence")
        assert shown.endswith(".")
        assert rest.startswith("<p>More words.")
        assert "first sentence" not in rest

    def test_a_marked_one_shows_its_first_words(self) -> None:
        text = "Use `a` or **b** here: " + "* item\n" * 80
        shown, rest = forms.folded(text)
        assert "<" not in shown
        assert "<code>a</code>" in rest

    @pytest.mark.parametrize(
        "text", ["<script>x</script>" * 30, "<img src=x onerror=y> " * 30, "[a](javascript:x) " * 30]
    )
    def test_nothing_in_it_acts(self, text: str) -> None:
        made = "".join(forms.folded(text)) + conditional_escape(forms.line(text))
        assert not any(bad in made for bad in ("<script", "<img", 'href="javascript'))

    def test_its_line_is_short_prose(self) -> None:
        assert forms.line("`Nodes` to run on. More.") == "Nodes to run on"
        assert len(forms.line("word " * 200)) <= 110


def test_a_dependency_is_met_by_any_of_its_values_and_every_pointer() -> None:
    met, not_met = Dependency("/spec/a", "x", True), Dependency("/spec/a", "y", False)
    other = Dependency("/spec/b", "z", False)
    assert is_met((met, not_met))
    assert not is_met((met, other))
    assert forms.depends_data(field(depends=(met,))) == '[["/spec/a", "x", true]]'


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (field(position=2, list_label="Volumes"), "Item 2 of Volumes"),
        (field(position=1, list_label="Labels", is_entry=True), "Entry 1 of Labels"),
        (field(position=3), "Item 3"),
        (field(), "X"),
    ],
)
def test_items_are_named_by_their_list(made: FormField, name: str) -> None:
    assert forms.accessible_name(made) == name


def test_a_title_of_an_item_is_escaped() -> None:
    made = field("section", "object", position=1, caption="<b>")
    assert conditional_escape(forms.section_title(made)) == (
        "<span data-number>Item 1</span><span data-caption>: &lt;b&gt;</span>"
    )
    assert conditional_escape(forms.section_title(field("map", "object", is_entry=True, key="<i>"))) == "&lt;i&gt;"

"""A field's description as HTML: prose stays cheap, marked text is cleaned."""

import time
from collections.abc import Callable

import pytest

from console.web import markdown
from console.web.markdown import help_html
from kube import limits


def test_help_of_a_field_is_paragraphs_lists_and_code() -> None:
    assert help_html("Plain words, on\ntwo lines.\n\nAnd more.") == "<p>Plain words, on\ntwo lines.</p><p>And more.</p>"
    assert help_html("# Title\nuse `a`") == "<p>Title</p>\n<p>use <code>a</code></p>"
    assert help_html("* one\n* two") == "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"
    assert help_html("1. one\n2. two").startswith("<ol>")
    assert "&lt;name&gt;" in help_html("of <name>")


@pytest.mark.parametrize("html_of", [help_html, markdown.render])
def test_an_address_is_a_link_without_marks(html_of: Callable[[str], str]) -> None:
    assert '<a href="https://a.example/b_c?d=1" rel=' in html_of("See https://a.example/b_c?d=1.")
    assert "</a>.</p>" in html_of("See https://a.example.")
    assert (
        html_of("[x](https://a.example) `https://b.example` <a href='https://c.example'>https://d.example</a>").count(
            "<a "
        )
        == 2
    )
    assert "<a" not in html_of("the group apps.example.com, see me@example.com or ftp://a.example")


@pytest.mark.parametrize(
    "source", ["<script>alert(1)</script>", "<img src=x onerror=y>", "[x](javascript:alert(1))", "a & <b onclick=x>"]
)
def test_help_of_a_field_can_do_nothing(source: str) -> None:
    made = help_html(source)
    assert not any(bad in made for bad in ("<script", "<img", 'href="javascript', "<b onclick"))


@pytest.mark.parametrize(
    "piece", ["<img src", "![", "[", "<!--", "![a](", "**a _b ", "<details>", "> - ", "`a", "[a][b", "https://a *b* "]
)
def test_s10_no_markdown_takes_long(piece: str) -> None:
    """200 KB took 34 s of "<img src", since the search for images went back and tried again."""
    source = piece * (200_000 // len(piece))
    began = time.process_time()
    markdown.render(source)
    markdown.help_html(source)
    assert not markdown.has_images(source)
    assert time.process_time() - began < 8


def test_s10_long_texts_are_cut_and_say_so() -> None:
    most = limits.MARKDOWN.value
    html = markdown.render("a" * most + "END")
    assert "END" not in html
    assert str(most) in html
    assert str(most) not in markdown.render("a" * most)
    most = limits.HELP_MARKDOWN.value
    assert str(most) in markdown.help_html("a" * most + "END")
    assert str(most) not in markdown.help_html("a" * most)

"""A field's description as HTML: prose stays cheap, marked text is cleaned."""

import pytest

from console.web.markdown import help_html


def test_help_of_a_field_is_paragraphs_lists_and_code() -> None:
    assert help_html("Plain words, on\ntwo lines.\n\nAnd more.") == "<p>Plain words, on\ntwo lines.</p><p>And more.</p>"
    assert help_html("# Title\nuse `a`") == "<p>Title</p>\n<p>use <code>a</code></p>"
    assert help_html("* one\n* two") == "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"
    assert help_html("1. one\n2. two").startswith("<ol>")
    assert "&lt;name&gt;" in help_html("of <name>")


@pytest.mark.parametrize(
    "source", ["<script>alert(1)</script>", "<img src=x onerror=y>", "[x](javascript:alert(1))", "a & <b onclick=x>"]
)
def test_help_of_a_field_can_do_nothing(source: str) -> None:
    made = help_html(source)
    assert not any(bad in made for bad in ("<script", "<img", 'href="javascript', "<b onclick"))

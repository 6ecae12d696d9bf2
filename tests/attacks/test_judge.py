"""The judge itself: it must see each attack where nothing stands against it, or all else here would prove nothing."""

import pytest
from django.utils.html import escape

from tests.attacks import judge
from tests.attacks.texts import MARKDOWN, MARKUP

#: Text, whatever surrounds it: they count on being decoded once too often; and one that only a browser with scripts
#: reads so (tests/e2e/test_attacks.py).
_HARMLESS = ("<noscript>", "` data-atk", " data-atk", "\\u003c", "%3C", "&lt;", "&#60;", "＜")


@pytest.mark.parametrize("text", [item for item in MARKUP if not item.startswith((*_HARMLESS, '" ', "' "))])
def test_markup_that_gets_through_is_seen(text: str) -> None:
    assert judge.complaints(f"<p>{text}</p>")
    assert not judge.complaints(f'<p title="{escape(text)}">{escape(text)}</p>')


def test_an_attribute_that_is_broken_out_of_is_seen() -> None:
    for quote, bare in (('"', '" data-atk x="'), ("'", "' onfocus=atk() x='"), ("", "x onfocus=atk()")):
        assert judge.complaints(f"<input value={quote}{bare}{quote}>")


@pytest.mark.parametrize(
    "html",
    [
        '<a href="javascript:atk()">x</a>',
        '<a href=" java\nscript:atk()">x</a>',
        '<a href="https://evil.example/">x</a>',
        '<img src="https://evil.example/x">',
        '<iframe src="/">',
        '<form action="//evil.example/">',
        '<div hx-get="//evil.example/">',
        "<div hx-vals='js:{a: atk()}'>",
        '<p style="x">',
        "<script>atk()</script>",
        "<style>x</style>",
    ],
)
def test_what_leads_away_or_runs_is_seen(html: str) -> None:
    assert judge.complaints(html)


def test_markdown_that_nobody_cleans_is_seen() -> None:
    from markdown_it import MarkdownIt

    raw = MarkdownIt("commonmark", {"html": True})
    raw.validateLink = lambda _url: True
    assert sum(bool(judge.complaints(raw.render(text))) for text in MARKDOWN) > 15

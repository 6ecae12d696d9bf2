"""An operator author's Markdown as HTML that can do no harm: no images, no scripts, links that give nothing away.

Placeholders such as `<namespace>` are shown as written; a sanitiser alone would swallow them. 2 ms for a long
description, kept.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any, cast

import nh3
import re2
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from kube import limits

_TAGS = {
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "del",
    "details",
    "dl",
    "dt",
    "em",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}
_INPUT_TAGS = _TAGS | {"h1", "h2", "img"}
_TAG = re.compile(r"<(?=/?([A-Za-z][A-Za-z0-9-]*))")
# By RE2: going back and trying again took 34 s for 200 KB of "<img src".
_IMAGE = re2.compile(r"(?i)!\[[^\]]*\]\(\s*<?https://|<img\b[^>]*\bsrc\s*=\s*[\"']?https://|!\[[^\]]*\]\[")
_HEADING_OF_ANY = re.compile(r"<(/?)h[1-6]>")
_HEADING = re.compile(r"<(/?)h([12])>")
_HELP_TAGS = {"a", "b", "br", "code", "em", "i", "li", "ol", "p", "pre", "strong", "ul"}
# What makes Markdown more than paragraphs; a line of dashes or equals signs under another makes a heading of it.
_MARKS = re.compile(r"[*_`\[\]<>&#|~\\]|^[^\S\n]*(?:[-+=]|\d+[.)])|^(?: {4}|\t)|https?:|  $", re.M)
# Whole addresses only: "example.com" in an operator's text mostly is an API group.
# What quick starts add to Markdown: https://github.com/patternfly/patternfly-quickstarts, packages/module
_MARKED_FENCE = re.compile(r"^([ \t]*(?:```|~~~))[ \t]*\{\{(?:copy|execute)\}\}[ \t]*$", re.M)
_HIGHLIGHT = re.compile(r"\[([^\[\]\n]*)\]\{\{highlight [^}\n]*\}\}")
_ADMONITION = re.compile(r"\[([^\[\]]*)\]\{\{admonition [^}\n]*\}\}")
# In sanitised HTML, where code has no tags inside.
_BLOCK = re.compile(r"<pre><code>([^<]*)</code></pre>")
_MARKED_CODE = re.compile(r"<code>([^<]*)</code>\{\{(?:copy|execute)\}\}")
_ADDRESS = re.compile(r"(?<!\w)https?://[^\s<>\"'`]*[\w/#=]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    """A match as markdown-it's linkify rule reads it."""

    index: int
    last_index: int
    url: str
    text: str
    schema: str


class _Addresses:
    """For markdown-it's linkify rule, in place of linkify-it-py: one pattern, for whole addresses only."""

    def pretest(self, text: str) -> bool:
        return "://" in text

    test = pretest

    def match(self, text: str) -> list[_Address]:
        return [
            _Address(
                index=found.start(),
                last_index=found.end(),
                url=found[0],
                text=found[0],
                schema=found[0].partition("//")[0],
            )
            for found in _ADDRESS.finditer(text)
        ]


_parser = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table", "strikethrough"])
_parser.linkify = cast("Any", _Addresses())
_parser.core.ruler.enable("linkify")


def render(source: str, *, images: bool = False) -> SafeString:
    """HTML to put into a page. Headings begin at h3, for the page has its own above.

    `images`: also load images over https. Their server learns of the visit, so only at the user's request, and with a
    policy that allows them.
    """
    most = limits.MARKDOWN.value
    return _rendered(source[:most], images) + _cut(source, most)


def _cut(source: str, most: int) -> SafeString:
    """What stands behind a text that was cut."""
    if len(source) <= most:
        return SafeString()
    words = _("The text is truncated: it is longer than %(number)d characters.")
    return format_html("<p><em>{}</em></p>", words % {"number": most})


@lru_cache(maxsize=256)
def _rendered(source: str, images: bool) -> SafeString:
    html = _parser.render(escape_placeholders(source))
    html = _HEADING.sub(lambda found: f"<{found[1]}h{int(found[2]) + 2}>", html)
    clean = nh3.clean(
        html,
        tags=_TAGS | {"img"} if images else _TAGS,
        clean_content_tags={"script", "style"},
        attributes={
            "a": {"href", "title"},
            "th": {"align"},
            "td": {"align"},
            "ol": {"start"},
            "img": {"src", "alt", "title", "width", "height"},
        },
        set_tag_attribute_values={"img": {"loading": "lazy", "referrerpolicy": "no-referrer"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )
    return mark_safe(clean)  # noqa: S308  cleaned on the line above


def has_images(source: str) -> bool:
    """Whether there is an image at an https address."""
    return _IMAGE.search(source[: limits.MARKDOWN.value].encode("utf-8", "replace")) is not None


def help_html(source: str) -> SafeString:
    """A field's description: paragraphs, lists and code, no headings.

    Plain prose, which most are, takes a few µs; a marked one 0.3 ms.
    """
    most = limits.HELP_MARKDOWN.value
    return _rendered_help(source[:most].strip()) + _cut(source, most)


@lru_cache(maxsize=8192)
def _rendered_help(source: str) -> SafeString:
    if not _MARKS.search(source):
        paragraphs = (part for part in re.split(r"\n\s*\n", source) if part)
        return mark_safe("".join(f"<p>{escape(part)}</p>" for part in paragraphs))  # noqa: S308  escaped on this line
    html = _HEADING_OF_ANY.sub(r"<\1p>", _parser.render(escape_placeholders(source)))
    return mark_safe(  # noqa: S308  cleaned on the next lines
        nh3.clean(
            html,
            tags=_HELP_TAGS,
            clean_content_tags={"script", "style"},
            attributes={"a": {"href", "title"}, "ol": {"start"}},
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
            strip_comments=True,
        ).strip()
    )


def instructions(source: str, block: Callable[[str], str], inline: Callable[[str], str]) -> SafeString:
    """Of a quick start. `block` and `inline` draw code that can be copied, as safe HTML: every block, and words that
    are marked `{{copy}}` or `{{execute}}`.

    What else such texts are marked with, a highlighted element or a note, is shown as text that stands out.
    """
    marked = _MARKED_FENCE.sub(r"\1", source[: limits.MARKDOWN.value])
    marked = _ADMONITION.sub(lambda found: "\n\n> " + found[1].strip().replace("\n", "\n> ") + "\n\n", marked)
    html = str(render(_HIGHLIGHT.sub(r"**\1**", marked)))
    html = _MARKED_CODE.sub(lambda found: inline(unescape(found[1])), html)
    html = _BLOCK.sub(lambda found: block(unescape(found[1]).rstrip("\n")), html)
    return mark_safe(html + _cut(source, limits.MARKDOWN.value))  # noqa: S308  sanitised above, the rest is `block`'s


def escape_placeholders(source: str) -> str:
    """Escapes `<name>` unless it is an allowed HTML tag or an address in angle brackets; leaves code unchanged, since
    it is text already.
    """
    parts = re.split(r"(```.*?```|~~~.*?~~~|`[^`\n]*`)", source, flags=re.S)
    for number in range(0, len(parts), 2):
        parts[number] = _TAG.sub(_escaped, parts[number])
    return "".join(parts)


def _escaped(found: re.Match[str]) -> str:
    rest = found.string[found.end() : found.end() + 300]
    if (
        found[1].lower() in _INPUT_TAGS
        or found[1].lower() in ("script", "style")
        or re.match(r"[a-z]+://|mailto:|[^\s<>@]+@[^\s<>]+>", rest)
    ):
        return "<"
    return "&lt;"

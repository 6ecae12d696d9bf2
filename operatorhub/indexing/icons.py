"""Operators' icons: what the bytes really are, and nothing in them that could act.

Icons are untrusted input: the declared type is ignored. There are three defences against scripts in an SVG: they are
removed here, the response's policy forbids them (operatorhub/views/icon.py), and <img> doesn't run them.
"""

import hashlib
from dataclasses import dataclass

import re2

from kube import limits
from operatorhub.indexing.thumbnails import small

_HEAD = 16 * 1024
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"\0\0\1\0", "image/x-icon"),
)
# By RE2: Python's own goes back and tries again, for minutes over half a megabyte of "href=" and spaces.
_LATIN = re2.Options()
_LATIN.encoding = re2.Options.Encoding.LATIN1
_SVG = re2.compile(
    rb"(?si)^(?:\xef\xbb\xbf)?(?:<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|\s)*<(?:\w+:)?svg[\s>]",
    _LATIN,
)
_ELEMENT = rb"(?:\w+:)?(?:script|foreignObject|iframe|object|embed)"
_ELEMENTS = re2.compile(rb"(?si)<%b\b(?:[^>]*/>|.*?(?:</%b\s*>|\z))" % (_ELEMENT, _ELEMENT), _LATIN)
_HANDLERS = re2.compile(rb"(?i)\son[a-z]+\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)", _LATIN)
_DOCTYPE = re2.compile(rb"(?si)<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", _LATIN)
_LINKS = re2.compile(rb"(?i)(href\s*=\s*[\"']?)\s*(?:javascript|data:text)[^\"'\s>]*", _LATIN)


@dataclass(frozen=True, slots=True)
class CleanIcon:
    """`digest` is of `data`, in hex."""

    digest: str
    media_type: str
    data: bytes


def clean(data: bytes) -> CleanIcon | None:
    """The icon, safe to serve; None for what is empty, too large, or no image that browsers show."""
    if not data or len(data) > limits.ICON.value:
        return None
    media_type = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media_type = "image/webp"
    if not media_type:
        # An SVG says so at its head; no regular expression runs over half a megabyte of untrusted input.
        if not _SVG.match(data[:_HEAD]):
            return None
        media_type, data = "image/svg+xml", _safe_svg(data)
    elif smaller := small(data):
        media_type, data = "image/webp", smaller
    return CleanIcon(hashlib.sha256(data).hexdigest()[:32], media_type, data)


def _safe_svg(data: bytes) -> bytes:
    # A document type can define entities that hide what the next lines look for; some drawings need theirs (Adobe's),
    # and keep it.
    if b"<!ENTITY" not in data:
        data = _DOCTYPE.sub(b"", data, count=1)
    harmless: bytes = _LINKS.sub(rb"\1#", _HANDLERS.sub(b"", _ELEMENTS.sub(b"", data)))
    return harmless

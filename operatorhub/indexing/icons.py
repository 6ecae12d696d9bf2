"""Operators' icons: what the bytes really are, and nothing in them that could act.

An icon comes from whoever published the operator. Its declared type is not believed; an SVG loses its scripts here, and is served with a policy that
allows it none (operatorhub/views/icon.py) and shown as <img>, which runs none either: three walls.
"""

import hashlib
import re
from dataclasses import dataclass

from operatorhub.indexing.thumbnails import small

LIMIT = 512 * 1024
_HEAD = 16 * 1024
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"\0\0\1\0", "image/x-icon"),
)
_SVG = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|\s)*<(?:\w+:)?svg[\s>]",
    re.S | re.I,
)
_ELEMENTS = re.compile(
    rb"<((?:\w+:)?(?:script|foreignObject|iframe|object|embed))\b(?:[^>]*/>|.*?(?:</\1\s*>|\Z))", re.S | re.I
)
_HANDLERS = re.compile(rb"\son[a-z]+\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)", re.I)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.S | re.I)
_LINKS = re.compile(rb"(href\s*=\s*[\"']?)\s*(?:javascript|data:text)[^\"'\s>]*", re.I)


@dataclass(frozen=True, slots=True)
class CleanIcon:
    """`digest` is of `data`, in hex."""

    digest: str
    media_type: str
    data: bytes


def clean(data: bytes) -> CleanIcon | None:
    """The icon, safe to serve; None for what is empty, too large, or no image that browsers show."""
    if not data or len(data) > LIMIT:
        return None
    media_type = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media_type = "image/webp"
    if not media_type:
        # An SVG says so at its head; no expression runs over half a megabyte of somebody's choosing.
        if not _SVG.match(data[:_HEAD]):
            return None
        media_type, data = "image/svg+xml", _safe_svg(data)
    elif smaller := small(data):
        media_type, data = "image/webp", smaller
    return CleanIcon(hashlib.sha256(data).hexdigest()[:32], media_type, data)


def _safe_svg(data: bytes) -> bytes:
    # A document type can define entities that hide what the next lines look for; some drawings need theirs (Adobe's), and keep it.
    if b"<!ENTITY" not in data:
        data = _DOCTYPE.sub(b"", data, count=1)
    return _LINKS.sub(rb"\1#", _HANDLERS.sub(b"", _ELEMENTS.sub(b"", data)))

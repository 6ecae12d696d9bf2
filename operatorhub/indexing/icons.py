"""Operators' icons, made safe to serve, and small: what the bytes really are, without scripts, and raster images scaled
down to the size that pages show (publishers ship up to half a megabyte for a square of 40 pixels).

Icons are untrusted input: the declared type is ignored. There are three defences against scripts in an SVG: they are
removed here, the response's policy forbids them (operatorhub/views/icon.py), and <img> doesn't run them.
"""

import hashlib
import io
from dataclasses import dataclass

import re2
from PIL import Image, UnidentifiedImageError

from kube import limits

# Pixels: twice the 48 of the package page, for dense screens.
THUMBNAIL_SIDE = 96
# Smaller icons stay as they are.
_MIN_THUMBNAIL_BYTES = 4 * 1024

_SVG_HEAD_BYTES = 16 * 1024
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
        if not _SVG.match(data[:_SVG_HEAD_BYTES]):
            return None
        media_type, data = "image/svg+xml", _safe_svg(data)
    elif smaller := thumbnail(data):
        media_type, data = "image/webp", smaller
    return CleanIcon(hashlib.sha256(data).hexdigest()[:32], media_type, data)


def _safe_svg(data: bytes) -> bytes:
    """The drawing without scripts."""
    # A document type can define entities that hide what the next lines look for; some drawings need theirs (Adobe's),
    # and keep it.
    if b"<!ENTITY" not in data:
        data = _DOCTYPE.sub(b"", data, count=1)
    harmless: bytes = _LINKS.sub(rb"\1#", _HANDLERS.sub(b"", _ELEMENTS.sub(b"", data)))
    return harmless


def thumbnail(data: bytes) -> bytes | None:
    """The picture as WebP within THUMBNAIL_SIDE x THUMBNAIL_SIDE pixels.

    None if that isn't smaller, or the picture can't be read: it stays as it is.
    """
    if len(data) <= _MIN_THUMBNAIL_BYTES:
        return None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if image.width * image.height > limits.ICON_PIXELS.value:
                return None
            image.load()
            picture = image.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=85, method=4)
    return target.getvalue() if target.tell() < len(data) else None

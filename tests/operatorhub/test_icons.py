"""What is served of an icon: an image, and nothing that acts."""

import time

import pytest

from kube import limits
from operatorhub.indexing.index import clean_icon

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'


def test_a_drawing_is_known_by_its_content() -> None:
    for prolog in (
        b"",
        b"\xef\xbb\xbf",
        b'<?xml version="1.0"?>\n<!-- made by -->\n',
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">',
    ):
        found = clean_icon(prolog + SVG)
        assert found is not None
        assert found.media_type == "image/svg+xml"


@pytest.mark.parametrize(
    "evil",
    [
        b"<script>alert(1)</script>",
        b"<SCRIPT href='x'/>",
        b"<foreignObject><body onload='x()'/></foreignObject>",
        b'<a href="javascript:alert(1)">x</a>',
        b'<g onclick="x()"/>',
    ],
)
def test_nothing_in_it_acts(evil: bytes) -> None:
    found = clean_icon(SVG.replace(b"<path", evil + b"<path"))
    assert found is not None
    lower = found.data.lower()
    assert not any(word in lower for word in (b"script", b"onclick", b"onload", b"foreignobject"))
    assert b"<path" in lower


@pytest.mark.parametrize(
    "data",
    [b"", b"<html><svg></svg></html>", b"plain", b"\x89PNG\r\n\x1a\n" + b"0" * limits.ICON.value, b" " * 400_000],
)
def test_what_is_no_icon_is_left_out(data: bytes) -> None:
    assert clean_icon(data) is None


def test_equal_images_are_one() -> None:
    first, second = clean_icon(SVG), clean_icon(SVG)
    assert first is not None
    assert second is not None
    assert first.digest == second.digest


def test_s4_no_head_of_an_icon_takes_for_ever() -> None:
    began = time.process_time()
    for piece in (b"<?xml?>", b"<!---->", b"<!DOCTYPE [] >", b" "):
        assert clean_icon(piece * 2000) is None
        assert clean_icon(piece * 20 + b"<svg></svg>") is not None
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "piece",
    [
        b"href=" + b" " * limits.ICON.value,
        b"<!DOCTYPE",
        b"<!DOCTYPE[",
        b"<script",
        b"<embed/",
        b"<a:script></a:script ",
        b' onx="',
        b" on",
    ],
)
def test_s4_no_drawing_takes_for_ever(piece: bytes) -> None:
    """S4: "href=" and 64 KB of spaces took 26 s, half a megabyte half an hour."""
    began = time.process_time()
    head = b'<svg xmlns="x">'
    assert (
        clean_icon(head + (piece * (limits.ICON.value // len(piece) + 1))[: limits.ICON.value - len(head)]) is not None
    )
    assert time.process_time() - began < 5

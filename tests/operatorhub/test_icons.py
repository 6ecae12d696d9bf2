"""What is served of an icon: an image, and nothing that acts."""

import pytest

from operatorhub.indexing.icons import LIMIT, clean

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'


def test_a_drawing_is_known_by_its_content() -> None:
    for prolog in (
        b"",
        b"\xef\xbb\xbf",
        b'<?xml version="1.0"?>\n<!-- made by -->\n',
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">',
    ):
        found = clean(prolog + SVG)
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
    found = clean(SVG.replace(b"<path", evil + b"<path"))
    assert found is not None
    lower = found.data.lower()
    assert not any(word in lower for word in (b"script", b"onclick", b"onload", b"foreignobject"))
    assert b"<path" in lower


@pytest.mark.parametrize(
    "data", [b"", b"<html><svg></svg></html>", b"plain", b"\x89PNG\r\n\x1a\n" + b"0" * LIMIT, b" " * 400_000]
)
def test_what_is_no_icon_is_left_out(data: bytes) -> None:
    assert clean(data) is None


def test_equal_images_are_one() -> None:
    first, second = clean(SVG), clean(SVG)
    assert first is not None
    assert second is not None
    assert first.digest == second.digest

"""Icons are served at the size they are shown in; what can't be read stays as it is."""

import io
import os

from PIL import Image

from operatorhub.indexing.index import THUMBNAIL_SIDE, clean_icon, thumbnail


def png(width: int, height: int, mode: str = "RGBA") -> bytes:
    """A picture of noise: it can't be compressed."""
    picture = Image.frombytes(mode, (width, height), os.urandom(width * height * len(mode)))
    sink = io.BytesIO()
    picture.save(sink, "PNG")
    return sink.getvalue()


def test_a_large_icon_becomes_small() -> None:
    data = png(300, 200)
    found = clean_icon(data)
    assert found is not None
    assert found.media_type == "image/webp"
    assert len(found.data) < len(data) / 5
    with Image.open(io.BytesIO(found.data)) as image:
        assert image.size == (THUMBNAIL_SIDE, THUMBNAIL_SIDE * 2 // 3)


def test_small_broken_and_huge_ones_stay_as_they_are() -> None:
    assert thumbnail(png(16, 16)) is None
    assert thumbnail(png(200, 200)[:20_000]) is None
    bomb = io.BytesIO()
    Image.new("1", (5000, 5000)).save(bomb, "PNG")
    assert thumbnail(bomb.getvalue() + b"\0" * 5000) is None

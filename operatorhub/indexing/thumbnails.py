"""Raster icons at the size they are shown in: publishers ship them with up to half a megabyte for a square of 40
pixels.
"""

import io

from PIL import Image, UnidentifiedImageError

from kube import limits

# Twice the 48 pixels of the package page, for dense screens.
SIDE = 96
# Below this nothing is won.
_SMALL = 4 * 1024


def small(data: bytes) -> bytes | None:
    """The picture as WebP within SIDE x SIDE pixels; None where that is not smaller, or it can't be read: then it
    stays as it is.
    """
    if len(data) <= _SMALL:
        return None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if image.width * image.height > limits.ICON_PIXELS.value:
                return None
            image.load()
            picture = image.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=85, method=4)
    return target.getvalue() if target.tell() < len(data) else None

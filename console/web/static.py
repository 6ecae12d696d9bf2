"""Addresses of static files: the bundled copy where there is one, with its content's hash, so that browsers keep it
for a year.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage


@lru_cache(maxsize=1)
def _manifest() -> dict[str, str]:
    path = settings.BASE_DIR / "static/vendor/manifest.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


@lru_cache(maxsize=512)
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else "0"


class HashedStorage(StaticFilesStorage):
    """`js/live.js` → `/static/vendor/js/live.js?v=<hash>` once tools/assets.mjs has run; the plain file with its
    hash otherwise.
    """

    def url(self, name: str | None) -> str:
        name = name or ""
        if digest := _manifest().get(name):
            return f"{super().url(f'vendor/{name}')}?v={digest}"
        return f"{super().url(name)}?v={_digest(settings.BASE_DIR / 'static' / name)}"


def fonts() -> tuple[str, ...]:
    """Addresses of the fonts as the style sheet names them: their files have the hash in the name already."""
    names = sorted(name for name in _manifest() if name.endswith(".woff2"))
    return tuple(f"{settings.STATIC_URL}vendor/{name}" for name in names)

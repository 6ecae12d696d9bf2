"""How times are written on the page that is being made: the preference of whoever asked for it, wherever the text is made."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC as UTC_ZONE
from datetime import datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils.translation import gettext as _

from console.prefer.choices import LOCAL, RELATIVE, UTC

#: Set by static/js/theme.js: the name of the zone that the browser is in.
ZONE = "console_zone"


@dataclass(frozen=True, slots=True)
class Style:
    """`zone`: where the reader is, as far as their browser told."""

    format: str = RELATIVE
    zone: tzinfo = UTC_ZONE


_USUAL = Style()
_style: ContextVar[Style] = ContextVar("times", default=_USUAL)


@contextmanager
def shown_as(wanted: Style) -> Iterator[None]:
    token = _style.set(wanted)
    try:
        yield
    finally:
        _style.reset(token)


def style() -> Style:
    return _style.get()


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo:
    """UTC for what is no zone; a machine without a zone database knows none (the browser then corrects the page)."""
    try:
        return ZoneInfo(name) if name and len(name) < 64 else UTC_ZONE
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC_ZONE


def relative() -> bool:
    return _style.get().format == RELATIVE


def words(then: datetime) -> str:
    """The moment itself: `2026-11-23T00:17:10Z`, or `2026-11-23 09:17:10` where the reader is. static/js/live/age.js writes the same."""
    wanted = _style.get()
    if wanted.format == LOCAL:
        return then.astimezone(wanted.zone).strftime("%Y-%m-%d %H:%M:%S")
    form = "%Y-%m-%dT%H:%M:%SZ" if wanted.format == UTC else "%Y-%m-%d %H:%M:%S"
    return then.astimezone(UTC_ZONE).strftime(form)


def heading() -> str:
    """What stands above ages: they may be moments."""
    return _("Age") if relative() else _("Created")


def in_utc() -> bool:
    """Whether words() of a moment are those of UTC, so that a heading says so."""
    return _style.get().format != LOCAL

"""The format of times in the current response: the user's preference, available to all code that formats times.

PreferencesMiddleware sets it, and the language, for each request.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC as UTC_ZONE
from datetime import datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from console.prefer.store import LOCAL, RELATIVE, UTC, preferences_of

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
    """The zone; UTC if it is unknown or the machine has no zone database (the browser then corrects the page)."""
    try:
        return ZoneInfo(name) if name and len(name) < 64 else UTC_ZONE
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC_ZONE


def relative() -> bool:
    return _style.get().format == RELATIVE


def words(then: datetime) -> str:
    """The moment itself: `2026-11-23T00:17:10Z`, or `2026-11-23 09:17:10` where the reader is. static/js/live/age.js
    writes the same.
    """
    wanted = _style.get()
    if wanted.format == LOCAL:
        return then.astimezone(wanted.zone).strftime("%Y-%m-%d %H:%M:%S")
    form = "%Y-%m-%dT%H:%M:%SZ" if wanted.format == UTC else "%Y-%m-%d %H:%M:%S"
    return then.astimezone(UTC_ZONE).strftime(form)


def units() -> tuple[str, ...]:
    """Of seconds, minutes, hours, days and years, as they stand behind a number."""
    found = pgettext("units of ages: seconds, minutes, hours, days, years", "s m h d y").split()
    return tuple(found) if len(found) == 5 else ("s", "m", "h", "d", "y")


def pair(first: str, second: str) -> str:
    """Two parts of an age as one: 3m10s."""
    return pgettext("two parts of an age, as in 3m10s", "%(first)s%(second)s") % {"first": first, "second": second}


def age(then: datetime, now: datetime) -> str:
    """kubectl's short age, in the reader's language: 5s, 3m10s, 4h, 12d, 2y30d. static/js/live/age.js writes the same.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go (HumanDuration)
    """
    seconds = max(0, int((now - then).total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    years = days // 365
    second, minute, hour, day, year = units()

    def both(number: int, unit: str, rest: int, smaller: str) -> str:
        return pair(f"{number}{unit}", f"{rest}{smaller}") if rest else f"{number}{unit}"

    if seconds < 120:
        return f"{seconds}{second}"
    if minutes < 10:
        return both(minutes, minute, seconds % 60, second)
    if hours < 3:
        return f"{minutes}{minute}"
    if hours < 8:
        return both(hours, hour, minutes % 60, minute)
    if hours < 48:
        return f"{hours}{hour}"
    if days < 8:
        return both(days, day, hours % 24, hour)
    if years < 2:
        return f"{days}{day}"
    return both(years, year, days % 365, day) if years < 8 else f"{years}{year}"


def heading() -> str:
    """What stands above ages: they may be moments."""
    return _("Age") if relative() else _("Created")


def in_utc() -> bool:
    """Whether words() of a moment are those of UTC, so that a heading says so."""
    return _style.get().format != LOCAL


class PreferencesMiddleware:
    """Activates the user's language and format of times. After the middleware that identifies the user, before all that
    makes pages.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = preferences_of(request)
        language = chosen.language or str(getattr(request, "LANGUAGE_CODE", "")) or translation.get_language() or "en"
        with (
            translation.override(language),
            shown_as(Style(chosen.times, zone_of(request.COOKIES.get(ZONE, "")))),
        ):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response

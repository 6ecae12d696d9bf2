"""Ages as kubectl prints them: 5s, 3m20s, 2d4h (apimachinery/pkg/util/duration)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from .objects import parse_time

UNKNOWN = "<unknown>"


def human(seconds: float) -> str:
    """At most two units, as HumanDuration writes them."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 0:
        return "0s"
    if whole < 120:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 10:
        return f"{minutes}m{whole % 60}s" if whole % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours = minutes // 60
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if hours < 192:
        return f"{days}d{hours % 24}h" if hours % 24 else f"{days}d"
    if days < 730:
        return f"{days}d"
    years = days // 365
    if years < 8 and days % 365:
        return f"{years}y{days % 365}d"
    return f"{years}y"


def since(text: Any) -> str:
    """Age of a timestamp; ``<unknown>`` when there is none."""
    moment = parse_time(text) if isinstance(text, str) else None
    if moment is None:
        return UNKNOWN
    return human((datetime.now(UTC) - moment).total_seconds())


def between(start: Any, end: Any) -> str:
    """From one timestamp to another (or now); empty when it has not begun."""
    begin = parse_time(start) if isinstance(start, str) else None
    if begin is None:
        return ""
    finish = parse_time(end) if isinstance(end, str) else None
    return human(((finish or datetime.now(UTC)) - begin).total_seconds())

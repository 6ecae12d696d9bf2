"""A problem of an install, with its fixes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """A fix: a link, or with `action` a button that posts it."""

    label: str
    url: str = ""
    action: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """`stage`: the line it belongs to; `words`: for people; `raw`: as the cluster says it, '' where it says nothing.

    `settled`: the install has failed by this. False: it is under way and this is in its way so far; waiting may be
    enough.
    """

    key: str
    stage: str
    words: str
    raw: str = ""
    ways: tuple[Way, ...] = ()
    settled: bool = True

"""What a rule returns: one sentence, its evidence and, where there is one, a fix.

No addresses: objects are named, pages link to them. At the end, helpers for the texts of several rules.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext as _


class Severity(IntEnum):
    """ERROR: it doesn't work. WARNING: it works in part, or has only just begun to fail. NOTE: worth knowing."""

    ERROR = 0
    WARNING = 1
    NOTE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseTarget:
    """An object by its group, kind and name, or with name '' all objects of the kind. `namespace` '':
    cluster-scoped.
    """

    group: str
    kind: str
    name: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Evidence: a page of an object. `view` as in resources/urls.py, and `events` for the Events on the object's
    page.
    """

    target: CauseTarget
    view: str = "detail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A verb and its target ("Create ConfigMap settings"), and the page that does it. `view`, `query`: as in
    resources/urls.py.
    """

    label: str
    target: CauseTarget
    view: str = "edit"
    query: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why an object isn't well.

    `sentence`: subject, "can't", object, reason, in the current language; at most 120 characters of ours, names in
    full. `note`: what still works or what to know, '' where nothing is known. `raw`: the cluster's own text, by which
    the cause was recognised. `since`: RFC 3339, '' where unknown. `rank`: among causes of one severity the lower is
    nearer to the root of the trouble. `rule` and `about` are set by the engine.
    """

    sentence: str
    rank: int
    severity: Severity = Severity.ERROR
    note: str = ""
    links: tuple[Link, ...] = ()
    raw: str = ""
    fix: Fix | None = None
    since: str = ""
    #: It only repeats what a more exact cause says: dropped where there is one.
    generic: bool = False
    rule: str = ""
    about: CauseTarget | None = None


#: How much of a line of untrusted log or message goes into a sentence.
_SHORT = 160
_FORBIDDEN = re.compile(r'(?:^|[\s:])(?P<plural>[a-z0-9.-]+) "[^"\s]*" is forbidden')


def refused_kind(text: str) -> str:
    """The plural of the kind that the API server refused to create, "Pods" for Pods; '' where the text names none."""
    found = _FORBIDDEN.search(text)
    plural = found["plural"] if found else ""
    return _("Pods") if plural == "pods" else plural


def shortened(text: str, most: int = _SHORT) -> str:
    """One line of it, cut at its end."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"

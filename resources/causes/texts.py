"""What the rules' texts have in common."""

import re

from django.utils.translation import gettext as _

#: How much of a line of untrusted log or message goes into a sentence.
_SHORT = 160
_FORBIDDEN = re.compile(r'(?:^|[\s:])(?P<plural>[a-z0-9.-]+) "[^"\s]*" is forbidden')


def refused_kind(text: str) -> str:
    """The plural of the kind that the API server refused to create, "Pods" for Pods; '' where the text names none."""
    found = _FORBIDDEN.search(text)
    plural = found["plural"] if found else ""
    return _("Pods") if plural == "pods" else plural


def short(text: str, most: int = _SHORT) -> str:
    """One line of it, cut at its end."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"

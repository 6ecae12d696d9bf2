"""What can be preferred, the values that are possible, and why another one is not. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.conf import settings
from django.utils.translation import gettext as _

THEMES = ("", "light", "dark")
#: As an age that ticks; the day and the hour where the reader is; ISO 8601 in UTC.
RELATIVE, LOCAL, UTC = "relative", "local", "utc"
TIMES = (RELATIVE, LOCAL, UTC)
SIZE, SIZES = 50, (20, 50, 100, 200)
#: Of `namespace`: where one was last ('' ), all of them, or a name.
ALL = "-"
KEYS = ("language", "theme", "times", "size", "namespace")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """`language` '' follows the browser, `theme` '' the system; `namespace`: '' for the last one, ALL, or a name, in
    which a visit begins.
    """

    language: str = ""
    theme: str = ""
    times: str = RELATIVE
    size: int = SIZE
    namespace: str = ""

    def texts(self) -> dict[str, str]:
        return {key: str(getattr(self, key)) for key in KEYS}


def wrong(posted: Mapping[str, str]) -> dict[str, str]:
    """Key → why its value is refused, of those that were posted."""
    found = {
        "language": (
            posted.get("language", "") in ("", *dict(settings.LANGUAGES)),
            _("This language isn't supported."),
        ),
        "theme": (posted.get("theme", "") in THEMES, _("This theme doesn't exist.")),
        "times": (posted.get("times", RELATIVE) in TIMES, _("Invalid time format.")),
        "size": (posted.get("size", str(SIZE)) in map(str, SIZES), _("Choose 20, 50, 100 or 200 rows per page.")),
        "namespace": (
            _possible(posted.get("namespace", "")),
            _(
                "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a "
                "letter or digit."
            ),
        ),
    }
    return {key: why for key, (good, why) in found.items() if key in posted and not good}


def _possible(namespace: str) -> bool:
    return namespace in ("", ALL) or bool(_LABEL.fullmatch(namespace))


def read(values: Mapping[str, str], base: Preferences | None = None) -> Preferences:
    """What can't be read (any more) is as in `base`."""
    found = base or Preferences()
    good = {key: values[key] for key in KEYS if key in values and not wrong({key: values[key]})}
    size = int(good.pop("size", found.size))
    return replace(found, size=size, **good)

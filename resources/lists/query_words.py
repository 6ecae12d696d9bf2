"""What can be typed into a list's box beside a part of the name: `label:app=web`, `field:status.phase=Running`,
`state:degraded`, `owner:web` (or `owner:Job/web`), `age<1h`, `age>2d`. Words with another key are parts of the name.
Pure.
"""

import re
from dataclasses import dataclass

from resources.state.health import LABELS

_WORD = re.compile(r"(label|field|state|owner):(\S+)|age([<>])(\d{1,9})([smhd])", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_STATES = {state.casefold(): state for state in LABELS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """`labels`, `fields`: selectors. `younger_than`, `older_than`: in seconds, 0 for no bound."""

    name: str = ""
    labels: str = ""
    fields: str = ""
    state: str = ""
    owner: str = ""
    younger_than: int = 0
    older_than: int = 0


def without_each(text: str) -> tuple[tuple[str, str], ...]:
    """(word, the text without it) for each word that is more than a part of the name."""
    words = text.split()
    return tuple(
        (word, " ".join((*words[:place], *words[place + 1 :])))
        for place, word in enumerate(words)
        if _WORD.fullmatch(word)
    )


def read(text: str) -> Words:
    """Of a key that comes twice the last one counts, but labels and fields all hold."""
    rest: list[str] = []
    several: dict[str, list[str]] = {"label": [], "field": []}
    item: dict[str, str] = {}
    ages = {"<": 0, ">": 0}
    for word in text.split():
        found = _WORD.fullmatch(word)
        if found is None:
            rest.append(word)
        elif found[3]:
            ages[found[3]] = int(found[4]) * _SECONDS[found[5].lower()]
        elif (key := found[1].lower()) in several:
            several[key].append(found[2])
        else:
            item[key] = found[2]
    state = item.get("state", "")
    return Words(
        name=" ".join(rest),
        labels=",".join(several["label"]),
        fields=",".join(several["field"]),
        state=_STATES.get(state.casefold(), state),
        owner=item.get("owner", ""),
        younger_than=ages["<"],
        older_than=ages[">"],
    )

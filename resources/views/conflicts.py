"""A field that two people changed, as the page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources import yamltext
from resources.views import submission
from resources.writing.diff import MISSING, Clash
from resources.writing.draft import words

_LONG = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """`name`: of the field as the control spells it; values are YAML, None where there is none; `taken`: mine,
    theirs or ''.
    """

    where: str
    name: str
    carried: str
    began: str | None
    mine: str | None
    theirs: str | None
    taken: str


def conflicting(clash: Clash, decided: Mapping[str, str]) -> Conflicting:
    name = submission.spelt(clash.path)
    return Conflicting(
        where=words(clash.path),
        name=name,
        carried=submission.began(clash),
        began=_text(clash.began),
        mine=_text(clash.mine),
        theirs=_text(clash.theirs),
        taken=decided.get(name, ""),
    )


def _text(value: Any) -> str | None:
    if value is MISSING:
        return None
    text = yamltext.dump(value).rstrip("\n")
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"

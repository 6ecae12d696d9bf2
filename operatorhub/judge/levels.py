"""The five capability levels with what to look for, and what of our own operators shows each. Pure.

What an operator is said to show here it does, and a test shows it (docs/operators.md, tests/operators). None of ours is of level 5, and the page says why:
https://sdk.operatorframework.io/docs/overview/operator-capabilities/
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from operatorhub.csv import LEVEL_WORDS, LEVELS

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Example:
    """A package, by its name, and what it does of this level."""

    package: str
    title: str
    does: Words


@dataclass(frozen=True, slots=True)
class Level:
    """`look`: what to ask of an operator that is said to be of it. `note`: what the examples lack; '' for nothing."""

    number: int
    name: str
    words: Words
    look: Words
    examples: tuple[Example, ...]
    note: Words = ""


_LOOK: tuple[tuple[Words, tuple[Example, ...], Words], ...] = (
    (
        _("Does the status say what was made, and why something was not? Is wrong input refused at its field?"),
        (
            Example("flightticket", "FlightTicket", _("Books what the spec asks for, and says in conditions and phase how it went.")),
            Example("memcached", "Memcached", _("Runs as many nodes as are asked for, scales them both ways, and lists them in the status.")),
        ),
        "",
    ),
    (
        _("Is there a way from each version to the next, without losing data? What happens to a step that is not supported?"),
        (
            Example("galera", "Galera (KUDO form)", _("Its plan “upgrade” takes a backup and replaces one node after the other; clients go on.")),
            Example("sampledb", "SampleDB", _("Prepares the data by a Job in the old engine, and refuses a step that is not supported.")),
        ),
        "",
    ),
    (
        _("Does a backup come back, in a new instance too? Does anything stay behind after a deletion, or get lost?"),
        (
            Example("sampledb", "SampleDB", _("Backs up by schedule, restores into a new database, and writes a snapshot before one goes.")),
            Example("galera", "Galera (KUDO form)", _("Has plans for backup and restore, and a node that lost its disk gets everything again.")),
        ),
        "",
    ),
    (
        _("Are there metrics of the operator and of what it runs, alerts, and words in the status that name a cause?"),
        (Example("argocd-operator", "Argo CD", _("Brings metrics Services for its parts; its publisher says level 4.")),),
        _("On the embedded cluster Argo CD is simulated: its Services are there, and no metrics behind them."),
    ),
    (
        _("Does it scale by load, tune itself and heal without anybody asking?"),
        (Example("galera", "Galera (KUDO form)", _("Heals: a node that goes is replaced and filled again by the others.")),),
        _("It does not scale or tune by load, so it is of level 3. None of the five is of level 5."),
    ),
)  # fmt: skip


def levels() -> tuple[Level, ...]:
    """Level 1 to 5."""
    return tuple(
        Level(number, name, words, *rest)
        for number, (name, words, rest) in enumerate(zip(LEVELS, LEVEL_WORDS, _LOOK, strict=True), 1)
    )

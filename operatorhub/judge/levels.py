"""The five capability levels with what to look for, and which of our own operators is of each. Pure.

Each capability named here is implemented and tested (docs/operators.md, examples/operators/tests); its bundle says the
same level (tests/operatorhub/test_levels.py). The definition, whose levels "may be independent of each other":
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
    """`look`: what to check for an operator that claims this level.

    `examples`: first the operator of this level, then others with the same capability. `note`: a remark on them, or ''.
    """

    number: int
    name: str
    words: Words
    look: Words
    examples: tuple[Example, ...]
    note: Words = ""


_LOOK: tuple[tuple[Words, tuple[Example, ...], Words], ...] = (
    (
        _("Does the status say what was created, and why something wasn't? Is invalid input rejected at its field?"),
        (
            Example(
                "flightticket",
                "FlightTicket",
                _("Books what the spec asks for, and says in conditions and phase how it went."),
            ),
        ),
        "",
    ),
    (
        _(
            "Is there a way from each version to the next, without losing data? What happens to a step that is not"
            " supported?"
        ),
        (
            Example(
                "memcached",
                "Memcached",
                _(
                    "A newer version of the operator brings a newer memcached, node by node: those that are asked for"
                    " serve all the time."
                ),
            ),
            Example(
                "galera",
                "Galera (KUDO form)",
                _("Its plan “upgrade” takes a backup and replaces one node after the other; clients stay connected."),
            ),
            Example(
                "sampledb",
                "SampleDB",
                _("Prepares the data by a Job in the old engine, and refuses a step that is not supported."),
            ),
        ),
        "",
    ),
    (
        _("Does a backup come back, in a new instance too? Does anything stay behind after a deletion, or get lost?"),
        (
            Example(
                "sampledb",
                "SampleDB",
                _("Backs up by schedule, restores into a new database, and writes a snapshot before one goes."),
            ),
            Example(
                "galera",
                "Galera (KUDO form)",
                _("Has plans for backup and restore, and a node that lost its disk gets everything again."),
            ),
        ),
        "",
    ),
    (
        _("Are there metrics of the operator and of what it runs, alerts, and words in the status that name a cause?"),
        (
            Example(
                "argocd-tutorial",
                "Argo CD (tutorial)",
                _(
                    "Metrics of the operator and of each component, a warning event for what fails, and conditions that"
                    " name the cause."
                ),
            ),
            Example(
                "galera",
                "Galera (KUDO form)",
                _("Each node has metrics, and the autopilot says in events and in a condition what is not as usual."),
            ),
        ),
        _(
            "The tutorial's Argo CD is a stand-in: it measures itself and stores nothing to back up. Neither of the"
            " two creates rules for Prometheus, since a cluster can be without Prometheus."
        ),
    ),
    (
        _("Does it scale with load, tune itself and heal without manual steps?"),
        (
            Example(
                "galera",
                "Galera (KUDO form)",
                _(
                    "Adds and removes nodes by the requests that they have, doubles their memory before it is full,"
                    " replaces one that is stuck, and tells when requests take longer than usual."
                ),
            ),
        ),
        _("It does so where the parameter AUTOPILOT is true, and between bounds that parameters set."),
    ),
)


def levels() -> tuple[Level, ...]:
    """Level 1 to 5."""
    return tuple(
        Level(number, name, words, *rest)
        for number, (name, words, rest) in enumerate(zip(LEVELS, LEVEL_WORDS, _LOOK, strict=True), 1)
    )

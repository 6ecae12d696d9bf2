"""/operatorhub/levels/: the five capability levels, what to look for in each, and our own operators as examples.

Each capability named here is implemented and tested (docs/operators.md, examples/operators/tests); its bundle says the
same level (tests/operatorhub/test_levels.py). The definition, whose levels "may be independent of each other":
https://sdk.operatorframework.io/docs/overview/operator-capabilities/
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from operatorhub.csv import LEVEL_WORDS, LEVELS

Words = str | Promise


@dataclass(frozen=True, slots=True)
class LevelExample:
    """A package, by its name, and what it does of this level."""

    package: str
    title: str
    does: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """`look`: what to check for an operator that claims this level.

    `examples`: first the operator of this level, then others with the same capability. `note`: a remark on them, or ''.
    """

    number: int
    name: str
    words: Words
    look: Words
    examples: tuple[LevelExample, ...]
    note: Words = ""


_LOOK: tuple[tuple[Words, tuple[LevelExample, ...], Words], ...] = (
    (
        _("Does the status say what was created, and why something wasn't? Is invalid input rejected at its field?"),
        (
            LevelExample(
                "flightticket",
                "FlightTicket",
                _("Books what the spec asks for, and reports the result in conditions and the phase."),
            ),
        ),
        "",
    ),
    (
        _("Can each version be upgraded to the next without losing data? What happens to an unsupported upgrade?"),
        (
            LevelExample(
                "memcached",
                "Memcached",
                _(
                    "A new version of the operator updates memcached node by node; the requested number of "
                    "nodes stays available."
                ),
            ),
            LevelExample(
                "galera",
                "Galera (KUDO form)",
                _("Its plan “upgrade” takes a backup and replaces one node after the other; clients stay connected."),
            ),
            LevelExample(
                "sampledb",
                "SampleDB",
                _("Prepares the data with a Job that runs the old engine, and rejects unsupported upgrades."),
            ),
        ),
        "",
    ),
    (
        _("Can a backup be restored, also into a new instance? Is anything left over or lost after a deletion?"),
        (
            LevelExample(
                "sampledb",
                "SampleDB",
                _(
                    "Backs up on a schedule, restores into a new database, and saves a snapshot before a "
                    "database is deleted."
                ),
            ),
            LevelExample(
                "galera",
                "Galera (KUDO form)",
                _("Has plans for backup and restore; a node that lost its disk receives all data again."),
            ),
        ),
        "",
    ),
    (
        _("Are there metrics for the operator and its instances, alerts, and a status that names causes?"),
        (
            LevelExample(
                "argocd-tutorial",
                "Argo CD (tutorial)",
                _(
                    "Metrics of the operator and of each component, a warning event for what fails, and conditions that"
                    " name the cause."
                ),
            ),
            LevelExample(
                "galera",
                "Galera (KUDO form)",
                _("Each node has metrics, and the autopilot reports anomalies in events and in a condition."),
            ),
        ),
        _(
            "The tutorial's Argo CD is a stand-in: it measures itself and has no data to back up. "
            "Neither example creates Prometheus rules, because some clusters have no Prometheus."
        ),
    ),
    (
        _("Does it scale with load, tune itself and heal without manual steps?"),
        (
            LevelExample(
                "galera",
                "Galera (KUDO form)",
                _(
                    "Adds and removes nodes based on their load, doubles their memory before it is full, "
                    "replaces stuck nodes, and reports slow requests."
                ),
            ),
        ),
        _("Only if the parameter AUTOPILOT is true, and within limits that parameters set."),
    ),
)


def capability_levels() -> tuple[Level, ...]:
    """Level 1 to 5."""
    return tuple(
        Level(number=number, name=name, words=words, look=look, examples=examples, note=note)
        for number, (name, words, (look, examples, note)) in enumerate(zip(LEVELS, LEVEL_WORDS, _LOOK, strict=True), 1)
    )


@require_safe
def levels(request: ConsoleRequest) -> HttpResponse:
    return render.page(request, "operatorhub/levels.html", {"levels": capability_levels()})

"""The cards of the installed operators and of OLM.

Operators: which fail, which wait for approval, which have an update and to which version. OLM: is it installed, do its
programs run, do its catalogs answer.
"""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from console.overview.part import ERROR, WARNING, CardContent, CardProblem
from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.bootstrap import state
from operatorhub.bootstrap.state import BAD, Check, State
from operatorhub.running import installed_operators
from operatorhub.running.installed_operators import Operator, Totals, totals
from operatorhub.running.workloads import ASKS, FAILED
from resources import live_topics

#: Of more than these the list of all operators tells.
NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionItem:
    """An operator that needs attention. `step`: "v1.0.0 → v1.1.0", '' without an update."""

    title: str
    namespace: str
    level: str
    words: str
    url: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Operators:
    """`totals` None: a cluster without OLM. `more`: lines that are not shown."""

    totals: Totals | None = None
    lines: tuple[AttentionItem, ...] = ()
    more: int = 0


def collect(client: ClusterClient) -> CardContent:
    """The operators in all namespaces that the user can read. Raises KubeError."""
    if not olm.served(client):
        return CardContent(found=Operators())
    found = installed_operators.listed(client, "")
    lines = [line for line in map(_line, found.rows) if line]
    lines.sort(key=lambda line: line.level != ERROR)
    summary = Operators(totals(found.rows), tuple(lines[:NAMED]), max(0, len(lines) - NAMED))
    topics = live_topics.topics(client, *olm.type_names(olm.CSVS, olm.SUBSCRIPTIONS))
    return CardContent(found=summary, troubles=tuple(map(_trouble, summary.lines)), topics=topics, gaps=found.gaps)


def _line(operator: Operator) -> AttentionItem | None:
    """None for an operator that runs well, or that OLM works at."""
    update, own = operator.update, operator.url
    if operator.state == FAILED:
        return AttentionItem(
            title=operator.title,
            namespace=operator.namespace,
            level=ERROR,
            words=operator.reason or operator.word,
            url=own,
        )
    if operator.runs_in:
        return None
    if operator.state == ASKS or (update is not None and update.state == ASKS):
        words = (
            _("waiting for approval") if operator.state == ASKS or (update and update.url) else _("update available")
        )
        return AttentionItem(
            title=operator.title,
            namespace=operator.namespace,
            level=WARNING,
            words=words,
            url=(update.url if update else "") or own,
            step=step(operator),
        )
    if update is not None and update.state == FAILED:
        return AttentionItem(
            title=operator.title,
            namespace=operator.namespace,
            level=WARNING,
            words=update.reason or update.word,
            url=update.url or own,
            step=step(operator),
        )
    return None


def _trouble(line: AttentionItem) -> CardProblem:
    words = f"{line.words}: {line.step}" if line.step else line.words
    act = _("View plan") if line.step else _("Open the operator")
    title = _("Operator %(title)s in %(namespace)s") % {"title": line.title, "namespace": line.namespace}
    return CardProblem(level=line.level, title=title, reason=words, url=line.url, act=act)


def step(operator: Operator) -> str:
    """From which version to which: of CSVs whose names end in a version (as OLM's own rule has them, name.vX.Y.Z)
    these, else the names.
    """
    to = operator.update.to if operator.update else ""
    if not to or to == operator.csv:
        return ""
    name, _dot, version = to.partition(".v")
    here = operator.version or operator.csv
    return (
        f"{here} → {version}"
        if version and operator.csv.startswith(name) and operator.version
        else f"{operator.csv} → {to}"
    )


_CATALOG = "CatalogSource"
# A catalog that was just created, or whose Pod restarted, is in one of these states for a moment.
_COMING = ("CONNECTING", "IDLE")


@dataclass(frozen=True, slots=True)
class Olm:
    """`state` None: the cluster has no OLM."""

    state: State | None = None

    @property
    def lines(self) -> tuple[Check, ...]:
        """What is bad first."""
        lines = self.state.lines if self.state else ()
        return tuple(sorted(lines, key=lambda line: line.state != BAD))


def collect_olm(client: ClusterClient) -> CardContent:
    """Health of OLM and its catalogs. Raises KubeError if discovery fails."""
    if not olm.served(client):
        return CardContent(found=Olm())
    found = state.read_state(client, refresh=False)
    troubles = tuple(_olm_trouble(line) for line in found.lines if line.state == BAD)
    return CardContent(
        found=Olm(found), troubles=troubles, topics=live_topics.topics(client, *olm.type_names(olm.SOURCES))
    )


def _olm_trouble(line: Check) -> CardProblem:
    url = line.url or reverse("operatorhub:olm")
    if line.name != _CATALOG:
        return CardProblem(
            level=ERROR,
            title=_("OLM: %(what)s") % {"what": line.name},
            reason=line.words,
            url=url,
            act=_("Operator Lifecycle Manager"),
        )
    coming = line.words.endswith((*_COMING, _("not checked yet")))
    title = _("A catalog isn't ready yet") if coming else _("A catalog isn't responding")
    return CardProblem(
        level=WARNING if coming else ERROR, title=title, reason=line.words, url=url, act=_("Open the catalog")
    )

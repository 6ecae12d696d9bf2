"""The installed operators: which fail, which wait for approval, which have an update and to which version."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.overview.part import ERROR, WARNING, CardContent, CardProblem
from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.running import installed_operators
from operatorhub.running.installed_operators import Operator, Totals, totals
from operatorhub.running.workloads import ASKS, FAILED

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
    topics = " ".join(filter(None, (olm.topic(client, plural) for plural in (olm.CSVS, olm.SUBSCRIPTIONS))))
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

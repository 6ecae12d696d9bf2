"""OLM: is it there, do its programs run, do its catalogs answer."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from console.overview.part import ERROR, WARNING, CardContent, CardProblem
from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.bootstrap import state
from operatorhub.bootstrap.state import BAD, Check, State

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


def collect(client: ClusterClient) -> CardContent:
    """Health of OLM and its catalogs. Raises KubeError if discovery fails."""
    if not olm.served(client):
        return CardContent(found=Olm())
    found = state.read_state(client, refresh=False)
    troubles = tuple(_trouble(line) for line in found.lines if line.state == BAD)
    return CardContent(found=Olm(found), troubles=troubles, topics=olm.topic(client, olm.SOURCES))


def _trouble(line: Check) -> CardProblem:
    url = line.url or reverse("operatorhub:olm")
    if line.what != _CATALOG:
        return CardProblem(
            level=ERROR,
            title=_("OLM: %(what)s") % {"what": line.what},
            reason=line.words,
            url=url,
            act=_("Operator Lifecycle Manager"),
        )
    coming = line.words.endswith((*_COMING, _("not checked yet")))
    title = _("A catalog isn't ready yet") if coming else _("A catalog isn't responding")
    return CardProblem(
        level=WARNING if coming else ERROR, title=title, reason=line.words, url=url, act=_("Open the catalog")
    )

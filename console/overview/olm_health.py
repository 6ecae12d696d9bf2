"""OLM: is it there, do its programs run, do its catalogs answer."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from console.overview.part import ERROR, WARNING, Part, Trouble
from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.bootstrap import state
from operatorhub.bootstrap.state import BAD, Check, State

_CATALOG = "CatalogSource"
# A catalog that was just made, or whose Pod began anew, says one of these for a moment.
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


def look(client: ClusterClient) -> Part:
    """Raises KubeError when the cluster does not say what it serves."""
    if not olm.served(client):
        return Part(Olm())
    found = state.read_state(client, refresh=False)
    troubles = tuple(_trouble(line) for line in found.lines if line.state == BAD)
    return Part(Olm(found), troubles, olm.topic(client, olm.SOURCES))


def _trouble(line: Check) -> Trouble:
    url = line.url or reverse("operatorhub:olm")
    if line.what != _CATALOG:
        return Trouble(
            ERROR, _("OLM: %(what)s") % {"what": line.what}, line.words, url, _("Operator Lifecycle Manager")
        )
    coming = line.words.endswith((*_COMING, _("not looked at yet")))
    title = _("A catalog is not ready yet") if coming else _("A catalog does not answer")
    return Trouble(WARNING if coming else ERROR, title, line.words, url, _("Open the catalog"))

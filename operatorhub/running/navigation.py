"""Installed operators in the navigation of every page: kept for some seconds, so that no page asks the cluster for it alone."""

import time
from dataclasses import dataclass
from threading import Lock

from django.urls import reverse

from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.running import installed
from operatorhub.running.installed import Operator
from operatorhub.running.workloads import ASKS, DONE

#: What is older is shown, and asked for again once the page is there.
FRESH_SECONDS = 10.0
#: What is older is not shown: a page without script asks for it by itself.
KEEP_SECONDS = 60.0
#: More are on the page of installed operators.
SHOWN_OPERATORS = 8
#: Of one operator; more are on its own page.
SHOWN_KINDS = 8
_LIMIT = 1024
_kept: "dict[tuple[str, str, str], Known]" = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class KindLink:
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class OperatorLink:
    """`state`: as of installed.Operator. `kinds`: those that the cluster serves, in the order of the operator."""

    label: str
    url: str
    icon_name: str
    state: str
    word: str
    kinds: tuple[KindLink, ...]

    def has(self, path: str) -> bool:
        """Whether that page is the operator's, of one of its kinds, or of an object of these."""
        return path.startswith(self.url) or any(path.startswith(kind.url) for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Known:
    """`total`: how many are installed. `at`: on the monotonic clock."""

    operators: tuple[OperatorLink, ...]
    total: int
    at: float

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.at < FRESH_SECONDS


def context(found: Known | None, path: str, *, ask: bool) -> dict[str, object]:
    """For operatorhub/_navigation.html. `path`: of the page; `ask`: whether the page asks for newer ones by itself."""
    operators = found.operators if found else ()
    rows = [
        (operator, operator.has(path), [(kind, path.startswith(kind.url)) for kind in operator.kinds])
        for operator in operators
    ]
    return {"rows": rows, "total": found.total if found else 0, "path": path, "ask": ask}


def known(client: ClusterClient, language: str) -> Known | None:
    """What was last read, if it is not too old to be shown."""
    with _lock:
        found = _kept.get((client.host, client.who, language))
    return found if found and time.monotonic() - found.at < KEEP_SECONDS else None


def forget() -> None:
    """Nothing is known any more: the next page asks the cluster."""
    with _lock:
        _kept.clear()


def read(request: ConsoleRequest, language: str) -> Known:
    """From the cluster. Where nothing can be read there are none: the page of installed operators says why."""
    client = request.cluster
    rows: tuple[Operator, ...] = ()
    if olm.served(client):
        try:
            rows = _rows(client, request.namespace)
        except KubeError:
            rows = ()
    types = _preferred(client)
    # In the order of their names, as people remember places; what is not well is never among those left out.
    shown = sorted(rows, key=lambda row: row.state == DONE)[:SHOWN_OPERATORS]
    links = tuple(_link(row, types) for row in rows if row in shown)
    found = Known(links, len(rows), time.monotonic())
    with _lock:
        if len(_kept) >= _LIMIT:
            _kept.clear()
        _kept[client.host, client.who, language] = found
    return found


def _rows(client: ClusterClient, namespace: str) -> tuple[Operator, ...]:
    try:
        return installed.listed(client, "").rows
    except KubeError:
        if not namespace:
            raise
        return installed.listed(client, namespace).rows


def _preferred(client: ClusterClient) -> dict[tuple[str, str], ResourceType]:
    """Group and plural → the preferred version, which comes first."""
    found: dict[tuple[str, str], ResourceType] = {}
    try:
        for type_ in client.types():
            found.setdefault((type_.group, type_.plural), type_)
    except KubeError:
        pass
    return found


def _link(row: Operator, types: dict[tuple[str, str], ResourceType]) -> OperatorLink:
    served = {api.crd: types[api.group, api.plural] for api in row.apis if (api.group, api.plural) in types}
    titles = {api.crd: api.title or api.kind for api in row.apis}
    kinds = tuple(
        KindLink(titles[crd], reverse("resources:list", args=[type_.group_or_core, type_.version, type_.plural]))
        for crd, type_ in list(served.items())[:SHOWN_KINDS]
    )
    state, word = row.state, row.word
    if row.update and row.update.state == ASKS and state == DONE:
        state, word = ASKS, row.update.word
    return OperatorLink(row.title, row.url, row.icon_name, state, word, kinds)

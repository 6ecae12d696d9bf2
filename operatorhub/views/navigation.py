"""The installed operators in the navigation of every page, and /operators/navigation/, which reloads them.

They are cached for some seconds, so that no page asks the cluster for the navigation alone. The page follows their
ClusterServiceVersions and the objects that it counts.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from django.db import DatabaseError
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_safe

from console.web.navigation import cache_navigation, cached_navigation, navigation_key
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.csv import Api
from operatorhub.running import installed_operators, operands
from operatorhub.running.installed_operators import Operator
from operatorhub.running.workloads import ASKS, DONE
from resources import live_topics
from resources.types import kind_versions

#: What is older is shown, and asked for again once the page is there. A page hears only of changes since it was
#: requested.
FRESH_SECONDS = 2.0
#: More are on the page of installed operators.
SHOWN_OPERATORS = 8
#: Of one operator; more are on its own page.
SHOWN_KINDS = 8


@dataclass(frozen=True, slots=True)
class KindLink:
    label: str
    url: str
    type: ResourceType


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorLink:
    """`state`: as of `Operator`. `kinds`: those that the cluster serves, in the order of the operator."""

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
class KindCount:
    """`number`: of objects, None where that can't be known. `topics`: those of their list."""

    number: int | None
    topics: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedOperators:
    """`total`: how many are installed. `at`: on the monotonic clock. `topics`: those of the ClusterServiceVersions.

    `counts`: of the operator that was open when this was read, by (address of the kind, namespace).
    """

    operators: tuple[OperatorLink, ...]
    total: int
    at: float
    topics: str = ""
    counts: Mapping[tuple[str, str], KindCount] = field(default_factory=dict)

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.at < FRESH_SECONDS


@require_safe
def operators(request: ConsoleRequest) -> HttpResponse:
    """A fragment. `?at=`: the address of the page that it stands on."""
    path = request.GET.get("at", "")[:2000]
    found = read_operators(request, translation.get_language() or "", path)
    context = navigation_context(found, path, ask=False, namespace=request.namespace)
    return render(request, "operatorhub/_navigation.html", context)


def navigation_context(
    found: CachedOperators | None, path: str, *, ask: bool, namespace: str = ""
) -> dict[str, object]:
    """For operatorhub/_navigation.html.

    `path`: of the page; `ask`: whether the page asks for newer ones once it is loaded; `namespace`: '' for all.
    """
    counts = found.counts if found else {}
    rows = [
        (
            operator,
            operator.has(path),
            [(kind, path.startswith(kind.url), counts.get((kind.url, namespace))) for kind in operator.kinds],
        )
        for operator in (found.operators if found else ())
    ]
    open_counts = [count for _link, is_open, kinds in rows if is_open for *_kind, count in kinds]
    topics = [found.topics if found else "", *(count.topics for count in open_counts if count)]
    return {
        "rows": rows,
        "total": found.total if found else 0,
        "path": path,
        "ask": ask or None in open_counts,
        "topics": " ".join(filter(None, topics)),
    }


def cached_operators(client: ClusterClient, language: str) -> CachedOperators | None:
    """What was last read, if it is not too old to be shown."""
    found = cached_navigation(navigation_key("operators", client, language))
    return found if isinstance(found, CachedOperators) else None


def read_operators(request: ConsoleRequest, language: str, path: str = "") -> CachedOperators:
    """From the cluster. Where nothing can be read there are none: the page of installed operators says why.

    `path`: the page whose operator's objects are counted.
    """
    client = request.cluster
    rows: tuple[Operator, ...] = ()
    topics = ""
    if olm.served(client):
        topics = live_topics.topics(client, *olm.type_names(olm.CSVS))
        try:
            rows = _rows(client, request.namespace)
        except (KubeError, DatabaseError):
            rows = ()
    # In the order of their names, as people remember places; what is not well is never among those left out.
    shown = sorted(rows, key=lambda row: row.state == DONE)[:SHOWN_OPERATORS]
    links = tuple(_link(client, row) for row in rows if row in shown)
    kinds = [kind for link in links if link.has(path) for kind in link.kinds]
    found = CachedOperators(
        operators=links,
        total=len(rows),
        at=time.monotonic(),
        topics=topics,
        counts=_counts(client, kinds, request.namespace),
    )
    cache_navigation(navigation_key("operators", client, language), found)
    return found


def _rows(client: ClusterClient, namespace: str) -> tuple[Operator, ...]:
    try:
        return installed_operators.listed(client, "").rows
    except KubeError:
        if not namespace:
            raise
        return installed_operators.listed(client, namespace).rows


def _link(client: ClusterClient, row: Operator) -> OperatorLink:
    state, word = row.state, row.word
    if row.update and row.update.state == ASKS and state == DONE:
        state, word = ASKS, row.update.word
    kinds = tuple(islice(_kinds(client, row.apis), SHOWN_KINDS))
    return OperatorLink(label=row.title, url=row.url, icon_name=row.icon_name, state=state, word=word, kinds=kinds)


def _kinds(client: ClusterClient, apis: Iterable[Api]) -> Iterator[KindLink]:
    """Each kind that the cluster serves once, in the version to use."""
    for api in {api.crd: api for api in apis}.values():
        try:
            type_ = kind_versions.preferred_type(client, api.group, api.plural)
        except KubeError:
            continue
        if type_ is not None:
            url = reverse("resources:list", args=[type_.group_or_core, type_.version, type_.plural])
            yield KindLink(api.title or api.kind, url, type_)


def _counts(client: ClusterClient, kinds: Iterable[KindLink], namespace: str) -> dict[tuple[str, str], KindCount]:
    counts = {}
    for kind in kinds:
        where = namespace if kind.type.namespaced else ""
        number, _problem = operands.count(client, kind.type, where)
        counts[kind.url, namespace] = KindCount(number, live_topics.topics(client, kind.type, namespace=where))
    return counts

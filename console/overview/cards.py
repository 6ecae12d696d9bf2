"""The cards of the overview: title, what it waits for, the function that collects it; and the card after a failure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.db import DatabaseError
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.overview import changes, cluster, instances, operators, pods, tour
from console.overview.part import ERROR, CardContent, CardProblem, is_snoozed, snoozes, worst_first
from console.web.errors import explain
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, Unreachable
from resources import favourites, live_topics
from resources.changes import RedisError

_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`waits`: what it waits for, for the reader.

    `url`: name of the URL pattern of the full page, '' for none. `judged`: it reports problems.
    """

    key: str
    title: Promise
    waits: Promise
    collect: Callable[[ClusterClient], CardContent]
    url: str = ""
    judged: bool = False
    #: For a card of places: the text of its empty state.
    empty: Promise | str = ""

    @property
    def template(self) -> str:
        return f"console/overview/_{'places' if self.empty else self.key}.html"

    @property
    def more_url(self) -> str:
        """The full page, for all namespaces like the card."""
        return f"{reverse(self.url)}?namespace=-" if self.url else ""

    @property
    def part_url(self) -> str:
        return f"{reverse('pages:overview')}?part={self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A card as it is rendered.

    `part` None: it isn't loaded yet, or failed with `problem`.
    """

    card: Card
    part: CardContent | None = None
    problem: str = ""
    refused: bool = False
    troubles: tuple[CardProblem, ...] = ()
    #: The troubles that the user snoozed.
    snoozed: tuple[CardProblem, ...] = ()

    @property
    def awake(self) -> tuple[CardProblem, ...]:
        """The troubles that are listed under "needs attention"."""
        return tuple(trouble for trouble in self.troubles if trouble not in self.snoozed)

    @property
    def level(self) -> str:
        """The icon of the worst trouble: success without one, '' if unknown."""
        if self.troubles:
            return worst_first(self.troubles)[0].level
        if self.part is None or self.part.pending:
            return ""
        return "success"


def collect_favourites(client: ClusterClient) -> CardContent:
    """What this user marked as a favourite, with its state. Raises KubeError, DatabaseError."""
    found = favourites.favourites(client, states=True)[:_SHOWN]
    types = {marked.place.type: None for marked in found if marked.place}
    return CardContent(found=found, topics=live_topics.topics(client, *types))


def collect_recent(client: ClusterClient) -> CardContent:
    """What this user looked at lately. Raises KubeError, DatabaseError."""
    return CardContent(found=favourites.recent(client)[:_SHOWN])


CARDS = (
    Card(
        key="cluster",
        title=gettext_lazy("Cluster"),
        waits=gettext_lazy("Waiting for the API server…"),
        collect=cluster.collect,
        judged=True,
    ),
    Card(
        key="olm",
        title=gettext_lazy("Operator Lifecycle Manager"),
        waits=gettext_lazy("Loading OLM's components and catalogs…"),
        collect=operators.collect_olm,
        url="operatorhub:olm",
        judged=True,
    ),
    Card(
        key="operators",
        title=gettext_lazy("Installed operators"),
        waits=gettext_lazy("Loading ClusterServiceVersions and Subscriptions…"),
        collect=operators.collect,
        url="operatorhub:installed",
        judged=True,
    ),
    Card(
        key="instances",
        title=gettext_lazy("Instances"),
        waits=gettext_lazy("Counting the objects of each custom resource type…"),
        collect=instances.collect,
        url="operatorhub:services",
        judged=True,
    ),
    Card(
        key="pods", title=gettext_lazy("Pods"), waits=gettext_lazy("Loading Pods…"), collect=pods.collect, judged=True
    ),
    Card(
        key="warnings",
        title=gettext_lazy("Recent warnings"),
        waits=gettext_lazy("Loading the events of the last hour…"),
        collect=changes.collect_warnings,
        url="resources:events",
    ),
    Card(
        key="changes",
        title=gettext_lazy("Recent changes"),
        waits=gettext_lazy("Loading the history…"),
        collect=changes.collect,
    ),
    Card(
        key="favourites",
        title=gettext_lazy("Favorites"),
        waits=gettext_lazy("Loading the state of your favorites…"),
        collect=collect_favourites,
        url="resources:favourites",
        empty=gettext_lazy("No favorites yet. Add an object or resource type with the star on its page."),
    ),
    Card(
        key="recent",
        title=gettext_lazy("Recently viewed"),
        waits=gettext_lazy("Loading recently viewed objects…"),
        collect=collect_recent,
        url="resources:favourites",
        empty=gettext_lazy("No objects yet. Objects whose pages you open appear here."),
    ),
)
#: Not among the cards: it can be dismissed, and is rendered with its steps at once.
TOUR = Card(
    key="tour",
    title=gettext_lazy("Getting started"),
    waits=gettext_lazy("Checking which steps are done…"),
    collect=tour.collect,
)


def by_key(key: str) -> Card | None:
    return next((card for card in (*CARDS, TOUR) if card.key == key), None)


def collect_card(client: ClusterClient, card: Card) -> Shown:
    """The card, with the troubles that the user snoozed.

    A failure is part of the card, so that the others are still shown.
    """
    shown = _collect(client, card)
    if not shown.troubles:
        return shown
    found = snoozes(client)
    return replace(shown, snoozed=tuple(trouble for trouble in shown.troubles if is_snoozed(found, trouble)))


def _collect(client: ClusterClient, card: Card) -> Shown:
    try:
        part = card.collect(client)
    except Forbidden as error:
        return Shown(card=card, problem=str(error), refused=True)
    except KubeError as error:
        # One trouble for all cards of an unreachable cluster.
        gone = isinstance(error, Unreachable)
        troubles = (cluster.away(error),) if card.key == "cluster" else () if gone else (_lost(card, str(error)),)
        return Shown(card=card, problem=f"{explain(error).title}: {error}", troubles=troubles if card.judged else ())
    except DatabaseError as error:
        return Shown(card=card, problem=_("The console's database isn't responding: %(words)s") % {"words": error})
    except RedisError as error:
        return Shown(card=card, problem=str(error))
    return Shown(card=card, part=part, troubles=part.troubles)


def _lost(card: Card, words: str) -> CardProblem:
    return CardProblem(
        level=ERROR,
        title=_("“%(card)s” couldn't be loaded") % {"card": card.title},
        reason=words,
        url=f"#overview-{card.key}",
    )

"""The cards of the overview: how each is called, what it waits for, who gathers it; and how one is told that could
not be gathered.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.db import DatabaseError
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.overview import changes, cluster, happened, instances, marks, olm_health, operators, pods, snooze, tour
from console.overview.part import ERROR, Part, Trouble, worst_first
from console.web.errors import explain
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, Unreachable
from resources.changes import RedisError


@dataclass(frozen=True, slots=True)
class Card:
    """`waits`: what is asked for it, in words.

    `url`: the name of the address where there is more, '' for none. `judged`: it says whether all is well.
    """

    key: str
    title: Promise
    waits: Promise
    look: Callable[[ClusterClient], Part]
    url: str = ""
    judged: bool = False
    #: Of a card of places: what it says while there is none.
    empty: Promise | str = ""

    @property
    def template(self) -> str:
        return f"console/overview/_{'places' if self.empty else self.key}.html"

    @property
    def more_url(self) -> str:
        """Of all namespaces, as the card is."""
        return f"{reverse(self.url)}?namespace=-" if self.url else ""

    @property
    def part_url(self) -> str:
        return f"{reverse('pages:overview')}?part={self.key}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A card as it is drawn.

    `part` None: it is still to be asked for, or could not be gathered, and `problem` says why.
    """

    card: Card
    part: Part | None = None
    problem: str = ""
    refused: bool = False
    troubles: tuple[Trouble, ...] = ()
    #: Those of the troubles that this person wants to see later.
    snoozed: tuple[Trouble, ...] = ()

    @property
    def awake(self) -> tuple[Trouble, ...]:
        """The troubles that are listed under "needs attention"."""
        return tuple(trouble for trouble in self.troubles if trouble not in self.snoozed)

    @property
    def level(self) -> str:
        """The icon of the worst in it: success where nothing is, '' where that is not known."""
        if self.troubles:
            return worst_first(self.troubles)[0].level
        if self.part is None or self.part.pending:
            return ""
        return "success"


CARDS = (
    Card(
        "cluster",
        gettext_lazy("Cluster"),
        gettext_lazy("Waits for the API server's answer."),
        cluster.look,
        judged=True,
    ),
    Card(
        key="olm",
        title=gettext_lazy("Operator Lifecycle Manager"),
        waits=gettext_lazy("Asks for OLM's programs and catalogs."),
        look=olm_health.look,
        url="operatorhub:olm",
        judged=True,
    ),
    Card(
        key="operators",
        title=gettext_lazy("Installed operators"),
        waits=gettext_lazy("Asks for ClusterServiceVersions and Subscriptions."),
        look=operators.look,
        url="operatorhub:installed",
        judged=True,
    ),
    Card(
        key="instances",
        title=gettext_lazy("Instances"),
        waits=gettext_lazy("Counts the objects of every custom kind."),
        look=instances.look,
        url="operatorhub:services",
        judged=True,
    ),
    Card("pods", gettext_lazy("Pods"), gettext_lazy("Reads the Pods."), pods.look, judged=True),
    Card(
        "warnings",
        gettext_lazy("Recent warnings"),
        gettext_lazy("Asks for the Events of the last hour."),
        happened.look,
        "resources:events",
    ),
    Card("changes", gettext_lazy("Recent changes"), gettext_lazy("Reads the history."), changes.look),
    Card(
        "favourites",
        gettext_lazy("Favourites"),
        gettext_lazy("Asks for the state of each."),
        marks.favourites,
        "resources:favourites",
        empty=gettext_lazy("None yet: the star on the page of an object or a kind makes it one."),
    ),
    Card(
        "recent",
        gettext_lazy("Recently viewed"),
        gettext_lazy("Reads what you viewed recently."),
        marks.recent,
        "resources:favourites",
        empty=gettext_lazy("Nothing yet. Objects whose pages you open appear here."),
    ),
)
#: Not among the cards: it can be put away, and is drawn with its steps at once.
TOUR = Card("tour", gettext_lazy("Getting started"), gettext_lazy("Looks which steps are done."), tour.look)


def by_key(key: str) -> Card | None:
    return next((card for card in (*CARDS, TOUR) if card.key == key), None)


def gathered(client: ClusterClient, card: Card) -> Shown:
    """The card with what this person snoozed.

    Never raises what one card alone could not get: the others are told all the same.
    """
    shown = _gathered(client, card)
    if not shown.troubles:
        return shown
    found = snooze.snoozes(client)
    return replace(shown, snoozed=tuple(trouble for trouble in shown.troubles if snooze.is_snoozed(found, trouble)))


def _gathered(client: ClusterClient, card: Card) -> Shown:
    try:
        part = card.look(client)
    except Forbidden as error:
        return Shown(card, problem=str(error), refused=True)
    except KubeError as error:
        # One sentence for all that ask a cluster which does not answer.
        gone = isinstance(error, Unreachable)
        troubles = (cluster.away(error),) if card.key == "cluster" else () if gone else (_lost(card, str(error)),)
        return Shown(card, problem=f"{explain(error).title}: {error}", troubles=troubles if card.judged else ())
    except DatabaseError as error:
        return Shown(card, problem=_("The console's database does not answer: %(words)s") % {"words": error})
    except RedisError as error:
        return Shown(card, problem=str(error))
    return Shown(card, part, troubles=part.troubles)


def _lost(card: Card, words: str) -> Trouble:
    return Trouble(ERROR, _("“%(card)s” couldn't be read") % {"card": card.title}, words, f"#overview-{card.key}")

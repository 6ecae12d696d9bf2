"""/: the overview, with the cluster's problems and links to other pages.

Each card has a request of its own (`?part=`), so that none waits for another; the causes of problems have others
(`?part=causes&of=`), after the cards were painted.

Without JavaScript, `?all=1` has them all in one page.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.http import Http404, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import Resolver404, get_script_prefix, resolve, reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.overview import part
from console.overview import tour as first_steps
from console.overview.cards import CARDS, TOUR, Shown, by_key, collect_card
from console.overview.part import CardProblem, worst_first
from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.place import Place, place_of
from resources.usage import NODES, metrics_type

_MAIN = ("warnings", "changes", "favourites", "recent")


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage:
    """`tour` None: the user dismissed it. `whole`: the cards are collected; else each is loaded later.

    `measured`: the cluster serves metrics, so the cluster's card is higher.
    """

    cards: tuple[Shown, ...]
    tour: Shown | None
    plain: first_steps.Tour
    whole: bool
    measured: bool

    @property
    def judged(self) -> tuple[Shown, ...]:
        return tuple(card for card in self.cards if card.card.judged)

    @property
    def main_cards(self) -> tuple[Shown, ...]:
        """Below what needs attention: what happened, and what this person looks at."""
        return tuple(shown for shown in self.cards if shown.card.key in _MAIN)

    @property
    def side_cards(self) -> tuple[Shown, ...]:
        """Beside it: numbers."""
        return tuple(shown for shown in self.cards if shown.card.key not in _MAIN)

    @property
    def icons(self) -> tuple[str, ...]:
        """For static/js/overview.js, which redraws the verdict."""
        return ("success", "error", "warning", "progress", "info")

    @property
    def attention_words(self) -> str:
        return _("{number} need attention").format(number=len(self.troubles))

    @property
    def troubles(self) -> tuple[CardProblem, ...]:
        return worst_first(trouble for card in self.cards for trouble in card.awake)

    @property
    def snoozed(self) -> tuple[CardProblem, ...]:
        return worst_first(trouble for card in self.cards for trouble in card.snoozed)

    @property
    def worst(self) -> str:
        """The icon of all of it."""
        if not self.whole:
            return "progress"
        return self.troubles[0].level if self.troubles else "success" if self.well else "info"

    @property
    def well(self) -> bool:
        return self.whole and all(shown.level == "success" for shown in self.judged)


def overview_page(client: ClusterClient, whole: bool) -> OverviewPage:
    """The page; it sends requests to the cluster only with `whole`."""
    cards = tuple(collect_card(client, card) if whole else Shown(card=card) for card in CARDS)
    steps = None if first_steps.away(client) else collect_card(client, TOUR) if whole else Shown(card=TOUR)
    return OverviewPage(
        cards=cards,
        tour=steps,
        plain=first_steps.plain(),
        whole=whole,
        measured=metrics_type(client, NODES) is not None,
    )


@require_safe
def overview(request: ConsoleRequest) -> HttpResponse:
    """The page, or with `?part=` one of its cards."""
    client = request.cluster
    if request.GET.get("part") == "causes":
        return _causes(request)
    if "part" in request.GET:
        card = by_key(request.GET["part"])
        if card is None:
            raise Http404
        template = "console/overview/_tour.html" if card is TOUR else "console/overview/_card.html"
        answer = render.page(request, template, {"area": collect_card(client, card), "plain": first_steps.plain()})
        # A browser that goes back takes parts out of its cache unasked.
        answer["Cache-Control"] = "no-store"
        return answer
    page = overview_page(client, request.GET.get("all") == "1")
    if page.whole:
        page = _with_causes(request, page)
    return render.page(request, "console/overview/overview.html", {"page": page})


def _with_causes(request: ConsoleRequest, page: OverviewPage) -> OverviewPage:
    """Without JavaScript the page itself asks for causes."""
    asked = [trouble.cause_id for card in page.cards for trouble in card.troubles if trouble.asks]
    found = part.find_causes(request.cluster, _places(request, asked), part.CAUSE_SECONDS)

    def known(troubles: tuple[CardProblem, ...]) -> tuple[CardProblem, ...]:
        return tuple(part.with_cause(trouble, found.get(trouble.cause_id)) for trouble in troubles)

    cards = (replace(card, troubles=known(card.troubles), snoozed=known(card.snoozed)) for card in page.cards)
    return replace(page, cards=tuple(cards))


def _causes(request: ConsoleRequest) -> HttpResponse:
    """`?of=`: the cause_id of rows. Those that are known in time, as JSON; null where an object has none."""
    asked = request.GET.getlist("of")[: part.MAX_ASKED_CAUSES]
    found = part.find_causes(request.cluster, _places(request, asked), part.CAUSE_SECONDS)
    rows = {
        cause_id: shown
        and {
            "sentence": Truncator(shown.cause.sentence).chars(300),
            "fix": shown.fix.label if shown.fix else "",
            "url": shown.fix.url if shown.fix else "",
        }
        for cause_id, shown in found.items()
    }
    answer = JsonResponse(rows)
    answer["Cache-Control"] = "no-store"
    return answer


def _places(request: ConsoleRequest, asked: Iterable[str]) -> dict[str, Place]:
    """The objects of cause_ids, from the addresses in them; what isn't one is left out."""
    found = {}
    for cause_id in asked:
        path = cause_id.partition(":")[2].removeprefix(get_script_prefix())
        try:
            match = resolve(f"/{path}")
            if match.view_name == "resources:detail":
                found[cause_id] = place_of(request, **match.kwargs)
        except (Resolver404, KubeError):
            continue
    return found


@require_POST
def put_away(request: ConsoleRequest) -> HttpResponse:
    """/overview/tour/: `away` 1 or 0, kept for this person."""
    first_steps.put_away(request.cluster, request.POST.get("away") == "1")
    return HttpResponseRedirect(reverse("pages:overview"))


@require_POST
def snooze_trouble(request: ConsoleRequest) -> HttpResponse:
    """/overview/snooze/: a trouble's key and state as `hour`, `day` or `change`; `end` with a key takes it back."""
    for span in part.SPANS:
        if span in request.POST:
            part.snooze(request.cluster, request.POST[span], span)
    if "end" in request.POST:
        part.end_snooze(request.cluster, request.POST["end"])
    return HttpResponseRedirect(reverse("pages:overview"))

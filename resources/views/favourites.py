"""/resources/favourites/: a person's favourites with their state, what they looked at lately, and what they changed,
with the way back.
"""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.web import render
from console.web.request import ConsoleRequest, own_address, wants_fragment
from kube import limits
from resources import favourites as kept
from resources.favourites import Marked
from resources.history import writes
from resources.models import Write
from resources.place import Place, place_of


@dataclass(frozen=True, slots=True)
class UserChange:
    """Something this user did. `undo`: whether enough was kept to take it back; `place` None: its kind is gone."""

    write: Write
    place: Place | None
    undo: bool


@dataclass(frozen=True, slots=True)
class FavouritesPage:
    favourites: tuple[Marked, ...]
    recent: tuple[Marked, ...]
    changes: tuple[UserChange, ...]


@require_safe
def favourites(request: ConsoleRequest) -> HttpResponse:
    client = request.cluster
    page = FavouritesPage(kept.favourites(client, states=True), kept.recent(client), _changes(request))
    return render.page(request, "resources/favourites.html", {"page": page})


def _changes(request: ConsoleRequest) -> tuple[UserChange, ...]:
    client = request.cluster
    return tuple(
        UserChange(row, writes.place(client, row), possible) for row, possible in writes.with_possible(client, limit=20)
    )


@require_POST
def favourite(request: ConsoleRequest) -> HttpResponse:
    """The star: `group`, `version`, `plural`, `namespace`, `name` ('' for the kind's list) and `on`; back to `next`."""
    post = request.POST
    address = {key: post.get(key, "")[:253] for key in ("group", "version", "plural", "name")}
    place = place_of(request, **address, namespace=post.get("namespace", "")[:253] or "-")
    on = post.get("on") == "1"
    try:
        kept.choose(request.cluster, place, on)
    except kept.TooMany:
        on = False
        messages.warning(
            request,
            _("You already have %(number)d favorites. Remove one first.") % {"number": limits.FAVOURITES.value},
        )
    if wants_fragment(request):
        return render.page(request, "resources/_star.html", {"place": place, "on": on})
    page = place.url() if place.name else place.kind_url()
    return HttpResponseRedirect(own_address(request, post.get("next", "")) or page)

"""/quick-starts/: the quick starts with their states. /quick-starts/<name>/: one is opened beside the pages, moved on
in and closed.

A form without script comes back to the page that it was sent from; htmx is answered with the panel alone, so that what
is typed in the page stays.
"""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import quick_starts, render
from console.web.quick_starts import NO, OPEN_COOKIE, YES, Guide, Position
from console.web.request import ConsoleRequest, own_address, wants_fragment
from kube.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickStartsPage:
    """`status`: the one that is asked for, '' for all of them."""

    guides: tuple[Guide, ...]
    q: str
    status: str
    total: int


@require_safe
def catalog(request: ConsoleRequest) -> HttpResponse:
    """`?q=`: words of the title, description or tags; `?status=`."""
    q, status = request.GET.get("q", "").strip()[:200], request.GET.get("status", "")
    every = quick_starts.guides(request.cluster, request.LANGUAGE_CODE)
    found = tuple(item for item in every if (not status or item.status == status) and _has(item, q.lower().split()))
    page = QuickStartsPage(guides=found, q=q, status=status, total=len(every))
    return render.page(request, "console/quick_starts.html", {"page": page})


def _has(item: Guide, words: list[str]) -> bool:
    own = item.quick_start
    text = " ".join((own.title, own.description, *own.tags)).lower()
    return all(word in text for word in words)


@require_http_methods(["GET", "HEAD", "POST"])
def quick_start(request: ConsoleRequest, name: str) -> HttpResponse:
    """GET opens it; a POST does what `do` says: a number shows that step, `yes` and `no` answer the check of the task
    that is shown, `restart` forgets the progress, `close` closes the panel.
    """
    guide = quick_starts.guide(request.cluster, name, request.LANGUAGE_CODE)
    if guide is None:
        raise NotFound(
            _("Quick start “%(name)s” doesn't exist, or you don't have the permissions that it needs.") % {"name": name}
        )
    action = request.POST.get("do", "") if request.method == "POST" else ""
    if action == "close":
        response = _answer(request, None)
        response.delete_cookie(OPEN_COOKIE, samesite="Lax")
        return response
    progress = _moved(guide.progress, action, len(guide.quick_start.tasks))
    if progress != guide.progress:
        quick_starts.save(request.cluster, name, progress)
    response = _answer(request, replace(guide, progress=progress))
    response.set_cookie(OPEN_COOKIE, name, samesite="Lax", httponly=True, secure=settings.HTTPS)
    return response


def _moved(progress: Position, action: str, tasks: int) -> Position:
    if action == "restart":
        return Position.parse("", tasks)
    if action in ("yes", "no"):
        return progress.answered(YES if action == "yes" else NO)
    return progress.moved(int(action)) if action.isascii() and action.isdigit() and len(action) < 4 else progress


def _answer(request: ConsoleRequest, guide: Guide | None) -> HttpResponse:
    """The panel for htmx, empty where it was closed; else back to the page, with the focus on the panel's title."""
    back = own_address(request, request.POST.get("next", "") or request.GET.get("next", ""))
    if wants_fragment(request):
        if not back:
            current = urlsplit(request.htmx.current_url or "")
            back = f"{current.path}?{current.query}" if current.query else current.path
        context = {"guide": guide, "back": back, "has_focus": request.POST.get("do") not in ("yes", "no")}
        return render.page(request, "console/_quick_start.html", context)
    title = "#quick-start-title" if guide else ""
    return HttpResponseRedirect(f"{(back or reverse('pages:quick-starts')).partition('#')[0]}{title}")

"""/clusters/: the console's clusters: whether each responds, as which user, and the address of the same kind of page
there (docs/decisions/0025). /command-line-tools/: programs for the cluster.

Without such a page, the address is that of the list that the current page belongs to.
"""

import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.signin import sessions
from console.web import clusters, navigation, render
from console.web.clusters import Offered
from console.web.errors import Problem, wants_json
from console.web.front import addresses_of, place_of
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError, Unreachable

#: The page waits for all clusters together no longer than this; a late answer is shown on the next load.
_PATIENCE_SECONDS = 2.0
_KEEP_SECONDS = 10.0
# Views of a kind as a whole, which another cluster may serve as well.
_OF_A_KIND = ("list", "new", "new-yaml", "explain")

_KIND = ("group", "version", "plural")
# Pages of operatorhub that belong to a list other than the catalog, by the first part of their address.
_ROOMS = {"operators": "installed", "extensions": "extensions"}

_asked: dict[str, "Future[tuple[float, str]]"] = {}
_lock = Lock()
_pool = ThreadPoolExecutor(8, thread_name_prefix="clusters")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """`state`: reached, away or waiting; `problem`: why it can't be reached; `user`: the user there, '' without one;
    `url`: the same kind of page there.
    """

    name: str
    user: str
    state: str
    problem: str
    url: str
    here: bool


@require_safe
def list_(request: ConsoleRequest) -> HttpResponse:
    """The cluster menu. `?at=`: the address of the current page."""
    at = request.GET.get("at", "")
    context = {"rows": rows(request, at), "signing_in": settings.SIGN_IN != "local"}
    return render.page(request, "console/clusters.html", context, part=True)


@require_safe
def command_line_tools(request: ConsoleRequest) -> HttpResponse:
    """kubectl with the version to match, and the ConsoleCLIDownloads."""
    try:
        version = str(request.cluster.version().get("gitVersion") or "")
    except KubeError:
        version = ""
    context = {"version": version, "tools": navigation.command_line_tools(request.cluster)}
    return render.page(request, "console/command_line_tools.html", context)


def unknown(request: HttpRequest, rest: str) -> HttpResponse:
    """An address of a context that is not offered: 404, with those that are."""
    if not clusters.several() or wants_json(request):
        raise Http404
    context = clusters.context_of(rest.partition("/")[0])
    words = _("Select a cluster below. If its context was renamed, its address has changed too.")
    problem = Problem(status=404, title=_("Cluster “%(name)s” not found") % {"name": context}, advice=words, detail="")
    found = {"rows": rows(request, ""), "problem": problem, "signing_in": settings.SIGN_IN != "local"}
    return render.page(request, "console/clusters.html", found, status=404)


def rows(request: HttpRequest, at: str) -> tuple[ClusterRow, ...]:
    here, known = place_of(request), clusters.offered()
    states = _states(known)
    return tuple(
        ClusterRow(
            name=offered.context,
            user=_as_whom(request, offered, here),
            state=states[offered.prefix][0],
            problem=states[offered.prefix][1],
            url=there(at, here, offered),
            here=offered == here,
        )
        for offered in known
    )


def _as_whom(request: HttpRequest, offered: Offered, here: Offered) -> str:
    """The user on a cluster; '' without one. An impersonation on another cluster is shown only there."""
    acting, person = getattr(request, "acting", None), getattr(request, "person", None)
    if offered == here and acting:
        return str(acting.user)
    if settings.SIGN_IN == "local":
        return offered.user
    return str(person.user) if person and offered == here else sessions.user_at(request, offered)


def there(at: str, here: Offered, place: Offered) -> str:
    """The address of the same kind of page on the cluster `place`: of a list the same list, of an object its list."""
    if place == here and at:
        # Browsers treat a backslash as a slash and ignore tabs: a forged `at` must not lead to another host.
        own = at.startswith(f"{here.prefix}/") and url_has_allowed_host_and_scheme(at, allowed_hosts=None)
        return at if own else f"{here.prefix}/"
    with addresses_of(place):
        try:
            found = resolve(at.removeprefix(here.prefix))
        except Resolver404:
            return reverse("pages:overview")
        kind = kind_of(found)
        if kind and len(kind) == len(found.kwargs) and found.url_name in _OF_A_KIND:
            return reverse(f"resources:{found.url_name}", kwargs=kind)
        if not found.kwargs and found.app_name and not found.route.startswith("api/"):
            return reverse(f"{found.app_name}:{found.url_name}")
        return list_above(found) or reverse("pages:overview")


def kind_of(found: ResolverMatch) -> dict[str, str]:
    """The kind that a page of resources is about; empty for any other page."""
    kind = {name: str(value) for name, value in found.kwargs.items() if name in _KIND}
    return kind if found.app_name == "resources" and len(kind) == len(_KIND) else {}


def list_above(found: ResolverMatch) -> str:
    """The address of the list that a page belongs to; '' for a page that belongs to none."""
    if kind := kind_of(found):
        return reverse("resources:list", kwargs=kind)
    if found.app_name == "operatorhub":
        return reverse(f"operatorhub:{_ROOMS.get(found.route.partition('/')[0], 'catalog')}")
    return ""


def _states(known: Iterable[Offered]) -> dict[str, tuple[str, str]]:
    """(state, problem) of each cluster, by its prefix.

    Requests have no credentials, so that opening a menu runs no credential plugin of another context.
    """
    now = time.monotonic()
    with _lock:
        for offered in known:
            pending = _asked.get(offered.prefix)
            if pending is None or (pending.done() and pending.result()[0] < now):
                _asked[offered.prefix] = _pool.submit(_reached, offered)
        asked = {cluster.prefix: _asked[cluster.prefix] for cluster in known}
    wait(asked.values(), _PATIENCE_SECONDS)
    return {prefix: _state_of(found) for prefix, found in asked.items()}


def _state_of(found: "Future[tuple[float, str]]") -> tuple[str, str]:
    if not found.done():
        return "waiting", ""
    problem = found.result()[1]
    return ("away" if problem else "reached"), problem


def _reached(place: Offered) -> tuple[float, str]:
    """(until when this is good, why it can't be reached or ''). Any answer will do, also a refusal. Never raises."""
    problem = ""
    try:
        ClusterClient(clusters.endpoint_of(place)).version()
    except Unreachable as error:
        problem = str(error)
    except KubeError as error:
        problem = str(error) if error.reason == "InvalidConfig" else ""
    except Exception as error:
        problem = str(error)
    return time.monotonic() + _KEEP_SECONDS, problem

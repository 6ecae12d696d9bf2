"""/resources/<group>/<version>/<plural>/bulk/: one act on the objects that were ticked in a list; asked first, with
a result for each.
"""

import shlex
from dataclasses import dataclass, field, replace

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube import limits
from resources.history import writes
from resources.history.kinds import may_be_recorded
from resources.lists import bulk as subject
from resources.lists.bulk import DELETE, BadChange, Chosen, Result
from resources.place import Place, place_of
from resources.views.delete import TAKES_ALONG, one_way
from resources.views.filter import Filter

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPage:
    """`changes`: as typed.

    `error`: what is wrong with it. `checked`: the results are a dry run's. `results` None: nothing was done yet.
    """

    place: Place
    action: str
    chosen: tuple[Chosen, ...]
    filter: Filter = field(default_factory=Filter)
    changes: str = ""
    error: str = ""
    checked: bool = False
    results: tuple[tuple[Result, Problem | None], ...] | None = None
    kubectl: str = ""
    typed: str = ""

    @property
    def must_type(self) -> bool:
        """Of kinds that take everything in them along, the number has to be typed."""
        return self.action == DELETE and self.place.type.kind in TAKES_ALONG

    @property
    def back_url(self) -> str:
        """The list that it began in, with its filters."""
        return f"{self.place.list_url}{self.filter.url(self.place.namespace)}"

    @property
    def shown(self) -> tuple[Chosen, ...]:
        return self.chosen[:_SHOWN]

    @property
    def left_out(self) -> int:
        return max(0, len(self.chosen) - _SHOWN)

    @property
    def failed(self) -> int:
        return sum(problem is not None for _result, problem in self.results or ())

    @property
    def way(self) -> str:
        """How a deletion of many is undone: nothing is kept of each but its history, where it has one."""
        way = one_way(self.place)
        return way if way != "again" else "history" if may_be_recorded(self.place.type) else "none"

    @property
    def done(self) -> bool:
        return self.results is not None and not self.checked


@require_POST
def bulk(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`action`, `chosen` (uid/namespace/name, many) or `all`; `~check` tries, `~confirm` does."""
    place = place_of(request, group, version, plural, request.POST.get("namespace") or "-")
    action = request.POST.get("action", DELETE)
    chosen = _chosen(request, place)
    page = BulkPage(
        place=place,
        action=action if action in subject.ACTIONS else DELETE,
        chosen=chosen,
        filter=Filter.from_query(request.POST),
        changes=request.POST.get("changes", "")[:20_000],
        typed=request.POST.get("typed", "").strip(),
    )
    if not chosen:
        messages.warning(request, _("Nothing selected. Select objects in the list first."))
        return HttpResponseRedirect(page.back_url)
    most = limits.BULK_OBJECTS.value
    if len(chosen) > most:
        words = _("More than %(most)d objects are selected. Filter the list, or use kubectl with a selector.")
        page = replace(page, chosen=chosen[:most], error=words % {"most": most})
        return _answer(request, page, 422)
    if "~confirm" in request.POST or "~check" in request.POST:
        page = _carry_out(request, page, dry_run="~confirm" not in request.POST)
        return _answer(request, page, 422 if page.error else 200)
    return _answer(request, page)


def _chosen(request: ConsoleRequest, place: Place) -> tuple[Chosen, ...]:
    if "all" in request.POST:
        query = Filter.from_query(request.POST).query()
        return tuple(subject.matching(request.cluster, place.type, place.namespace, query))
    found = (Chosen.read(value) for value in request.POST.getlist("chosen"))
    return tuple(dict.fromkeys(chosen for chosen in found if chosen))


def _carry_out(request: ConsoleRequest, page: BulkPage, *, dry_run: bool) -> BulkPage:
    changes: dict[str, str | None] = {}
    if page.must_type and not dry_run and page.typed != str(len(page.chosen)):
        return replace(page, error=_("Type the number %(number)d to confirm.") % {"number": len(page.chosen)})
    if page.action != DELETE:
        try:
            changes = subject.read_changes(page.changes)
        except BadChange as error:
            words = _("“%(line)s” isn't a valid change. Use key=value to set a key, key- to remove it.")
            return replace(page, error=words % {"line": error.line[:200]})
        if not changes:
            return replace(page, error=_("Enter at least one change: key=value to set a key, key- to remove it."))
    results = subject.carry_out(request.cluster, page.place.type, page.chosen, page.action, changes, dry_run=dry_run)
    if not dry_run:
        for result in results:
            ref = replace(page.place, namespace=result.chosen.namespace, name=result.chosen.name).ref
            audit.record(request, page.action, ref, result.outcome)
        done = (
            result.chosen
            for result in results
            if page.action == DELETE and result.outcome == "ok" and result.chosen.uid
        )
        gone = ((replace(page.place, namespace=chosen.namespace, name=chosen.name), chosen.uid) for chosen in done)
        writes.noted(request.cluster, "delete", gone)
    explained = tuple((result, explain(result.error) if result.error else None) for result in results)
    return replace(page, results=explained, checked=dry_run)


def _answer(request: ConsoleRequest, page: BulkPage, status: int = 200) -> HttpResponse:
    lines = [shlex.quote(line.strip()) for line in page.changes.splitlines() if line.strip()]
    commands = subject.kubectl(page.place.type, page.shown, page.action, lines)
    page = replace(page, kubectl="\n".join(commands))
    return render.page(request, "resources/bulk.html", {"page": page}, status=status)

"""/resources/<group>/<version>/<plural>/bulk/: one action on the objects that were selected in a list: deletes them, or
changes their labels or annotations.

The page comes first, so that nothing happens without a confirmation. Each object has a result of its own; one refusal
stops no other.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.front import Workers
from console.web.request import ConsoleRequest
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import uid_of
from kube.recording import with_current_context
from resources.history import writes
from resources.history.recording_status import may_be_recorded
from resources.lists import listing
from resources.place import Place, place_of
from resources.views.delete import TAKES_ALONG, one_way
from resources.views.filter import Filter

DELETE, LABEL, ANNOTATE = "delete", "label", "annotate"
ACTIONS = (DELETE, LABEL, ANNOTATE)
_KEY = re.compile(r"[A-Za-z0-9.\-_/]{1,317}")
#: Objects that the page lists.
_MAX_SHOWN = 200
_workers = Workers(6, thread_name_prefix="bulk")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selected object. `uid` '': any object that has the name now."""

    uid: str
    namespace: str
    name: str

    @classmethod
    def read(cls, value: str) -> "Chosen | None":
        """`uid/namespace/name`, as the rows' boxes hold it; None for anything else."""
        parts = value.split("/")
        return cls(*parts) if len(parts) == 3 and parts[2] else None

    @property
    def value(self) -> str:
        return f"{self.uid}/{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Result:
    """`error`: None if the action was done. `waits`: the object still exists, because of its finalizers."""

    chosen: Chosen
    error: KubeError | None = None
    waits: bool = False

    @property
    def outcome(self) -> str:
        """For the audit log."""
        return self.error.reason if self.error else "ok"


class BadChange(ValueError):
    """A line of the changes that says nothing. Its text is `line`."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPage:
    """`changes`: as typed; `error`: what is wrong with them.

    `checked`: the results are a dry run's. `results` None: nothing was done yet.
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
        return self.chosen[:_MAX_SHOWN]

    @property
    def left_out(self) -> int:
        return max(0, len(self.chosen) - _MAX_SHOWN)

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
        action=action if action in ACTIONS else DELETE,
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
        page = _act(request, page, dry_run="~confirm" not in request.POST)
        return _answer(request, page, 422 if page.error else 200)
    return _answer(request, page)


def _chosen(request: ConsoleRequest, place: Place) -> tuple[Chosen, ...]:
    """`all`: what the list's filters leave; limits.BULK_OBJECTS + 1 at most, which shows that there are too many."""
    if "all" in request.POST:
        query = Filter.from_query(request.POST).query()
        entries = listing.matching(request.cluster, place.type, place.namespace, query)
        return tuple(
            Chosen(entry.uid, entry.namespace, entry.name) for entry in entries[: limits.BULK_OBJECTS.value + 1]
        )
    found = (Chosen.read(value) for value in request.POST.getlist("chosen"))
    return tuple(dict.fromkeys(chosen for chosen in found if chosen))


def _act(request: ConsoleRequest, page: BulkPage, *, dry_run: bool) -> BulkPage:
    changes: dict[str, str | None] = {}
    if page.must_type and not dry_run and page.typed != str(len(page.chosen)):
        return replace(page, error=_("Type the number %(number)d to confirm.") % {"number": len(page.chosen)})
    if page.action != DELETE:
        try:
            changes = read_changes(page.changes)
        except BadChange as error:
            words = _("“%(line)s” isn't a valid change. Use key=value to set a key, key- to remove it.")
            return replace(page, error=words % {"line": error.line[:200]})
        if not changes:
            return replace(page, error=_("Enter at least one change: key=value to set a key, key- to remove it."))
    results = carry_out(request.cluster, page.place.type, page.chosen, page.action, changes, dry_run=dry_run)
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
    commands = kubectl_commands(page.place.type, page.shown, page.action, lines)
    page = replace(page, kubectl="\n".join(commands))
    return render.page(request, "resources/bulk.html", {"page": page}, status=status)


def read_changes(text: str) -> dict[str, str | None]:
    """As kubectl's label takes them, one a line: `key=value` sets, `key-` removes. Raises BadChange.

    What keys and values may be is the API server's to say; here only what can't be understood is refused.
    """
    found: dict[str, str | None] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals and key.endswith("-") and _KEY.fullmatch(key[:-1]):
            found[key[:-1]] = None
        elif equals and _KEY.fullmatch(key):
            found[key] = value.strip()
        else:
            raise BadChange(line)
    return found


def carry_out(
    client: ClusterClient,
    type_: ResourceType,
    chosen: Sequence[Chosen],
    action: str,
    changes: dict[str, str | None] | None = None,
    *,
    dry_run: bool = False,
) -> tuple[Result, ...]:
    """Several at a time; the results are in the order given. An object that is gone already counts as deleted."""

    def carry_out_on(wanted: Chosen) -> Result:
        try:
            if action == DELETE:
                left = client.delete(type_, wanted.name, wanted.namespace, uid=wanted.uid, dry_run=dry_run)
                return Result(wanted, waits="metadata" in left and bool(uid_of(left)) and not dry_run)
            metadata: dict[str, Any] = {"labels" if action == LABEL else "annotations": changes or {}}
            if wanted.uid:
                # Never a namesake that was made since: the API server refuses another uid.
                metadata["uid"] = wanted.uid
            client.patch(type_, wanted.name, {"metadata": metadata}, wanted.namespace, dry_run=dry_run)
        except NotFound as error:
            return Result(wanted, None if action == DELETE else error)
        except KubeError as error:
            return Result(wanted, error)
        return Result(wanted)

    return tuple(_workers.map(with_current_context(carry_out_on), chosen))


def kubectl_commands(
    type_: ResourceType, chosen: Iterable[Chosen], action: str, changes: Sequence[str]
) -> Iterator[str]:
    """The commands that do the same, one a namespace. `changes` are quoted for a shell."""
    by_namespace: dict[str, list[str]] = {}
    for item in chosen:
        by_namespace.setdefault(item.namespace, []).append(item.name)
    for namespace, names in by_namespace.items():
        parts = ["kubectl", action, type_.qualified, *(["-n", namespace] if namespace else []), *names, *changes]
        yield " ".join([*parts, *(["--overwrite"] if action != DELETE else [])])

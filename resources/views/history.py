"""How an object changed, and the way back.

The page …/history/, one change of it, two versions beside each other, and recently deleted objects. Users who can't
read the object (checked with the API server each time) don't see its history.

Back to a version of the history, or without one change of it, or without the user's last change: always by the review
page, and with the user's own permissions.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from resources import live_topics
from resources.history import recording_status, stored_object, timeline, writes
from resources.history.recording_status import Recording
from resources.history.strip import SPANS, Figures, Lane, Strip, figures, happened, lanes, strip
from resources.history.timeline import Lately, Page, TimelineEntry
from resources.kinds.parts import PANEL, Bit, Cell, Table, line
from resources.models import Traced
from resources.page import events
from resources.page.events import EventRow
from resources.place import Place, place_of
from resources.views.submission import YAML, Draft, Shell
from resources.views.work import Work
from resources.writing.review import Review, compare

_PAGE = 50
#: On the object's page, which shows only the newest.
_LATEST = 5
#: How long a region that was made by a change waits for the worker to write that change down.
_WAIT, _WAIT_LIVE = 0.4, 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPart:
    """The region of the object's page, and the list on the page of its own. `alive`: the object is there."""

    place: Place
    topic: str
    recording: Recording
    traced: Traced | None = None
    found: Page | None = None
    strip: Strip | None = None
    figures: Figures | None = None
    lanes: tuple[Lane, ...] = ()
    span: str = ""
    others: tuple[Traced, ...] = ()
    show: str = ""
    alive: bool = True
    merged: tuple["Merged", ...] = ()
    with_events: bool = False

    @property
    def rows(self) -> tuple["Merged", ...]:
        """The steps, and the Events among them where those are asked for."""
        steps = self.found.entries if self.found else ()
        return self.merged or tuple(Merged(entry.until, step=entry) for entry in steps)

    @property
    def shown(self) -> bool:
        return self.recording.on or bool(self.recording.why) or self.traced is not None


@dataclass(frozen=True, slots=True)
class Merged:
    """A step or an Event, in one order of time."""

    at: datetime
    step: TimelineEntry | None = None
    event: EventRow | None = None


def part(
    client: ClusterClient,
    place: Place,
    obj: KubeObject | None,
    *,
    span: str = "",
    event_rows: tuple[EventRow, ...] = (),
    live: bool = False,
) -> HistoryPart:
    """The region.

    `obj`: the object as the page has it; `span`: see strip(); `event_rows`: the Events of the page; `live`: the region
    was requested because of a live update.
    """
    topic = live_topics.topics(client, place.type, namespace=place.namespace)
    recording = recording_status.recording(client, place)
    if recording.on and obj is not None and not stored_object.skipped(obj):
        recording_status.caught_up(client, obj, _WAIT_LIVE if live else _WAIT)
    all_ = timeline.lives(client, place)
    traced = next((life for life in all_ if obj is None or life.uid == str(obj["metadata"].get("uid"))), None)
    region = HistoryPart(place=place, topic=topic, recording=recording, others=all_, alive=obj is not None)
    return (
        replace(
            _drawn(region, traced, span, event_rows),
            found=timeline.page(traced, limit=_LATEST),
            span=span if span in SPANS else "",
        )
        if traced
        else region
    )


def _drawn(region: HistoryPart, traced: Traced, span: str, event_rows: tuple[EventRow, ...]) -> HistoryPart:
    """With the drawings of this life of the object. The others are listed beside it."""
    bar = strip(traced, span)
    marked: tuple[Lane, ...] = ()
    if bar.begin and bar.end:
        marked = lanes(happened(traced, event_rows, f"{region.place.detail_url}history/"), bar.begin, bar.end)
    others = tuple(life for life in region.others if life.pk != traced.pk)
    return replace(region, traced=traced, strip=bar, lanes=marked, figures=figures(traced, bar.begin), others=others)


@require_safe
def history(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?uid=`: an earlier object of that name; `?show=`; `?before=`: older steps; `?events=1`; `?from=` and `?to=`:
    two steps to compare.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    client, asked = request.cluster, request.GET
    timeline.check_can_read(client, place)
    all_ = timeline.lives(client, place)
    traced = next((life for life in all_ if asked.get("uid") in (None, "", life.uid)), None)
    show = asked.get("show", "") if asked.get("show") in (timeline.SPEC, timeline.STATUS) else ""
    with_events = asked.get("events") == "1"
    found = timeline.page(traced, show, _number(asked.get("before", "")), _PAGE) if traced else None
    page = HistoryPart(
        place=place,
        topic="",
        recording=recording_status.recording(client, place),
        found=found,
        others=all_,
        show=show,
        alive=traced is not None and traced.deleted_at is None,
        with_events=with_events,
    )
    if traced and found:
        event_rows = events.about(client, place.namespace, {traced.uid}, traced.uid).rows
        merged = _merged(event_rows, found) if with_events else ()
        page = replace(_drawn(page, traced, asked.get("span", ""), event_rows), merged=merged)
    context: dict[str, object] = {"part": page, "full": True}
    if asked.get("from") and asked.get("to") and traced:
        context |= {
            "compared": _compared(traced, _number(asked["from"]), _number(asked["to"])),
            "diff": render.only("diff"),
        }
    return render.page(request, "resources/history.html", context)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions. `problem`: why they can't be compared."""

    older: TimelineEntry | None = None
    newer: TimelineEntry | None = None
    found: Review | None = None
    problem: str = ""


def _compared(traced: Traced, number: int, other: int) -> Compared:
    first, last = sorted((number, other))
    rows = {step.pk: step for step in traced.steps.filter(pk__in=(first, last))}
    made = timeline.versions(traced, (first, last))
    if first == last or first not in made or last not in made:
        return Compared(problem=_("Choose two different changes of this object. Old changes are no longer stored."))
    return Compared(timeline.entry(rows[first]), timeline.entry(rows[last]), compare(made[first], made[last]))


def _merged(event_rows: tuple[EventRow, ...], found: Page) -> tuple[Merged, ...]:
    """The page's steps with the Events of its time."""
    rows = [Merged(entry.until, step=entry) for entry in found.entries]
    oldest = min((row.at for row in rows), default=None) if found.before else None
    for event in event_rows:
        at = event.at
        if at and (oldest is None or at >= oldest):
            rows.append(Merged(at, event=event))
    return tuple(sorted(rows, key=lambda row: row.at, reverse=True))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0


@require_safe
def change(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, step: int
) -> HttpResponse:
    """One change, line by line; for htmx only that."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    row = timeline.step_of(request.cluster, place, step)
    made = timeline.versions(row.traced, (row.pk, -row.pk))
    before, after = made.get(-row.pk), made.get(row.pk)
    context = {
        "place": place,
        "step": timeline.entry(row),
        "traced": row.traced,
        "found": compare(before or {}, after) if after is not None and (before is not None or not row.back) else None,
        "first": before is None,
    }
    return render.page(request, "resources/history_change.html", context, part=True)


@require_safe
def deleted(request: ConsoleRequest) -> HttpResponse:
    """What was deleted lately, in the chosen namespace."""
    title = _("Recently deleted")
    rows = tuple(_deleted_row(lately) for lately in timeline.recently_deleted(request.cluster, request.namespace))
    columns = (_("Name"), _("Kind"), _("Namespace"), _("Deleted"), _("Deleted by"))
    context = {
        "title": title,
        "help": _("Custom resources and workloads with stored history. You can view each object and create it again."),
        "empty": "" if rows else _("No deleted objects that you can see."),
        "part": PANEL,
        "data": Table(title=title, columns=columns, rows=rows),
    }
    return render.page(request, "resources/single.html", context)


def _deleted_row(lately: Lately) -> tuple[Cell, ...]:
    traced, place = lately.traced, lately.place
    return (
        (Bit(text=traced.name, url=place.url("history", uid=traced.uid) if place else ""),),
        line(traced.kind),
        line(traced.namespace),
        line(traced.deleted_at.isoformat() if traced.deleted_at else "", "age"),
        line(lately.by),
    )


def known(client: ClusterClient, place: Place) -> HistoryPart | None:
    """Of an object that is not there: what is known of it, for whom may read it; None when that is nothing."""
    try:
        timeline.check_can_read(client, place)
    except KubeError:
        return None
    found = part(client, place, None)
    return found if found.traced is not None else None


class Returning(Work):
    """A Work that begins with its review; `not_restored`: a note on what it does not bring back."""

    not_restored = ""

    def shell(self, written: Draft, asked: str = "") -> Shell:
        made = super().shell(written, asked)
        return replace(made, note=self.not_restored) if self.not_restored else made


@require_safe
def revert_step(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, step: int
) -> HttpResponse:
    """The review of going back to the version after that step; with `?only=1` of taking back that one change and
    nothing else.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    row = timeline.step_of(request.cluster, place, step)
    only = request.GET.get("only") == "1"
    made = timeline.versions(row.traced, (row.pk, -row.pk))
    target = made.get(-row.pk if only else row.pk)
    if target is None:
        raise NotFound(_("This version of %(what)s is no longer stored.") % {"what": place.kubectl})
    seen = timeline.served_place(request.cluster, row.traced) or place
    if row.traced.deleted_at is not None:
        return _again(request, seen, target)
    began = made[row.pk] if only else None
    return _back(request, seen, began, target)


@require_safe
def undo(request: ConsoleRequest, key: str) -> HttpResponse:
    """The review of taking back one of the user's own changes; of something that was created, the question whether
    to delete it.
    """
    row = writes.find(request.cluster, key)
    if row is None or not writes.undoable(row):
        raise NotFound(_("This change can't be undone: it is too old, or was made by another user."))
    type_ = request.cluster.find(row.group, row.version, row.plural)
    place = Place(type_, row.namespace, row.name)
    before, after = writes.objects(row)
    if before is None:
        return HttpResponseRedirect(place.url("delete"))
    return _again(request, place, before) if after is None else _back(request, place, after, before)


def _back(request: ConsoleRequest, place: Place, began: KubeObject | None, target: KubeObject) -> HttpResponse:
    """`began`: what the target is compared with; changes that others made to other fields meanwhile stay.

    None: the object as it is now.
    """
    live = place.get(request.cluster)
    work = Returning(request, place, YAML, editing=True)
    if stored_object.any_hidden(target):
        work.not_restored = _(
            "Passwords and other secret values aren't stored in the history. They stay as they are now."
        )
    if began is None:
        began = {key: value for key, value in live.items() if key != "status"}
    written = Draft(obj=writes.reverted(target, live), original=writes.reverted(began, live))
    return work.send(written, dry_run=True)


def _again(request: ConsoleRequest, place: Place, version: KubeObject) -> HttpResponse:
    """Creating it again."""
    work = Returning(request, Place(place.type, place.namespace), YAML)
    words = {
        "values": _("passwords and other secret values (enter them again)"),
        "owners": _("its owners"),
        "data": _("the data in the volume"),
        "contents": _("the contents of the namespace"),
        "instances": _("the objects of this resource type, which were deleted with it"),
        "owned": _("owned objects, unless the operator creates them again"),
    }
    lost = ", ".join(words[code] for code in writes.lost_parts(place.type.kind, version))
    work.not_restored = _("The new object has a new uid. Not restored: %(what)s.") % {"what": lost}
    return work.send(Draft(obj=writes.recreated(version), start="", begun="-"), dry_run=True)

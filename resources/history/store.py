"""Stores changes: the difference to the last known version, small and bounded.

One transaction a burst. The same version a second time (another worker, a restarted watch) writes nothing. Small
changes of the status that touch the same fields and leave the state word as it is are one step with a count.

Of one object at most HISTORY_CHANGES steps are stored. For new ones, older steps of the status join their neighbours
first; what people did stays as long as there is room. prune() bounds the whole: by age (HISTORY_DAYS) and by size
(HISTORY_MEGABYTES).
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum
from django.utils import timezone

from kube.discovery import ResourceType
from kube.objects import KubeObject, comparable, moment, older, uid_of
from kube.reader import read
from kube.types.meta import Object
from resources.history import stored_object
from resources.models import Followed, Recorder, Step, Traced, Write
from resources.state.kind_health import health

#: Status changes so close to each other are one step.
FOLD = timedelta(minutes=10)
_FIELDS = 8
# Steps of the status that are newer than so many others are never joined.
_FRESH_STEPS = 50
Seen = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Event:
    """What a watch or a list told of one object.

    `type`: ADDED, MODIFIED or DELETED; `listed`: it was found by a list, and not seen happening.
    """

    type: str
    object: KubeObject
    listed: bool = False
    #: Of the object's namespace, '' where it is not known.
    namespace_uid: str = ""


def version_of(obj: Mapping[str, Any]) -> str:
    return read(obj, Object).metadata.resource_version


def digest(clean: KubeObject, state: str) -> bytes:
    """Hash of what is stored: an event with the previous event's digest is ignored."""
    return hashlib.blake2b(msgspec.json.encode(clean, order="sorted") + state.encode(), digest_size=8).digest()


def record(cluster: str, type_: ResourceType, events: Iterable[Event], seen: Seen) -> int:
    """How many steps were written.

    `seen`: uid → digest, kept by the caller between calls, so that heartbeats cost no query.
    """
    news = []
    for event in events:
        uid = uid_of(event.object)
        if not uid or stored_object.skipped(event.object):
            continue
        clean, state = stored_object.clean(event.object), health(event.object).state
        mark = digest(clean, state)
        if event.type == "DELETED":
            seen.pop(uid, None)
        elif seen.get(uid) == mark:
            continue
        else:
            seen[uid] = mark
        news.append((event, clean))
    if not news:
        return 0
    with transaction.atomic():
        return sum(_record_event(cluster, type_, event, clean) for event, clean in news)


def _record_event(cluster: str, type_: ResourceType, event: Event, clean: KubeObject) -> int:
    traced = Traced.objects.select_for_update().filter(cluster=cluster, uid=uid_of(event.object)).first()
    if traced is None:
        if event.type != "DELETED":
            _begin(cluster, type_, event, clean)
        return int(event.type != "DELETED")
    if traced.deleted_at or (event.type != "DELETED" and not _newer(version_of(event.object), traced.resource_version)):
        return 0
    written = _change(traced, type_, event, clean)
    if event.type == "DELETED":
        ended = _step(traced, event, Step.DELETED, timezone.now())
        ended.save()
        traced.deleted_at = ended.at
        traced.save()
        return written + 1
    return written


def _newer(version: str, known: str) -> bool:
    """Where they can't be compared, another one is a newer one."""
    return older(known, version) if comparable(version, known) else version != known


def _begin(cluster: str, type_: ResourceType, event: Event, clean: KubeObject) -> None:
    obj = event.object
    metadata = read(obj, Object).metadata
    created = moment(metadata.creation_timestamp)
    head, now = stored_object.packed(clean), timezone.now()
    fresh = not event.listed and event.type == "ADDED"
    traced = Traced.objects.create(
        cluster=cluster,
        uid=metadata.uid,
        group=type_.group,
        version=type_.version,
        plural=type_.plural,
        kind=type_.kind,
        namespace=metadata.namespace,
        name=metadata.name,
        namespace_uid=event.namespace_uid,
        resource_version=metadata.resource_version,
        head=head,
        state=health(obj).state,
        began_at=created or now,
        size=len(head),
    )
    _step(traced, event, Step.CREATED if fresh else Step.SEEN, (created or now) if fresh else now).save()


def _step(traced: Traced, event: Event, what: str, at: datetime) -> Step:
    """Unsaved. `at` is never before the step it follows."""
    obj = event.object
    found = health(obj)
    metadata = read(obj, Object).metadata
    return Step(
        traced=traced,
        event=what,
        resource_version=metadata.resource_version,
        generation=metadata.generation or 0,
        at=at,
        until=at,
        gap=event.listed,
        state=found.state,
        reason=found.reason[:400],
        manager=stored_object.writer(obj, [("spec",)])[0] if what != Step.DELETED else "",
    )


def _change(traced: Traced, type_: ResourceType, event: Event, clean: KubeObject) -> int:
    """The step from the head to this version; a DELETED event may carry a last change too."""
    old = stored_object.unpacked(traced.head)
    ops = stored_object.steps_back(clean, old)
    state = health(event.object).state
    if not ops and (state == traced.state or event.type == "DELETED"):
        return 0
    parts = {str(op[0][0]) if op[0] else "" for op in ops}
    status_only = parts <= {"status"}
    last = traced.steps.order_by("-pk").first()
    manager, when = stored_object.writer(event.object, [op[0] for op in ops], last.until if last else None)
    changed_fields, number = stored_object.changed_fields(old, clean, _FIELDS)
    now = timezone.now()
    at = when if when and last and last.until <= when <= now else now
    step = _step(traced, event, Step.CHANGED, at)
    step.manager, step.fields, step.changed = manager, changed_fields, number
    step.status = "status" in parts or not parts
    step.meta = "metadata" in parts
    step.spec = bool(parts - {"status", "metadata"})
    folds = status_only and last is not None and _folds(last, step)
    if folds and last is not None:
        ops += stored_object.unpacked(last.back) or []
        before = stored_object.apply_steps(clean, ops)
        ops = stored_object.steps_back(clean, before)
        step.fields, step.changed = stored_object.changed_fields(before, clean, _FIELDS)
        step.pk, step.at, step.count, step.gap = last.pk, last.at, last.count + 1, last.gap or step.gap
    step.back = stored_object.packed(ops) if ops else b""
    step.save(force_update=folds, force_insert=not folds)
    head = stored_object.packed(clean)
    was = len(last.back) if folds and last is not None else 0
    traced.size = max(0, traced.size - len(traced.head) + len(head) + len(step.back) - was)
    traced.head, traced.state, traced.resource_version = head, state, version_of(event.object)
    traced.version, traced.kind = type_.version, type_.kind
    if not folds:
        _trim(traced)
    traced.save()
    return 1


def _folds(last: Step, step: Step) -> bool:
    """Whether two changes of the status can be one step, without losing anything that matters to a reader."""
    if last.event != Step.CHANGED or last.spec or last.meta or last.state != step.state:
        return False
    paths = {path for path, *_rest in last.fields}
    same = last.changed <= _FIELDS and all(path in paths for path, *_rest in step.fields) and step.changed <= _FIELDS
    return same and step.at - last.at < FOLD and not any(path.startswith("condition ") for path in paths)


def _trim(traced: Traced) -> None:
    """At most HISTORY_CHANGES steps: older ones of the status join their neighbours, then the oldest go.

    The caller saves `traced`.
    """
    number = traced.steps.count()
    if number <= settings.HISTORY_CHANGES:
        return
    rows = list(traced.steps.order_by("pk"))
    room = number - max(1, settings.HISTORY_CHANGES * 9 // 10)
    place = 0
    while room > 0 and place + 1 < len(rows) - min(_FRESH_STEPS, settings.HISTORY_CHANGES // 2):
        first, second = rows[place], rows[place + 1]
        if _of_status(first) and _of_status(second):
            _join(traced, first, second)
            del rows[place]
            room -= 1
        else:
            place += 1
    for old in rows[:room]:
        traced.size = max(0, traced.size - len(old.back))
        old.delete()
    if room > 0 and rows[room:]:
        rows[room].back = b""  # nothing is known of what was before
        rows[room].save()


def _of_status(step: Step) -> bool:
    return step.event == Step.CHANGED and not step.spec and not step.meta


def _join(traced: Traced, first: Step, second: Step) -> None:
    """Makes one step of the two: `second` then has the changes of both, and `first` is deleted."""
    ops = (stored_object.unpacked(second.back) or []) + (stored_object.unpacked(first.back) or [])
    known = {path: before for path, before, _after in first.fields}
    second.fields = [[path, known.get(path, before), after] for path, before, after in second.fields]
    traced.size -= len(first.back) + len(second.back)
    second.back, second.at, second.count = stored_object.packed(ops), first.at, second.count + first.count
    traced.size = max(0, traced.size + len(second.back))
    first.delete()
    second.save()


# What a list tells


def gone(cluster: str, type_: ResourceType, uids: set[str]) -> int:
    """After a list of the whole kind: records that objects missing from it were deleted while no watch was open."""
    now = timezone.now()
    found = Traced.objects.filter(cluster=cluster, group=type_.group, plural=type_.plural, deleted_at=None)
    number = 0
    for traced in found.only("pk", "uid", "resource_version"):
        if traced.uid not in uids:
            last = traced.steps.aggregate(last=Max("until"))["last"] or now
            Step.objects.get_or_create(
                traced=traced,
                resource_version=traced.resource_version,
                event=Step.DELETED,
                defaults={"at": now, "until": max(last, now), "gap": True},
            )
            Traced.objects.filter(pk=traced.pk).update(deleted_at=now)
            number += 1
    return number


def reached(cluster: str, type_: ResourceType, version: str, too_many: int = 0) -> None:
    """Everything of the kind up to there is written."""
    known = Followed.objects.filter(cluster=cluster, type=type_.qualified)
    values = {"resource_version": version, "too_many": too_many}
    # One statement: with 300 kinds this is what there is to do while nothing happens.
    if not known.update(**values):
        known.update_or_create(cluster=cluster, type=type_.qualified, defaults=values)


def where(cluster: str, type_: ResourceType) -> Followed | None:
    return Followed.objects.filter(cluster=cluster, type=type_.qualified).first()


_BATCH = 200
# A step beside what leads back: its words, names and indexes.
_ROW = 500
#: Objects of changes made here are kept for so many of a user's last ones: beyond that only who did what.
UNDOABLE = 50


def prune() -> int:
    """What is older than HISTORY_DAYS, and the oldest while all is more than HISTORY_MEGABYTES. How many objects and
    steps went.
    """
    before = timezone.now() - timedelta(days=settings.HISTORY_DAYS)
    number = Traced.objects.filter(deleted_at__lt=before).delete()[0]
    number += _old_steps(before)
    Write.objects.filter(at__lt=before).delete()
    Recorder.objects.filter(until__lt=before).delete()
    Followed.objects.filter(too_many__gt=0).delete()  # counted again
    limit = settings.HISTORY_MEGABYTES * 1_000_000
    while stored_bytes() > limit and (freed := _oldest()):
        number += freed
    return number


def stored_bytes() -> int:
    """Bytes of all heads and steps, and about what their rows take in a database."""
    return (Traced.objects.aggregate(all=Sum("size"))["all"] or 0) + _ROW * Step.objects.count()


def _old_steps(before: object) -> int:
    """The newest step of an object stays, however old: it says since when it is as it is."""
    newest = Traced.objects.annotate(newest=Max("steps__pk")).filter(newest__isnull=False).values("newest")
    old = Step.objects.filter(until__lt=before).exclude(pk__in=newest)
    touched = set(old.values_list("traced_id", flat=True))
    number = old.delete()[0]
    for traced in Traced.objects.filter(pk__in=touched):
        measure_size(traced)
    return number


def _oldest() -> int:
    """Objects that are deleted first, then the older half of the largest histories."""
    if deleted := list(
        Traced.objects.exclude(deleted_at=None).order_by("deleted_at").values_list("pk", flat=True)[:_BATCH]
    ):
        return Traced.objects.filter(pk__in=deleted).delete()[0]
    number = 0
    for traced in Traced.objects.order_by("-size")[:20]:
        rows = list(traced.steps.order_by("pk").values_list("pk", flat=True))
        going = rows[: len(rows) // 2]
        if not going:
            number += traced.delete()[0]
            continue
        number += Step.objects.filter(pk__in=going).delete()[0]
        measure_size(traced)
    return number


def measure_size(traced: Traced) -> None:
    """Counts the object's size again after deletions; the first step that is left has nothing to go back to."""
    rows = list(traced.steps.order_by("pk"))
    if rows and rows[0].back:
        rows[0].back = b""
        rows[0].save(update_fields=["back"])
    traced.size = len(traced.head) + sum(len(row.back) for row in rows)
    traced.save(update_fields=["size"])

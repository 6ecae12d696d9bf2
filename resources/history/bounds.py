"""The history has an end: by age, and by size over all."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Max, Sum
from django.utils import timezone

from resources.models import Followed, Recorder, Step, Traced, Write

_BATCH = 200
# A step beside what leads back: its words, names and indexes.
_ROW = 500
#: Objects of changes made here are kept for so many of a user's last ones: beyond that only who did what.
UNDOABLE = 50
_WRITES = 1000


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
    while total() > limit and (freed := _oldest()):
        number += freed
    return number


def total() -> int:
    """Bytes of all heads and steps, and about what their rows take in a database."""
    return (Traced.objects.aggregate(all=Sum("size"))["all"] or 0) + _ROW * Step.objects.count()


def _old_steps(before: object) -> int:
    """The newest step of an object stays, however old: it says since when it is as it is."""
    newest = Traced.objects.annotate(newest=Max("steps__pk")).filter(newest__isnull=False).values("newest")
    old = Step.objects.filter(until__lt=before).exclude(pk__in=newest)
    touched = set(old.values_list("traced_id", flat=True))
    number = old.delete()[0]
    for traced in Traced.objects.filter(pk__in=touched):
        measure(traced)
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
        measure(traced)
    return number


def measure(traced: Traced) -> None:
    """Counts the object's size again after deletions; the first step that is left has nothing to go back to."""
    rows = list(traced.steps.order_by("pk"))
    if rows and rows[0].back:
        rows[0].back = b""
        rows[0].save(update_fields=["back"])
    traced.size = len(traced.head) + sum(len(row.back) for row in rows)
    traced.save(update_fields=["size"])

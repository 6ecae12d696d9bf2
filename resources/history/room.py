"""Room for new steps of one object: what its operator said joins, what people did stays as long as there is room."""

from django.conf import settings

from resources.history import stored_object
from resources.models import Step, Traced

# Steps of the status that are newer than so many others are never joined.
_FRESH = 50


def trim(traced: Traced) -> None:
    """At most HISTORY_CHANGES steps: older ones of the status join their neighbours, then the oldest go.

    The caller saves `traced`.
    """
    number = traced.steps.count()
    if number <= settings.HISTORY_CHANGES:
        return
    rows = list(traced.steps.order_by("pk"))
    room = number - max(1, settings.HISTORY_CHANGES * 9 // 10)
    place = 0
    while room > 0 and place + 1 < len(rows) - min(_FRESH, settings.HISTORY_CHANGES // 2):
        older, newer = rows[place], rows[place + 1]
        if _of_status(older) and _of_status(newer):
            _join(traced, older, newer)
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


def _join(traced: Traced, older: Step, newer: Step) -> None:
    ops = (stored_object.unpacked(newer.back) or []) + (stored_object.unpacked(older.back) or [])
    known = {path: before for path, before, _after in older.fields}
    newer.fields = [[path, known.get(path, before), after] for path, before, after in newer.fields]
    traced.size -= len(older.back) + len(newer.back)
    newer.back, newer.at, newer.count = stored_object.packed(ops), older.at, newer.count + older.count
    traced.size = max(0, traced.size + len(newer.back))
    older.delete()
    newer.save()

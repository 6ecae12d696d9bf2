"""One worker writes the history of a cluster: who holds its row, until when.

By the database's clock, since those of two hosts may differ by any amount.
"""

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, Q
from django.db.models.functions import Now

from resources.models import Recorder

#: A worker that did not say for so long that it lives is succeeded.
SECONDS = 15.0


def hold(cluster: str, holder: str, problem: str) -> bool:
    """Whether this one writes, for SECONDS more."""
    until = ExpressionWrapper(Now() + timedelta(seconds=SECONDS), output_field=DateTimeField())
    rows = Recorder.objects.filter(cluster=cluster)
    if rows.filter(Q(holder=holder) | Q(until__lt=Now())).update(holder=holder, until=until, problem=problem):
        return True
    _row, made = rows.get_or_create(cluster=cluster, defaults={"holder": holder, "until": until, "problem": problem})
    return made


def held(cluster: str) -> Recorder | None:
    """The row of the worker that writes now, or None."""
    return Recorder.objects.filter(cluster=cluster, until__gte=Now()).first()


def leave(cluster: str, holder: str) -> None:
    """Another worker takes over at once."""
    Recorder.objects.filter(cluster=cluster, holder=holder).delete()

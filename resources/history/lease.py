"""One worker writes the history of a cluster: who holds its row, until when."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from resources.models import Recorder

#: A worker that did not say for so long that it lives is succeeded.
SECONDS = 15.0


def hold(cluster: str, holder: str, problem: str) -> bool:
    """Whether this one writes, for SECONDS more."""
    now = timezone.now()
    until = now + timedelta(seconds=SECONDS)
    rows = Recorder.objects.filter(cluster=cluster)
    if rows.filter(Q(holder=holder) | Q(until__lt=now)).update(holder=holder, until=until, problem=problem):
        return True
    _row, made = rows.get_or_create(cluster=cluster, defaults={"holder": holder, "until": until, "problem": problem})
    return made


def leave(cluster: str, holder: str) -> None:
    """Another worker takes over at once."""
    Recorder.objects.filter(cluster=cluster, holder=holder).delete()

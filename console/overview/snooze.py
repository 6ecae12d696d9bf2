"""Troubles that a person wants to see later: for an hour, a day, or until they change.

Kept as marks of this person on this cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from console.overview.part import CardProblem
from kube.client import ClusterClient
from resources.models import Mark

HOUR, DAY, CHANGE = "hour", "day", "change"
#: "Until it changes" has an end too, so that nothing is hidden for good.
SPANS = {HOUR: timedelta(hours=1), DAY: timedelta(days=1), CHANGE: timedelta(days=30)}
MAX_SNOOZED = 50
_SORT = "snoozed"
_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Snooze:
    """`until` None: until the trouble's reason is no longer `state`."""

    state: str
    until: datetime | None


def snoozes(client: ClusterClient) -> Mapping[str, Snooze]:
    """What this person snoozed, by the trouble's key. A database that doesn't answer hides nothing."""
    try:
        marks = list(_marks(client).filter(at__gt=timezone.now())[:MAX_SNOOZED])
    except DatabaseError:
        return {}
    return {mark.plural: Snooze(mark.name, None if mark.version == CHANGE else mark.at) for mark in marks}


def is_snoozed(found: Mapping[str, Snooze], trouble: CardProblem) -> bool:
    """False once a trouble that is snoozed until it changes has another reason."""
    snooze = found.get(trouble.key)
    return snooze is not None and (snooze.until is not None or snooze.state == trouble.state)


def begin(client: ClusterClient, trouble_id: str, span: str) -> None:
    """`trouble_id`: a trouble's key and state. What isn't one is ignored. Raises DatabaseError."""
    key, _colon, state = trouble_id.partition(":")
    if len(key) != _ID_LENGTH or len(state) != _ID_LENGTH or span not in SPANS:
        return
    now = timezone.now()
    _marks(client).filter(at__lte=now).delete()
    if _marks(client).exclude(plural=key).count() >= MAX_SNOOZED:
        return
    end(client, key)
    Mark.objects.create(
        cluster=client.name,
        user=client.owner[:512],
        sort=_SORT,
        plural=key,
        name=state,
        version=span,
        kind="",
        at=now + SPANS[span],
    )


def end(client: ClusterClient, key: str) -> None:
    """Raises DatabaseError."""
    _marks(client).filter(plural=key[:_ID_LENGTH]).delete()


def _marks(client: ClusterClient) -> "QuerySet[Mark]":
    return Mark.objects.filter(cluster=client.name, user=client.owner[:512], sort=_SORT)

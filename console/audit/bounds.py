"""Limits of the audit, by age and by number of rows.

A share per user, and one for refusals, keep one user from evicting the rows of others.
"""

from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from console.audit.models import AuditEntry

Person = TypeVar("Person")
#: Deleted by one statement: others write in between.
_BATCH = 2000
SIGN_IN = "sign-in"
REFUSED_SIGN_IN = {"verb": SIGN_IN, "user": ""}
#: Refused acts cost nothing to make: together they have at most this part of AUDIT_ROWS, so they never displace what
#: was done.
_PART_REFUSED = 10
_REFUSED = ~Q(outcome="ok")
_DONE = Q(outcome="ok")


def prune() -> int:
    """Deletes what is older than AUDIT_DAYS, and what goes beyond the shares of AUDIT_ROWS. Returns the number of
    deleted rows.
    """
    before = timezone.now() - timedelta(days=settings.AUDIT_DAYS)
    number = 0
    while keys := list(AuditEntry.objects.filter(at__lt=before).values_list("pk", flat=True)[:_BATCH]):
        number += AuditEntry.objects.filter(pk__in=keys).delete()[0]
    number += _fit(_REFUSED, settings.AUDIT_ROWS // _PART_REFUSED)
    refused = AuditEntry.objects.filter(_REFUSED).count()
    return number + _fit(_DONE, settings.AUDIT_ROWS - refused)


def _fit(pool: Q, rows: int) -> int:
    """Trims the pool to `rows`: deletes the oldest rows of users above their fair share, of no others."""
    people = AuditEntry.objects.filter(pool).values_list("cluster", "user").order_by("cluster", "user")
    counts = {(cluster, user): count for cluster, user, count in people.annotate(rows=Count("pk"))}
    number = 0
    for (cluster, user), share in shares(counts, rows).items():
        too_many = counts[cluster, user] - share
        own = AuditEntry.objects.filter(pool, cluster=cluster, user=user).order_by("at", "pk")
        while too_many > 0 and (keys := list(own.values_list("pk", flat=True)[: min(too_many, _BATCH)])):
            number += AuditEntry.objects.filter(pk__in=keys).delete()[0]
            too_many -= len(keys)
    return number


def shares(counts: dict[Person, int], rows: int) -> dict[Person, int]:
    """Rows for each, max-min fair: who has few keeps all, who has many share evenly what is left.

    https://en.wikipedia.org/wiki/Max-min_fairness
    """
    found: dict[Person, int] = {}
    for position, (person, count) in enumerate(sorted(counts.items(), key=lambda pair: pair[1])):
        found[person] = min(count, max(rows, 0) // (len(counts) - position))
        rows -= found[person]
    return found

"""The audit has an end: by age, and by number."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from console.audit.models import AuditEntry

#: Deleted by one statement: others write in between.
_BATCH = 2000
SIGN_IN = "sign-in"
REFUSED_SIGN_IN = {"verb": SIGN_IN, "user": ""}
#: Whoever knocks at the door without end does not push out what people did: their rows are at most this part of all.
_PART_REFUSED = 10


def prune() -> int:
    """What is older than AUDIT_DAYS, and the oldest while there are more than AUDIT_ROWS. How many went."""
    before = timezone.now() - timedelta(days=settings.AUDIT_DAYS)
    number = 0
    while keys := list(AuditEntry.objects.filter(at__lt=before).values_list("pk", flat=True)[:_BATCH]):
        number += AuditEntry.objects.filter(pk__in=keys).delete()[0]
    refused = AuditEntry.objects.filter(**REFUSED_SIGN_IN).order_by("-at", "-pk").values_list("pk", flat=True)
    most = settings.AUDIT_ROWS // _PART_REFUSED
    while keys := list(refused[most : most + _BATCH]):
        number += AuditEntry.objects.filter(pk__in=keys).delete()[0]
    newest_first = AuditEntry.objects.order_by("-at", "-pk").values_list("pk", flat=True)
    # The first that are too many, not the last: what comes meanwhile takes nothing else along.
    while keys := list(newest_first[settings.AUDIT_ROWS : settings.AUDIT_ROWS + _BATCH]):
        number += AuditEntry.objects.filter(pk__in=keys).delete()[0]
    return number

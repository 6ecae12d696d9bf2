"""A Deployment's rollout has made no progress within its deadline. What holds it up is named by other rules where they
know it.

Progressing False, reason ProgressDeadlineExceeded: 'ReplicaSet "web-7d4b9c6f5" has timed out progressing.'
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/deployment/progress.go
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, Fix
from resources.causes.evidence import Evidence, Item

RANK = 60


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    progressing = item.condition("Progressing") if (item.group, item.kind) == ("apps", "Deployment") else None
    if progressing is None or progressing.status != "False" or progressing.reason != "ProgressDeadlineExceeded":
        return
    words = {"name": item.name, "seconds": item.workload.spec.progress_deadline_seconds}
    yield Cause(
        sentence=_("%(name)s can't finish its rollout: no progress within %(seconds)d s") % words,
        rank=RANK,
        links=item.links(),
        raw=progressing.message,
        fix=None
        if item.metadata.controller.name
        else Fix(label=_("Roll back %(name)s") % words, target=item.target, view="rollback"),
        since=progressing.changed,
        generic=True,
    )

"""A controller has given up: a Deployment's rollout or a Job is beyond its deadline, or a Job's Pods failed too often.
What holds it up is named by other rules where they know it.

A Deployment's Progressing False, reason ProgressDeadlineExceeded: 'ReplicaSet "web-7d4b9c6f5" has timed out
progressing.' A Job's Failed True, reason DeadlineExceeded or BackoffLimitExceeded: 'Job was active longer than
specified deadline', 'Job has reached the specified backoff limit'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/deployment/progress.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/job/job_controller.go
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.reader import read
from kube.types.workloads import Job
from resources.causes.cause import Cause, Fix
from resources.causes.evidence import Evidence, Item

RANK = 60
#: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
_BACKOFF_LIMIT = "6"


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if (item.group, item.kind) == ("apps", "Deployment"):
        yield from _rollout(item)
    elif (item.group, item.kind) == ("batch", "Job"):
        yield from _job(item)


def _rollout(item: Item) -> Iterator[Cause]:
    progressing = item.condition("Progressing")
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


def _job(item: Item) -> Iterator[Cause]:
    failed = item.condition("Failed")
    if failed is None or failed.status != "True":
        return
    spec = read(item.object, Job).spec
    words = {"name": item.name, "limit": spec.backoff_limit or _BACKOFF_LIMIT, "seconds": spec.active_deadline_seconds}
    if failed.reason == "DeadlineExceeded" and spec.active_deadline_seconds is not None:
        sentence = _("%(name)s failed: it took longer than %(seconds)d s (activeDeadlineSeconds)")
    elif failed.reason == "BackoffLimitExceeded":
        sentence = _("%(name)s failed: more of its Pods failed than backoffLimit %(limit)s allows")
    else:
        return
    yield Cause(
        sentence=sentence % words,
        rank=RANK,
        links=item.links(),
        raw=failed.message,
        since=failed.changed,
        generic=failed.reason == "BackoffLimitExceeded",
    )

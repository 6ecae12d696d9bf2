"""A container ends again and again: killed for its memory, or with an exit code, with the last line that it printed.
Or the kubelet ends or refuses its Pod.

CrashLoopBackOff with lastState.terminated; between two starts the kubelet shows for up to a minute only that it has
ended. OOMKilled is the kubelet's reason for a kill by the kernel. `message` has the end of the log where
terminationMessagePolicy is FallbackToLogsOnError, or what the program wrote to its termination log. A Pod that the
kubelet ended or never started has a reason of its own: Evicted, 'Usage of EmptyDir volume "data" exceeds the limit
"1Mi". ', OutOfcpu, SysctlForbidden, UnexpectedAdmissionError.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy,
https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.objects import moment
from kube.types.core import ContainerStateTerminated
from resources.causes.cause import Cause, Link, shortened
from resources.causes.evidence import (
    ContainerState,
    Event,
    Evidence,
    Item,
    container_label,
    edit_fix,
    not_ready_since,
    pod_containers,
    restarts_note,
)

RANK = 32
_KILLED = 128
#: A container that ended with errors before is taken for well when it has run for so long.
_STAYS_SECONDS = 10.0
#: Other rules know better why (cannot_start.py).
_NOT_STARTED = ("ContainerCannotRun", "StartError")


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    if item.is_ended_by_kubelet:
        yield _ended_by_kubelet(item)
        return
    for container in pod_containers(item):
        ended = container.ended
        if ended is None and container.waiting == "CrashLoopBackOff":
            ended = ContainerStateTerminated()
        if ended is None or ended.reason in _NOT_STARTED or not _fails(item, container, ended):
            continue
        # A probe or hook that kills it is a cause of its own (failing_probe.py, cannot_start.py).
        if any(_kills(event) for event in item.events):
            continue
        yield (
            _out_of_memory(item, container) if ended.reason == "OOMKilled" else _ended(item, container, ended, evidence)
        )


def _kills(event: Event) -> bool:
    return event.reason == "FailedPostStartHook" or (event.reason == "Killing" and "probe" in event.message)


def _fails(item: Item, container: ContainerState, ended: ContainerStateTerminated) -> bool:
    """Now, not merely once before; or it was started again just now and hasn't shown that it stays."""
    if container.is_running:
        started = moment(container.started)
        if container.restarts < 2 or ended.exit_code == 0 or started is None or item.now is None:
            return False
        return (item.now - started).total_seconds() < _STAYS_SECONDS
    if ended.exit_code == 0 and container.waiting != "CrashLoopBackOff":
        # One that is to run for good, and ended well several times.
        return item.pod.spec.restart_policy == "Always" and container.restarts > 1 and not item.health.ended
    return container.waiting in ("CrashLoopBackOff", "") or item.pod.status.phase == "Failed"


def _out_of_memory(item: Item, container: ContainerState) -> Cause:
    limit = container.spec.resources.limits.get("memory", "") if container.spec else ""
    words = {"name": container_label(item, container), "limit": limit}
    sentence = (
        _("%(name)s can't keep running: it needs more than its memory limit of %(limit)s")
        if limit
        else _("%(name)s can't keep running: the node ran out of memory")
    )
    return Cause(
        sentence=sentence % words,
        rank=RANK - 1,
        note=restarts_note(container),
        links=_links(item),
        raw=container.why,
        fix=edit_fix(item, limit) if limit else None,
        since=_since(item, container),
    )


def _ended(item: Item, container: ContainerState, ended: ContainerStateTerminated, evidence: Evidence) -> Cause:
    line = evidence.logs.get((item.uid, container.name), "") or (ended.message.strip().splitlines() or [""])[-1]
    words = {
        "name": container_label(item, container),
        "code": ended.exit_code,
        "line": shortened(line),
        "signal": ended.signal or ended.exit_code - _KILLED,
    }
    if item.pod.spec.restart_policy == "Never":
        sentence = (
            _("%(name)s failed: exit code %(code)d, last line “%(line)s”")
            if line
            else _("%(name)s failed: its process exited with code %(code)d")
        )
    elif line:
        sentence = _("%(name)s can't keep running: exit code %(code)d, last line “%(line)s”")
    elif not ended.reason and not ended.exit_code:
        sentence = _("%(name)s can't keep running: its process exits each time it starts")
    elif ended.exit_code > _KILLED:
        sentence = _("%(name)s can't keep running: its process is terminated by signal %(signal)d")
    else:
        sentence = _("%(name)s can't keep running: its process exits with code %(code)d")
    return Cause(
        sentence=sentence % words,
        rank=RANK,
        note=restarts_note(container),
        links=_links(item),
        raw=ended.message if ended.message.strip() != line.strip() else "",
        since=_since(item, container),
    )


def _ended_by_kubelet(item: Item) -> Cause:
    status = item.pod.status
    why = status.message.removeprefix("Pod was rejected: ") or status.reason
    words = {"name": item.subject, "why": shortened(why.strip().removesuffix(".")), "reason": status.reason}
    sentence = (
        _("%(name)s can't keep running: its Pod was evicted: %(why)s")
        if status.reason == "Evicted"
        else _("%(name)s can't start: its node refuses the Pod (%(reason)s): %(why)s")
    )
    return Cause(
        sentence=sentence % words,
        rank=RANK - 1,
        links=item.links(),
        raw=status.message,
        fix=edit_fix(item),
        since=item.created,
    )


def _since(item: Item, container: ContainerState) -> str:
    """Between two crashes a Pod is ready for a moment: one that has crashed often hasn't only just begun to."""
    return item.created if container.restarts > 1 else not_ready_since(item)


def _links(item: Item) -> tuple[Link, ...]:
    return item.links(Link(target=item.target, view="logs"))

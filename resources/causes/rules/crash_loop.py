"""A container ends again and again: killed for its memory, or with an exit code, with the last line that it printed.

CrashLoopBackOff with lastState.terminated, RunContainerError and CreateContainerError with the container runtime's
words; OOMKilled is the kubelet's reason for a kill by the kernel. `message` has the end of the log where
terminationMessagePolicy is FallbackToLogsOnError, or what the program wrote to its termination log.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.objects import moment
from kube.types.core import ContainerStateTerminated
from resources.causes.cause import Cause, Link, shortened
from resources.causes.evidence import (
    ContainerState,
    Evidence,
    Item,
    container_label,
    edit_fix,
    not_ready_since,
    pod_containers,
)

RANK = 32
_KILLED = 128
#: A container that ended with errors before is taken for well when it has run for so long.
_STAYS_SECONDS = 10.0
_CANNOT_START = ("RunContainerError", "CreateContainerError")


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    for container in pod_containers(item):
        if container.waiting in _CANNOT_START:
            yield _cannot_start(item, container, container.why)
            continue
        ended = container.ended
        if ended is None and container.waiting == "CrashLoopBackOff":
            ended = ContainerStateTerminated()
        if ended is None or not _fails(item, container, ended):
            continue
        # A probe that kills it is a cause of its own (failing_probe.py).
        if any(event.reason == "Killing" and "probe" in event.message for event in item.events):
            continue
        yield (
            _out_of_memory(item, container) if ended.reason == "OOMKilled" else _ended(item, container, ended, evidence)
        )


def _fails(item: Item, container: ContainerState, ended: ContainerStateTerminated) -> bool:
    """Now, not merely once before; or it was started again just now and hasn't shown that it stays."""
    if container.is_running:
        started = moment(container.started)
        if container.restarts < 2 or ended.exit_code == 0 or started is None or item.now is None:
            return False
        return (item.now - started).total_seconds() < _STAYS_SECONDS
    if ended.exit_code == 0 and container.waiting != "CrashLoopBackOff":
        return False
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
        note=_restarts(container),
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
    if ended.reason in ("ContainerCannotRun", "StartError"):
        return _cannot_start(item, container, ended.message)
    if line:
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
        note=_restarts(container),
        links=_links(item),
        raw=ended.message if ended.message.strip() != line.strip() else "",
        since=_since(item, container),
    )


def _cannot_start(item: Item, container: ContainerState, why: str) -> Cause:
    words = {"name": container_label(item, container), "why": shortened(why or container.waiting)}
    return Cause(
        sentence=_("%(name)s can't start: %(why)s") % words,
        rank=RANK,
        note=_restarts(container),
        links=item.links(),
        raw=why,
        since=_since(item, container),
    )


def _since(item: Item, container: ContainerState) -> str:
    """Between two crashes a Pod is ready for a moment: one that has crashed often hasn't only just begun to."""
    return item.created if container.restarts > 1 else not_ready_since(item)


def _restarts(container: ContainerState) -> str:
    if not container.restarts:
        return ""
    words = ngettext("It was restarted %(count)d time.", "It was restarted %(count)d times.", container.restarts)
    return words % {"count": container.restarts}


def _links(item: Item) -> tuple[Link, ...]:
    return item.links(Link(target=item.target, view="logs"))

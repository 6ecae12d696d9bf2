"""A container ends again and again: killed for its memory, or with an exit code, with the last line that it printed.

CrashLoopBackOff with lastState.terminated; OOMKilled is the kubelet's reason for a kill by the kernel. `message` has
the end of the log where terminationMessagePolicy is FallbackToLogsOnError, or what the program wrote to its
termination log. https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from resources.causes import containers
from resources.causes.cause import Cause, Link
from resources.causes.containers import Container, Ended
from resources.causes.editing import edit_fix
from resources.causes.evidence import Evidence, Item
from resources.causes.texts import short
from resources.state.health import mapping, text

RANK = 32
_KILLED = 128


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    for container in containers.containers(item):
        ended = container.ended
        if ended is None or not _fails(item, container, ended):
            continue
        # A probe that kills it is a cause of its own (failing_probe.py).
        if any(event.reason == "Killing" and "probe" in event.message for event in item.events):
            continue
        yield (
            _out_of_memory(item, container) if ended.reason == "OOMKilled" else _ended(item, container, ended, evidence)
        )


def _fails(item: Item, container: Container, ended: Ended) -> bool:
    """Now, not merely once before."""
    if container.is_running or (ended.exit_code == 0 and container.waiting != "CrashLoopBackOff"):
        return False
    return container.waiting in ("CrashLoopBackOff", "") or text(item.status.get("phase")) == "Failed"


def _out_of_memory(item: Item, container: Container) -> Cause:
    limit = text(mapping(mapping(container.spec.get("resources")).get("limits")).get("memory"))
    words = {"name": containers.label(item, container), "limit": limit}
    sentence = (
        _("%(name)s can't keep running: it needs more than its memory limit of %(limit)s")
        if limit
        else _("%(name)s can't keep running: the node has no memory left for it")
    )
    return Cause(
        sentence=sentence % words,
        rank=RANK - 1,
        note=_restarts(container),
        links=_links(item),
        raw=container.why,
        fix=edit_fix(item, limit) if limit else None,
        since=containers.since(item),
    )


def _ended(item: Item, container: Container, ended: Ended, evidence: Evidence) -> Cause:
    line = evidence.logs.get((item.uid, container.name), "") or (ended.message.strip().splitlines() or [""])[-1]
    words = {
        "name": containers.label(item, container),
        "code": ended.exit_code,
        "line": short(line),
        "signal": ended.signal or ended.exit_code - _KILLED,
    }
    if ended.reason in ("ContainerCannotRun", "StartError") or container.waiting == "RunContainerError":
        sentence = _("%(name)s can't start: %(line)s")
        words["line"] = short(ended.message or container.why)
    elif line:
        sentence = _("%(name)s can't keep running: exit code %(code)d, last line “%(line)s”")
    elif ended.exit_code > _KILLED:
        sentence = _("%(name)s can't keep running: it is ended by signal %(signal)d")
    else:
        sentence = _("%(name)s can't keep running: its program ends with exit code %(code)d")
    return Cause(
        sentence=sentence % words,
        rank=RANK,
        note=_restarts(container),
        links=_links(item),
        raw=ended.message if ended.message.strip() != line.strip() else "",
        since=containers.since(item),
    )


def _restarts(container: Container) -> str:
    if not container.restarts:
        return ""
    words = ngettext("It was restarted %(count)d time.", "It was restarted %(count)d times.", container.restarts)
    return words % {"count": container.restarts}


def _links(item: Item) -> tuple[Link, ...]:
    return item.links(Link(target=item.target, view="logs"))

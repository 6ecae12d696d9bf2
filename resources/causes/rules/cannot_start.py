"""A container or its Pod can't be started on its node, and why: the container runtime refuses, the image would run as
root, the node refuses the Pod, a hook fails, an init container never ends.

RunContainerError, CreateContainerError and StartError: 'failed to create containerd task: … exec: "serve": executable
file not found in $PATH: unknown'. CreateContainerConfigError: 'container has runAsNonRoot and image will run as root
(pod: "web_shop(…)", container: web)', 'container's runAsUser breaks non-root policy (…)', 'container has runAsNonRoot
and image has non-numeric user (app), cannot verify user is non-root (…)'. The Events FailedCreatePodSandBox, 'Failed to
create pod sandbox: rpc error: … no runtime for "kata" is configured', and FailedPostStartHook, 'PostStartHook failed'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/security_context.go (verifyRunAsNonRoot),
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.objects import moment
from resources.causes import evidence
from resources.causes.cause import Cause, Link, Severity, runtime_reason
from resources.causes.evidence import ContainerState, Evidence, Item, edit_fix

RANK, _WAITING_RANK = 20, 40
_REFUSED = ("RunContainerError", "CreateContainerError")
_ENDED = ("ContainerCannotRun", "StartError")
_HANDLER = re.compile(r'no runtime for "(?P<handler>[^"]{1,100})" is configured')
_NO_ADDRESS = re.compile(r"no IP addresses available|failed to assign an IP address", re.IGNORECASE)
#: Init containers prepare data: for so long they may run without a word.
_INIT_SECONDS = 60.0


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod or item.health.ended:
        return
    if cause := _sandbox(item):
        yield cause
        return
    for container in evidence.pod_containers(item):
        ended = container.ended
        if container.waiting == "CreateContainerConfigError":
            yield from _runs_as_root(item, container)
        elif container.waiting in _REFUSED:
            yield _cannot_start(item, container, container.why or container.waiting)
        elif ended is not None and ended.reason in _ENDED and not container.is_running:
            yield _cannot_start(item, container, ended.message or ended.reason)
        elif not container.is_running and container.restarts and _has_failed_hook(item):
            yield _hook(item, container)
    yield from _init(item)


def _cannot_start(item: Item, container: ContainerState, message: str) -> Cause:
    words = {"name": evidence.container_label(item, container), "why": runtime_reason(message)}
    return Cause(
        sentence=_("%(name)s can't start: %(why)s") % words,
        rank=RANK,
        note=evidence.restarts_note(container),
        links=item.links(),
        raw=message,
        fix=edit_fix(item),
        # Between two attempts a Pod is never ready.
        since=item.created if container.restarts > 1 else evidence.not_ready_since(item),
    )


def _runs_as_root(item: Item, container: ContainerState) -> Iterator[Cause]:
    if "has non-numeric user" in container.why:
        sentence = _("%(name)s can't start: runAsNonRoot is set, and %(image)s names its user instead of a number")
    elif "image will run as root" in container.why:
        sentence = _("%(name)s can't start: runAsNonRoot is set, and %(image)s runs as root")
    elif "runAsUser breaks non-root policy" in container.why:
        sentence = _("%(name)s can't start: runAsNonRoot is set, and runAsUser is 0")
    else:
        return
    words = {"name": evidence.container_label(item, container), "image": container.image}
    yield Cause(
        sentence=sentence % words,
        rank=RANK,
        links=item.links(),
        raw=container.why,
        fix=edit_fix(item),
        since=evidence.not_ready_since(item),
    )


def _sandbox(item: Item) -> Cause | None:
    """Network and processes of the Pod, before any of its containers."""
    if any(container.is_running or container.ended for container in evidence.pod_containers(item)):
        return None
    event = next((event for event in item.events if event.reason == "FailedCreatePodSandBox"), None)
    if event is None or item.pod.status.phase != "Pending":
        return None
    fix = None
    if found := _HANDLER.search(event.message):
        why = _("its node has no runtime %(handler)s") % {"handler": found["handler"]}
        fix = edit_fix(item)
    elif _NO_ADDRESS.search(event.message):
        why = _("its node has no free address for it")
    else:
        why = runtime_reason(event.message)
    return Cause(
        sentence=_("%(name)s can't start: %(why)s") % {"name": item.subject, "why": why},
        rank=RANK,
        links=item.links(),
        raw=event.message,
        fix=fix,
        since=evidence.not_ready_since(item),
    )


def _has_failed_hook(item: Item) -> bool:
    return any(event.reason == "FailedPostStartHook" for event in item.events)


def _hook(item: Item, container: ContainerState) -> Cause:
    words = {"name": evidence.container_label(item, container)}
    return Cause(
        sentence=_("%(name)s can't start: its postStart hook fails") % words,
        rank=RANK,
        note=_("The kubelet restarts the container each time."),
        links=item.links(Link(target=item.target, view="logs")),
        fix=edit_fix(item),
        since=item.created,
    )


def _init(item: Item) -> Iterator[Cause]:
    """An init container that has run for a while and doesn't end; a sidecar isn't meant to."""
    initial = {container.name for container in item.pod.spec.init_containers if container.restart_policy != "Always"}
    for container in evidence.pod_containers(item):
        started = moment(container.started)
        if container.name not in initial or not container.is_running or started is None or item.now is None:
            continue
        if (item.now - started).total_seconds() < _INIT_SECONDS:
            continue
        yield Cause(
            sentence=_("%(name)s can't start yet: its init container %(container)s is still running")
            % {"name": item.subject, "container": container.name},
            rank=_WAITING_RANK,
            severity=Severity.WARNING,
            links=item.links(Link(target=item.target, view="logs")),
            since=container.started,
        )

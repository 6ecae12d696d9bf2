"""Why a Pod does not run, from its own status: image, crash, node, configuration. https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import KubeObject, name_of, namespace_of
from operatorhub import csv, install_state
from operatorhub.progress.running import started
from operatorhub.running.workloads import page_of

_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_CONFIG = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
#: A container that ended with errors before is taken for well when it has run for so long.
_STAYS_SECONDS = 10.0
#: A Pod may have to wait so long for a node, an image or what another program makes for it.
_SETTLES_SECONDS = 90.0
#: Operators often end once or twice before what they need is there.
_SETTLES_RESTARTS = 3


@dataclass(frozen=True, slots=True)
class PodTrouble:
    """`ways`: (label, address). `settled`: it has lasted so long that waiting is not enough."""

    key: str
    words: str
    raw: str
    ways: tuple[tuple[str, str], ...]
    settled: bool = True


def troubles(found_pods: Iterable[KubeObject]) -> Iterator[PodTrouble]:
    """Of each Pod the first thing that keeps it from running."""
    for pod in found_pods:
        if (found := _unscheduled(pod)) or (found := next(_containers(pod), None)):
            yield replace(found, settled=_lasts(pod, found.key))


def _lasts(pod: KubeObject, key: str) -> bool:
    if not install_state.lasts(csv.text(csv.mapping(pod.get("metadata")).get("creationTimestamp")), _SETTLES_SECONDS):
        return False
    containers = csv.items(csv.mapping(pod.get("status")).get("containerStatuses"))
    restarts = [container.get("restartCount") for container in containers]
    return (
        key != "crash" or max((count for count in restarts if isinstance(count, int)), default=0) >= _SETTLES_RESTARTS
    )


def _open(pod: KubeObject) -> tuple[str, str]:
    return _("Open the Pod"), page_of("pods", namespace_of(pod), name_of(pod), "core", "v1")


def _unscheduled(pod: KubeObject) -> PodTrouble | None:
    for one in csv.items(csv.mapping(pod.get("status")).get("conditions")):
        if one.get("type") == "PodScheduled" and one.get("status") == "False" and one.get("reason") == "Unschedulable":
            words = _(
                "No node takes the Pod “%(pod)s”: too little CPU or memory is free, or its selectors and the nodes' taints exclude each other."
            )
            nodes = (_("Nodes"), reverse("resources:list", args=["core", "v1", "nodes"]))
            return PodTrouble(
                "unschedulable", words % {"pod": name_of(pod)}, csv.text(one.get("message")), (_open(pod), nodes)
            )
    return None


def _containers(pod: KubeObject) -> Iterator[PodTrouble]:
    status = csv.mapping(pod.get("status"))
    for one in (*csv.items(status.get("initContainerStatuses")), *csv.items(status.get("containerStatuses"))):
        waiting = csv.mapping(csv.mapping(one.get("state")).get("waiting"))
        reason = csv.text(waiting.get("reason"))
        told = {"pod": name_of(pod), "container": csv.text(one.get("name")), "image": csv.text(one.get("image"))}
        raw = f"{reason}: {csv.text(waiting.get('message'))}".rstrip(": ")
        if reason in _IMAGE:
            words = _(
                "The image “%(image)s” can't be pulled: its name is wrong, it does not exist, the registry can't be reached, or it wants a pull secret."
            )
            yield PodTrouble("image", words % told, raw, (_open(pod),))
        elif reason in _CONFIG:
            words = _(
                "The container “%(container)s” of “%(pod)s” can't be started: a ConfigMap, Secret or command that it names is not there."
            )
            yield PodTrouble("config", words % told, raw, (_open(pod),))
        elif reason == "CrashLoopBackOff" or _crashed(one):
            words = _("The program of “%(pod)s” ends again and again (container “%(container)s”). Its log says why.")
            yield PodTrouble("crash", words % told, _exit(one, raw), (*_logs(pod), _open(pod)))


def _crashed(one: Mapping[str, Any]) -> bool:
    """It has ended with an error, and does not run at the moment; or it was begun once more just now, and has not shown yet that it stays."""
    if _failed(csv.mapping(one.get("state"))):
        return True
    restarts = one.get("restartCount")
    if not isinstance(restarts, int) or restarts < 2 or not _failed(csv.mapping(one.get("lastState"))):
        return False
    try:
        begun = datetime.fromisoformat(
            csv.text(csv.mapping(csv.mapping(one.get("state")).get("running")).get("startedAt"))
        )
    except ValueError:
        return False
    return time.time() - begun.timestamp() < _STAYS_SECONDS


def _failed(state: Mapping[str, Any]) -> bool:
    ended = csv.mapping(state.get("terminated"))
    return bool(ended) and csv.text(ended.get("reason")) != "Completed"


def _exit(one: Mapping[str, Any], raw: str) -> str:
    for key in ("state", "lastState"):
        ended = csv.mapping(csv.mapping(one.get(key)).get("terminated"))
        if ended:
            code = _("exit code %(code)s") % {"code": ended.get("exitCode")}
            said = " ".join(filter(None, (csv.text(ended.get("reason")), csv.text(ended.get("message")))))
            return f"{raw} ({said}, {code})".strip() if raw else f"{said}, {code}"
    return raw


def _logs(pod: KubeObject) -> tuple[tuple[str, str], ...]:
    if not started(pod):
        return ()
    return ((_("Its log"), reverse("resources:logs", args=["core", "v1", "pods", namespace_of(pod), name_of(pod)])),)

"""A node's kubelet doesn't respond, so what runs there is unknown and nothing starts there.

The Node's condition Ready Unknown, reason NodeStatusUnknown, 'Kubelet stopped posting node status.', or Ready False,
reason KubeletNotReady, with the kubelet's own words, 'container runtime is down'. A Pod there has the Event
NodeNotReady and Ready False; one that was given to such a node has no containers in its status.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/nodelifecycle/node_lifecycle_controller.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/util/node/controller_utils.go (MarkPodsNotReady)
"""

from collections.abc import Iterator
from datetime import timedelta

from django.utils.translation import gettext as _

from kube.objects import moment
from resources.causes import evidence
from resources.causes.cause import Cause, CauseTarget, Link, shortened
from resources.causes.evidence import Evidence, Item

RANK = 8
#: A kubelet reports a Pod that it was given within seconds.
_SILENT = timedelta(seconds=30)


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if (item.group, item.kind) == ("", "Node"):
        yield from _node(item)
    elif item.is_pod and not item.health.ended and item.pod.spec.node_name:
        yield from _pod(item)


def _node(item: Item) -> Iterator[Cause]:
    ready = item.condition("Ready")
    if ready is None or ready.status == "True":
        return
    silent = ready.status == "Unknown"
    sentence = (
        _("%(name)s isn't ready: its kubelet doesn't respond")
        if silent
        else _("%(name)s isn't ready: its kubelet reports: %(why)s")
    )
    yield Cause(
        sentence=sentence % {"name": item.name, "why": shortened(ready.message or ready.reason)},
        rank=RANK,
        note=_("Its Pods keep running if the node does. After five minutes, other nodes start them again.")
        if silent
        else "",
        links=item.links(),
        raw=ready.message,
        since=ready.changed,
    )


def _pod(item: Item) -> Iterator[Cause]:
    ready, created = item.condition("Ready"), moment(item.created)
    lost = any(event.reason == "NodeNotReady" for event in item.events)
    running = any(container.is_running for container in evidence.pod_containers(item))
    silent = not item.pod.status.container_statuses and not item.pod.status.init_container_statuses
    if lost and running and ready is not None and ready.status == "False":
        sentence = _("%(name)s isn't ready: the kubelet of its node %(node)s doesn't respond")
    elif silent and item.pod.status.phase == "Pending" and item.now and created and item.now - created > _SILENT:
        sentence = _("%(name)s can't start: its node %(node)s doesn't report on it")
    else:
        return
    node = item.pod.spec.node_name
    yield Cause(
        sentence=sentence % {"name": item.subject, "node": node},
        rank=RANK,
        links=item.links(Link(target=CauseTarget(group="", kind="Node", name=node))),
        since=evidence.not_ready_since(item),
    )

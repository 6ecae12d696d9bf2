"""No node takes a Pod: too little CPU or memory is free, no node has the labels, or taints keep it away; or its
scheduler doesn't look for one.

PodScheduled False with reason Unschedulable: '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated
taint {dedicated: db}. preemption: 0/3 nodes are available: …'. With several reasons the one of most nodes is named.
Reason SchedulingGated: 'Scheduling is blocked due to non-empty scheduling gates'. Without any condition, the Pod's
scheduler hasn't seen it.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/scheduler/framework/types.go (FitError),
https://github.com/kubernetes/kubernetes/tree/v1.33.0/pkg/scheduler/framework/plugins
"""

import re
from collections.abc import Iterator
from datetime import timedelta

from django.utils.translation import gettext as _

from kube.objects import moment
from resources.causes.cause import Cause, CauseTarget, Link
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 24
#: A scheduler has seen a Pod after a moment, unless there is none of its name.
_UNSEEN = timedelta(seconds=30)
_NODES = re.compile(
    r"^\d+/\d+ nodes are available: (?P<why>.*?)\.?"
    r"(?: (?:no new claims to deallocate, )?preemption: .*)?$",
    re.DOTALL,
)
_REASON = re.compile(r"\b(?P<count>\d{1,7}) (?P<why>(?:[^,{(]|\([^)]*\)|\{[^}]*\})+)")
_TAINT = re.compile(r"taint\(?s?\)? \{(?P<taint>[^{}]{0,300})\}")


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    scheduled, spec = item.condition("PodScheduled"), item.pod.spec
    if not item.conditions:
        yield from _unseen(item)
    if scheduled is None or scheduled.status != "False":
        return
    if scheduled.reason == "SchedulingGated":
        gates = ", ".join(gate.name for gate in spec.scheduling_gates)
        why = _("its scheduling gates are set: %(gates)s") % {"gates": gates}
    else:
        why = _why(item, scheduled.message) if scheduled.reason == "Unschedulable" else ""
    if not why:
        return
    words = {"name": item.subject, "why": why}
    yield Cause(
        sentence=_("%(name)s can't be scheduled: %(why)s") % words,
        rank=RANK,
        links=item.links(Link(target=CauseTarget(group="", kind="Node"), view="list")),
        raw=scheduled.message,
        fix=edit_fix(item),
        since=scheduled.changed,
    )


def _unseen(item: Item) -> Iterator[Cause]:
    spec, created = item.pod.spec, moment(item.created)
    if spec.node_name or item.pod.status.phase != "Pending" or item.now is None or created is None:
        return
    # The scheduler also says nothing while it waits for a volume on the node that it has chosen.
    if any(volume.persistent_volume_claim for volume in spec.volumes):
        return
    if item.now - created > _UNSEEN:
        words = {"name": item.subject, "scheduler": spec.scheduler_name or "default-scheduler"}
        yield Cause(
            sentence=_("%(name)s can't be scheduled: scheduler %(scheduler)s doesn't act on it") % words,
            rank=RANK,
            links=item.links(),
            fix=edit_fix(item, spec.scheduler_name) if spec.scheduler_name else None,
            since=item.created,
        )


def _why(item: Item, message: str) -> str:
    """'' for what isn't known, and for claims, which have a rule of their own."""
    if message.startswith("no nodes available"):
        return _("the cluster has no nodes")
    found = _NODES.match(message)
    if found is None:
        return ""
    reasons = sorted(
        ((int(match["count"]), match["why"].strip()) for match in _REASON.finditer(found["why"])), reverse=True
    )
    for _count, reason in reasons:
        if words := _words(item, reason):
            return words
    return ""


def _words(item: Item, reason: str) -> str:
    if reason.startswith(("Insufficient ", "Too many pods")):
        resource = reason.removeprefix("Insufficient ")
        return (
            _("no node has room for more Pods")
            if resource == reason
            else _("no node has enough %(resource)s free") % {"resource": resource}
        )
    if found := _TAINT.search(reason):
        return _("it doesn't tolerate the nodes' taint %(taint)s") % {"taint": found["taint"]}
    if "unschedulable" in reason:
        return _("the nodes are cordoned")
    if "node selector" in reason or "node affinity/selector" in reason:
        labels = ", ".join(f"{key}={value}" for key, value in item.pod.spec.node_selector.items())
        return (
            _("no node has the labels %(labels)s") % {"labels": labels}
            if labels
            else _("no node matches its node affinity")
        )
    if "anti-affinity" in reason:
        return _("no node satisfies its anti-affinity rules")
    if "pod affinity" in reason:
        return _("no node runs the Pods that its affinity requires")
    if "topology spread" in reason:
        return _("no node satisfies its topology spread constraints")
    if "free ports" in reason:
        return _("its host port is in use on every node")
    if "volume node affinity conflict" in reason:
        return _("its volume is on another node or in another zone")
    return ""

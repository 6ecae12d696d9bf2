"""No node takes a Pod: too little CPU or memory is free, no node has the labels, or taints keep it away.

PodScheduled False with reason Unschedulable: '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated
taint {dedicated: db}. preemption: 0/3 nodes are available: …'. With several reasons the one of most nodes is named.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/scheduler/framework/types.go (FitError),
https://github.com/kubernetes/kubernetes/tree/v1.33.0/pkg/scheduler/framework/plugins
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Link
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 24
_NODES = re.compile(
    r"^\d+/\d+ nodes are available: (?P<why>.*?)\.?"
    r"(?: (?:no new claims to deallocate, )?preemption: .*)?$",
    re.DOTALL,
)
_REASON = re.compile(r"\b(?P<count>\d{1,7}) (?P<why>(?:[^,{(]|\([^)]*\)|\{[^}]*\})+)")
_TAINT = re.compile(r"taint\(?s?\)? \{(?P<taint>[^{}]{0,300})\}")


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    scheduled = item.condition("PodScheduled") if item.is_pod else None
    if scheduled is None or scheduled.status != "False" or scheduled.reason != "Unschedulable":
        return
    why = _why(item, scheduled.message)
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

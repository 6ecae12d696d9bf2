"""Runs every rule over every object of the evidence: the causes, worst first, each sentence once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from kube import limits
from kube.objects import moment
from resources.causes.cause import Cause, CauseTarget, Severity
from resources.causes.evidence import MAX_LINKS, Evidence, Item, evidence, replicas_ready
from resources.causes.rules import rules
from resources.state.children import GRACE_SECONDS
from resources.state.health import COMPLETED, DEGRADED, READY, SUSPENDED, Health
from resources.state.kind_health import health

#: What has failed for less than this may only be starting.
SETTLE_SECONDS = 5.0


def find_causes(found: Evidence) -> list[Cause]:
    """At most limits.CAUSES, worst first: by severity, then by how near to the root of the trouble, then in the order
    of the tree.
    """
    causes = [
        replace(_still_serving(item, cause), rule=rule.name, about=item.target)
        for item in found.items
        if _counts(item)
        for rule in rules()
        for cause in rule.find(item, found)
    ]
    causes = [aged for cause in causes if (aged := _aged(cause, found))]
    causes.sort(key=lambda cause: (cause.severity, cause.generic, cause.rank))
    return _once(causes)[: limits.CAUSES.value]


def explained_health(obj: Mapping[str, Any]) -> Health:
    """The state of one object, which has its kind and version; its reason is a cause's sentence where the object alone
    tells it, without Events.
    """
    own = health(obj)
    if own.state != DEGRADED:
        return own
    first = next((cause for cause in find_causes(evidence(obj)) if not cause.generic), None)
    return replace(own, reason=first.sentence, named=True) if first and first.severity == Severity.ERROR else own


def _counts(item: Item) -> bool:
    """What is well, has ended or was stopped on purpose has no cause. The object that is asked about may have notes
    all the same.
    """
    if item.health.ended and item.is_pod and item.parent is not None and item.parent.kind != "Job":
        return item.is_ended_by_kubelet
    return item.parent is None or item.health.state not in (READY, COMPLETED, SUSPENDED)


def _aged(cause: Cause, found: Evidence) -> Cause | None:
    """A cause that has only just begun is left out, then a warning, as the state of its owners is
    (resources/state/children.py).
    """
    began, now = moment(cause.since), found.root.now
    if began is None or now is None or cause.severity != Severity.ERROR or found.root.health.state == DEGRADED:
        return cause
    seconds = (now - began).total_seconds()
    if seconds < SETTLE_SECONDS:
        return None
    return replace(cause, severity=Severity.WARNING) if seconds < GRACE_SECONDS else cause


def _still_serving(item: Item, cause: Cause) -> Cause:
    """With what still works as its note; a warning while no replica is missing, as during an update that is stuck."""
    counted = replicas_ready(item) if cause.severity == Severity.ERROR else None
    if counted is None or not counted[0]:
        return cause
    ready, wanted = counted
    words = _("Still ready: %(ready)d of %(wanted)d replicas.") % {"ready": ready, "wanted": wanted}
    severity = cause.severity if ready < wanted else Severity.WARNING
    return replace(cause, note=cause.note or words, severity=severity)


def _once(causes: Sequence[Cause]) -> list[Cause]:
    """Each sentence once, with the evidence of all that say it, and of one object each text once; of generic causes
    only those that no other cause explains.
    """
    unique: dict[str, Cause] = {}
    texts: set[tuple[CauseTarget | None, str]] = set()
    exact = any(not cause.generic and cause.severity != Severity.NOTE for cause in causes)
    for cause in causes:
        if first := unique.get(cause.sentence):
            links = tuple(dict.fromkeys((*first.links, *cause.links)))[:MAX_LINKS]
            unique[cause.sentence] = replace(first, links=links)
            continue
        if (cause.raw and (cause.about, cause.raw) in texts) or (cause.generic and exact):
            continue
        unique[cause.sentence] = cause
        texts.add((cause.about, cause.raw))
    return list(unique.values())

"""What an object's state owes to the objects below it: its worst child counts, once it has been in trouble for a while.

Pure.

An operator that only waits for its StatefulSet leaves an instance "Pending" while the image of a Pod can't be pulled.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from kube.objects import moment
from resources.state.health import COMPLETED, DEGRADED, SUSPENDED, TERMINATING, Health

#: Pods fail for some seconds while what they need is being made.
GRACE_SECONDS = 30.0
#: Of these kinds (group, kind) an object's trouble is its owners': Pods, and Deployments that can't make any.
TELLING = (("", "Pod"), ("apps", "Deployment"))
#: These states are the object's own, whatever its children do.
_OWN = ("", DEGRADED, TERMINATING, SUSPENDED, COMPLETED)


@dataclass(frozen=True, slots=True)
class Trouble:
    """An object below that is in trouble."""

    kind: str
    name: str
    health: Health


def trouble(kind: tuple[str, str], name: str, health: Health, created: str, now: datetime) -> Trouble | None:
    """None for what is well, has ended, is not in trouble for long, or is of a kind that does not count.

    `created`: RFC 3339.
    """
    if kind not in TELLING or health.state != DEGRADED or health.ended:
        return None
    began = moment(health.since) or moment(created)
    if began is not None and (now - began).total_seconds() < GRACE_SECONDS:
        return None
    return Trouble(kind[1], name, health)


def combined(own: Health, troubles: Iterable[Trouble]) -> Health:
    """The object's own state, or Degraded with the first trouble of the objects below it as its reason.

    An object that is Degraded itself and only says that something takes too long gets the reason of an object below.
    """
    found = list(troubles)
    if own.state == DEGRADED and not own.named:
        named = next((trouble.health for trouble in found if trouble.health.named), own)
        return replace(own, reason=named.reason, named=named.named)
    if own.state in _OWN or not found:
        return own
    first = found[0]
    if first.health.named:
        return Health(state=DEGRADED, reason=first.health.reason, since=first.health.since, below=True, named=True)
    words = {"kind": first.kind, "name": first.name, "reason": first.health.reason or first.health.label}
    return Health(
        state=DEGRADED, reason=_("%(kind)s %(name)s: %(reason)s") % words, since=first.health.since, below=True
    )

"""A condition says that something failed, in the operator's own words: Degraded True, or Ready, Reconciled, Available
… False with an error reason.

The same judgement as the object's state (resources/state/health.py, error_condition), so that both agree whatever the
phase says.
https://github.com/kubernetes/community (contributors/devel/sig-architecture/api-conventions.md, typical status)
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, shortened
from resources.causes.evidence import Evidence, Item
from resources.state.health import DEGRADED, error_condition

RANK = 50
_TEXT = 240


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_custom or item.health.state != DEGRADED:
        return
    condition = error_condition(item.object)
    if condition is None or not (condition.message or condition.reason):
        return
    words = {
        "name": item.name,
        "condition": condition.type,
        "why": shortened(condition.message or condition.reason, _TEXT),
    }
    sentence = (
        _("%(name)s isn't %(condition)s: %(why)s")
        if condition.status == "False"
        else _("%(name)s reports %(condition)s: %(why)s")
    )
    yield Cause(
        sentence=sentence % words,
        rank=RANK,
        links=item.links(),
        raw=condition.message,
        since=condition.changed,
    )

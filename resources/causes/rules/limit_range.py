"""A LimitRange refuses a Pod or claim for asking too much or too little.

'pods "web-0" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi', 'minimum cpu usage per
Container is 100m, but request is 50m', 'cpu max limit to request ratio per Container is 2, but provided ratio is
4.000000', also several as '[a, b]'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/plugin/pkg/admission/limitranger/admission.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Link, refused_kind
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 12
_BOUND = re.compile(
    r"(?P<bound>maximum|minimum) (?P<resource>\S{1,63}) usage per (?P<of>\w+) is (?P<limit>[^\s,]+?)"
    r"(?:, but (?:request|limit) is (?P<asked>[^\s,\]]+)|\.\s+No (?P<none>request|limit) is specified)"
)
_RATIO = re.compile(
    r"(?<!\S)(?P<resource>\S{1,63}) max limit to request ratio per (?P<of>\w+) is (?P<limit>[^\s,]+), "
    r"but (?:provided ratio is (?P<asked>[0-9.]+)|no)"
)


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        bound, ratio = _BOUND.search(complaint.text), _RATIO.search(complaint.text)
        found = bound or ratio
        if found is None:
            continue
        words = {"name": item.subject, "what": refused_kind(complaint.text) or _("Pods"), **found.groupdict("")}
        if bound is None:
            sentence = _("%(name)s can't create %(what)s: LimitRange allows %(resource)s limits of %(limit)s × request")
        elif bound["none"]:
            sentence = _("%(name)s can't create %(what)s: LimitRange requires a %(resource)s %(none)s per %(of)s")
        elif bound["bound"] == "maximum":
            sentence = _(
                "%(name)s can't create %(what)s: LimitRange allows %(limit)s %(resource)s per %(of)s, not %(asked)s"
            )
        else:
            sentence = _(
                "%(name)s can't create %(what)s: LimitRange requires %(limit)s %(resource)s per %(of)s, not %(asked)s"
            )
        ranges = Link(target=CauseTarget(group="", kind="LimitRange", namespace=item.namespace), view="list")
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            links=item.links(ranges),
            raw=complaint.text,
            fix=edit_fix(item, bound["asked"]) if bound and bound["asked"] else None,
            since=complaint.since,
        )
        return

"""A ResourceQuota has no room, or wants each container to name its limits.

'pods "web-7d4b9c6f5-x2x8p" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4'
and '… is forbidden: failed quota: compute: must specify limits.cpu for: web'; in a ReplicaFailure condition, a
FailedCreate Event, an operator's condition.
https://github.com/kubernetes/apiserver/blob/v0.33.0/pkg/admission/plugin/resourcequota/controller.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Fix, Link, refused_kind
from resources.causes.evidence import Evidence, Item

RANK = 12
_FULL = re.compile(
    r"exceeded quota: (?P<quota>[a-z0-9.-]+), requested: (?P<resource>[^=,\s]+)=(?P<requested>[^,\s]+)(?P<more>,\S+)?, "
    r"used: [^=,\s]+=(?P<used>[^,\s]+)(?:,\S+)?, limited: [^=,\s]+=(?P<limited>[^,\s]+)"
)
_UNNAMED = re.compile(
    r"failed quota: (?P<quota>[a-z0-9.-]+): must specify (?P<what>[a-z0-9./,-]+)(?: for: (?P<containers>[^;\s]+))?"
)


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        full, unnamed = _FULL.search(complaint.text), _UNNAMED.search(complaint.text)
        found = full or unnamed
        if found is None:
            continue
        words = {"name": item.subject, "what": refused_kind(complaint.text) or _("Pods"), **found.groupdict("")}
        quota = CauseTarget(group="", kind="ResourceQuota", name=found["quota"], namespace=item.namespace)
        note = ""
        if full:
            sentence = _(
                "%(name)s can't create %(what)s: quota %(quota)s has %(used)s of %(limited)s %(resource)s in use"
            )
            if found["resource"] != "pods":
                note = _("%(requested)s more was requested.") % words
        else:
            sentence = _(
                "%(name)s can't create %(what)s: quota %(quota)s requires each container to set %(what_is_missing)s"
            )
            words["what"], words["what_is_missing"] = (
                refused_kind(complaint.text) or _("Pods"),
                found["what"].replace(",", ", "),
            )
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            note=note,
            links=item.links(Link(target=quota)),
            raw=complaint.text,
            fix=Fix(label=_("Edit quota %(quota)s") % words, target=quota) if full else None,
            since=complaint.since,
        )
        return

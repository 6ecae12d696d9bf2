"""A workload's ServiceAccount doesn't exist, so none of its Pods can be created.

'pods "web-0" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found'
https://github.com/kubernetes/kubernetes/blob/v1.33.0/plugin/pkg/admission/serviceaccount/admission.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Fix
from resources.causes.evidence import Evidence, Item

RANK = 12
_MISSING = re.compile(
    r'error looking up service account (?P<namespace>[^/\s]+)/(?P<account>[^\s:]+): serviceaccount "[^"]+" not found'
)


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        found = _MISSING.search(complaint.text)
        if found is None:
            continue
        words = {"name": item.subject, "account": found["account"]}
        account = CauseTarget(group="", kind="ServiceAccount", name=found["account"], namespace=found["namespace"])
        query = (("namespace", account.namespace), ("name", account.name))
        yield Cause(
            sentence=_("%(name)s can't create Pods: ServiceAccount %(account)s doesn't exist") % words,
            rank=RANK,
            links=item.links(),
            raw=complaint.text,
            fix=Fix(label=_("Create ServiceAccount %(account)s") % words, target=account, view="new", query=query),
            since=complaint.since,
        )
        return

"""The API server refuses a workload's Pods: what they name doesn't exist, or a reason that no other rule knows.

'pods "web-0" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found', '… is
forbidden: no PriorityClass with name urgent was found', '… is forbidden: pod rejected: RuntimeClass "gvisor" not
found'; in a ReplicaFailure condition or a FailedCreate Event.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/plugin/pkg/admission/serviceaccount/admission.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/plugin/pkg/admission/priority/admission.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/plugin/pkg/admission/runtimeclass/admission.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, creation, refused_kind, shortened
from resources.causes.evidence import Complaint, Evidence, Item

RANK, _UNKNOWN_RANK = 12, 40
_ACCOUNT = re.compile(
    r'error looking up service account (?P<namespace>[^/\s]+)/(?P<account>[^\s:]+): serviceaccount "[^"]+" not found'
)
_CLASS = re.compile(
    r"no (?P<priority>PriorityClass) with name (?P<name>\S{1,253}) was found"
    r'|(?P<runtime>RuntimeClass) "(?P<handler>[^"]{1,253})" not found'
)
_GROUPS = {"PriorityClass": "scheduling.k8s.io", "RuntimeClass": "node.k8s.io"}
_REFUSED = re.compile(r' "[^"\s]*" is (?:forbidden|invalid): (?P<why>.*)', re.DOTALL)


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        account, class_ = _ACCOUNT.search(complaint.text), _CLASS.search(complaint.text)
        if account:
            yield _absent(item, complaint, "ServiceAccount", account["account"], account["namespace"])
        elif class_:
            kind = class_["priority"] or class_["runtime"]
            yield _absent(item, complaint, kind, class_["name"] or class_["handler"])
        elif complaint.reason == "FailedCreate" and (found := _REFUSED.search(complaint.text)):
            words = {
                "name": item.subject,
                "what": refused_kind(complaint.text) or _("Pods"),
                "why": shortened(found["why"]),
            }
            yield Cause(
                sentence=_("%(name)s can't create %(what)s: %(why)s") % words,
                rank=_UNKNOWN_RANK,
                links=item.links(),
                raw=complaint.text,
                since=complaint.since,
                generic=True,
            )
        else:
            continue
        return


def _absent(item: Item, complaint: Complaint, kind: str, name: str, namespace: str = "") -> Cause:
    words = {"name": item.subject, "kind": kind, "target": name}
    target = CauseTarget(group=_GROUPS.get(kind, ""), kind=kind, name=name, namespace=namespace)
    return Cause(
        sentence=_("%(name)s can't create Pods: %(kind)s %(target)s doesn't exist") % words,
        rank=RANK,
        links=item.links(),
        raw=complaint.text,
        fix=creation(target),
        since=complaint.since,
    )

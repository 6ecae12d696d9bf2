"""An operator lacks a permission: the API server's refusal stands in a condition or Warning of the object that it
works at.

'deployments.apps is forbidden: User "system:serviceaccount:argocd:argocd-operator" cannot create resource
"deployments" in API group "apps" in the namespace "shop"', 'serviceaccounts "x" is forbidden: User "…" cannot patch
resource "…" …'
https://github.com/kubernetes/apiserver/blob/v0.33.0/pkg/endpoints/handlers/responsewriters/errors.go
(forbiddenMessage)
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Fix, Link
from resources.causes.evidence import Evidence, Item

RANK = 14
_FORBIDDEN = re.compile(
    r'User "system:serviceaccount:(?P<of>[^:"]+):(?P<account>[^"]+)" cannot (?P<verb>\w+) '
    r'resource "(?P<resource>[^"]+)"'
    r'(?: in API group "(?P<group>[^"]*)")?(?: in the namespace "(?P<namespace>[^"]+)"| at the cluster scope)?'
)
_RBAC = "rbac.authorization.k8s.io"


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        found = _FORBIDDEN.search(complaint.text)
        if found is None:
            continue
        words = {"name": item.subject, **found.groupdict("")}
        namespace = found["namespace"] or ""
        account = CauseTarget(group="", kind="ServiceAccount", name=found["account"], namespace=found["of"])
        binding = CauseTarget(
            group=_RBAC, kind="RoleBinding" if namespace else "ClusterRoleBinding", namespace=namespace
        )
        sentence = (
            _("%(name)s can't be set up: ServiceAccount %(account)s can't %(verb)s %(resource)s in %(namespace)s")
            if namespace
            else _("%(name)s can't be set up: ServiceAccount %(account)s can't %(verb)s %(resource)s")
        )
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            links=item.links(Link(target=account)),
            raw=complaint.text,
            fix=Fix(
                label=_("Create %(kind)s") % {"kind": binding.kind},
                target=binding,
                view="new-binding",
                query=(("namespace", namespace),) if namespace else (),
            ),
            since=complaint.since,
        )
        return

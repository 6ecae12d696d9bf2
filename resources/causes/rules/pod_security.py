"""The namespace's Pod security level refuses a workload's Pods.

'pods "web-7d4b9c6f5-x2x8p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false
(container "web" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (…)'
https://github.com/kubernetes/kubernetes/blob/v1.33.0/staging/src/k8s.io/pod-security-admission/admission/admission.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Link
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 12
_VIOLATES = re.compile(r'violates PodSecurity "(?P<level>[^":]+)(?::[^"]*)?": (?P<why>.*)', re.DOTALL)
_NAMED = 3
_TEXT = 4_000


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        found = _VIOLATES.search(complaint.text)
        if found is None:
            continue
        checks = _checks(found["why"])
        words = {
            "name": item.subject,
            "level": found["level"],
            "namespace": item.namespace,
            "checks": ", ".join(checks[:_NAMED]),
        }
        if len(checks) > _NAMED:
            words["checks"] += ", …"
        namespace = Link(target=CauseTarget(group="", kind="Namespace", name=item.namespace))
        sentence = (
            _("%(name)s can't create Pods: namespace %(namespace)s enforces Pod security level %(level)s: %(checks)s")
            if checks
            else _("%(name)s can't create Pods: namespace %(namespace)s enforces Pod security level %(level)s")
        )
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            links=item.links(namespace),
            raw=complaint.text,
            fix=edit_fix(item),
            since=complaint.since,
        )
        return


def _checks(text: str) -> list[str]:
    """The names of the checks: what stands outside parentheses, between commas."""
    outside: list[str] = []
    depth = 0
    for char in text[:_TEXT]:
        depth += (char == "(") - (char == ")")
        if depth == 0 and char != ")":
            outside.append(char)
    return [name for part in "".join(outside).split(",") if (name := part.strip())]

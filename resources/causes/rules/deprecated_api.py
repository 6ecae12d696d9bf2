"""An API version that the cluster doesn't serve any more, which an operator still asks for; or one that is deprecated,
as a note.

'no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"' of client-go's REST mapper, in a condition or
Warning. https://github.com/kubernetes/kubernetes/blob/v1.33.0/staging/src/k8s.io/apimachinery/pkg/api/meta/errors.go
(NoKindMatchError), https://kubernetes.io/docs/reference/using-api/deprecation-guide/
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, Severity
from resources.causes.evidence import Evidence, Item

RANK = 16
_GONE = re.compile(r'no matches for kind "(?P<kind>[^"]+)" in (?:version|group) "(?P<version>[^"]+)"')


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        if found := _GONE.search(complaint.text):
            words = {"name": item.subject, **found.groupdict()}
            yield Cause(
                sentence=_("%(name)s can't be set up: the cluster doesn't serve %(kind)s in %(version)s") % words,
                rank=RANK,
                note=_("The operator may be built for another Kubernetes version, or may need another operator."),
                links=item.links(),
                raw=complaint.text,
                since=complaint.since,
            )
            break
    if item is evidence.root and evidence.deprecation:
        version = item.api_version
        yield Cause(
            sentence=_("%(name)s uses a deprecated API version: %(version)s") % {"name": item.name, "version": version},
            rank=RANK,
            severity=Severity.NOTE,
            note=evidence.deprecation,
        )

"""An admission webhook doesn't answer, so the API server refuses what it would have judged.

'Internal error occurred: failed calling webhook "vault.hashicorp.com": failed to call webhook: Post
"https://vault-injector.vault.svc:443/mutate? timeout=30s": dial tcp 10.96.1.7:443: connect: connection refused', also
'service "x" not found' and 'no endpoints available for service "x"'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/staging/src/k8s.io/apiserver/pkg/util/webhook/error.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, CauseTarget, Link, shortened
from resources.causes.evidence import Evidence, Item

RANK = 5
_FAILED = re.compile(
    r'failed calling webhook "(?P<webhook>[^"]+)": (?:failed to call webhook: )?(?P<why>.*)', re.DOTALL
)
_SERVICE = re.compile(r"https://(?P<name>[a-z0-9-]+)\.(?P<namespace>[a-z0-9-]+)\.svc[:/]")


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    for complaint in item.complaints:
        found = _FAILED.search(complaint.text)
        if found is None:
            continue
        service = _SERVICE.search(found["why"])
        words = {"name": item.subject, "webhook": found["webhook"], "why": _why(found["why"])}
        links: tuple[Link, ...] = ()
        if service:
            links = (
                Link(
                    target=CauseTarget(group="", kind="Service", name=service["name"], namespace=service["namespace"])
                ),
            )
        yield Cause(
            sentence=_("%(name)s can't create or change objects: admission webhook %(webhook)s fails: %(why)s") % words,
            rank=RANK,
            note=_("All requests that this webhook checks fail."),
            links=item.links(*links),
            raw=complaint.text,
            since=complaint.since,
        )
        return


def _why(text: str) -> str:
    if "connection refused" in text or "no endpoints available" in text:
        return _("its Service has no Pods that respond")
    if "not found" in text and "service" in text:
        return _("its Service doesn't exist")
    if "x509:" in text:
        return _("its certificate isn't trusted")
    if "deadline exceeded" in text or "i/o timeout" in text or "Client.Timeout" in text:
        return _("it doesn't respond in time")
    return shortened(text)

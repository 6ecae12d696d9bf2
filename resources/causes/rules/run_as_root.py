"""A container must not run as root, and its image would.

CreateContainerConfigError: 'container has runAsNonRoot and image will run as root (pod: "web_shop(…)", container:
web)', 'container's runAsUser breaks non-root policy (…)', 'container has runAsNonRoot and image has non-numeric user
(app), cannot verify user is non-root (…)'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/security_context.go (verifyRunAsNonRoot)
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes import evidence
from resources.causes.cause import Cause
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 20


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    for container in evidence.pod_containers(item):
        if container.waiting != "CreateContainerConfigError":
            continue
        if "has non-numeric user" in container.why:
            sentence = _("%(name)s can't start: runAsNonRoot is set, and %(image)s names its user instead of a number")
        elif "image will run as root" in container.why:
            sentence = _("%(name)s can't start: runAsNonRoot is set, and %(image)s runs as root")
        elif "runAsUser breaks non-root policy" in container.why:
            sentence = _("%(name)s can't start: runAsNonRoot is set, and runAsUser is 0")
        else:
            continue
        words = {"name": evidence.container_label(item, container), "image": container.image}
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            links=item.links(),
            raw=container.why,
            fix=edit_fix(item),
            since=evidence.not_ready_since(item),
        )

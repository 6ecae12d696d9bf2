"""A container's image can't be pulled, and why: no such image, no permission, rate limit, invalid name, no registry.

The waiting reason of the container (ErrImagePull, ImagePullBackOff, InvalidImageName, ErrImageNeverPull,
RegistryUnavailable) with the container runtime's message: containerd's 'failed to resolve reference
"docker.io/library/web:v9": docker.io/library/web:v9: not found', CRI-O's 'reading manifest v9 in quay.io/x/y: manifest
unknown'. Before Kubernetes 1.31 an ImagePullBackOff doesn't repeat it; the Event Failed does.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/images/image_manager.go,
https://github.com/containerd/containerd/blob/v2.0.0/core/remotes/docker/resolver.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes import evidence
from resources.causes.cause import Cause, CauseTarget, Link
from resources.causes.evidence import ContainerState, Evidence, Item, edit_fix

RANK = 22
_REASONS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_NO_RESPONSE = (
    "connection refused",
    "i/o timeout",
    "deadline exceeded",
    "no route to host",
    "network is unreachable",
    "connection reset",
)
_HOST = re.compile(r"lookup (?P<host>[^\s:]+)")
_RESPONSE = re.compile(r"\b(?P<code>5\d\d) (?:Internal|Not Implemented|Bad|Service|Gateway)")
_SECRETS = re.compile(r"Unable to retrieve some image pull secrets \((?P<names>[^)]{1,300})\)")
_DIAL = re.compile(r"dial tcp (?P<host>[^\s]+?): ")


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    for container in evidence.pod_containers(item):
        if container.waiting not in _REASONS:
            continue
        raw = _message(item, container)
        words = {
            "name": evidence.container_label(item, container),
            "image": container.image,
            "why": _why(item, container, raw),
        }
        sentence = _("%(name)s can't pull %(image)s: %(why)s") if words["why"] else _("%(name)s can't pull %(image)s")
        yield Cause(
            sentence=sentence % words,
            rank=RANK,
            links=item.links(*_secrets(item)),
            raw=raw,
            fix=edit_fix(item, container.image),
            since=evidence.not_ready_since(item),
        )


def _message(item: Item, container: ContainerState) -> str:
    """The runtime's own text: in the status, else in the Event of the same image."""
    pulls = (
        event.message for event in item.events if event.reason == "Failed" and "Failed to pull image" in event.message
    )
    event = next((pull for pull in pulls if container.image and container.image in pull), "")
    own = container.why
    return event if event and ("ErrImagePull:" not in own and container.waiting == "ImagePullBackOff") else own


def _why(item: Item, container: ContainerState, raw: str) -> str:
    """'' where the text isn't known."""
    low = raw.lower()
    if container.waiting == "InvalidImageName" or "invalid reference format" in low:
        return _("this isn't a valid image name")
    if container.waiting == "ErrImageNeverPull":
        return _("the image isn't on the node, and imagePullPolicy is Never")
    if "toomanyrequests" in low or "429 too many" in low or "rate limit" in low:
        return _("the registry's rate limit is reached")
    if "may require authorization" in low or "requested access to the resource is denied" in low:
        return _absent_secret(item) or _("the registry has no such image, or it needs a pull secret")
    if any(
        part in low
        for part in ("401 unauthorized", "403 forbidden", "unauthorized", "authentication required", "denied")
    ):
        names = ", ".join(secret.name for secret in item.pod.spec.image_pull_secrets if secret.name)
        refused = _("the registry refuses access with pull secret %(names)s") % {"names": names} if names else ""
        return _absent_secret(item) or refused or _("the registry refuses access; a pull secret may be missing")
    if found := _HOST.search(raw):
        absent = "no such host" in low
        sentence = _("the registry %(host)s doesn't exist") if absent else _("the node can't resolve the name %(host)s")
        return sentence % {"host": found["host"]}
    if "unexpected media type" in low:
        return _("the registry's response isn't an image")
    if "no space left on device" in low:
        return _("the node's disk is full")
    if "http response to https client" in low:
        return _("the registry doesn't use HTTPS")
    if found := _RESPONSE.search(raw):
        return _("the registry responds with HTTP %(code)s") % {"code": found["code"]}
    if "no match for platform" in low or "no matching manifest" in low:
        return _("the registry has no image for this node's platform")
    if "manifest unknown" in low or "name unknown" in low or "not found" in low or "404" in low:
        return _("the registry has no such image")
    if "x509:" in low or "tls:" in low:
        return _("the registry's certificate isn't trusted")
    if any(part in low for part in _NO_RESPONSE):
        found = _DIAL.search(raw)
        return (
            _("the registry isn't responding")
            if found is None
            else _("%(host)s isn't responding") % {"host": found["host"]}
        )
    return ""


def _absent_secret(item: Item) -> str:
    """The kubelet's Event FailedToRetrieveImagePullSecret names pull secrets that don't exist."""
    events = (event for event in item.events if event.reason == "FailedToRetrieveImagePullSecret")
    found = next((found for event in events if (found := _SECRETS.search(event.message))), None)
    return _("pull secret %(names)s doesn't exist") % {"names": found["names"]} if found else ""


def _secrets(item: Item) -> Iterator[Link]:
    """The pull secret that the Pod names."""
    for secret in item.pod.spec.image_pull_secrets[:1]:
        if secret.name:
            yield Link(target=CauseTarget(group="", kind="Secret", name=secret.name, namespace=item.namespace))

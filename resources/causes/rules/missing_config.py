"""A Pod needs a Secret or ConfigMap, or a key of one, that doesn't exist; or another volume can't be mounted.

Container waiting with CreateContainerConfigError: 'secret "db" not found', "couldn't find key password in Secret
shop/db"; Events FailedMount: 'MountVolume.SetUp failed for volume "conf" : configmap "settings" not found', '… :
references non-existent secret key: tls.crt', '… : hostPath type check failed: /nothing is not a directory'; of an
attached disk FailedAttachVolume.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables),
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/volume/secret/secret.go, …/pkg/volume/configmap/configmap.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.types.core import Volume
from resources.causes import evidence
from resources.causes.cause import Cause, CauseTarget, Fix, Link, creation, shortened
from resources.causes.evidence import Evidence, Item, edit_fix

RANK = 20
_KINDS = {"secret": "Secret", "configmap": "ConfigMap"}
_MISSING = re.compile(r'\b(?P<kind>secret|configmap)s? "(?P<name>[^"]+)" not found', re.IGNORECASE)
_KEY = re.compile(r"couldn't find key (?P<key>\S+) in (?P<kind>Secret|ConfigMap) (?P<namespace>[^/\s]+)/(?P<name>\S+)")
_VOLUME = re.compile(r'\w failed for volume "(?P<volume>[^"]+)"')
_DRIVER = re.compile(r"driver name (?P<driver>\S{1,253}) not found in the list of registered CSI drivers")
_REASON = re.compile(r'^(?:MountVolume|AttachVolume)\.\w+ failed for volume "[^"]{1,253}" : (?P<why>.*)', re.DOTALL)
#: The last line of a failed mount is what the program printed.
_OUTPUT = re.compile(r"\nOutput: (?P<why>[^\n]{1,500})")
_VOLUME_KEY = re.compile(r"references non-existent (?P<kind>secret|config) key: (?P<key>\S+)")


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod:
        return
    for container in evidence.pod_containers(item):
        if container.waiting == "CreateContainerConfigError":
            yield from _cause(item, evidence.container_label(item, container), container.why, container.why)
    # A volume that can't be set up holds all containers up.
    if item.pod.status.phase != "Pending":
        return
    for event in item.events:
        if event.reason in ("FailedMount", "FailedAttachVolume"):
            known = tuple(_cause(item, item.subject, event.message, event.message))
            yield from known or _mount(item, event.message)
            return


def _mount(item: Item, message: str) -> Iterator[Cause]:
    """A volume of another kind. '… unmounted volumes=[data], … context canceled' only repeats that there is one."""
    found, volume = _REASON.search(message), _VOLUME.search(message)
    if found is None:
        return
    name = volume["volume"] if volume else ""
    words = {"name": item.subject, "volume": name, "why": _why(found["why"])}
    yield Cause(
        sentence=_("%(name)s can't start: volume %(volume)s can't be mounted: %(why)s") % words,
        rank=RANK + 1,
        links=item.links(),
        raw=message,
        fix=edit_fix(item) if any(volume.name == name for volume in item.pod.spec.volumes) else None,
        since=evidence.not_ready_since(item),
    )


def _why(text: str) -> str:
    if found := _DRIVER.search(text):
        return _("the node has no CSI driver %(driver)s") % {"driver": found["driver"]}
    if found := _OUTPUT.search(text):
        return shortened(found["why"])
    return shortened(text.rpartition("rpc error: ")[2])


def _cause(item: Item, name: str, message: str, raw: str) -> Iterator[Cause]:
    key = ""
    if found := _KEY.search(message):
        kind, target, key = found["kind"], found["name"], found["key"]
    elif found := _MISSING.search(message):
        kind, target = _KINDS[found["kind"].lower()], found["name"]
    elif (found := _VOLUME_KEY.search(message)) and (volume := _VOLUME.search(message)):
        kind, key = "Secret" if found["kind"] == "secret" else "ConfigMap", found["key"]
        target = _source(item, volume["volume"], kind)
    else:
        return
    words = {"name": name, "kind": kind, "target": target, "key": key}
    object_ = CauseTarget(group="", kind=kind, name=target, namespace=item.namespace)
    if key and not target:
        return
    if key:
        sentence = _("%(name)s can't start: %(kind)s %(target)s has no key %(key)s")
        fix = Fix(label=_("Edit %(kind)s %(name)s") % {"kind": kind, "name": target}, target=object_)
        links = item.links(Link(target=object_))
    else:
        sentence = _("%(name)s can't start: %(kind)s %(target)s doesn't exist")
        fix = creation(object_, view="new-values")
        links = item.links()
    yield Cause(
        sentence=sentence % words, rank=RANK, links=links, raw=raw, fix=fix, since=evidence.not_ready_since(item)
    )


def _source(item: Item, name: str, kind: str) -> str:
    """The Secret or ConfigMap that the volume is made of; '' for a projected one of several."""
    volume = next((volume for volume in item.pod.spec.volumes if volume.name == name), Volume())
    sources = volume.projected.sources if volume.projected else ()
    if kind == "Secret":
        plain = volume.secret.secret_name if volume.secret else ""
        names = {source.secret.name for source in sources if source.secret is not None}
    else:
        plain = volume.config_map.name if volume.config_map else ""
        names = {source.config_map.name for source in sources if source.config_map is not None}
    return plain or (names.pop() if len(names) == 1 else "")

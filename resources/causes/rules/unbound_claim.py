"""A claim isn't bound, or a Pod waits for one.

A claim's StorageClass that doesn't exist is the Event ProvisioningFailed of kube-controller-manager,
'storageclass.storage.k8s.io "fast" not found'; repeated each 15 s while it is true. Its other Events on the claim:
FailedBinding 'no persistent volumes available for this claim and no storage class is set', ExternalProvisioning
'Waiting for a volume to be created either by the external provisioner 'x' or manually by the system administrator. …',
ProvisioningFailed of the external provisioner 'failed to provision volume with StorageClass "x": …', and
VolumeMismatch. The scheduler's 'persistentvolumeclaim "x" not found' and 'pod has unbound immediate
PersistentVolumeClaims', which names none.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/volume/persistentvolume/pv_controller.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/scheduler/framework/plugins/volumebinding/binder.go,
https://github.com/kubernetes-sigs/sig-storage-lib-external-provisioner/blob/v11.0.1/controller/controller.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.reader import read
from kube.types.cluster import PersistentVolumeClaim
from kube.types.core import PodSpec
from resources.causes.cause import Cause, CauseTarget, Fix, Link, creation, shortened
from resources.causes.evidence import Event, Evidence, Item

RANK, _CLASS_RANK = 18, 10
_NO_CLASS = re.compile(r'storageclass(?:es)?\.storage\.k8s\.io "(?P<name>[^"]+)" not found')
_NO_CLAIM = re.compile(r'persistentvolumeclaim "(?P<name>[^"]+)" not found')
_PROVISIONER = re.compile(r"external provisioner '(?P<name>[^']+)'")
_FAILED = re.compile(r'failed to provision volume with StorageClass "(?P<class>[^"]+)": (?P<why>.+)', re.DOTALL)
_UNBOUND = "unbound immediate PersistentVolumeClaims"


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    if item.kind == "PersistentVolumeClaim":
        claim = read(item.object, PersistentVolumeClaim)
        missing = _missing_class(item, claim)
        yield from (missing,) if missing else _of_claim(item, claim)
    elif item.is_pod:
        yield from _of_pod(item, evidence)


def _missing_class(item: Item, claim: PersistentVolumeClaim) -> Cause | None:
    messages = () if claim.status.phase == "Bound" else (event.message for event in item.events)
    for message in messages:
        found = _NO_CLASS.search(message)
        if found is None or found["name"] != claim.spec.storage_class_name:
            continue
        class_ = CauseTarget(group="storage.k8s.io", kind="StorageClass", name=found["name"])
        words = {"name": item.name, "class": found["name"]}
        return Cause(
            sentence=_("%(name)s can't get a volume: StorageClass %(class)s doesn't exist") % words,
            rank=_CLASS_RANK,
            note=_(
                "A claim's StorageClass can't be changed; create the class, or delete the claim and create it again."
            ),
            links=item.links(Link(target=CauseTarget(group="storage.k8s.io", kind="StorageClass"), view="list")),
            raw=message,
            fix=creation(class_),
            since=item.created,
        )
    return None


def _of_claim(item: Item, claim: PersistentVolumeClaim) -> Iterator[Cause]:
    links, words = item.links(), {"name": item.name}
    if claim.status.phase == "Lost":
        words |= {"volume": claim.spec.volume_name}
        sentence = _("%(name)s can't be used: its PersistentVolume %(volume)s is missing") % words
        yield Cause(sentence=sentence, rank=RANK, note=_("The data on the volume is lost."), links=links)
        return
    news = [event for event in item.events if _says(event)]
    # A provisioner that fails waits all the same.
    event = next((event for event in news if event.reason == "ProvisioningFailed"), next(iter(news), None))
    if claim.status.phase != "Pending" or event is None:
        return
    fix, note, raw = None, "", event.message
    if found := _FAILED.search(event.message):
        sentence = _("%(name)s can't get a volume of StorageClass %(class)s: %(why)s")
        words |= {"class": found["class"], "why": shortened(found["why"])}
        links = item.links(Link(target=CauseTarget(group="storage.k8s.io", kind="StorageClass", name=found["class"])))
    elif found := _PROVISIONER.search(event.message):
        sentence = _("%(name)s can't get a volume: provisioner %(provisioner)s hasn't created it")
        words |= {"provisioner": found["name"]}
        note = _("Check that the provisioner is running.")
        class_ = CauseTarget(group="storage.k8s.io", kind="StorageClass", name=claim.spec.storage_class_name)
        links = item.links(Link(target=class_))
    else:
        sentence = _("%(name)s can't get a volume: it sets no StorageClass, and no PersistentVolume matches")
        fix = Fix(label=_("Create PersistentVolume"), target=CauseTarget(group="", kind="PersistentVolume"), view="new")
        links = item.links(Link(target=CauseTarget(group="storage.k8s.io", kind="StorageClass"), view="list"))
    yield Cause(sentence=sentence % words, rank=RANK, note=note, links=links, raw=raw, fix=fix, since=item.created)


def _says(event: Event) -> bool:
    if event.reason == "ProvisioningFailed":
        return bool(_FAILED.search(event.message))
    return event.reason == "ExternalProvisioning" or (
        event.reason == "FailedBinding" and "no storage class is set" in event.message
    )


def _of_pod(item: Item, evidence: Evidence) -> Iterator[Cause]:
    scheduled = item.condition("PodScheduled")
    if scheduled is None or scheduled.status != "False":
        return
    found = _NO_CLAIM.search(scheduled.message)
    # The scheduler doesn't take it back while it waits for a volume of a claim that was created after the Pod.
    if found and not evidence.item("PersistentVolumeClaim", found["name"], item.namespace):
        claim = CauseTarget(group="", kind="PersistentVolumeClaim", name=found["name"], namespace=item.namespace)
        words = {"name": item.subject, "claim": found["name"]}
        yield Cause(
            sentence=_("%(name)s can't be scheduled: PersistentVolumeClaim %(claim)s doesn't exist") % words,
            rank=RANK,
            links=item.links(),
            raw=scheduled.message,
            fix=creation(claim),
            since=scheduled.changed,
        )
        return
    claims = claims_of(item.pod.spec)
    # Where the claims are known, they have said it themselves.
    known = any(evidence.item("PersistentVolumeClaim", name, item.namespace) for name in claims)
    if _UNBOUND in scheduled.message and not known:
        words = {"name": item.subject, "claims": ", ".join(claims)}
        yield Cause(
            sentence=_("%(name)s can't be scheduled: PersistentVolumeClaim %(claims)s isn't bound") % words,
            rank=RANK,
            links=item.links(
                *(
                    Link(
                        target=CauseTarget(group="", kind="PersistentVolumeClaim", name=name, namespace=item.namespace)
                    )
                    for name in claims[:1]
                )
            ),
            raw=scheduled.message,
            since=scheduled.changed,
        )


def claims_of(spec: PodSpec) -> tuple[str, ...]:
    """The claims that a Pod names."""
    claims = (volume.persistent_volume_claim for volume in spec.volumes)
    return tuple(claim.claim_name for claim in claims if claim is not None and claim.claim_name)

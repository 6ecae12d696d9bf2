"""A claim names a StorageClass that doesn't exist.

The Event ProvisioningFailed of kube-controller-manager, 'storageclass.storage.k8s.io "fast" not found'; repeated each
15 s while it is true.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/controller/volume/persistentvolume/pv_controller.go
(provisionClaimOperation)
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.reader import read
from kube.types.cluster import PersistentVolumeClaim
from resources.causes.cause import Cause, CauseTarget, Fix, Link
from resources.causes.evidence import Evidence, Item

RANK = 10
_MISSING = re.compile(r'storageclass(?:es)?\.storage\.k8s\.io "(?P<name>[^"]+)" not found')


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if item.kind != "PersistentVolumeClaim":
        return
    claim = read(item.object, PersistentVolumeClaim)
    if claim.status.phase == "Bound":
        return
    for event in item.events:
        found = _MISSING.search(event.message)
        if found is None or found["name"] != claim.spec.storage_class_name:
            continue
        class_ = CauseTarget(group="storage.k8s.io", kind="StorageClass", name=found["name"])
        words = {"name": item.name, "class": found["name"]}
        yield Cause(
            sentence=_("%(name)s can't get a volume: StorageClass %(class)s doesn't exist") % words,
            rank=RANK,
            note=_(
                "A claim's StorageClass can't be changed; create the class, or delete the claim and create it again."
            ),
            links=item.links(Link(target=CauseTarget(group="storage.k8s.io", kind="StorageClass"), view="list")),
            raw=event.message,
            fix=Fix(
                label=_("Create StorageClass %(class)s") % words,
                target=class_,
                view="new",
                query=(("name", class_.name),),
            ),
            since=item.created,
        )
        return

"""An object that is being deleted waits for a finalizer whose operator doesn't run any more.

metadata.deletionTimestamp with finalizers other than Kubernetes' own; that the operator is gone is in the evidence
(resources/diagnosis.py), from the ClusterServiceVersions that own the kind and OLM's mark on its definition.
https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from resources.causes.cause import Cause, Fix, Link
from resources.causes.evidence import Evidence, Item

RANK = 15
_OWN = ("kubernetes", "foregroundDeletion", "orphan")


def waiting_finalizers(item: Item) -> tuple[str, ...]:
    """Those of an operator, of an object that is being deleted."""
    if not item.metadata.deletion_timestamp:
        return ()
    names = item.metadata.finalizers
    return tuple(name for name in names if name and name not in _OWN and ".kubernetes.io/" not in f".{name}")


def find(item: Item, evidence: Evidence) -> Iterator[Cause]:
    names = waiting_finalizers(item)
    if item is not evidence.root or not names or not evidence.stopped_operator:
        return
    words = {"name": item.name, "finalizer": names[0], "operator": evidence.stopped_operator}
    yield Cause(
        sentence=_("%(name)s can't be deleted: %(operator)s isn't running and can't remove finalizer %(finalizer)s")
        % words,
        rank=RANK,
        note=_(
            "If you remove the finalizer manually, resources that the operator would have cleaned up are left behind."
        ),
        links=(Link(target=item.target, view="finalizers"), *item.links()[1:]),
        fix=Fix(label=_("Check finalizers"), target=item.target, view="finalizers"),
        since=item.metadata.deletion_timestamp,
    )

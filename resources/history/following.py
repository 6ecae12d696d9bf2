"""Whether anything is written down of a kind just now, and whether that is done."""

import time
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject, uid_of
from resources.history import kept, kinds, lease, store
from resources.models import Followed, Traced
from resources.place import Place
from resources.state.kind_health import health


@dataclass(frozen=True, slots=True)
class Recording:
    """Whether anything is written of this kind; `why` not, in words."""

    on: bool
    why: str = ""


def recording(client: ClusterClient, place: Place) -> Recording:
    """Off without words for kinds that have no history by setting."""
    if not kinds.may_be_recorded(place.type):
        return Recording(False)
    followed = Followed.objects.filter(cluster=client.name, type=place.type.qualified).first()
    if followed is not None and followed.too_many:
        words = _("There are %(number)d objects of this kind: for more than HISTORY_OBJECTS no history is kept.")
        return Recording(False, words % {"number": followed.too_many})
    writer = lease.held(client.name)
    if writer is None:
        return Recording(False, _("Nothing is written down just now: no worker runs that keeps the history."))
    if writer.problem:
        return Recording(False, _("Nothing is written down just now: %(why)s") % {"why": writer.problem})
    if followed is None and kinds.left_out(client, place.type):
        words = _("The history follows %(number)d kinds, and this one is not among them: HISTORY_KINDS names those that matter.")  # fmt: skip
        return Recording(False, words % {"number": kinds.MOST})
    return Recording(followed is not None)


def caught_up(client: ClusterClient, obj: KubeObject, seconds: float) -> None:
    """Waits for the worker to have written what `obj` already shows, so that a page made by a change has that change in it."""
    end = time.monotonic() + seconds
    mark = store.digest(kept.clean(obj), health(obj).state)
    while time.monotonic() < end:
        row = (
            Traced.objects.filter(cluster=client.name, uid=uid_of(obj))
            .only("head", "state", "resource_version")
            .first()
        )
        if row is not None:
            written = row.resource_version == store.version_of(obj)
            if written or store.digest(kept.unpacked(row.head), row.state) == mark:
                return
        time.sleep(0.05)

"""Whether changes of a kind are recorded now, and if not, why."""

import time
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, uid_of
from resources.history import kinds, lease, store, stored_object
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
    why, detail = _problem(client, place)
    if not why:
        return Recording(Followed.objects.filter(cluster=client.name, type=place.type.qualified).exists())
    # How many objects others have, and how the console is set up, is for those who may list all of them.
    return Recording(False, detail if detail and _sees_all(client, place) else why)


def _problem(client: ClusterClient, place: Place) -> tuple[str, str]:
    """Why no changes are recorded: (for all users, for those who can list the kind in the whole cluster); ('', '') if
    they are.
    """
    followed = Followed.objects.filter(cluster=client.name, type=place.type.qualified).first()
    if followed is not None and followed.too_many:
        words = _("There are %(number)d objects of this resource type, more than HISTORY_OBJECTS allows.")
        return _("No history is recorded: there are too many objects of this resource type."), words % {
            "number": followed.too_many
        }
    paused = _("No history is recorded at the moment.")
    writer = lease.held(client.name)
    if writer is None:
        return paused, _("History isn't recorded at the moment: no worker that records it is running.")
    if writer.problem:
        return paused, _("History isn't recorded at the moment: %(why)s") % {"why": writer.problem}
    if followed is None and kinds.left_out(client, place.type):
        words = _(
            "History is recorded for at most %(number)d resource types, and this resource type isn't "
            "one of them. Set HISTORY_KINDS to the resource types that matter."
        )
        return _("No history is recorded for this resource type."), words % {"number": kinds.MOST}
    return "", ""


def _sees_all(client: ClusterClient, place: Place) -> bool:
    try:
        return can(client, "list", place.type).allowed
    except KubeError:
        return False


def caught_up(client: ClusterClient, obj: KubeObject, seconds: float) -> None:
    """Waits for the worker to have written what `obj` already shows, so that a page made by a change has that change
    in it.
    """
    end = time.monotonic() + seconds
    mark = store.digest(stored_object.clean(obj), health(obj).state)
    while time.monotonic() < end:
        row = (
            Traced.objects.filter(cluster=client.name, uid=uid_of(obj))
            .only("head", "state", "resource_version")
            .first()
        )
        if row is not None:
            written = row.resource_version == store.version_of(obj)
            if written or store.digest(stored_object.unpacked(row.head), row.state) == mark:
                return
        time.sleep(0.05)

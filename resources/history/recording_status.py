"""Whether changes of a resource type are recorded now, and if not, why.

Which types have a history: every kind of a CustomResourceDefinition, and the built-in ones that HISTORY_KINDS names.

One worker writes the history of a cluster: the one that holds the cluster's row in Recorder. The lease expires by the
database's clock, since the clocks of two hosts may differ by any amount.
"""

import time
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, uid_of
from resources.history import store, stored_object
from resources.models import Followed, Recorder, Traced
from resources.place import Place
from resources.state.kind_health import health

#: A worker that did not say for so long that it lives is succeeded.
LEASE_SECONDS = 15.0


def hold_lease(cluster: str, holder: str, problem: str) -> bool:
    """Whether this one writes, for LEASE_SECONDS more."""
    until = ExpressionWrapper(Now() + timedelta(seconds=LEASE_SECONDS), output_field=DateTimeField())
    rows = Recorder.objects.filter(cluster=cluster)
    if rows.filter(Q(holder=holder) | Q(until__lt=Now())).update(holder=holder, until=until, problem=problem):
        return True
    _row, made = rows.get_or_create(cluster=cluster, defaults={"holder": holder, "until": until, "problem": problem})
    return made


def lease_holder(cluster: str) -> Recorder | None:
    """The row of the worker that writes now, or None."""
    return Recorder.objects.filter(cluster=cluster, until__gte=Now()).first()


def leave_lease(cluster: str, holder: str) -> None:
    """Another worker takes over at once."""
    Recorder.objects.filter(cluster=cluster, holder=holder).delete()


_NEEDED = {"list", "watch"}
#: Never: what they hold must not lie anywhere else, or is history itself.
_NEVER = frozenset((("", "secrets"), ("", "events"), ("events.k8s.io", "events")))
CUSTOM = "custom"
#: More types than this are not followed: each is an open watch.
MAX_RECORDED_TYPES = 300


def recorded_types(client: ClusterClient) -> tuple[ResourceType, ...]:
    """One version each, the preferred one, in the server's order; at most MAX_RECORDED_TYPES. Raises KubeError."""
    return _all(client)[:MAX_RECORDED_TYPES]


def is_left_out(client: ClusterClient, type_: ResourceType) -> bool:
    """Whether it would be recorded if there were not so many others."""
    try:
        return type_.qualified in {recorded_type.qualified for recorded_type in _all(client)[MAX_RECORDED_TYPES:]}
    except KubeError:
        return False  # definitions that the user can't read are not mentioned


def _all(client: ClusterClient) -> tuple[ResourceType, ...]:
    if not settings.HISTORY_KINDS:
        return ()
    custom = _custom(client) if CUSTOM in settings.HISTORY_KINDS else frozenset()
    found: dict[str, ResourceType] = {}
    for type_ in client.types():
        if type_.qualified not in found and _wanted(type_, custom):
            found[type_.qualified] = type_
    return tuple(found.values())


def _wanted(type_: ResourceType, custom: frozenset[str]) -> bool:
    if (type_.group, type_.plural) in _NEVER or not type_.verbs >= _NEEDED:
        return False
    return type_.qualified in custom or type_.qualified in settings.HISTORY_KINDS


def _custom(client: ClusterClient) -> frozenset[str]:
    """The names of all CRDs: '<plural>.<group>'."""
    crds = client.find("apiextensions.k8s.io", "", "customresourcedefinitions")
    return frozenset(str(row.cells[0]) for row in client.table(crds, include="None").rows if row.cells)


def may_be_recorded(type_: ResourceType) -> bool:
    """Without asking anything: whether the page of such an object says something of its history."""
    if not settings.HISTORY_KINDS or (type_.group, type_.plural) in _NEVER or not type_.verbs >= _NEEDED:
        return False
    if type_.qualified in settings.HISTORY_KINDS:
        return True
    built_in = "." not in type_.group or type_.group.endswith(".k8s.io")
    return CUSTOM in settings.HISTORY_KINDS and not built_in


@dataclass(frozen=True, slots=True)
class Recording:
    """Whether anything is written of this kind; `why` not, in words."""

    on: bool
    why: str = ""


def recording(client: ClusterClient, place: Place) -> Recording:
    """Off without words for kinds that have no history by setting."""
    if not may_be_recorded(place.type):
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
    writer = lease_holder(client.name)
    if writer is None:
        return paused, _("History isn't recorded at the moment: no worker that records it is running.")
    if writer.problem:
        return paused, _("History isn't recorded at the moment: %(why)s") % {"why": writer.problem}
    if followed is None and is_left_out(client, place.type):
        words = _(
            "History is recorded for at most %(number)d resource types, and this resource type isn't "
            "one of them. Set HISTORY_KINDS to the resource types that matter."
        )
        return _("No history is recorded for this resource type."), words % {"number": MAX_RECORDED_TYPES}
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

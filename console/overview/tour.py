"""What to do first: the five tasks of our own quick start (console/web/quick_starts.py), each ticked by what is in the
cluster.

A person may put them away, and bring them back.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from console.audit.models import AuditEntry
from console.overview import instances
from console.overview.part import CardContent
from console.web import quick_starts
from console.web.frame import known_namespaces
from kube.client import ClusterClient
from kube.discovery import is_custom
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.running.installed_operators import PACKAGE_SERVER
from resources.forward.tunnels import tunnels
from resources.models import Mark
from resources.place import Place

_WAIT = 1.5
_NAME = "tour"
# The index of the step in which the instances are watched.
_WATCH = 3
# API groups that OpenShift comes with.
_OPENSHIFT = ".openshift.io"
# Namespaces that a cluster comes with, OLM's among them.
_GIVEN = ("default", "olm", "olmv1-system", "operators", "operator-lifecycle-manager", "local-path-storage")
_SYSTEM = ("kube-", "openshift-")


@dataclass(frozen=True, slots=True)
class TourStep:
    """`done`: None if not known yet. `url`: the page for it."""

    title: str
    help: str
    url: str
    done: bool | None = None


@dataclass(frozen=True, slots=True)
class Tour:
    steps: tuple[TourStep, ...]

    @property
    def done(self) -> int:
        return sum(bool(step.done) for step in self.steps)

    @property
    def all_done(self) -> bool:
        return self.done == len(self.steps)

    @property
    def next(self) -> TourStep | None:
        """The first that is open."""
        return next((step for step in self.steps if step.done is False), None)


def collect(client: ClusterClient) -> CardContent:
    """The steps and which are done; one that can't be checked counts as open. Never raises KubeError."""
    made, pending = _made(client)
    checks: tuple[Callable[[ClusterClient], bool], ...] = (
        _namespace,
        _operator,
        lambda _client: bool(made),
        _watched,
        _forwarded,
    )
    found = [_tried(check, client) for check in checks]
    if pending and not found[2]:
        found[2] = None
    tour = Tour(_steps(made, found))
    if tour.all_done:
        _finish(client)
    return CardContent(found=tour, pending=(_("Instances"),) if pending else ())


def _finish(client: ClusterClient) -> None:
    """What is done leaves its room to what needs attention, from the next page on."""
    with suppress(DatabaseError):
        put_away(client, True)


def plain() -> Tour:
    """The steps before anything is known."""
    return Tour(_steps(None, [None] * 5))


def _steps(made: Place | None, done: list[bool | None]) -> tuple[TourStep, ...]:
    """The tasks of the quick start; watching begins at the kind of the instances that there are."""
    watch = made.kind_url(**({"namespace": "-"} if made.type.namespaced else {})) if made else ""
    tasks = quick_starts.first_steps().tasks
    return tuple(
        TourStep(task.title, task.help, watch if watch and index == _WATCH else task.url, is_done)
        for index, (task, is_done) in enumerate(zip(tasks, done, strict=True))
    )


def _tried(check: Callable[[ClusterClient], bool], client: ClusterClient) -> bool | None:
    try:
        return check(client)
    except (KubeError, DatabaseError):
        return False


def _namespace(client: ClusterClient) -> bool:
    return any(name not in _GIVEN and not name.startswith(_SYSTEM) for name in known_namespaces(client))


def _operator(client: ClusterClient) -> bool:
    if not olm.served(client):
        return False
    rows = client.table(olm.type_of(client, olm.CSVS), limit=50).rows
    return any(str((row.object.get("metadata") or {}).get("name")) != PACKAGE_SERVER for row in rows)


def _made(client: ClusterClient) -> tuple[Place | None, bool]:
    """(a kind with instances that doesn't come with OpenShift, whether a request is still pending).

    It joins the requests of the instances card.
    """
    types = [type_ for type_ in instances.custom(client) if not type_.group.endswith(_OPENSHIFT)]
    try:
        found, late = instances.asked(client, types, _WAIT)
    except KubeError:
        return None, False
    kind = max((counted for counted in found if counted.number), key=lambda counted: counted.number or 0, default=None)
    return (Place(kind.type) if kind else None), bool(late)


def _watched(client: ClusterClient) -> bool:
    """An object of a custom kind was opened, or is a favourite."""
    groups = _marks(client).exclude(name="").values_list("group", flat=True).distinct()
    return any(is_custom(group) and group not in instances.OLM for group in groups)


def _forwarded(client: ClusterClient) -> bool:
    if tunnels(client):
        return True
    rows = AuditEntry.objects.filter(cluster=client.name, user=client.config.by or client.user, verb="port-forward")
    return rows.filter(outcome="ok").exists()


# Put away, and brought back


def _marks(client: ClusterClient) -> "QuerySet[Mark]":
    return Mark.objects.filter(cluster=client.name, user=client.owner[:512])


def away(client: ClusterClient) -> bool:
    """Whether this person put it away. A database that does not answer shows it."""
    try:
        return bool(_marks(client).filter(sort=Mark.AWAY, plural=_NAME).exists())
    except DatabaseError:
        return False


def put_away(client: ClusterClient, on: bool) -> None:
    """Raises DatabaseError. Twice is once."""
    key = {"cluster": client.name, "user": client.owner[:512], "sort": Mark.AWAY, "plural": _NAME}
    if not on:
        Mark.objects.filter(**key).delete()
        return
    rest = {"group": "", "namespace": "", "name": ""}
    Mark.objects.get_or_create(**key, **rest, defaults={"version": "", "kind": "", "at": timezone.now()})

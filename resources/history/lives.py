"""Which objects of a name there were, who may read of them, and what was deleted lately."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from resources.history import namespace_lives
from resources.models import Step, Traced, Write
from resources.place import Place


def lives(client: ClusterClient, place: Place) -> tuple[Traced, ...]:
    """All objects of that name that are known, the newest first; of the namespace as it is now, not of an earlier
    one of that name.
    """
    type_ = place.type
    found = Traced.objects.filter(
        namespace_lives.of_place(client, place),
        cluster=client.name,
        group=type_.group,
        plural=type_.plural,
        namespace=place.namespace,
        name=place.name,
    )
    return tuple(found.defer("head").order_by("-began_at", "-pk")[:20])


def allowed(client: ClusterClient, place: Place) -> None:
    """Raises Forbidden (or another KubeError) unless the API server lets this user read the object.

    It may be gone: then it is asked whether they might.
    """
    try:
        place.get(client)
    except NotFound:
        access = client.review("get", place.type, place.namespace, place.name)
        if not access.allowed:
            raise Forbidden(
                access.reason or _("You don't have permission to read %(what)s.") % {"what": place.kubectl}
            ) from None


def step_of(client: ClusterClient, place: Place, number: int) -> Step:
    """One step of an object of that name. Raises NotFound, and Forbidden if the user can't read the object."""
    allowed(client, place)
    shown = [traced.pk for traced in lives(client, place)]
    step = Step.objects.filter(pk=number, traced__in=shown).select_related("traced").first()
    if step is None:
        raise NotFound(_("This change to %(what)s is no longer stored.") % {"what": place.kubectl})
    return step


@dataclass(frozen=True, slots=True)
class Lately:
    """An object that was deleted, as the list of all of them shows it.

    `place` None: its kind is not served any more.
    """

    traced: Traced
    place: Place | None
    by: str


def deleted(client: ClusterClient, namespace: str = "", limit: int = 100) -> tuple[Lately, ...]:
    """What was deleted lately and may be read by this user, newest first."""
    rows = Traced.objects.filter(cluster=client.name).exclude(deleted_at=None).defer("head").order_by("-deleted_at")
    if namespace:
        rows = rows.filter(namespace=namespace)
    users = dict(
        Write.objects.filter(
            cluster=client.name, verb="delete", at__gt=timezone.now() - timedelta(days=30)
        ).values_list("uid", "user")
    )
    found: list[Lately] = []
    candidates = list(rows[: limit * 5])
    readable = Readable(client, {traced.pk for traced in candidates})
    for traced in candidates:
        if place := readable.place(traced):
            found.append(Lately(traced, place, users.get(traced.uid, "")))
        if len(found) == limit:
            break
    return tuple(found)


class Readable:
    """Which of many Traced (their keys) a user may read: a question for each kind and namespace.

    What may be read of one name only is on that name's page.
    """

    def __init__(self, client: ClusterClient, keys: Collection[int]) -> None:
        self._client, self._keys = client, keys
        self._found: dict[tuple[str, str, str], tuple[Place | None, set[int]]] = {}
        self._namespaces: dict[str, Q] = {}

    def place(self, traced: Traced) -> Place | None:
        """The object's address; None if the user can't read it or its kind isn't served."""
        key = (traced.group, traced.plural, traced.namespace)
        if key not in self._found:
            self._found[key] = self._ask(traced)
        kind, keys = self._found[key]
        return replace(kind, name=traced.name) if kind and traced.pk in keys else None

    def _ask(self, traced: Traced) -> tuple[Place | None, set[int]]:
        place = served(self._client, traced)
        if place is None:
            return None, set()
        kind = replace(place, name="")
        try:
            if not can(self._client, "get", kind.type, kind.namespace).allowed:
                return None, set()
            if kind.namespace not in self._namespaces:
                self._namespaces[kind.namespace] = namespace_lives.of_place(self._client, kind)
        except KubeError:
            return None, set()
        rows = Traced.objects.filter(self._namespaces[kind.namespace], pk__in=self._keys)
        rows = rows.filter(group=traced.group, plural=traced.plural, namespace=traced.namespace)
        return kind, set(rows.values_list("pk", flat=True))


def served(client: ClusterClient, traced: Traced) -> Place | None:
    """Where it is, or was: in the version in which it was seen last, or the one that is served now."""
    for version in (traced.version, ""):
        try:
            return Place(client.find(traced.group, version, traced.plural), traced.namespace, traced.name)
        except KubeError:
            continue
    return None

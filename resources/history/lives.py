"""Which objects of a name there were, who may read of them, and what was deleted lately."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from resources.models import Step, Traced, Write
from resources.place import Place


def lives(client: ClusterClient, place: Place) -> tuple[Traced, ...]:
    """All objects of that name that are known, the newest first."""
    type_ = place.type
    found = Traced.objects.filter(
        cluster=client.name, group=type_.group, plural=type_.plural, namespace=place.namespace, name=place.name
    )
    return tuple(found.defer("head").order_by("-began_at", "-pk")[:20])


def allowed(client: ClusterClient, place: Place) -> None:
    """Raises Forbidden (or another KubeError) unless the API server lets this user read the object. It may be gone: then it is asked whether they might."""
    try:
        place.get(client)
    except NotFound:
        access = client.review("get", place.type, place.namespace, place.name)
        if not access.allowed:
            raise Forbidden(access.reason or _("You may not read %(what)s.") % {"what": place.kubectl}) from None


def step_of(client: ClusterClient, place: Place, number: int) -> Step:
    """One step of an object of that name. Raises NotFound, and Forbidden for who may not read the object."""
    allowed(client, place)
    type_ = place.type
    step = (
        Step.objects.filter(
            pk=number,
            traced__cluster=client.name,
            traced__group=type_.group,
            traced__plural=type_.plural,
            traced__namespace=place.namespace,
            traced__name=place.name,
        )
        .select_related("traced")
        .first()
    )
    if step is None:
        raise NotFound(_("This change of %(what)s is not kept any more.") % {"what": place.kubectl})
    return step


@dataclass(frozen=True, slots=True)
class Lately:
    """An object that was deleted, as the list of all of them shows it. `place` None: its kind is not served any more."""

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
    may: dict[tuple[str, str, str], bool] = {}
    for traced in rows[: limit * 5]:
        place = served(client, traced)
        if place is None:
            continue
        key = (traced.group, traced.plural, traced.namespace)
        if key not in may:
            may[key] = _may(client, place)
        if may[key]:
            found.append(Lately(traced, place, users.get(traced.uid, "")))
        if len(found) == limit:
            break
    return tuple(found)


def _may(client: ClusterClient, place: Place) -> bool:
    """Whether this user may read all of the kind there: what was of one name only is on that name's page."""
    try:
        return client.review("get", place.type, place.namespace).allowed
    except KubeError:
        return False


def served(client: ClusterClient, traced: Traced) -> Place | None:
    """Where it is, or was: in the version in which it was seen last, or the one that is served now."""
    for version in (traced.version, ""):
        try:
            return Place(client.find(traced.group, version, traced.plural), traced.namespace, traced.name)
        except KubeError:
            continue
    return None

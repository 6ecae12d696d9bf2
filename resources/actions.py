"""What can be done with one object from its page, and what this user may not do, with the reason."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError
from resources import pods
from resources.place import Place


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of the menu. `refusal`: why this user can't do it, '' when they can."""

    label: str
    url: str
    refusal: str = ""
    danger: bool = False


def actions(client: ClusterClient, place: Place) -> tuple[Action, ...]:
    """In the order of the menu."""
    return tuple(_offered(client, place))


def _offered(client: ClusterClient, place: Place) -> Iterable[Action]:
    type_ = place.type
    if "patch" in type_.verbs:  # what changed is sent, never the whole object
        yield _action(client, place, "patch", _("Edit"), "edit")
    yield Action("YAML", place.url("yaml"))
    if "create" in type_.verbs:
        yield _duplicate(client, place)
    if "scale" in type_.subresources:
        yield _action(client, place, "patch", _("Scale"), "scale", "scale")
    if type_.kind == "Pod" and not type_.group:
        yield _action(client, place, "get", _("Logs"), "logs", "log")
        yield _action(client, place, "create", _("Terminal"), "terminal", "exec")
    elif pods.may_have(type_):
        yield Action(_("Logs of all Pods"), place.url("logs"))
    if type_.kind in ("Pod", "Service") and not type_.group:
        yield Action(_("Port-forward"), place.url("forward"))
    if "delete" in type_.verbs:
        yield _action(client, place, "delete", _("Delete"), "delete")


def _action(client: ClusterClient, place: Place, verb: str, label: str, view: str, subresource: str = "") -> Action:
    refusal = ""
    try:
        access = can(client, verb, place.type, place.namespace, place.name, subresource)
        if not access.allowed:
            refusal = access.reason or _("You may not do this.")
    except KubeError:
        # Not known: the page behind it will tell.
        refusal = ""
    return Action(label, place.url(view), refusal, danger=verb == "delete")


def _duplicate(client: ClusterClient, place: Place) -> Action:
    action = _action(client, place, "create", _("Duplicate"), "detail")
    query = {"namespace": place.namespace} if place.namespace else {}
    return replace(action, url=place.kind_url("new", **query, **{"from": place.name}))

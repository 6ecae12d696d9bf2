"""What can be done with an installed operator: instances to create, and its menu. What this user can't do says why."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.access import refusal
from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.running.installed_operators import PACKAGE_SERVER, Operator
from operatorhub.running.operands import OwnedApi
from operatorhub.running.operator import Detail
from resources.acting.actions import Action
from resources.place import Place


def creations(found: Detail, place: str) -> tuple[Action, ...]:
    """A form for each kind that the cluster serves, in the order of the kinds.

    `place`: the namespace of a new instance.
    """
    return tuple(_creation(api, place) for api in found.apis if api.type)


def _creation(api: OwnedApi, place: str) -> Action:
    label = _("Create %(kind)s") % {"kind": api.api.kind}
    assert api.type is not None
    page = reverse("resources:new", args=[api.type.group, api.type.version, api.type.plural])
    url = f"{page}?{urlencode({'namespace': place})}" if api.type.namespaced else page
    refusal = api.refused
    if refusal == "-":
        refusal = _("You don't have permission to create this resource type here.")
    return Action(label=label, url=url, refusal=refusal)


def actions(client: ClusterClient, found: Detail, run: str) -> tuple[Action, ...]:
    """The menu of its page. `run`: the package that the console runs it from without OLM, '' for none."""
    return tuple(_actions(client, found, run))


def _actions(client: ClusterClient, found: Detail, run: str) -> Iterator[Action]:
    row, sub = found.operator, found.subscription
    if sub:
        updates = reverse("operatorhub:operator-tab", args=[row.namespace, row.csv, "updates"])
        yield Action(label=_("Edit Subscription"), url=f"{updates}#subscription-form")
        yield _yaml(Place(olm.type_of(client, olm.SUBSCRIPTIONS), row.namespace, sub.name))
    yield _yaml(Place(olm.type_of(client, olm.CSVS), row.namespace, row.csv))
    if sub:
        yield Action(label=_("Install timeline"), url=reverse("operatorhub:progress", args=[row.namespace, sub.name]))
    if found.original:
        yield Action(label=_("Go to the original"), url=reverse("operatorhub:operator", args=[found.original, row.csv]))
        return
    yield Action(label=_("Export"), url=reverse("operatorhub:export", args=[row.namespace, row.csv]))
    if run:
        yield Action(label=_("View bundle run"), url=reverse("operatorhub:run-progress", args=[row.namespace, run]))
        yield Action(
            label=_("Remove bundle run"), url=reverse("operatorhub:run-remove", args=[row.namespace, run]), danger=True
        )
        return
    if sub:
        remove = reverse("operatorhub:subscription-remove", args=[row.namespace, sub.name])
        yield Action(label=_("Remove Subscription"), url=remove, danger=True)
    label = _("Uninstall") if sub else _("Delete ClusterServiceVersion")
    url = reverse("operatorhub:uninstall", args=[row.namespace, row.csv])
    yield Action(label=label, url=url, refusal=_delete_refusal(client, row), danger=True)


def _yaml(place: Place) -> Action:
    label = _("%(kind)s YAML") % {"kind": place.type.kind}
    return Action(label=label, url=place.url("yaml"), command=f"kubectl get {place.kubectl} -o yaml")


def _delete_refusal(client: ClusterClient, row: Operator) -> str:
    if row.csv == PACKAGE_SERVER:
        return _("This is part of OLM. Without it, catalogs don't work.")
    return refusal(client, "delete", olm.type_of(client, olm.CSVS), row.namespace, row.csv)

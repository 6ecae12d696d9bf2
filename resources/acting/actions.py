"""Actions on one object, for its page, a row of a list and the palette: with the reason where the user can't run one,
and the kubectl command.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from console.web.access import refusal
from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject
from resources import podlogs
from resources.acting import acts, pod_templates
from resources.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One entry of the menu.

    `refusal`: why this user can't do it, '' when they can. `command`: the same with kubectl, '' where it has none.
    """

    label: str
    url: str
    refusal: str = ""
    danger: bool = False
    command: str = ""


def actions(client: ClusterClient, place: Place, obj: KubeObject | None = None) -> tuple[Action, ...]:
    """In the order of the menu. Without the object those are left out that depend on how it is (suspend or resume)."""
    return tuple(_offered(client, place, obj))


def leading_to(offered: Iterable[Action], place: Place, *views: str) -> tuple[Action, ...]:
    """Those that lead to these pages of the object and that this user can do, in the order of the pages."""
    urls = [place.url(view) for view in views]
    found = [action for action in offered if action.url in urls and not action.refusal]
    return tuple(sorted(found, key=lambda action: urls.index(action.url)))


def _offered(client: ClusterClient, place: Place, obj: KubeObject | None) -> Iterable[Action]:
    type_, kubectl = place.type, place.kubectl
    if "patch" in type_.verbs:  # what changed is sent, never the whole object
        yield _action(client, place, "patch", _("Edit"), "edit", command=f"kubectl edit {kubectl}")
    yield Action(label="YAML", url=place.url("yaml"), command=f"kubectl get {kubectl} -o yaml")
    yield Action(label=_("Clean YAML"), url=place.url("yaml", clean="1"))
    if "patch" in type_.verbs:
        yield _action(
            client, place, "patch", _("Labels and annotations"), "labels", command=f"kubectl label {kubectl} KEY=VALUE"
        )
    if "create" in type_.verbs:
        yield _duplicate(client, place)
    if "scale" in type_.subresources:
        command = f"kubectl scale {kubectl} --replicas=1"
        yield _action(
            client=client,
            place=place,
            verb="patch",
            label=_("Scale"),
            view="scale",
            subresource="scale",
            command=command,
        )
    if pod_templates.path_of(type_):
        command = f"kubectl set env {kubectl} NAME=value"
        yield _action(client, place, "patch", _("Environment variables"), "environment", command=command)
    for act in acts.offered(client, place, obj) if obj else ():
        yield _act(client, place, act)
    yield from _inside(client, place)
    if type_.kind in ("Secret", "ConfigMap") and not type_.group:
        yield from _add_to_workload(client, place)
    if "delete" in type_.verbs:
        yield _action(client, place, "delete", _("Delete"), "delete", command=f"kubectl delete {kubectl}")


def _inside(client: ClusterClient, place: Place) -> Iterable[Action]:
    """What leads into its containers."""
    type_, where = place.type, f"{place.name} -n {place.namespace}"
    if type_.kind == "Pod" and not type_.group:
        command = f"kubectl logs -f {where} --all-containers"
        yield _action(
            client=client, place=place, verb="get", label=_("Logs"), view="logs", subresource="log", command=command
        )
        yield _action(
            client=client,
            place=place,
            verb="create",
            label=_("Terminal"),
            view="terminal",
            subresource="exec",
            command=f"kubectl exec -it {where} -- sh",
        )
        if "ephemeralcontainers" in type_.subresources:
            command = f"kubectl debug -it {where} --image={acts.DEBUG_IMAGE}"
            yield _action(
                client=client,
                place=place,
                verb="patch",
                label=_("Debug container"),
                view="debug",
                subresource="ephemeralcontainers",
                command=command,
            )
    elif podlogs.may_have_pods(type_):
        yield Action(label=_("Logs of all Pods"), url=place.url("logs"))
    if podlogs.may_have_pods(type_) or (type_.kind == "Pod" and not type_.group):
        yield Action(label=_("Port-forward"), url=place.url("forward"))


def _action(
    client: ClusterClient, place: Place, verb: str, label: str, view: str, subresource: str = "", command: str = ""
) -> Action:
    refused = refusal(
        client=client, verb=verb, type_=place.type, namespace=place.namespace, name=place.name, subresource=subresource
    )
    return Action(label=label, url=place.url(view), refusal=refused, danger=verb == "delete", command=command)


def _act(client: ClusterClient, place: Place, act: acts.Act) -> Action:
    return Action(
        label=act.label,
        url=f"{place.url()}act/{act.name}/",
        refusal=refusal_of_act(client, place, act),
        command=act.command,
    )


def refusal_of_act(client: ClusterClient, place: Place, act: acts.Act) -> str:
    """Why it can't be done to this object, or not by this user; '' if it can."""
    right = act.right
    return act.refusal or refusal(
        client=client,
        verb=right.verb,
        type_=right.type,
        namespace=place.namespace,
        name=place.name if right.named else "",
        subresource=right.subresource,
    )


def _add_to_workload(client: ClusterClient, place: Place) -> Iterable[Action]:
    """Nothing where the cluster serves no workloads."""
    try:
        type_ = client.find("apps", "v1", "deployments")
    except NotFound:
        return
    yield Action(
        label=_("Add to workload"),
        url=place.url("add-to-workload"),
        refusal=refusal(client, "patch", type_, place.namespace),
    )


def _duplicate(client: ClusterClient, place: Place) -> Action:
    action = _action(client, place, "create", _("Duplicate"), "detail")
    query = {"namespace": place.namespace} if place.namespace else {}
    return replace(action, url=place.kind_url("new", **query, **{"from": place.name}))

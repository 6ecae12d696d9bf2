"""Actions on one object, for its page, a row of a list and the palette: with the reason where the user can't run one,
and the kubectl command.

An action either is an Act (acts.py), which is confirmed on a page that all acts share, or has a page of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.web.access import refusal
from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject
from resources import podlogs
from resources.acting import acts, pod_templates
from resources.place import Place

# Actions with a page of their own, by the last part of its address: the label, and what people type for it in the
# palette, besides the label in their own language.
_PAGES = {
    "edit": (gettext_lazy("Edit"), ("edit", "change")),
    "yaml": ("YAML", ("yaml",)),
    "labels": (gettext_lazy("Labels and annotations"), ("label", "labels")),
    "scale": (gettext_lazy("Scale"), ("scale",)),
    "environment": (gettext_lazy("Environment variables"), ()),
    "logs": (gettext_lazy("Logs"), ("log", "logs")),
    "terminal": (gettext_lazy("Terminal"), ("terminal", "shell", "exec")),
    "debug": (gettext_lazy("Debug container"), ()),
    "forward": (gettext_lazy("Port-forward"), ("forward", "port-forward")),
    "add-to-workload": (gettext_lazy("Add to workload"), ()),
    "delete": (gettext_lazy("Delete"), ("delete", "remove")),
}


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


def page_of_word(word: str) -> str:
    """The action's name in its address (`logs`, `restart`), by a lower-case word typed for it; '' for other words."""
    if word in acts.UNDO_WORDS:
        return word
    return next((view for view, (label, words) in _PAGES.items() if word in (*words, str(label).lower())), "")


def leading_to(offered: Iterable[Action], place: Place, *views: str) -> tuple[Action, ...]:
    """Those that lead to these pages of the object and that this user can do, in the order of the pages."""
    urls = [place.url(view) for view in views]
    found = [action for action in offered if action.url in urls and not action.refusal]
    return tuple(sorted(found, key=lambda action: urls.index(action.url)))


def _offered(client: ClusterClient, place: Place, obj: KubeObject | None) -> Iterable[Action]:
    type_, kubectl = place.type, place.kubectl
    if "patch" in type_.verbs:  # what changed is sent, never the whole object
        yield _action(client, place, "patch", "edit", command=f"kubectl edit {kubectl}")
    yield Action(label=_label_of("yaml"), url=place.url("yaml"), command=f"kubectl get {kubectl} -o yaml")
    yield Action(label=_("Clean YAML"), url=place.url("yaml", clean="1"))
    if "patch" in type_.verbs:
        yield _action(client, place, "patch", "labels", command=f"kubectl label {kubectl} KEY=VALUE")
    if "create" in type_.verbs:
        yield _duplicate(client, place)
    if "scale" in type_.subresources:
        command = f"kubectl scale {kubectl} --replicas=1"
        yield _action(
            client=client,
            place=place,
            verb="patch",
            view="scale",
            subresource="scale",
            command=command,
        )
    if pod_templates.path_of(type_):
        command = f"kubectl set env {kubectl} NAME=value"
        yield _action(client, place, "patch", "environment", command=command)
    for act in acts.offered(client, place, obj) if obj else ():
        yield _act(client, place, act)
    yield from _inside(client, place)
    if type_.kind in ("Secret", "ConfigMap") and not type_.group:
        yield from _add_to_workload(client, place)
    if "delete" in type_.verbs:
        yield _action(client, place, "delete", "delete", command=f"kubectl delete {kubectl}")


def _inside(client: ClusterClient, place: Place) -> Iterable[Action]:
    """What leads into its containers."""
    type_, where = place.type, f"{place.name} -n {place.namespace}"
    if type_.kind == "Pod" and not type_.group:
        command = f"kubectl logs -f {where} --all-containers"
        yield _action(client=client, place=place, verb="get", view="logs", subresource="log", command=command)
        yield _action(
            client=client,
            place=place,
            verb="create",
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
                view="debug",
                subresource="ephemeralcontainers",
                command=command,
            )
    elif podlogs.may_have_pods(type_):
        yield Action(label=_("Logs of all Pods"), url=place.url("logs"))
    if podlogs.may_have_pods(type_) or (type_.kind == "Pod" and not type_.group):
        yield Action(label=_label_of("forward"), url=place.url("forward"))


def _action(
    client: ClusterClient, place: Place, verb: str, view: str, subresource: str = "", command: str = ""
) -> Action:
    refused = refusal(
        client=client, verb=verb, type_=place.type, namespace=place.namespace, name=place.name, subresource=subresource
    )
    return Action(label=_label_of(view), url=place.url(view), refusal=refused, danger=verb == "delete", command=command)


def _label_of(view: str) -> str:
    label, _words = _PAGES[view]
    return str(label)


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
        label=_label_of("add-to-workload"),
        url=place.url("add-to-workload"),
        refusal=refusal(client, "patch", type_, place.namespace),
    )


def _duplicate(client: ClusterClient, place: Place) -> Action:
    query = {"namespace": place.namespace} if place.namespace else {}
    return Action(
        label=_("Duplicate"),
        url=place.kind_url("new", **query, **{"from": place.name}),
        refusal=refusal(client, "create", place.type, place.namespace, place.name),
    )

"""Installed operators: the ClusterServiceVersions of a namespace or of all, with their Subscriptions; and one of them in full."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web import markdown
from console.web.access import can
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from operatorhub import csv, olm, workloads
from operatorhub.csv import Api
from operatorhub.models import Package
from operatorhub.workloads import Part

_ORIGINALS = f"!{olm.COPIED}"


@dataclass(frozen=True, slots=True)
class Operator:
    """One row. `state`: done, running, failed or asks; `word` and `reason` say it to people. `csv` is '' while OLM has not chosen one."""

    uid: str
    namespace: str
    csv: str
    title: str
    version: str
    provider: str
    state: str
    word: str
    reason: str
    apis: tuple[Api, ...]
    subscription: str
    package: str
    channel: str
    created: str
    icon_name: str = ""


@dataclass(frozen=True, slots=True)
class OwnedApi:
    """A kind that the operator provides. `count` is None when the user may not list it or the cluster does not serve it (`served`)."""

    api: Api
    type: ResourceType | None
    count: int | None
    may_create: bool

    @property
    def served(self) -> bool:
        return self.type is not None


@dataclass(frozen=True, slots=True)
class Detail:
    """An operator's page. `targets`: the namespaces that it watches, empty for all."""

    operator: Operator
    html: str
    message: str
    conditions: tuple[Mapping[str, str], ...]
    requirements: tuple[Part, ...]
    deployments: tuple[Part, ...]
    subscription: olm.Subscription | None
    targets: tuple[str, ...]
    apis: tuple[OwnedApi, ...]
    level: int
    links: tuple[tuple[str, str], ...]


def listed(client: ClusterClient, namespace: str) -> tuple[Operator, ...]:
    """Operators of the namespace ('' = all), and Subscriptions that have none yet. Raises Forbidden."""
    csvs = client.list(olm.type_of(client, olm.CSVS), namespace, labels=_ORIGINALS).items
    subs = _subscriptions(client, namespace)
    by_csv = {(one.namespace, name): one for one in subs for name in (one.current_csv, one.installed_csv) if name}
    icons = _icons(client.name, {one.package for one in subs})
    rows = [operator(one, by_csv.get((namespace_of(one), name_of(one))), icons) for one in csvs if not olm.copied(one)]
    there = {(row.namespace, row.csv) for row in rows}
    rows += [
        _coming(one, icons)
        for one in subs
        if there.isdisjoint({(one.namespace, one.current_csv), (one.namespace, one.installed_csv)})
    ]
    return tuple(sorted(rows, key=lambda row: (row.title.lower(), row.namespace)))


def operator(obj: KubeObject, sub: olm.Subscription | None, icons: Mapping[tuple[str, str, str], str]) -> Operator:
    """A row of a CSV."""
    spec, status = csv.mapping(obj.get("spec")), csv.mapping(obj.get("status"))
    notes = csv.mapping(csv.mapping(obj.get("metadata")).get("annotations"))
    phase = olm.phase(obj)
    state = {olm.SUCCEEDED: "done", olm.FAILED: "failed"}.get(phase, "running")
    hidden = csv.internal(notes)
    return Operator(
        uid=uid_of(obj),
        namespace=namespace_of(obj),
        csv=name_of(obj),
        title=csv.text(spec.get("displayName")) or name_of(obj),
        version=csv.text(spec.get("version")),
        provider=csv.text(csv.mapping(spec.get("provider")).get("name")),
        state=state,
        word=_phase_word(phase),
        reason="" if state == "done" else csv.text(status.get("message")),
        apis=tuple(api for api in csv.apis(spec.get("customresourcedefinitions")) if api.crd not in hidden),
        subscription=sub.name if sub else "",
        package=sub.package if sub else "",
        channel=sub.channel if sub else "",
        created=csv.text(csv.mapping(obj.get("metadata")).get("creationTimestamp")),
        icon_name=icons.get((sub.catalog_namespace, sub.catalog, sub.package), "") if sub else "",
    )


def _phase_word(phase: str) -> str:
    words = {
        "Succeeded": _("Succeeded"), "Failed": _("Failed"), "Installing": _("Installing"), "InstallReady": _("Install ready"),
        "Pending": _("Pending"), "Replacing": _("Being replaced"), "Deleting": _("Being removed"), "": _("Waits for OLM"),
    }  # fmt: skip
    return words.get(phase, phase)


def _coming(sub: olm.Subscription, icons: Mapping[tuple[str, str, str], str]) -> Operator:
    state, word = "running", _("Installing")
    if sub.waits:
        state, word = "asks", _("Waits for approval")
    elif sub.problem:
        state, word = "failed", _("Can not go on")
    icon = icons.get((sub.catalog_namespace, sub.catalog, sub.package), "")
    return Operator(
        sub.uid,
        sub.namespace,
        "",
        sub.package,
        "",
        "",
        state,
        word,
        sub.problem,
        (),
        sub.name,
        sub.package,
        sub.channel,
        "",
        icon,
    )


def _subscriptions(client: ClusterClient, namespace: str) -> tuple[olm.Subscription, ...]:
    try:
        return tuple(map(olm.subscription, client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items))
    except Forbidden:
        return ()


def _icons(cluster: str, packages: set[str]) -> dict[tuple[str, str, str], str]:
    rows = Package.objects.filter(cluster=cluster, name__in=packages).values_list(
        "pk", "namespace", "catalog", "name", "icon"
    )
    return {(namespace, catalog, name): icon or f"p-{pk}" for pk, namespace, catalog, name, icon in rows if icon != "-"}


def detail(client: ClusterClient, namespace: str, name: str) -> Detail:
    """Raises NotFound, Forbidden."""
    obj = client.get(olm.type_of(client, olm.CSVS), name, namespace)
    sub = next((one for one in _subscriptions(client, namespace) if name in (one.current_csv, one.installed_csv)), None)
    icons = _icons(client.name, {sub.package}) if sub else {}
    row = operator(obj, sub, icons)
    spec, status = csv.mapping(obj.get("spec")), csv.mapping(obj.get("status"))
    notes = csv.mapping(csv.mapping(obj.get("metadata")).get("annotations"))
    targets = tuple(one for one in csv.text(notes.get("olm.targetNamespaces")).split(",") if one)
    return Detail(
        row,
        markdown.render(csv.text(spec.get("description"))),
        csv.text(status.get("message")),
        tuple(
            {key: csv.text(one.get(key)) for key in ("phase", "reason", "message", "lastTransitionTime")}
            for one in csv.items(status.get("conditions"))
        )[::-1],
        tuple(
            Part(csv.text(one.get("kind")), csv.text(one.get("name")), "failed", csv.text(one.get("message")))
            for one in csv.items(status.get("requirementStatus"))
            if "Not" in csv.text(one.get("status"))
        ),
        workloads.of(client, namespace, obj)[0],
        sub,
        targets,
        tuple(owned(client, api, targets, namespace) for api in row.apis),
        csv.level(notes.get("capabilities")),
        tuple(
            (csv.text(one.get("name")), csv.text(one.get("url")))
            for one in csv.items(spec.get("links"))
            if csv.text(one.get("url")).startswith(("https://", "http://"))
        ),
    )


def owned(client: ClusterClient, api: csv.Api, targets: tuple[str, ...], namespace: str) -> OwnedApi:
    """What the cluster serves of an API, and how many objects there are: those of all namespaces."""
    try:
        type_ = client.find(api.group, api.version, api.plural)
    except NotFound:
        try:
            type_ = client.find(api.group, "", api.plural)
        except NotFound:
            return OwnedApi(api, None, None, False)
    where = targets[0] if len(targets) == 1 else ""
    return OwnedApi(api, type_, count(client, type_), can(client, "create", type_, where or namespace).allowed)


def count(client: ClusterClient, type_: ResourceType) -> int | None:
    """How many objects of a type there are in the cluster; None when that can't be known."""
    try:
        page = client.table(type_, limit=1, include="None")
    except KubeError:
        return None
    return len(page.rows) + (page.remaining or 0)


def topics(client: ClusterClient, detail: Detail, namespace: str) -> list[str]:
    """What the operator's page follows: its own objects, its Deployments, and the kinds it provides."""
    found = [olm.topic(client, plural, namespace) for plural in (olm.CSVS, olm.SUBSCRIPTIONS)]
    found.append(olm.topic(client, "deployments", namespace, "apps", "v1"))
    found += [
        olm.topic(client, one.type.plural, "", one.type.group, one.type.version) for one in detail.apis[:10] if one.type
    ]
    return found

"""What belongs to an installed operator and can be taken along: its namespace, OperatorGroup, Subscription, catalog,
instances, and what those refer to.

Of an operator that was run from a bundle (operatorhub.run) it is the objects of the run. Secrets that instances refer
to are listed, and exported only if the user selects them one by one.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.olm import ClusterServiceVersion
from operatorhub import olm
from operatorhub.csv import apis
from operatorhub.run.plan import RUN
from operatorhub.run.removal import KINDS
from resources.types import kind_versions

#: Maximum of instances of one kind to offer; more are too many to select one by one.
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An object that can be exported.

    `key` in the form; `part`: operator or instances; `ticked`: selected by default; `secret`: never selected by
    default.
    """

    key: str
    part: str
    group: str
    plural: str
    kind: str
    namespace: str
    name: str
    ticked: bool = True
    secret: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """`unread`: what the user can't read, in words; the export omits it."""

    namespace: str
    csv: str
    title: str
    package: str
    version: str
    items: tuple[Item, ...]
    unread: tuple[str, ...] = ()


class _ObjectReader:
    """Lists objects and records the kinds that the user can't list."""

    def __init__(self) -> None:
        self.unread: list[str] = []

    def listed(self, read: Callable[[], list[KubeObject]], what: str) -> list[KubeObject]:
        try:
            return read()
        except NotFound:
            return []
        except KubeError as error:
            self.unread.append(f"{what}: {error.message}")
            return []


def read_offer(client: ClusterClient, namespace: str, csv: str) -> Export:
    """All that belongs to the operator of this CSV. Raises NotFound, Forbidden."""
    found = read(client.get(olm.type_of(client, olm.CSVS), csv, namespace), ClusterServiceVersion)
    reader = _ObjectReader()
    groups = reader.listed(
        partial(_objects, client, olm.type_of(client, "operatorgroups"), namespace), "OperatorGroups"
    )
    items = [_item(part="operator", group="", plural="namespaces", kind="Namespace", namespace="", name=namespace)]
    items += [
        _item(
            part="operator",
            group=olm.GROUP,
            plural="operatorgroups",
            kind="OperatorGroup",
            namespace=namespace,
            name=name_of(group),
        )
        for group in groups
    ]
    run = found.metadata.labels.get(RUN, "")
    package = run.removesuffix(f".{namespace}") or csv.partition(".")[0]
    mine = _subscriptions(client, namespace, csv, reader.listed)
    for sub in mine:
        package = sub.package
        items += _subscribed(sub)
    items += (
        _instances(client, found, reader.listed)
        if mine
        else [*_run(client, found, reader.listed), *_instances(client, found, reader.listed)]
    )
    unique_items = {item.key: item for item in reversed(items)}.values()
    return Export(
        namespace=namespace,
        csv=csv,
        title=found.spec.display_name or csv,
        package=package,
        version=found.spec.version,
        items=tuple(unique_items)[::-1],
        unread=tuple(reader.unread),
    )


def _subscriptions(client: ClusterClient, namespace: str, csv: str, listed: "Listed") -> list[olm.Subscription]:
    """Those that brought this CSV."""
    found = listed(partial(_objects, client, olm.type_of(client, olm.SUBSCRIPTIONS), namespace), "Subscriptions")
    return [
        subscription
        for subscription in map(olm.subscription, found)
        if csv in (subscription.installed_csv, subscription.current_csv)
    ]


def _subscribed(sub: olm.Subscription) -> Iterator[Item]:
    why = _("Without it, the cluster must have a catalog with that name.")
    yield _item(
        part="operator",
        group=olm.GROUP,
        plural=olm.SOURCES,
        kind="CatalogSource",
        namespace=sub.catalog_namespace,
        name=sub.catalog,
        ticked=False,
        why=why,
    )
    yield _item(
        part="operator",
        group=olm.GROUP,
        plural=olm.SUBSCRIPTIONS,
        kind="Subscription",
        namespace=sub.namespace,
        name=sub.name,
    )


def _item(part: str, group: str, plural: str, kind: str, namespace: str, name: str, **more: Any) -> Item:
    return Item(
        key=f"{group}/{plural}/{namespace}/{name}",
        part=part,
        group=group,
        plural=plural,
        kind=kind,
        namespace=namespace,
        name=name,
        **more,
    )


Listed = Callable[[Callable[[], list[KubeObject]], str], list[KubeObject]]


def _run(client: ClusterClient, csv: ClusterServiceVersion, listed: Listed) -> Iterator[Item]:
    """The objects of a run; for a CSV created by hand, only the CSV."""
    run = csv.metadata.labels.get(RUN, "")
    if not run:
        yield _item(
            part="operator",
            group=olm.GROUP,
            plural=olm.CSVS,
            kind="ClusterServiceVersion",
            namespace=csv.metadata.namespace,
            name=csv.metadata.name,
        )
        return
    for group, plural in sorted(KINDS, key=lambda kind: (kind[1] != "customresourcedefinitions", kind[1] == olm.CSVS)):
        if plural in ("namespaces", "operatorgroups"):
            continue
        try:
            type_ = client.find(group, "", plural)
        except NotFound:
            continue
        place = csv.metadata.namespace if type_.namespaced else ""
        rows = listed(partial(_rows, client, type_, place, f"{RUN}={run}"), plural)
        for row in rows:
            yield _item(
                part="operator",
                group=group,
                plural=plural,
                kind=type_.kind,
                namespace=place,
                name=name_of(row),
                ticked=plural != "secrets",
                secret=plural == "secrets",
            )


def _rows(client: ClusterClient, type_: ResourceType, namespace: str, labels: str = "") -> list[KubeObject]:
    """Metadata only."""
    return [row.object for row in client.table(type_, namespace, labels=labels).rows]


def _objects(client: ClusterClient, type_: ResourceType, namespace: str = "") -> list[KubeObject]:
    return client.list(type_, namespace, limit=MOST).items


def _instances(client: ClusterClient, csv: ClusterServiceVersion, listed: Listed) -> Iterator[Item]:
    """Objects of its kinds without an owner (the operator recreates owned ones), and the objects that they refer to."""
    found: list[tuple[Item, KubeObject]] = []
    for api in apis(csv.spec.customresourcedefinitions.owned):
        type_ = kind_versions.preferred_type(client, api.group, api.plural)
        if type_ is None:
            continue
        for instance in listed(partial(_objects, client, type_), api.kind):
            metadata = read(instance.get("metadata"), ObjectMeta)
            if not any(owner.controller for owner in metadata.owner_references):
                found.append(
                    (
                        _item(
                            part="instances",
                            group=api.group,
                            plural=api.plural,
                            kind=api.kind,
                            namespace=metadata.namespace,
                            name=metadata.name,
                        ),
                        instance,
                    )
                )
    for plural, kind, secret in (("secrets", "Secret", True), ("configmaps", "ConfigMap", False)):
        yield from _referred(client, found, listed, plural, kind, secret=secret)
    yield from (item for item, _obj in found)


def _referred(
    client: ClusterClient, found: list[tuple[Item, KubeObject]], listed: Listed, plural: str, kind: str, *, secret: bool
) -> Iterator[Item]:
    """Secrets or ConfigMaps of the instances' namespaces whose names are somewhere in their specs.

    Omits those that an instance owns: the operator recreates them.
    """
    type_ = client.find("", "v1", plural)
    for space in dict.fromkeys(item.namespace for item, _obj in found if item.namespace):
        rows = listed(partial(_rows, client, type_, space), plural)
        metadata = (read(row.get("metadata"), ObjectMeta) for row in rows)
        names = {meta.name for meta in metadata if not meta.owner_references}
        for item, obj in found:
            for name in sorted(names & set(_texts(obj.get("spec")))) if item.namespace == space else ():
                why = _("%(name)s refers to this object.") % {"name": f"{item.kind} {item.name}"}
                if secret:
                    why = _(
                        "%(why)s The file would contain the Secret's data in plain text, readable by everyone with "
                        "access to the repository."
                    ) % {"why": why}
                yield _item(
                    part="instances",
                    group="",
                    plural=plural,
                    kind=kind,
                    namespace=space,
                    name=name,
                    ticked=not secret,
                    secret=secret,
                    why=why,
                )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def objects(client: ClusterClient, items: Iterable[Item]) -> tuple[list[tuple[Item, KubeObject]], list[str]]:
    """The chosen ones as they stand in the cluster, and what could not be read."""
    found, unread = [], []
    for item in items:
        try:
            found.append((item, client.get(client.find(item.group, "", item.plural), item.name, item.namespace)))
        except KubeError as error:
            unread.append(f"{item.kind} {item.name}: {error.message}")
    return found, unread

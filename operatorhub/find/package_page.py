"""What the package page says of one version: its catalog's description, its bundle's contents, and how it fits this
cluster.

A PackageManifest describes the newest version of a channel only, and neither permissions nor webhooks nor images. The
page marks unknown values as such; it never shows one version's data for another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from django.urls import reverse

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.types.olm import CSVDescription
from operatorhub import csv, olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles, contents, package, permissions
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.bundle.permissions import Right
from operatorhub.extensions import facts as extensions
from operatorhub.run import follow
from operatorhub.sources.drafts import ChannelEntry, Graph, SourceError

TABS = ("overview", "permissions", "versions", "contents")


@dataclass(frozen=True, slots=True)
class Account:
    """What one service account may do."""

    name: str
    dangerous: tuple[Right, ...]
    others: tuple[Right, ...]


class RightsSummary:
    """Summary of `rights`."""

    __slots__ = ()
    rights: tuple[Right, ...]

    @property
    def level(self) -> str:
        return permissions.level(self.rights)

    @property
    def dangerous(self) -> int:
        return sum(1 for right in self.rights if right.danger)

    @property
    def accounts(self) -> tuple[Account, ...]:
        return accounts(self.rights)


@dataclass(frozen=True, slots=True)
class GrantedRights(RightsSummary):
    """Those of an installed operator, whose ClusterServiceVersion is known."""

    rights: tuple[Right, ...]
    whole: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen(RightsSummary):
    """One version of a package.

    `about`: None if only its name is known; `csv` is empty if its bundle is unknown.

    `unread`: why the bundle can't be read just now, in words; `unknown`: the version that was asked for, if the channel
    doesn't have it.
    """

    manifest: Manifest
    graph: Graph
    channel: Channel
    name: str
    version: str
    deprecated: str
    about: Description | None
    bundle: bundles.Bundle | None
    unread: str
    rights: tuple[Right, ...]
    unknown: str = ""

    @property
    def newest(self) -> bool:
        return self.name == self.channel.csv

    @property
    def whole(self) -> bool:
        """Whether the bundle tells permissions, webhooks and images."""
        return self.bundle is not None and bool(self.bundle.csv) and not self.bundle.partial

    @property
    def webhooks(self) -> tuple[contents.Webhook, ...]:
        return contents.webhooks(self.bundle.csv) if self.bundle else ()

    @property
    def images(self) -> tuple[contents.BundleImage, ...]:
        found = self.bundle
        return contents.images(found.csv, found.related_images, found.image) if found else ()

    @property
    def others(self) -> tuple[tuple[str, int], ...]:
        return contents.manifests(self.bundle.others) if self.bundle else ()

    @property
    def needs(self) -> tuple[contents.Need, ...]:
        if self.bundle is not None:
            return contents.needs(bundles.csv_description(self.bundle.csv), self.bundle.properties)
        return tuple(
            contents.Need(kind="api", group=api.group, version=api.version, api_kind=api.kind)
            for api in (self.about.required if self.about else ())
        )

    @property
    def community(self) -> bool:
        """True if its catalog is a community catalog, whose operators aren't vetted."""
        return "community" in f"{self.manifest.catalog} {self.manifest.catalog_title}".lower()


def choose(
    client: ClusterClient, manifest: Manifest, channel: str, version: str, picked: str = "", *, images: bool = False
) -> Chosen | None:
    """The version of that channel, or its newest; None for a package without a channel. Raises KubeError."""
    found = manifest.channel(channel)
    if found is None:
        return None
    place = (manifest.namespace, manifest.catalog, manifest.name)
    graph = bundles.graph(client, *place, picked)
    name = version if version in dict(found.versions) else found.csv
    entry = _entry(graph, found.name, name)
    unread, bundle = "", None
    try:
        bundle = bundles.bundle(client, *place, name)
    except SourceError as error:
        unread = str(error)
    number = dict(found.versions).get(name, "") or (entry.version if entry else "")
    if bundle is not None and bundle.csv:
        about: Description | None = package.describe_bundle(bundle, number, manifest.name, images=images)
    else:
        newest = name == found.csv and found.desc != CSVDescription()
        about = package.described(found.desc, found.version, manifest.name, images=images) if newest else None
    rights = permissions.asked(bundle.csv) if bundle else ()
    unread = unread or "\n".join(bundle.problems if bundle else ())
    return Chosen(
        manifest=manifest,
        graph=graph,
        channel=found,
        name=name,
        version=number,
        deprecated=entry.deprecated if entry else "",
        about=about,
        bundle=bundle,
        unread=unread,
        rights=rights,
        unknown=version if version != name else "",
    )


def _entry(graph: Graph, channel: str, name: str) -> ChannelEntry | None:
    return next(
        (entry for each in graph.channels if each.name == channel for entry in each.entries if entry.name == name), None
    )


def accounts(rights: Iterable[Right]) -> tuple[Account, ...]:
    """The rights by service account, the most dangerous account first."""
    found: dict[str, list[Right]] = {}
    for right in rights:
        found.setdefault(right.service_account, []).append(right)
    return tuple(
        Account(
            name, tuple(right for right in each if right.danger), tuple(right for right in each if not right.danger)
        )
        for name, each in found.items()
    )


@dataclass(frozen=True, slots=True)
class DirectInstall:
    """The package installed without a Subscription: as a ClusterExtension, or as a bundle that the console runs."""

    name: str
    version: str
    url: str
    installed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """What this cluster and its other catalogs say.

    `too_old`: whether its Kubernetes is older than the operator wants. `max_openshift`: the newest OpenShift that the
    bundle allows, '' if it says nothing; `openshift`: this cluster's, '' if that doesn't matter.
    """

    subscriptions: tuple[olm.Subscription, ...]
    unlisted: bool
    kubernetes: str
    too_old: bool
    offers: tuple[bundles.PackageOffer, ...]
    answers: tuple[contents.Resolution, ...]
    running: tuple[DirectInstall, ...]
    lifecycle: package.Lifecycle | None = None
    max_openshift: str = ""
    openshift: str = ""

    @property
    def compatible(self) -> bool | None:
        """With this cluster, by all that is stated; None where nothing is."""
        stated = [self.lifecycle.compatible if self.lifecycle else None]
        if self.kubernetes:
            stated.append(not self.too_old)
        if self.max_openshift and self.openshift:
            stated.append((package.minor(self.openshift) or ()) <= (package.minor(self.max_openshift) or ()))
        known = [answer for answer in stated if answer is not None]
        return all(known) if known else None


def here(client: ClusterClient, chosen: Chosen) -> ClusterFacts:
    """Looks at the cluster for one version."""
    manifest = chosen.manifest
    every, unlisted = _subscriptions(client)
    wanted = chosen.about.min_kube if chosen.about else ""
    kubernetes = _kubernetes(client) if wanted else ""
    here = (manifest.namespace, manifest.catalog)
    key = (*here, manifest.name, chosen.version)
    newest = _max_openshift(chosen)
    return ClusterFacts(
        subscriptions=tuple(subscription for subscription in every if subscription.package == manifest.name),
        unlisted=unlisted,
        kubernetes=kubernetes,
        too_old=too_old(kubernetes, wanted),
        offers=tuple(
            offer for offer in bundles.others(client, manifest.name) if (offer.namespace, offer.catalog) != here
        ),
        answers=contents.answers(client, chosen.needs, every, manifest.namespace),
        running=_running(client, manifest),
        lifecycle=package.lifecycles(client, [key]).get(key),
        max_openshift=newest,
        openshift=package.platform_versions(client).get(package.OPENSHIFT, "") if newest else "",
    )


def _max_openshift(chosen: Chosen) -> str:
    """https://github.com/operator-framework/api/blob/master/pkg/validation/internal/community.go"""
    for prop in chosen.bundle.properties if chosen.bundle else ():
        if prop.get("type") == "olm.maxOpenShiftVersion":
            value = str(prop.get("value"))
            return value if package.minor(value) and len(value) < 20 else ""
    return ""


def _running(client: ClusterClient, manifest: Manifest) -> tuple[DirectInstall, ...]:
    if manifest.namespace == catalogs.CLUSTER:
        try:
            found = extensions.every(client)
        except (Forbidden, NotFound):
            return ()
        return tuple(
            DirectInstall(
                extension.name,
                extension.installed or extension.version,
                reverse("operatorhub:extension", args=[extension.name]),
                bool(extension.installed),
            )
            for extension in found
            if extension.package == manifest.name and extension.catalog in ("", manifest.catalog)
        )
    if manifest.namespace == catalogs.OWN:
        return tuple(
            DirectInstall(
                run.namespace,
                run.csv,
                reverse("operatorhub:run-progress", args=[run.namespace, run.package]),
                run.phase == olm.SUCCEEDED,
            )
            for run in follow.runs(client)
            if run.package == manifest.name
        )
    return ()


def too_old(kubernetes: str, wanted: str) -> bool:
    """Compared by their releases: v1.30.2-eks is 1.30.2. False if one of them isn't a version."""
    release = kubernetes.partition("-")[0].partition("+")[0]
    least = wanted.strip() if wanted.count(".") > 1 else f"{wanted.strip()}.0"
    if not (csv.is_version(release) and csv.is_version(least)):
        return False
    return csv.version_key(release) < csv.version_key(least)


def _kubernetes(client: ClusterClient) -> str:
    try:
        return str(client.version().get("gitVersion", ""))
    except KubeError:
        return ""


def _subscriptions(client: ClusterClient) -> tuple[tuple[olm.Subscription, ...], bool]:
    try:
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS))
        return tuple(map(olm.subscription, found.items)), bool(found.within)
    except Forbidden:
        return (), True
    except NotFound:
        return (), False

"""What a version of an operator brings along and what it needs, read from its bundle: webhooks, images, other
manifests, dependencies; and whether what it needs is there: in the cluster, or in which catalog.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.reader import read
from kube.types import meta
from kube.types.core import Container
from kube.types.extensions import CustomResourceDefinition
from kube.types.olm import (
    ClusterServiceVersionSpec,
    Constraint,
    CSVDescription,
    GVKProperty,
    PackageProperty,
    Property,
    RelatedImage,
    WebhookDescription,
)
from operatorhub import olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles
from operatorhub.bundle.graph import in_range
from operatorhub.csv import apis, strings
from operatorhub.models import Package
from operatorhub.sources.drafts import SourceError

Object = Mapping[str, Any]
# Where OLM resolves no dependencies.
_NOT_RESOLVED = frozenset({catalogs.OWN, catalogs.CLUSTER})
VALIDATING, MUTATING, CONVERSION = "ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """`does`: what it does with `objects` on `operations`; `silent`: what happens when it does not answer."""

    name: str
    kind: str
    does: str
    operations: tuple[str, ...]
    objects: tuple[str, ...]
    silent: str


@dataclass(frozen=True, slots=True)
class BundleImage:
    """`uses`: what it is for, as the bundle says. `pinned`: by digest, so that it is what its publisher tested."""

    name: str
    uses: tuple[str, ...]
    pinned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something that has to be there. `kind`: package, api, object (of a kind, which OLM creates) or other.

    `words`: its description; an "other" has nothing else.
    """

    kind: str
    package: str = ""
    range: str = ""
    group: str = ""
    version: str = ""
    api_kind: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        """As OLM's messages name it."""
        if self.kind == "package":
            return _("the package %(name)s") % {"name": f"{self.package} {self.range}".strip()}
        return f"{self.group}/{self.version} {self.api_kind}" if self.api_kind else self.words


def webhooks(csv: Object) -> tuple[Webhook, ...]:
    """Those of `spec.webhookdefinitions`, with one sentence for each."""
    return tuple(map(_webhook, read(csv.get("spec"), ClusterServiceVersionSpec).webhookdefinitions))


def _webhook(webhook: WebhookDescription) -> Webhook:
    kind = webhook.type
    does = {
        VALIDATING: _("Can reject objects"),
        MUTATING: _("Can change objects before they are stored, or reject them"),
        CONVERSION: _("Converts objects between versions of their API"),
    }.get(kind, kind)
    rules = webhook.rules
    operations = dict.fromkeys(word for rule in rules for word in strings(rule.operations))
    objects = dict.fromkeys(
        f"{resource}.{group}" if group not in ("", "*") else resource
        for rule in rules
        for group in strings(rule.api_groups) or ("",)
        for resource in strings(rule.resources)
    )
    if kind == CONVERSION:
        objects = dict.fromkeys(strings(webhook.conversion_crds))
        silent = _("These objects can't be read or written.")
    elif webhook.failure_policy == "Ignore":
        silent = _("The webhook is skipped.")
    else:
        silent = _("These objects can't be written.")
    return Webhook(
        name=webhook.generate_name,
        kind=kind,
        does=does,
        operations=tuple(operations),
        objects=tuple(objects),
        silent=silent,
    )


def images(csv: Object, related: Iterable[Object] = (), bundle: str = "") -> tuple[BundleImage, ...]:
    """Of the Deployments' containers, of `relatedImages`, and the bundle's own; each once."""
    spec = read(csv.get("spec"), ClusterServiceVersionSpec)
    uses: dict[str, dict[str, None]] = {}
    for deployment, container in containers(spec):
        if container.image:
            words = _("container %(container)s of Deployment %(deployment)s")
            values = {"container": container.name, "deployment": deployment}
            uses.setdefault(container.image, {})[words % values] = None
    for related_image in (*spec.related_images, *(read(image, RelatedImage) for image in related)):
        if image := related_image.image:
            uses.setdefault(image, {})
            if related_image.name and not uses[image]:
                uses[image][related_image.name] = None
    if bundle:
        uses.setdefault(bundle, {})[_("the bundle image (manifests only)")] = None
    return tuple(BundleImage(image, tuple(words), "@sha256:" in image) for image, words in uses.items())


def containers(spec: ClusterServiceVersionSpec) -> Iterator[tuple[str, Container]]:
    """Of the Deployments that a CSV makes, each with its Deployment's name."""
    for deployment in spec.install.spec.deployments:
        pod = deployment.spec.pod_spec
        for container in (*pod.init_containers, *pod.containers):
            yield deployment.name, container


def manifests(others: Iterable[Object]) -> tuple[tuple[str, int], ...]:
    """The bundle's other objects: (kind, how many)."""
    return tuple(sorted(Counter(read(manifest, meta.Object).kind or "?" for manifest in others).items()))


def needs(description: CSVDescription, properties: Sequence[Object] = ()) -> tuple[Need, ...]:
    """Required packages and APIs, each once.
    https://olm.operatorframework.io/docs/concepts/olm-architecture/dependency-resolution/
    """
    found: dict[Need, None] = {}
    for prop in (read(raw, Property) for raw in properties):
        if prop.type == "olm.package.required":
            found[_package(read(prop.value, PackageProperty))] = None
        elif prop.type == "olm.gvk.required":
            found[_api(read(prop.value, GVKProperty))] = None
        elif prop.type == "olm.constraint":
            found.update(dict.fromkeys(_constraint(read(prop.value, Constraint))))
    named = {(need.group, need.api_kind) for need in found if need.kind == "api"}
    for api in apis(description.customresourcedefinitions.required):
        if (api.group, api.kind) not in named:
            found[Need(kind="api", group=api.group, version=api.version, api_kind=api.kind)] = None
    return tuple(found)


def created(others: Iterable[Object], crds: Iterable[Object]) -> tuple[Need, ...]:
    """Kinds of the bundle's own objects that its CRDs don't bring: the cluster has to serve them, or OLM can't carry
    out its plan.
    """
    own = {(crd.spec.group, crd.spec.names.kind) for crd in (read(raw, CustomResourceDefinition) for raw in crds)}
    found: dict[Need, None] = {}
    for manifest in (read(raw, meta.Object) for raw in others):
        group, _slash, version = manifest.api_version.rpartition("/")
        if manifest.kind and version and (group, manifest.kind) not in own:
            found[Need(kind="object", group=group, version=version, api_kind=manifest.kind)] = None
    return tuple(found)


def _package(package: PackageProperty) -> Need:
    return Need(kind="package", package=package.package_name, range=package.version_range)


def _api(gvk: GVKProperty) -> Need:
    return Need(kind="api", group=gvk.group, version=gvk.version, api_kind=gvk.kind)


def _constraint(constraint: Constraint) -> Iterator[Need]:
    """The plain ones as what they ask for; compound ones in their author's words."""
    if constraint.package is not None:
        yield _package(constraint.package)
    elif constraint.gvk is not None:
        yield _api(constraint.gvk)
    elif constraint.all is not None:
        for part in constraint.all.constraints:
            yield from _constraint(read(part, Constraint))
    else:
        words = constraint.failure_message or constraint.cel.rule or _("a constraint that only OLM can evaluate")
        yield Need(kind="other", words=words)


@dataclass(frozen=True, slots=True)
class Resolution:
    """`there`: the cluster has it.

    `offers`: packages that bring it; `automatic`: OLM installs one of them along with the operator.
    """

    need: Need
    there: bool
    offers: tuple[bundles.PackageOffer, ...]
    automatic: bool


def answers(
    client: ClusterClient, needs: Iterable[Need], subscriptions: Iterable[olm.Subscription], namespace: str
) -> tuple[Resolution, ...]:
    """Each need with whether it is there: in the cluster, or in which catalog.

    `subscriptions`: of all packages, those that the user may see; `namespace`: of the operator's catalog.

    OLM resolves what a Subscription's operator needs from its own catalogs; OLM v1 and a bundle that is run take care
    of nothing.
    """
    wanted = tuple(needs)
    if not wanted:
        return ()
    installed = {subscription.package for subscription in subscriptions if subscription.installed}
    rows = list(Package.objects.filter(cluster=client.name, hidden="").order_by("title"))
    visible = {place: bundles.visible(client, place) for place in {row.namespace for row in rows}}
    automatic = namespace not in _NOT_RESOLVED
    seen = [row for row in rows if visible[row.namespace] and not (automatic and row.namespace in _NOT_RESOLVED)]
    return tuple(_resolve(client, need, installed, seen, automatic=automatic) for need in wanted)


def _resolve(
    client: ClusterClient, need: Need, installed: set[str], rows: list[Package], *, automatic: bool
) -> Resolution:
    if need.kind == "package":
        found = [row for row in rows if row.name == need.package and _has_version(client, row, need.range)]
        return Resolution(need, need.package in installed, tuple(map(_package_offer, found)), automatic)
    if need.api_kind:
        found = [
            row for row in rows if need.api_kind in row.kinds and any(_is_crd_of(crd, need.group) for crd in row.crds)
        ]
        return Resolution(
            need, _is_served(client, need), tuple(map(_package_offer, found)), automatic and need.kind == "api"
        )
    return Resolution(need, False, (), automatic)


def _has_version(client: ClusterClient, row: Package, wanted: str) -> bool:
    """Whether the catalog holds a version of that range; a channel can name versions whose bundles are not there."""
    if not wanted or in_range(row.version, wanted):
        return True
    described = bundles.describing_catalogs(client.name, row.namespace, row.catalog)
    if described:
        rows = (bundles.stored_bundles(catalog).filter(package=row.name) for catalog in described)
        found = [version for bundle_rows in rows for version in bundle_rows.values_list("version", flat=True)]
    else:
        found = [version for channel in _bundle_channels(client, row) for version in channel]
    return any(in_range(version, wanted) for version in found)


def _bundle_channels(client: ClusterClient, row: Package) -> Iterator[tuple[str, ...]]:
    try:
        graph = bundles.graph(client, row.namespace, row.catalog, row.name)
    except (KubeError, SourceError):
        return
    for channel in graph.channels:
        yield tuple(entry.version for entry in channel.entries)


def _is_crd_of(crd: str, group: str) -> bool:
    return crd.partition(".")[2] == group


def _is_served(client: ClusterClient, need: Need) -> bool:
    try:
        client.find_kind(need.group, need.api_kind, need.version)
    except NotFound:
        return False
    return True


def _package_offer(row: Package) -> bundles.PackageOffer:
    return bundles.PackageOffer(
        namespace=row.namespace,
        catalog=row.catalog,
        package=row.name,
        catalog_title=row.catalog_title,
        title=row.title,
        version=row.version,
        provider=row.provider,
    )

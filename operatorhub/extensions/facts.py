"""A ClusterExtension: its status in words, the objects that it created (found by their label), and the versions that it
may become.

No requests except discovery and lists.
https://operator-framework.github.io/operator-controller/api-reference/olmv1-api-reference/

The candidates follow the rules of operator-controller's resolver: channels and range first, then the author's upgrade
edges (unless SelfCertified), deprecated ones last, the highest version wins. Pure, over a package's graph.
https://operator-framework.github.io/operator-controller/concepts/upgrade-support/
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube import reader
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from kube.types.extensions import JSONSchemaProps
from kube.types.olm import ClusterCatalogStatus, ClusterExtension
from operatorhub import csv, install_state
from operatorhub.bundle.bundles import ChannelEntry, Graph
from operatorhub.bundle.graph import in_range
from operatorhub.running.workloads import DONE, FAILED, RUNNING, page_of

GROUP, VERSION = "olm.operatorframework.io", "v1"
EXTENSIONS, CATALOGS = "clusterextensions", "clustercatalogs"
OWNER = f"{GROUP}/owner-name"
CATALOG_NAME = f"{GROUP}/metadata.name"
CATALOG_PROVIDED, SELF_CERTIFIED = "CatalogProvided", "SelfCertified"
_DEPRECATIONS = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated")
_UNSAFE = re.compile(r'validating upgrade for CRD "([^"]+)": ')


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    type: str
    status: str
    reason: str
    message: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """`catalog`: the one its selector names, '' when any will do; `account`: '' if the cluster's OLM v1 doesn't use
    one.
    """

    name: str
    uid: str
    namespace: str
    account: str
    package: str
    catalog: str
    version: str
    channels: tuple[str, ...]
    policy: str
    safety: str
    bundle: str
    installed: str
    conditions: tuple[Condition, ...]
    deleting: bool
    created: str

    def condition(self, type_: str) -> Condition | None:
        return next((condition for condition in self.conditions if condition.type == type_), None)

    @property
    def state(self) -> str:
        """done, failed (retried, or an admin has to act) or running."""
        progressing = self.condition("Progressing")
        if self.deleting or progressing is None or (not self.bundle and progressing.reason == "Succeeded"):
            return RUNNING
        if progressing.reason == "Retrying" and not install_state.lasts(self.created):
            # The first attempts often meet a catalog that is still being read.
            return RUNNING
        if progressing.reason in ("Retrying", "Blocked", "InvalidConfiguration", "ProgressDeadlineExceeded"):
            return FAILED
        return DONE if self.bundle and progressing.reason == "Succeeded" else RUNNING

    @property
    def words(self) -> str:
        """One line: where it stands."""
        if self.deleting:
            return _("is being deleted")
        if self.state == FAILED and self.bundle:
            return _("%(version)s is installed; the last change failed") % {"version": self.installed}
        if self.state == FAILED:
            return _("isn't installed; OLM is retrying")
        return _("%(version)s is installed") % {"version": self.installed} if self.bundle else _("is being installed")

    @property
    def problem(self) -> str:
        """Why it doesn't progress, in OLM's words."""
        found = self.condition("Progressing")
        return found.message if found and self.state == FAILED else ""

    @property
    def unsafe(self) -> tuple[str, ...]:
        """The changes of kinds that the upgrade safety check refuses, one a line; () when that is not what holds it
        up.
        """
        if not _UNSAFE.search(self.problem):
            return ()
        return tuple(
            line
            for line in _UNSAFE.sub(r"\1: ", self.problem[self.problem.index("validating upgrade") :]).split("\n")
            if line
        )

    @property
    def lacking(self) -> tuple[str, ...]:
        """The rights that its ServiceAccount lacks, as OLM lists them."""
        _head, found, rest = self.problem.partition("pre-authorization failed:")
        return tuple(line.strip() for line in rest.split("\n")[1:] if line.strip()) if found else ()

    @property
    def deprecated(self) -> tuple[str, ...]:
        """What is deprecated, as its author says it."""
        return tuple(
            condition.message
            for condition in self.conditions
            if condition.type in _DEPRECATIONS and condition.status == "True"
        )


def type_of(client: ClusterClient, plural: str = EXTENSIONS) -> ResourceType:
    """Raises NotFound on a cluster without OLM v1."""
    return client.find(GROUP, VERSION, plural)


def served(client: ClusterClient) -> bool:
    try:
        type_of(client)
    except NotFound:
        return False
    return True


def serving(catalog: KubeObject) -> bool:
    """Whether a ClusterCatalog's contents can be had."""
    return reader.read(catalog.get("status"), ClusterCatalogStatus).is_serving


def ref(name: str) -> str:
    """How the audit log names one."""
    return f"{GROUP}/{VERSION}/{EXTENSIONS} /{name}"


def read(obj: KubeObject) -> Extension:
    found = reader.read(obj, ClusterExtension)
    meta, spec, status = found.metadata, found.spec, found.status
    wanted = spec.source.catalog
    return Extension(
        name=meta.name,
        uid=meta.uid,
        namespace=spec.namespace,
        account=spec.service_account.name,
        package=wanted.package_name,
        catalog=wanted.selector.match_labels.get(CATALOG_NAME, ""),
        version=wanted.version,
        channels=csv.strings(wanted.channels),
        policy=wanted.upgrade_constraint_policy or CATALOG_PROVIDED,
        safety=spec.install.preflight.crd_upgrade_safety.enforcement or "Strict",
        bundle=status.install.bundle.name,
        installed=status.install.bundle.version,
        conditions=tuple(
            Condition(
                type=condition.type,
                status=condition.status,
                reason=condition.reason,
                message=condition.message,
                since=condition.last_transition_time,
            )
            for condition in status.conditions
        ),
        deleting=bool(meta.deletion_timestamp),
        created=meta.creation_timestamp,
    )


def every(client: ClusterClient) -> tuple[Extension, ...]:
    """All of them, by name. Raises NotFound without OLM v1, Forbidden if the user can't list them."""
    return tuple(sorted(map(read, client.list(type_of(client)).items), key=lambda extension: extension.name))


def wants_account(client: ClusterClient) -> bool:
    """Whether this cluster's OLM v1 acts with a ServiceAccount: releases do; newer versions use their own identity and
    ignore the field.
    """
    schema = reader.read(client.schema(type_of(client)), JSONSchemaProps)
    spec = reader.read(schema.properties.get("spec"), JSONSchemaProps)
    account = spec.properties.get("serviceAccount")
    return bool(account) and "ignored" not in reader.read(account, JSONSchemaProps).description


_OWNED_KINDS = (
    ("apps", "deployments"),
    ("", "services"),
    ("", "configmaps"),
    ("", "serviceaccounts"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("policy", "poddisruptionbudgets"),
    ("monitoring.coreos.com", "servicemonitors"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """`ready`: of a Deployment, as its table says ("1/1"); '' of others."""

    kind: str
    namespace: str
    name: str
    url: str
    ready: str = ""


def owned_objects(client: ClusterClient, extension: str) -> tuple[Owned, ...]:
    """Of all namespaces; kinds that the user can't list are skipped."""
    found: list[Owned] = []
    for group, plural in _OWNED_KINDS:
        try:
            type_ = client.find(group, "", plural)
            table = client.table(type_, labels=f"{OWNER}={extension}")
        except (NotFound, KubeError):
            continue
        ready = next((place for place, column in enumerate(table.columns) if column.name == "Ready"), None)
        for row in table.rows:
            place, name = namespace_of(row.object), name_of(row.object)
            url = page_of(plural, place, name, group, type_.version)
            found.append(
                Owned(
                    kind=type_.kind,
                    namespace=place,
                    name=name,
                    url=url,
                    ready="" if ready is None else str(row.cells[ready]),
                )
            )
    return tuple(found)


def count_instances(client: ClusterClient, found: tuple[Owned, ...]) -> tuple[tuple[str, int | None], ...]:
    """(kind's CRD, number of its objects in the whole cluster): they go with the extension.

    None: not to be counted here.
    """
    counted: list[tuple[str, int | None]] = []
    for owned in found:
        if owned.kind != "CustomResourceDefinition":
            continue
        plural, _dot, group = owned.name.partition(".")
        try:
            page = client.table(client.find(group, "", plural), limit=1, whole=True)
        except NotFound:
            counted.append((owned.name, 0))
        except KubeError:
            counted.append((owned.name, None))
        else:
            counted.append((owned.name, len(page.rows) + (page.remaining or 0)))
    return tuple(counted)


_TILDE = re.compile(r"([~^])\s*v?(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?[^\s,|]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A version with the channels it is in.

    `follows`: an upgrade edge leads to it from what is installed; `fits`: channels and range allow it.
    """

    name: str
    version: str
    channels: tuple[str, ...]
    deprecated: str
    follows: bool
    fits: bool


def candidates(
    graph: Graph, channels: Iterable[str] = (), wanted: str = "", installed: tuple[str, str] = ("", "")
) -> tuple[Candidate, ...]:
    """All versions, the newest first.

    `wanted`: a version or range; `installed`: name and version of the installed bundle.
    """
    chosen = set(channels)
    entries: dict[str, ChannelEntry] = {}
    places: dict[str, list[str]] = {}
    following: set[str] = set()
    for channel in graph.channels:
        for entry in channel.entries:
            entries.setdefault(entry.name, entry)
            places.setdefault(entry.name, []).append(channel.name)
            if (not chosen or channel.name in chosen) and is_successor(entry, *installed):
                following.add(entry.name)
    found = [
        Candidate(
            name=name,
            version=entry.version,
            channels=tuple(places[name]),
            deprecated=entry.deprecated,
            follows=not installed[0] or name in following,
            fits=(not chosen or bool(chosen & set(places[name]))) and (not wanted or is_within(entry.version, wanted)),
        )
        for name, entry in entries.items()
    ]
    return tuple(sorted(found, key=lambda candidate: csv.version_key(candidate.version), reverse=True))


def resolved_candidate(found: tuple[Candidate, ...], *, self_certified: bool = False) -> Candidate | None:
    """The one that OLM would install; None: it says that there is none."""
    able = [candidate for candidate in found if candidate.fits and (candidate.follows or self_certified)]
    return min(able, key=lambda candidate: bool(candidate.deprecated), default=None)


def is_successor(entry: ChannelEntry, name: str, version: str) -> bool:
    """Whether an upgrade leads from (name, version) to this entry, or it is that one."""
    if not name:
        return True
    if name in (entry.name, entry.replaces) or name in entry.skips:
        return True
    return bool(entry.skip_range) and in_range(version, entry.skip_range)


def is_within(version: str, wanted: str) -> bool:
    """A range as github.com/Masterminds/semver reads it: `>=1.2, <2`, `~1.2`, `^0.3`.

    A version with a suffix fits only ranges that name one.
    """
    if "-" in version and "-" not in wanted:
        return False
    return in_range(version, _TILDE.sub(_spelt, wanted).replace(",", " "))


def _spelt(found: re.Match[str]) -> str:
    """~ and ^ as two bounds."""
    numbers = [int(part) for part in found.groups()[1:] if part and part.isdigit()]
    low = [*numbers, 0, 0][:3]
    if found[1] == "~":
        place = min(1, len(numbers) - 1)
    else:
        place = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    high = [*low[:place], low[place] + 1, 0, 0][:3]
    return f">={'.'.join(map(str, low))} <{'.'.join(map(str, high))}"

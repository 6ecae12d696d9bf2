"""The navigation of every page, and what an administrator adds to the console: links, banners, YAML samples, tools.

The navigation has only resource types that this user can list, by a SelfSubjectRulesReview, so that it has no link that
the API server refuses:
https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/

Additions are ConsoleLinks, ConsoleNotifications, ConsoleYAMLSamples, ConsoleCLIDownloads and ConsoleQuickStarts
(console/web/quick_starts.py) of console.openshift.io/v1, as OKD's console takes them
(https://github.com/openshift/api, console/v1): from the setting ADDITIONS, and from the cluster where it serves these
types and the user can list them. Colors are left out: pages allow no inline style.

Answers are cached in this process for each user and cluster; the TTL in seconds is in CACHES in the settings.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import yaml
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.reach import discovery
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject
from kube.reader import Read, read
from kube.types.extensions import (
    ConsoleCLIDownloadSpec,
    ConsoleLinkSpec,
    ConsoleNotificationSpec,
    ConsoleYAMLSampleSpec,
)
from untrusted import yaml_bounds

log = logging.getLogger("console.web.additions")

#: For users who can't list namespaces: the number of their namespaces that are checked.
MAX_NAMESPACES = 5
#: Keys of the groups that this browser left open, with dots between them (static/js/frame/navigation.js).
OPEN_COOKIE = "console_navigation"
#: "1" where this browser folded the navigation to its icons.
FOLDED_COOKIE = "console_navigation_folded"


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One link. `key`: the letter that leads there after g, '' for none. `below`: links that always stand under it."""

    label: str
    url: str
    current: bool
    icon: str = ""
    key: str = ""
    below: tuple["NavItem", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NavGroup:
    """Links that fold. `is_open`: a page in it is open, or this browser left it so."""

    name: str
    label: str
    icon: str
    items: tuple[NavItem, ...]
    is_open: bool = False

    @property
    def current(self) -> bool:
        return any(item.current for item in self.items)


NavEntry = NavItem | NavGroup
#: (label, group, version, plural)
Kind = tuple[str, str, str, str]


def _workloads() -> tuple[Kind, ...]:
    return (
        (_("Pods"), "", "v1", "pods"),
        (_("Deployments"), "apps", "v1", "deployments"),
        (_("StatefulSets"), "apps", "v1", "statefulsets"),
        (_("DaemonSets"), "apps", "v1", "daemonsets"),
        (_("Jobs"), "batch", "v1", "jobs"),
        (_("CronJobs"), "batch", "v1", "cronjobs"),
    )


def _network() -> tuple[Kind, ...]:
    return (
        (_("Services"), "", "v1", "services"),
        (_("Ingresses"), "networking.k8s.io", "v1", "ingresses"),
        (_("Routes"), "route.openshift.io", "v1", "routes"),
        (_("HTTPRoutes"), "gateway.networking.k8s.io", "v1", "httproutes"),
        (_("NetworkPolicies"), "networking.k8s.io", "v1", "networkpolicies"),
    )


def _config() -> tuple[Kind, ...]:
    return (
        (_("ConfigMaps"), "", "v1", "configmaps"),
        (_("Secrets"), "", "v1", "secrets"),
        (_("ResourceQuotas"), "", "v1", "resourcequotas"),
        (_("LimitRanges"), "", "v1", "limitranges"),
    )


def _storage() -> tuple[Kind, ...]:
    return (
        (_("PersistentVolumeClaims"), "", "v1", "persistentvolumeclaims"),
        (_("PersistentVolumes"), "", "v1", "persistentvolumes"),
        (_("StorageClasses"), "storage.k8s.io", "v1", "storageclasses"),
    )


def _access() -> tuple[Kind, ...]:
    rbac = "rbac.authorization.k8s.io"
    return (
        (_("ServiceAccounts"), "", "v1", "serviceaccounts"),
        (_("Roles"), rbac, "v1", "roles"),
        (_("RoleBindings"), rbac, "v1", "rolebindings"),
        (_("ClusterRoles"), rbac, "v1", "clusterroles"),
        (_("ClusterRoleBindings"), rbac, "v1", "clusterrolebindings"),
    )


def _definitions() -> Kind:
    return (_("Custom resource definitions"), "apiextensions.k8s.io", "v1", "customresourcedefinitions")


class Navigation:
    """`cluster`: None where it can't be used; the navigation then offers all that any cluster has."""

    def __init__(self, request: HttpRequest, cluster: ClusterClient | None, namespace: str) -> None:
        self.request = request
        self._open = set(request.COOKIES.get(OPEN_COOKIE, "")[:200].split("."))
        self._listable = listable(cluster, namespace) if cluster else Listable(everything=True)
        self._served = _served(cluster)
        self._namespace = namespace

    def entries(self) -> tuple[NavEntry, ...]:
        """In the order of the page; groups in which nothing can be listed are left out."""
        return tuple(entry for entry in self._all() if not isinstance(entry, NavGroup) or entry.items)

    def _all(self) -> Iterator[NavEntry]:
        yield self._item(_("Overview"), "pages:overview", exact=True, icon="overview", key="o")
        yield self._item(_("Installed operators"), "operatorhub:installed", icon="operator", key="i")
        hub = self._item(_("OperatorHub"), "operatorhub:catalog", icon="hub", key="h")
        sources = self._item(_("Catalogs"), "operatorhub:sources")
        # The catalogs' address lies below the hub's.
        yield replace(hub, current=hub.current and not sources.current, below=(sources, *self._extensions()))
        yield self._item(_("Namespaces"), "pages:namespaces", icon="namespace", key="n")
        yield self._group("workloads", _("Workloads"), "workloads", *self._lists(_workloads()))
        forwards = self._item(_("Port-forwards"), "resources:forwards")
        yield self._group("network", _("Network"), "network", *self._lists(_network()), forwards)
        yield self._group("config", _("Config"), "config", *self._lists(_config()))
        yield self._group("storage", _("Storage"), "storage", *self._lists(_storage()))
        who_can = self._item(_("Who can"), "resources:who-can")
        yield self._group("access", _("Access"), "access", *self._who(), *self._lists(_access()), who_can)
        yield self._group("cluster", _("Cluster"), "cluster", *self._cluster())

    def _cluster(self) -> Iterator[NavItem]:
        yield self._item(_("Events"), "resources:events", key="e")
        yield from self._lists(((_("Nodes"), "", "v1", "nodes"), _definitions()))
        yield self._item(_("All types"), "resources:types", exact=True)
        yield self._item(_("Audit"), "pages:audit")

    def _who(self) -> Iterator[NavItem]:
        """Who has access to the picked namespace."""
        if self._namespace and ("rbac.authorization.k8s.io", "rolebindings") in self._listable:
            place = {
                "group": "core",
                "version": "v1",
                "plural": "namespaces",
                "namespace": "-",
                "name": self._namespace,
            }
            yield self._item(_("Who has access"), "resources:access", arguments=place)

    def _extensions(self) -> Iterator[NavItem]:
        """OLM v1's page, where the cluster has OLM v1."""
        if ("olm.operatorframework.io", "clusterextensions") in self._served:
            yield self._item(_("Extensions"), "operatorhub:extensions")

    def _group(self, name: str, label: str, icon: str, *items: NavItem) -> NavGroup:
        is_open = name in self._open or any(item.current for item in items)
        return NavGroup(name=name, label=label, icon=icon, items=items, is_open=is_open)

    def _lists(self, kinds: tuple[Kind, ...]) -> Iterator[NavItem]:
        """Of those that the cluster serves and this person can list."""
        for label, group, version, plural in kinds:
            if self._served and (group, plural) not in self._served:
                continue
            if (group, plural) in self._listable:
                kind = {"group": group or "core", "version": version, "plural": plural}
                key = "p" if plural == "pods" else ""
                yield self._item(label, "resources:list", key=key, arguments=kind)

    def _item(
        self,
        label: str,
        name: str,
        *,
        exact: bool = False,
        icon: str = "",
        key: str = "",
        arguments: dict[str, str] | None = None,
    ) -> NavItem:
        url = reverse(name, kwargs=arguments)
        path = self.request.path
        current = path == url if exact else path.startswith(url)
        return NavItem(label=label, url=url, current=current, icon=icon, key=key)


def _served(cluster: ClusterClient | None) -> frozenset[tuple[str, str]]:
    """Group and plural of each type; empty where the cluster doesn't say."""
    try:
        return frozenset((type_.group, type_.plural) for type_ in cluster.types()) if cluster else frozenset()
    except KubeError:
        return frozenset()


#: No namespace has this name, so no RoleBinding is in it: the rules there are those of the whole cluster.
_NO_NAMESPACE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listable:
    """`pairs` of API group and plural, '*' for any of either. `everything`: the API server can't tell, or did not.

    `can_create`: workloads. `cluster_scoped`: pairs to which rules of the whole cluster alone apply, `cluster_pairs`:
    a Role with `resources: ["*"]` lists no nodes.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    everything: bool = False
    can_create: bool = True
    cluster_scoped: frozenset[tuple[str, str]] = frozenset()
    cluster_pairs: frozenset[tuple[str, str]] = frozenset()

    def __contains__(self, pair: tuple[str, str]) -> bool:
        group, plural = pair
        either = {(group, plural), (group, "*"), ("*", plural), ("*", "*")}
        pairs = self.cluster_pairs if pair in self.cluster_scoped else self.pairs
        return self.everything or not pairs.isdisjoint(either)


def listable(client: ClusterClient, namespace: str) -> Listable:
    """In the namespace; for '' in any that can be asked about. At most a minute old. Never raises KubeError."""
    try:
        names = (namespace,) if namespace else _namespaces(client)
        found = [_in_namespace(client, name) for name in names]
        cluster = _in_namespace(client, _NO_NAMESPACE)
        cluster_scoped = frozenset((type_.group, type_.plural) for type_ in client.types() if not type_.namespaced)
    except KubeError:
        return Listable(everything=True)
    return Listable(
        pairs=frozenset().union(*(each.pairs for each in found)),
        everything=any(each.everything for each in found),
        can_create=any(each.can_create for each in found),
        cluster_scoped=cluster_scoped,
        cluster_pairs=cluster.pairs,
    )


def navigation_key(subject: str, client: ClusterClient, part: str) -> str:
    """A cache key. A digest: names of users have letters that no cache takes."""
    words = "\0".join((subject, client.host, client.who, part))
    return hashlib.sha256(words.encode()).hexdigest()


def cached_navigation(key: str) -> object:
    """None for what was never cached, or is too old."""
    return caches["navigation"].get(key)


def cache_navigation(key: str, value: object) -> None:
    caches["navigation"].set(key, value)


def forget_navigation() -> None:
    """The next page asks the cluster."""
    caches["navigation"].clear()


def _namespaces(client: ClusterClient) -> tuple[str, ...]:
    """Cluster-wide rules hold in each namespace, so one is enough for users who see all of them."""
    if not discovery.limited(client):
        return ("default",)
    return tuple(own.name for own in discovery.own(client) if own.usable)[:MAX_NAMESPACES] or ("default",)


def _in_namespace(client: ClusterClient, namespace: str) -> Listable:
    key = navigation_key("listable", client, namespace)
    known = cached_navigation(key)
    if isinstance(known, Listable):
        return known
    rules, complete = client.rules(namespace)
    created = Listable(pairs=_pairs(rules, "create"))
    can_create = not complete or ("apps", "deployments") in created or ("", "pods") in created
    found = Listable(pairs=_pairs(rules, "list"), everything=not complete, can_create=can_create)
    cache_navigation(key, found)
    return found


def _pairs(rules: Iterable[Mapping[str, Any]], verb: str) -> frozenset[tuple[str, str]]:
    return frozenset(
        (str(group), str(plural))
        for rule in rules
        if {verb, "*"} & set(rule.get("verbs") or ()) and not rule.get("resourceNames")
        for group in rule.get("apiGroups") or ()
        for plural in rule.get("resources") or ()
    )


ADDITIONS_GROUP = "console.openshift.io"
#: Objects of a kind; more are not read. Quick starts come in several languages.
_MAX_ADDITIONS = 300
#: Characters of a text.
_MAX_ADDITION_TEXT = 1000


@dataclass(frozen=True, slots=True)
class AddedLink:
    """`section`: the heading above it, '' for none. `is_personal`: it is shown in the user's menu."""

    text: str
    href: str
    section: str = ""
    is_personal: bool = False


@dataclass(frozen=True, slots=True)
class Banner:
    """`link`: None without one."""

    text: str
    link: AddedLink | None = None
    is_top: bool = True
    is_bottom: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    title: str
    description: str
    object: KubeObject


@dataclass(frozen=True, slots=True)
class CommandLineTool:
    """`description`: Markdown, not sanitized yet."""

    name: str
    description: str
    links: tuple[AddedLink, ...]


def added_links(client: ClusterClient | None) -> tuple[AddedLink, ...]:
    """Those for every page, sorted by section and text."""
    found = []
    for spec, link in _links(client, "ApplicationMenu", "HelpMenu", "UserMenu"):
        section = _shortened(spec.application_menu.section) if spec.location == "ApplicationMenu" else ""
        found.append(AddedLink(link.text, link.href, section, is_personal=spec.location == "UserMenu"))
    return tuple(sorted(found, key=lambda link: (link.section.lower(), link.text.lower())))


def namespace_links(client: ClusterClient, name: str, labels: Mapping[str, str]) -> tuple[AddedLink, ...]:
    """Those for the page of this namespace, sorted by text.

    A link names namespaces, or selects them by labels; one that does neither is for all of them
    (https://github.com/openshift/api/blob/master/console/v1/types_console_link.go).
    """
    found = []
    for spec, link in _links(client, "NamespaceDashboard"):
        where = spec.namespace_dashboard
        selects = not where.namespace_selector.is_empty
        if name in where.namespaces or (where.namespace_selector.matches(labels) if selects else not where.namespaces):
            found.append(link)
    return tuple(sorted(found, key=lambda link: link.text.lower()))


def _links(client: ClusterClient | None, *locations: str) -> Iterator[tuple[ConsoleLinkSpec, AddedLink]]:
    for spec in _addition_specs(client, "ConsoleLink", ConsoleLinkSpec):
        link = _added_link(spec)
        if link is not None and spec.location in locations:
            yield spec, link


def banners(client: ClusterClient | None) -> tuple[Banner, ...]:
    found = []
    for spec in _addition_specs(client, "ConsoleNotification", ConsoleNotificationSpec):
        is_top = spec.location in ("", "BannerTop", "BannerTopBottom")
        is_bottom = spec.location in ("BannerBottom", "BannerTopBottom")
        if words := _shortened(spec.text):
            found.append(Banner(words, _added_link(spec.link), is_top=is_top, is_bottom=is_bottom))
    return tuple(found)


def samples(client: ClusterClient, type_: ResourceType) -> tuple[Sample, ...]:
    """Whole objects of this type. Snippets, which are parts of an object, are left out."""
    found = []
    for spec in _addition_specs(client, "ConsoleYAMLSample", ConsoleYAMLSampleSpec):
        target = spec.target_resource
        if spec.snippet or (target.api_version, target.kind) != (type_.api_version, type_.kind):
            continue
        try:
            obj = yaml_bounds.load(spec.yaml)
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if isinstance(obj, dict):
            found.append(Sample(_shortened(spec.title), _shortened(spec.description), obj))
    return tuple(found)


def command_line_tools(client: ClusterClient | None) -> tuple[CommandLineTool, ...]:
    """Sorted by name."""
    found = []
    for spec in _addition_specs(client, "ConsoleCLIDownload", ConsoleCLIDownloadSpec):
        if name := _shortened(spec.display_name):
            default = _("Download %(name)s") % {"name": name}
            links = (_added_link(link, default) for link in spec.links)
            found.append(CommandLineTool(name, spec.description, tuple(link for link in links if link)))
    return tuple(sorted(found, key=lambda tool: tool.name.lower()))


def additions(client: ClusterClient | None, kind: str) -> tuple[KubeObject, ...]:
    """Of the setting and of the cluster, as they are."""
    found = [obj for obj in _additions_of_settings(settings.ADDITIONS) if obj.get("kind") == kind][:_MAX_ADDITIONS]
    return (*found, *(_additions_of_cluster(client, kind) if client else ()))


def _addition_specs(client: ClusterClient | None, kind: str, type_: type[Read]) -> Iterator[Read]:
    for obj in additions(client, kind):
        yield read(obj.get("spec"), type_)


@lru_cache(maxsize=1)
def _additions_of_settings(text: str) -> tuple[KubeObject, ...]:
    try:
        return tuple(obj for obj in yaml_bounds.load_all(text) if isinstance(obj, dict))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        log.warning("ADDITIONS isn't valid YAML: %s", error)
        return ()


def _additions_of_cluster(client: ClusterClient, kind: str) -> tuple[KubeObject, ...]:
    """At most a minute old; nothing where the cluster doesn't serve the type, the user can't list it, or the cluster
    doesn't respond: no page fails for it.
    """
    try:
        key = navigation_key("additions", client, kind)
        found = cached_navigation(key)
        if not isinstance(found, tuple):
            found = _list_additions(client, kind)
            cache_navigation(key, found)
    except KubeError:
        return ()
    return found


def _list_additions(client: ClusterClient, kind: str) -> tuple[KubeObject, ...]:
    """Raises KubeError, but for a refusal, which holds for a while."""
    type_ = _addition_type(client, kind)
    try:
        return tuple(client.list(type_, limit=_MAX_ADDITIONS).items) if type_ else ()
    except Forbidden:
        return ()


def _addition_type(client: ClusterClient, kind: str) -> ResourceType | None:
    """From what discovery said last: every page asks this, so nothing is looked up again for a missing type."""
    return next((type_ for type_ in client.types() if (type_.group, type_.kind) == (ADDITIONS_GROUP, kind)), None)


def _added_link(spec: ConsoleLinkSpec, default: str = "") -> AddedLink | None:
    """None unless it has a text, which may be the default, and an address of the web."""
    text, href = _shortened(spec.text) or default, _shortened(spec.href)
    try:
        is_web = urlsplit(href).scheme in ("https", "http")
    except ValueError:
        is_web = False
    return AddedLink(text, href) if text and is_web else None


def _shortened(text: str) -> str:
    return text[:_MAX_ADDITION_TEXT]

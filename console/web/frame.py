"""The frame around every page: what is in the masthead, the navigation and the namespace bar."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from console.reach import finding
from console.web import clusters
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound

# A select of more entries is no help; the bar then offers a text field with the same name.
PICKER_LIMIT = 500


@dataclass(frozen=True, slots=True)
class NavItem:
    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class NavGroup:
    label: str
    icon: str
    items: tuple[NavItem, ...]

    @property
    def current(self) -> bool:
        return any(item.current for item in self.items)


def known_namespaces(client: ClusterClient) -> tuple[str, ...]:
    """Names of the namespaces this user may list, sorted, at most two seconds old; where listing them is refused, those that are theirs (console/reach)."""
    listed = finding.listed(client)
    return tuple(one.name for one in finding.own(client) if one.usable) if listed is None else listed


def forget_namespaces() -> None:
    """After a namespace was made or deleted here, the next page asks again."""
    finding.look_again()


def _one_current(*items: NavItem) -> tuple[NavItem, ...]:
    """Where an address lies below another one's, only the longer one is where people are."""
    longest = max((len(item.url) for item in items if item.current), default=0)
    return tuple(replace(item, current=item.current and len(item.url) == longest) for item in items)


class Frame:
    """Lazy: nothing is asked of the cluster unless base.html prints it. A cluster that is down leaves a frame that says so."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.place = getattr(request, "place", None) or clusters.default()
        # It tells of the cluster that came with the console.
        self.note = settings.CLUSTER_NOTE if self.place.default else ""

    @property
    def note_words(self) -> str:
        """The note beside the cluster's name; the one that `make run` sets is in the reader's language."""
        return _("embedded") if self.note == "embedded" else self.note

    @property
    def cluster_label(self) -> str:
        """By what people tell clusters apart: the context's name where there are several."""
        if clusters.several():
            return self.place.context
        return self.cluster.name if self.cluster else ""

    @property
    def others(self) -> tuple[clusters.Offered, ...]:
        return tuple(one for one in clusters.offered() if one != self.place)

    @cached_property
    def error(self) -> str:
        """Why the cluster can't be used, in one sentence, or ''."""
        return self._cluster_and_error[1]

    @cached_property
    def cluster(self) -> ClusterClient | None:
        return self._cluster_and_error[0]

    @cached_property
    def _cluster_and_error(self) -> tuple[ClusterClient | None, str]:
        try:
            client = self.request.cluster  # type: ignore[attr-defined]
            return (client, "") if client.name is not None else (None, "")
        except KubeError as error:
            return None, str(error)

    @cached_property
    def namespace(self) -> str:
        """The picked namespace; '' when it is all of them or the remembered one is gone."""
        return str(getattr(self.request, "namespace", ""))

    @cached_property
    def namespaces(self) -> tuple[str, ...]:
        if self.cluster is None:
            return ()
        try:
            return known_namespaces(self.cluster)
        except (KubeError, NotFound):
            return ()

    @cached_property
    def limited(self) -> bool:
        """Whether these are found and not listed: "all namespaces" means them then."""
        try:
            return self.cluster is not None and finding.listed(self.cluster) is None
        except (KubeError, NotFound):
            return False

    @property
    def found_words(self) -> str:
        """How they were found, in a few words."""
        hows = {one.how for one in finding.own(self.cluster) if one.usable} if self.cluster else set()
        words = [text for how, text in finding.words().items() if how in hows]
        return _("You may not list namespaces. Yours are known %(how)s.") % {"how": ", ".join(words)}

    @property
    def lost(self) -> tuple[finding.Own, ...]:
        """Those that this user named or opened, and that are gone, or closed to them."""
        return (
            tuple(one for one in finding.own(self.cluster) if not one.usable) if self.cluster and self.limited else ()
        )

    @cached_property
    def namespaces_for_select(self) -> tuple[str, ...]:
        """All names with the picked one among them, or nothing when there are too many for a select."""
        if len(self.namespaces) > PICKER_LIMIT:
            return ()
        missing = () if not self.namespace or self.namespace in self.namespaces else (self.namespace,)
        return (*missing, *self.namespaces)

    @cached_property
    def navigation(self) -> tuple[NavGroup, ...]:
        return (
            NavGroup(
                _("Home"),
                "home",
                (
                    self._item(_("Overview"), "pages:overview", exact=True),
                    self._item(_("Favourites"), "resources:favourites", exact=True),
                ),
            ),
            NavGroup(
                _("Operators"),
                "operators",
                _one_current(
                    self._item(_("OperatorHub"), "operatorhub:catalog"),
                    self._item(_("Installed Operators"), "operatorhub:installed"),
                    self._item(_("Catalogs"), "operatorhub:sources"),
                    *self._extensions(),
                ),
            ),
            NavGroup(
                _("Resources"),
                "resources",
                (
                    self._item(_("All types"), "resources:types", exact=True),
                    *self._workloads(),
                    self._item(_("Port-forwards"), "resources:forwards"),
                ),
            ),
            NavGroup(
                _("Administration"),
                "administration",
                (
                    self._item(_("Namespaces"), "pages:namespaces"),
                    self._item(_("Nodes"), "resources:list", group="core", version="v1", plural="nodes"),
                    self._item(_("Who can"), "resources:who-can"),
                    self._item(_("Audit"), "pages:audit"),
                ),
            ),
        )

    def _extensions(self) -> tuple[NavItem, ...]:
        """OLM v1's page, where the cluster has OLM v1."""
        try:
            known = self.cluster.types() if self.cluster else ()
        except KubeError:
            return ()
        if not any((one.group, one.plural) == ("olm.operatorframework.io", "clusterextensions") for one in known):
            return ()
        return (self._item(_("Extensions"), "operatorhub:extensions"),)

    def _workloads(self) -> tuple[NavItem, ...]:
        kinds = (
            (_("Custom resource definitions"), "apiextensions.k8s.io", "v1", "customresourcedefinitions"),
            (_("Pods"), "core", "v1", "pods"),
            (_("Deployments"), "apps", "v1", "deployments"),
            (_("StatefulSets"), "apps", "v1", "statefulsets"),
            (_("Jobs"), "batch", "v1", "jobs"),
            (_("Services"), "core", "v1", "services"),
            (_("Secrets"), "core", "v1", "secrets"),
            (_("ConfigMaps"), "core", "v1", "configmaps"),
            (_("PersistentVolumeClaims"), "core", "v1", "persistentvolumeclaims"),
        )
        lists = (
            self._item(label, "resources:list", group=group, version=version, plural=plural)
            for label, group, version, plural in kinds
        )
        return (*lists, self._item(_("Events"), "resources:events"))

    def _item(self, label: str, name: str, *, exact: bool = False, **arguments: str) -> NavItem:
        try:
            url = reverse(name, kwargs=arguments or None)
        except NoReverseMatch:
            return NavItem(label, "#", False)
        path = self.request.path
        return NavItem(label, url, path == url if exact else path.startswith(url))

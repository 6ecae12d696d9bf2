"""The frame around every page: what base.html prints in the masthead, the navigation and the namespace bar."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from console.prefer import store, times
from console.reach import discovery
from console.web import clusters, navigation, quick_starts
from console.web.csp import nonce
from console.web.navigation import FOLDED_COOKIE, NavEntry, Navigation, listable
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound

#: A longer list doesn't help; users type the name instead.
PICKER_LIMIT = 500


def known_namespaces(client: ClusterClient) -> tuple[str, ...]:
    """Names of the namespaces this user may list, sorted, at most two seconds old; where listing them is refused,
    those that are theirs (console/reach).
    """
    listed = discovery.listed(client)
    return tuple(own.name for own in discovery.own(client) if own.usable) if listed is None else listed


def forget_namespaces() -> None:
    """After a namespace was made or deleted here, the next page asks again."""
    discovery.clear_caches()


class Frame:
    """Lazy: nothing is asked of the cluster unless base.html prints it.

    A cluster that is down leaves a frame that says so.
    """

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
        return tuple(offered for offered in clusters.offered() if offered != self.place)

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
            return self.cluster is not None and discovery.listed(self.cluster) is None
        except (KubeError, NotFound):
            return False

    @cached_property
    def has_limited_access(self) -> bool:
        """Whether only some namespaces are the reader's, or nothing can be changed in what is shown."""
        if self.cluster is None:
            return False
        return self.limited or not listable(self.cluster, self.namespace).can_create

    @property
    def found_words(self) -> str:
        """How they were found, in a few words."""
        hows = {own.how for own in discovery.own(self.cluster) if own.usable} if self.cluster else set()
        words = [text for how, text in discovery.words().items() if how in hows]
        return _(
            "You don't have permission to list namespaces. Shown are the namespaces that you have access to (%(how)s)."
        ) % {"how": ", ".join(words)}

    @property
    def lost(self) -> tuple[discovery.Own, ...]:
        """Those that this user named or opened, and that are gone, or closed to them."""
        return (
            tuple(own for own in discovery.own(self.cluster) if not own.usable) if self.cluster and self.limited else ()
        )

    @cached_property
    def namespaces_for_picker(self) -> tuple[str, ...]:
        """At most PICKER_LIMIT names; the picked one is always among them."""
        shown = self.namespaces[:PICKER_LIMIT]
        missing = () if not self.namespace or self.namespace in shown else (self.namespace,)
        return (*missing, *shown)

    @property
    def namespaces_for_select(self) -> tuple[str, ...]:
        """All names with the picked one among them, or nothing where there are too many for a select."""
        return () if self.unlisted_count else self.namespaces_for_picker

    @property
    def unlisted_count(self) -> int:
        """How many namespaces the picker leaves out: they are reached by their names."""
        return max(0, len(self.namespaces) - PICKER_LIMIT)

    @cached_property
    def banners(self) -> tuple[navigation.Banner, ...]:
        """The administrator's."""
        return navigation.banners(self.cluster)

    @cached_property
    def links(self) -> tuple[navigation.AddedLink, ...]:
        """The administrator's, sorted by section."""
        return navigation.added_links(self.cluster)

    @property
    def common_links(self) -> list[navigation.AddedLink]:
        return [link for link in self.links if not link.is_personal]

    @property
    def personal_links(self) -> list[navigation.AddedLink]:
        return [link for link in self.links if link.is_personal]

    @cached_property
    def navigation(self) -> tuple[NavEntry, ...]:
        return Navigation(self.request, self.cluster, self.namespace).entries()

    @cached_property
    def quick_start(self) -> quick_starts.Guide | None:
        """The one that is open beside the pages."""
        name = self.request.COOKIES.get(quick_starts.OPEN_COOKIE, "")
        language = getattr(self.request, "LANGUAGE_CODE", "")
        return quick_starts.guide(self.cluster, name, language) if name and self.cluster else None

    @property
    def is_folded(self) -> bool:
        """Whether this browser folded the navigation to its icons."""
        return self.request.COOKIES.get(FOLDED_COOKIE) == "1"


def frame_context(request: HttpRequest) -> dict[str, object]:
    """Context processor of all templates. `frame` is lazy: a fragment that does not print the frame costs no request to
    the cluster.
    """
    chosen = store.preferences_of(request)
    return {
        "csp_nonce": nonce(request),
        "frame": Frame(request),
        "clusters_several": clusters.several(),
        # Who is signed in, where people sign in.
        "person": getattr(request, "person", None),
        # As whom they act, where it is not themselves.
        "acting": getattr(request, "acting", None),
        "product": settings.PRODUCT_NAME,
        "version": settings.VERSION,
        # Read where the page ends: what the API server has warned of by then.
        "cluster_warnings": getattr(request, "cluster_warnings", ()),
        "theme": chosen.theme,
        "preferences": chosen,
        # Headings of moments that are shown as in UTC say so.
        "times_in_utc": times.in_utc(),
        "times_relative": times.relative(),
    }

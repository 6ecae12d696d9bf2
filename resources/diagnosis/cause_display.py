"""Causes as a page and /api/ show them: their evidence as links, and a fix where the reader may do it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.causes.cause import Cause, CauseTarget, Fix, Link, Severity
from resources.place import Place

#: Pages of a kind, not of one object of it.
_KIND_VIEWS = ("list", "new", "new-values", "new-binding")
#: What a page's action needs.
_VERBS = {"edit": "patch", "rollback": "patch", "new": "create", "new-values": "create", "new-binding": "create"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLink:
    """`label`: "Pod web-0", "Events", "Logs"."""

    label: str
    url: str
    view: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFix:
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCause:
    """`about`: the object that has it, None where its kind isn't served. `raw`: the cluster's own text, '' where the
    sentence has all of it."""

    cause: Cause
    about: Place | None
    links: tuple[ShownLink, ...]
    fix: ShownFix | None
    raw: str

    @property
    def is_error(self) -> bool:
        return self.cause.severity == Severity.ERROR


def shown_causes(client: ClusterClient, place: Place, causes: Iterable[Cause]) -> tuple[ShownCause, ...]:
    """`place`: the object whose page it is, which needs no link to itself."""
    return tuple(
        ShownCause(
            cause=cause,
            about=_place(client, place, cause.about) if cause.about else None,
            links=tuple(_links(client, place, cause)),
            fix=_fix(client, place, cause.fix) if cause.fix else None,
            raw="" if " ".join(cause.raw.split()) in cause.sentence else cause.raw,
        )
        for cause in causes
    )


def _links(client: ClusterClient, page: Place, cause: Cause) -> Iterator[ShownLink]:
    for link in cause.links:
        place = _place(client, page, link.target)
        if place is None or (link.view == "detail" and place == page):
            continue
        label = {"events": _("Events"), "logs": _("Logs"), "finalizers": _("Finalizers")}.get(link.view)
        if label is None:
            label = f"{place.type.kind} {place.name}" if place.name else place.type.kinds
        yield ShownLink(label=label, url=_url(place, link), view=link.view, place=place)


def _url(place: Place, link: Link) -> str:
    if link.view == "events":
        return f"{place.url()}#events"
    if link.view == "list" or not place.name:
        return place.kind_url(**({"namespace": place.namespace} if place.namespace else {}))
    return place.url(link.view)


def _fix(client: ClusterClient, page: Place, fix: Fix) -> ShownFix | None:
    """None where the kind isn't served or the reader has no permission."""
    place = _place(client, page, fix.target)
    verb = _VERBS.get(fix.view)
    if place is None or (verb and not _may(client, verb, place)):
        return None
    query = {key: value for key, value in fix.query if value}
    if fix.view in _KIND_VIEWS:
        return ShownFix(label=fix.label, url=place.kind_url(fix.view, **query))
    return ShownFix(label=fix.label, url=place.url(fix.view, **query))


def _place(client: ClusterClient, page: Place, target: CauseTarget) -> Place | None:
    """In the version of the page, where it is of the same kind."""
    if (target.group, target.kind) == (page.type.group, page.type.kind):
        type_ = page.type
    else:
        try:
            type_ = client.find_kind(target.group, target.kind)
        except KubeError:
            return None
    return Place(type_, target.namespace if type_.namespaced else "", target.name)


def _may(client: ClusterClient, verb: str, place: Place) -> bool:
    if verb not in place.type.verbs:
        return False
    try:
        return can(client, verb, place.type, place.namespace, place.name if verb == "patch" else "").allowed
    except KubeError:
        return False

"""One object: its page, its menu of actions, its owner, and a namespace's contents.

/resources/<group>/<version>/<plural>/<namespace>/<name>/: the object, its owned objects and its Events. The page has
eight regions that renew themselves, each with its own address (`?part=`) and its own topics: the state of the object;
inside it the causes of a bad state, what its Pods use and how its web page is opened; then what it owns, its values,
its history, its Events.

…/<object>/menu/: the actions as a list, for a menu that is filled when it is opened (a row of a list, the palette).
/resources/owner/: redirects to the object that an ownerReference names.
…/namespaces/-/<name>/contents/: the objects in a namespace. Needs a request for each kind, so it loads after the page.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, moment
from resources import favourites, live_topics
from resources.acting.actions import Action, actions, leading_to
from resources.diagnosis import state_of
from resources.forms.schema import Schema
from resources.history import timeline
from resources.kinds import Panel
from resources.lists import child_troubles
from resources.page import events
from resources.page.deletion_impact import contents as contents_of
from resources.page.detail import Detail, panels, without_panel_fields
from resources.page.detail import detail as details_of
from resources.page.events import Events
from resources.page.values import StatusValue, ValueNode, sections, status_secrets, status_values
from resources.place import CLUSTER_SCOPE, Place, place_of
from resources.state.health import DEGRADED, PROGRESSING, UNKNOWN, Condition, Health, by_word
from resources.views import history
from resources.views.history import HistoryPart
from resources.views.parts import (
    CausesPart,
    OpenPart,
    OwnedPart,
    UsagePart,
    causes_part,
    open_part,
    owned_part,
    peek_part,
    usage_part,
)
from resources.views.setting import SettingPart, setting_part, settings
from resources.writing import examples
from resources.writing.examples import Offer

_PAGE, _OBJECT = "resources/detail.html", "resources/_object.html"
# Parts of the page, for `?part=`: the template that draws each, and the block of it.
PARTS = {
    "object": (_OBJECT, "part"),
    "causes": (_OBJECT, "causes"),
    "usage": (_OBJECT, "usage"),
    "open": (_OBJECT, "open"),
    "owned": ("resources/_owned.html", ""),
    "values": (_PAGE, "values"),
    "history": (_PAGE, "history"),
    "events": (_PAGE, "events"),
}
_FURTHER = frozenset(PARTS) - {"object"}


@dataclass(frozen=True, slots=True)
class Tab:
    """A page about the same object."""

    label: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailPage:
    """Parts of None aren't in this answer. `pods_topic`: also followed by the state, while Pods may decide it."""

    place: Place
    topic: str
    pods_topic: str = ""
    detail: Detail | None = None
    panels: tuple[Panel, ...] = ()
    causes: CausesPart | None = None
    usage: UsagePart | None = None
    open: OpenPart | None = None
    status_values: tuple[StatusValue, ...] = ()
    actions: tuple[Action, ...] = ()
    settings: tuple[SettingPart, ...] = ()
    owned: OwnedPart | None = None
    sections: tuple[ValueNode, ...] = ()
    history: HistoryPart | None = None
    since: datetime | None = None
    events: Events | None = None
    events_topic: str = ""
    operator: Offer = field(default_factory=Offer)

    @property
    def condition_tables(self) -> tuple[tuple[str, tuple[Condition, ...]], ...]:
        """The object's own, then those that its operator's descriptors name elsewhere in the status."""
        own = self.detail.conditions if self.detail else ()
        described = ((value.label, value.conditions) for value in self.status_values if value.conditions)
        return (*([(_("Conditions"), own)] if own else ()), *described)

    @property
    def described_values(self) -> tuple[StatusValue, ...]:
        """What the operator's descriptors name in the status, without tables."""
        return tuple(value for value in self.status_values if not value.conditions)

    @property
    def set_settings(self) -> tuple[SettingPart, ...]:
        return tuple(part for part in self.settings if part.setting.is_set)

    @property
    def unset_settings(self) -> tuple[SettingPart, ...]:
        return tuple(part for part in self.settings if not part.setting.is_set)

    @property
    def quick_actions(self) -> tuple[Action, ...]:
        """What people do most, as buttons; the menu has everything."""
        return leading_to(self.actions, self.place, "logs", "edit")

    @property
    def tabs(self) -> tuple[Tab, ...]:
        """The object's pages: those among its actions that only show, and the parts of this page that are far down."""
        pages = {"yaml": _("YAML"), "logs": _("Logs"), "terminal": _("Terminal")}
        labels = {self.place.url(view): label for view, label in pages.items()}
        shown = [Tab(labels[action.url], action.url) for action in leading_to(self.actions, self.place, *pages)]
        if (self.place.type.group, self.place.type.kind) == ("", "Namespace"):
            shown.insert(0, Tab(_("Access"), self.place.url("access")))
        parts = (Tab(_("History"), self.place.url("history")), Tab(_("Events"), "#events"), Tab(_("Values"), "#values"))
        return (Tab(_("Overview"), self.place.detail_url, current=True), *shown, *parts)

    @property
    def explain(self) -> str:
        return self.place.kind_url("explain")

    @property
    def operator_health(self) -> Health:
        return Health(state=by_word(self.operator.phase), reason=self.operator.phase)


@require_safe
def detail(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The page, or with `?part=` one region of it, or `peek` (resources/views/parts.py).

    Of an object that is gone the region `object` says so, and the others are empty until there is one of this name
    again.
    """
    part, span = request.GET.get("part", ""), request.GET.get("span", "")
    try:
        place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    except NotFound:
        # The kind itself is gone: said once, by the region `object`.
        if part in _FURTHER:
            return render.page(request, _PAGE, {"gone": part}, block="gone")
        raise
    try:
        obj = place.get(request.cluster)
    except NotFound:
        if part in _FURTHER:
            topic = live_topics.topics(request.cluster, place.type, namespace=place.namespace)
            return render.page(request, _PAGE, {"gone": part, "topic": topic, "place": place}, block="gone")
        if not part and (was := history.known(request.cluster, place)):
            return render.page(request, "resources/history.html", {"part": was, "gone": True}, status=404)
        raise
    if not part:
        favourites.visit(request.cluster, place)
    if part == "peek":
        return render.page(request, "resources/_peek.html", {"page": peek_part(request.cluster, place, obj)})
    template, block = PARTS.get(part, (_PAGE, ""))
    page = _page(request.cluster, place, obj, part if part in PARTS else "", span)
    return render.page(request, template, {"page": page}, block=block)


def _page(client: ClusterClient, place: Place, obj: KubeObject, part: str, span: str) -> DetailPage:
    shown = _detail(client, place, obj) if part in ("", "object") else None
    described = part in ("", "object", "open", "values")
    offer = examples.offer(client, place.type, place.namespace) if described else Offer()
    status = status_values(client, obj, offer.status if part in ("", "object", "open") else ())
    offered = actions(client, place, obj) if shown else ()
    related_events = events.about_tree(client, place.type, obj) if part in ("", "events", "history") else Events()
    owned = owned_part(client, place, obj) if part in ("", "owned") else None
    rows = owned.found.rows if owned else None
    return DetailPage(
        place=place,
        topic=live_topics.topics(client, place.type, namespace=place.namespace),
        pods_topic=_pods_topic(client, place, shown),
        detail=shown,
        causes=causes_part(client, place, obj) if part in ("", "causes") else None,
        usage=usage_part(client, place, obj, rows) if part in ("", "usage") else None,
        panels=panels(client, place.type, obj) if shown else (),
        open=open_part(client, place, obj, status, rows) if part in ("", "open") else None,
        status_values=_news(status, shown),
        actions=offered,
        settings=_settings(client, place, obj, offer, offered) if shown else (),
        owned=owned,
        sections=_sections(client, place, obj, offer) if part in ("", "values") else (),
        operator=offer,
        since=timeline.since(client, obj, shown.health.state) or moment(shown.health.since) if shown else None,
        history=history.part(client, place, obj, span=span, event_rows=related_events.rows, live=bool(part))
        if part in ("", "history")
        else None,
        events=related_events if part in ("", "events") else None,
        events_topic=live_topics.topics(client, live_topics.EVENTS, namespace=place.namespace or "default"),
    )


def _detail(client: ClusterClient, place: Place, obj: KubeObject) -> Detail:
    """With the state that the object has with what belongs to it, as lists and the overview show it."""
    return replace(details_of(client, place.type, obj), health=state_of(client, place, obj))


def _settings(
    client: ClusterClient, place: Place, obj: KubeObject, offer: Offer, offered: tuple[Action, ...]
) -> tuple[SettingPart, ...]:
    """Disabled for users who can't edit the object."""
    refusal = next((action.refusal for action in offered if action.url == place.url("edit")), "")
    if "patch" not in place.type.verbs:
        return ()
    return tuple(setting_part(place, setting, refusal=refusal) for setting in settings(client, place.type, obj, offer))


def _sections(client: ClusterClient, place: Place, obj: KubeObject, offer: Offer) -> tuple[ValueNode, ...]:
    """Without a schema that can be read the fields are shown all the same, only without words about them."""
    try:
        schema = Schema.from_document(client.schema(place.type))
    except KubeError:
        schema = Schema.from_document(None)
    return sections(without_panel_fields(place.type, obj), schema, status_secrets(offer))


def _news(all_: tuple[StatusValue, ...], shown: Detail | None) -> tuple[StatusValue, ...]:
    """Without what the kind's printer columns say in the same words."""
    known = {(fact.name.casefold(), fact.text) for fact in shown.facts} if shown else set()
    return tuple(value for value in all_ if (value.label.casefold(), value.text) not in known)


def _pods_topic(client: ClusterClient, place: Place, shown: Detail | None) -> str:
    unsettled = shown is not None and shown.health.state in (PROGRESSING, UNKNOWN, DEGRADED)
    return (
        live_topics.topics(client, live_topics.PODS, namespace=place.namespace)
        if unsettled and child_troubles.counts(place.type)
        else ""
    )


@require_safe
def menu(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The actions as a list; without script a page of its own."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    found = actions(request.cluster, place, place.get(request.cluster))
    part = "resources/_action_list.html"
    context = {"place": place, "actions": found, "title": place.name, "last": _("Actions"), "part": part}
    return render.page(request, "resources/single.html", context, fragment=part)


@require_safe
def owner(request: ConsoleRequest) -> HttpResponse:
    """`of` (apiVersion), `kind`, `name` of the owner, `namespace` of what it owns. Rows know the owner's kind, and not
    the plural that is in its address. Raises NotFound for a kind that is not served.
    """
    group, _slash, version = request.GET.get("of", "").rpartition("/")
    type_ = request.cluster.find_kind(group, request.GET.get("kind", ""), version)
    namespace = request.GET.get("namespace", "")
    inside = type_.namespaced and namespace not in ("", CLUSTER_SCOPE)
    name = request.GET.get("name", "")
    if not name or (type_.namespaced and not inside):
        return HttpResponseRedirect(Place(type_).list_url)
    return HttpResponseRedirect(Place(type_, namespace if inside else "", name).detail_url)


@require_safe
def contents(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The part for htmx; for readers without script a page of its own."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if (place.type.group, place.type.kind) != ("", "Namespace"):
        raise NotFound(_("Only namespaces contain other objects; %(kind)s doesn't.") % {"kind": place.type.kind})
    place.get(request.cluster)
    found = contents_of(request.cluster, name)
    names = {
        "place": place,
        "data": found,
        "title": _("Contents of %(name)s") % {"name": name},
        "last": _("Contents"),
        "part": "resources/kinds/_contents.html",
    }
    return render.page(request, "resources/single.html", names, fragment="resources/kinds/_contents.html")

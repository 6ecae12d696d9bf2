"""`{% load resources %}`: the badge of a kind, the star of an object or a kind, the favorites in the navigation, and
what pages watch besides their objects.
"""

import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django import template
from django.db import DatabaseError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError
from resources import favourites, live_topics
from resources.changes import position
from resources.history.strip import PEOPLE, RESTARTS
from resources.history.strip import READY as READY_REPLICAS
from resources.place import Place
from resources.state.health import DEGRADED, PROGRESSING, READY, TERMINATING
from resources.types.kind_versions import deprecation, preferred_type
from resources.types.manager import DEFINITIONS
from resources.types.types import kind_letters

register = template.Library()
# PatternFly's colours of labels but red, green and grey, which stand for states.
_COLOURS = ("blue", "teal", "purple", "orange", "yellow")
# PatternFly's classes for colours of labels, states, and who changed something.
_STATE_COLOURS = {
    "green": "pf-v6-u-icon-color-status-success",
    "red": "pf-v6-u-icon-color-status-danger",
    "orange": "pf-v6-u-icon-color-status-warning",
    "purple": "pf-v6-u-icon-color-status-custom",
    "blue": "pf-v6-u-icon-color-brand",
    "grey": "pf-v6-u-icon-color-disabled",
    PEOPLE: "pf-v6-u-icon-color-brand",
    RESTARTS: "pf-v6-u-icon-color-status-danger",
    READY_REPLICAS: "pf-v6-u-icon-color-status-success",
    READY: "pf-v6-u-icon-color-status-success",
    DEGRADED: "pf-v6-u-icon-color-status-danger",
    PROGRESSING: "pf-v6-u-icon-color-brand",
    TERMINATING: "pf-v6-u-icon-color-brand",
}
_FAVOURITES_IN_NAVIGATION = 4
# For a request whose start is not known: longer than a page takes to make.
_MARGIN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Why a version should not be used any more, '' where the page says it already; `preferred`: the type to use,
    which may be of the same `version`.
    """

    text: str
    preferred: ResourceType | None
    version: str

    @property
    def alternative(self) -> ResourceType | None:
        return self.preferred if self.preferred and self.preferred.version != self.version else None


register.filter("is_custom", is_custom)


@register.filter
@lru_cache(maxsize=1024)
def kind_badge(kind: str) -> SafeString:
    """A small mark with a kind's capitals: "RS" for ReplicaSet. Its words stand beside it, so it isn't read aloud."""
    return format_html(
        '<span class="console-kind pf-v6-c-label pf-m-{}" data-kind="{}" title="{}" aria-hidden="true"></span>',
        _COLOURS[zlib.crc32(kind.encode()) % len(_COLOURS)],
        kind_letters(kind),
        kind,
    )


@register.filter
def state_colour(name: str) -> str:
    """The class of what is drawn in the colour of a label, a state or a lane of the history, as `currentColor`."""
    return _STATE_COLOURS.get(name, "pf-v6-u-icon-color-subtle")


@register.simple_tag(takes_context=True)
def definition_topic(context: Any, group: str) -> str:
    """The topic of all definitions; '' for kinds that have none."""
    return live_topics.topics(context["request"].cluster, DEFINITIONS) if is_custom(group) else ""


@register.simple_tag(takes_context=True)
def version_deprecation(context: Any, group: str, version: str, plural: str) -> Deprecation | None:
    """None where the version isn't deprecated, or that can't be read."""
    client = context["request"].cluster
    try:
        text = deprecation(client, client.find(group, version, plural)) if is_custom(group) else ""
        if not text:
            return None
        return Deprecation("" if text in _warned(context) else text, preferred_type(client, group, plural), version)
    except KubeError:
        return None


def _warned(context: Any) -> set[str]:
    """The API server's warnings above the content. Messages that no page has shown yet stay for the next one."""
    messages = context.get("messages")
    shown = messages if getattr(messages, "used", False) else ()
    return {*(context.get("cluster_warnings") or ()), *(str(message) for message in shown)}


@register.inclusion_tag("resources/_star.html", takes_context=True)
def star(context: Any, place: Place) -> dict[str, Any]:
    """Pressed where the place is a favourite of this user."""
    request = context.get("request")
    try:
        on = bool(request) and favourites.is_favourite(request.cluster, place)
    except (KubeError, DatabaseError):
        return {"place": None}
    return {"place": place, "on": on, "request": request, "csrf_token": context.get("csrf_token")}


@register.inclusion_tag("resources/_favourites_navigation.html", takes_context=True)
def favourites_navigation(context: Any) -> dict[str, Any]:
    """The newest favourites, without asking the cluster for them. A frame is drawn whatever fails."""
    request = context.get("request")
    try:
        found = favourites.favourites(request.cluster) if request else ()
    except (KubeError, DatabaseError, AttributeError):
        found = ()
    return {"marks": [marked for marked in found if marked.url][:_FAVOURITES_IN_NAVIGATION], "request": request}


def position_at_start(request: Any) -> str:
    """Where the streams stood before anything was read for this request. '' without Redis."""
    started = getattr(request, "started", None)
    ago = _MARGIN_SECONDS if started is None else time.monotonic() - started + 0.1
    return position(ago)


@register.simple_tag(takes_context=True)
def live_since(context: Any) -> SafeString:
    """`data-live-since="…"`: a position from before the page's data was read.

    Empty without Redis: the stream then says `resync`.
    """
    return format_html('data-live-since="{}"', position_at_start(context.get("request")))

"""What an administrator adds to the console: links, banners and YAML samples.

They are ConsoleLinks, ConsoleNotifications and ConsoleYAMLSamples of console.openshift.io/v1, as OKD's console takes
them (https://github.com/openshift/api, console/v1): from the setting ADDITIONS, and from the cluster where it serves
these types and the user can list them. Colors are left out: pages allow no inline style.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import yaml
from django.conf import settings

from console.web.navigation import cache_navigation, cached_navigation, navigation_key
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject, mapping
from untrusted import yaml_bounds

log = logging.getLogger(__name__)

GROUP = "console.openshift.io"
#: Objects of a kind; more are not read.
_MOST = 100
#: Characters of a text.
_LONGEST = 1000


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


def links(client: ClusterClient | None) -> tuple[AddedLink, ...]:
    """Those for every page, sorted by section and text. Links of namespaces' dashboards are left out."""
    found = []
    for spec in _specs(client, "ConsoleLink"):
        place = _text(spec.get("location"))
        link = _link(spec)
        if link is None or place not in ("ApplicationMenu", "HelpMenu", "UserMenu"):
            continue
        section = _text(mapping(spec.get("applicationMenu")).get("section")) if place == "ApplicationMenu" else ""
        found.append(AddedLink(link.text, link.href, section, is_personal=place == "UserMenu"))
    return tuple(sorted(found, key=lambda link: (link.section.lower(), link.text.lower())))


def banners(client: ClusterClient | None) -> tuple[Banner, ...]:
    found = []
    for spec in _specs(client, "ConsoleNotification"):
        place = _text(spec.get("location")) or "BannerTop"
        is_top, is_bottom = place in ("BannerTop", "BannerTopBottom"), place in ("BannerBottom", "BannerTopBottom")
        if words := _text(spec.get("text")):
            found.append(Banner(words, _link(mapping(spec.get("link"))), is_top=is_top, is_bottom=is_bottom))
    return tuple(found)


def samples(client: ClusterClient, type_: ResourceType) -> tuple[Sample, ...]:
    """Whole objects of this type. Snippets, which are parts of an object, are left out."""
    found = []
    for spec in _specs(client, "ConsoleYAMLSample"):
        target = mapping(spec.get("targetResource"))
        if spec.get("snippet") is True or target != {"apiVersion": type_.api_version, "kind": type_.kind}:
            continue
        try:
            obj = yaml_bounds.load(str(spec.get("yaml") or ""))
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if isinstance(obj, dict):
            found.append(Sample(_text(spec.get("title")), _text(spec.get("description")), obj))
    return tuple(found)


def _specs(client: ClusterClient | None, kind: str) -> Iterator[Mapping[str, Any]]:
    found = [obj for obj in _of_settings(settings.ADDITIONS) if obj.get("kind") == kind][:_MOST]
    for obj in (*found, *(_of_cluster(client, kind) if client else ())):
        yield mapping(obj.get("spec"))


@lru_cache(maxsize=1)
def _of_settings(text: str) -> tuple[KubeObject, ...]:
    try:
        return tuple(obj for obj in yaml_bounds.load_all(text) if isinstance(obj, dict))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        log.warning("ADDITIONS isn't valid YAML: %s", error)
        return ()


def _of_cluster(client: ClusterClient, kind: str) -> tuple[KubeObject, ...]:
    """At most a minute old; nothing where the cluster doesn't serve the type, the user can't list it, or the cluster
    doesn't respond: no page fails for it.
    """
    try:
        key = navigation_key("additions", client, kind)
        found = cached_navigation(key)
        if not isinstance(found, tuple):
            found = _listed(client, kind)
            cache_navigation(key, found)
    except KubeError:
        return ()
    return found


def _listed(client: ClusterClient, kind: str) -> tuple[KubeObject, ...]:
    """Raises KubeError, but for a refusal, which holds for a while."""
    type_ = _served(client, kind)
    try:
        return tuple(client.list(type_, limit=_MOST).items) if type_ else ()
    except Forbidden:
        return ()


def _served(client: ClusterClient, kind: str) -> ResourceType | None:
    """From what discovery said last: every page asks this, so nothing is looked up again for a missing type."""
    return next((type_ for type_ in client.types() if (type_.group, type_.kind) == (GROUP, kind)), None)


def _link(spec: Mapping[str, Any]) -> AddedLink | None:
    """None unless it has a text and an address of the web."""
    text, href = _text(spec.get("text")), _text(spec.get("href"))
    try:
        is_web = urlsplit(href).scheme in ("https", "http")
    except ValueError:
        is_web = False
    return AddedLink(text, href) if text and is_web else None


def _text(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""

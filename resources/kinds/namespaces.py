"""The panels of a Namespace, a ResourceQuota and a LimitRange.

A namespace's page has its security level, its quotas as bars of used and allowed, its limits as a table, the links that
an administrator added, and, while it is deleted, what it waits for in plain words.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from console.web import navigation
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from kube.reader import read
from kube.types.cluster import LimitRange, LimitRangeItem, ResourceQuota
from kube.types.meta import ObjectMeta
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import PANEL, Bar, Bars, Bit, Cell, Table, bar, facts, line, some, table
from resources.state.health import conditions


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    meta = read(obj.get("metadata"), ObjectMeta)
    if going := waits_for(obj):
        yield facts("going", _("Deletion progress"), going)
    yield facts("namespace", _("Security"), _security(meta.labels))
    yield from _quotas(some(client, "", "ResourceQuota", meta.name, limit=50).items)
    ranges = some(client, "", "LimitRange", meta.name, limit=50).items
    if ranges:
        yield _limits_panel(ranges)
    if links := navigation.namespace_links(client, meta.name, meta.labels):
        entries = ((_("From your administrator"), tuple(Bit(text=link.text, url=link.href) for link in links)),)
        yield facts("links", _("Links"), entries)


def _security(labels: Mapping[str, str]) -> Iterable[tuple[str, Cell]]:
    """Pod Security Admission: what Pods may ask for here.
    https://kubernetes.io/docs/concepts/security/pod-security-admission/
    """
    titles = {
        "enforce": _("Pod security (enforce)"),
        "warn": _("Pod security (warn)"),
        "audit": _("Pod security (audit)"),
    }
    words = {
        "privileged": _("privileged: no restrictions"),
        "baseline": _("baseline: no known privilege escalations"),
        "restricted": _("restricted: only hardened Pods"),
    }
    found = [
        (title, line(words.get(level, level)))
        for mode, title in titles.items()
        if (level := labels.get(f"pod-security.kubernetes.io/{mode}"))
    ]
    return found or [(_("Pod security"), line(_("Not set: the cluster's default applies"), "muted"))]


def waits_for(obj: KubeObject) -> tuple[tuple[str, Cell], ...]:
    """The namespace controller's conditions in plain words; none for a namespace that stays.

    https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/namespace/deletion/status_condition_utils.go
    """
    if not read(obj.get("metadata"), ObjectMeta).deletion_timestamp:
        return ()
    words = {
        "NamespaceDeletionDiscoveryFailure": _(
            "Some API groups aren't responding, so their remaining objects are unknown. Repair or "
            "delete their APIServices."
        ),
        "NamespaceDeletionGroupVersionParsingFailure": _("Some API groups have versions that can't be read."),
        "NamespaceDeletionContentFailure": _("Some objects couldn't be deleted."),
        "NamespaceContentRemaining": _("Some objects still exist."),
        "NamespaceFinalizersRemaining": _(
            "Some objects have finalizers that their operator must remove. Check that the operator is "
            "installed and running."
        ),
    }
    found = [
        (condition.type, (*line(words.get(condition.type, condition.reason)), *line(condition.message, "muted")))
        for condition in conditions(obj)
        if condition.status == "True"
    ]
    return tuple(found) or ((_("Deletion"), (Bit(text=_("Deletion has just started.")),)),)


def quota_panels(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    quota = read(obj, ResourceQuota)
    scopes = quota.spec.scopes
    note = _("Scopes: %(scopes)s") % {"scopes": ", ".join(scopes)} if scopes else ""
    yield Panel("bars", PANEL, Bars(_("Used"), quota_bars(quota), _("No limits."), note))


def limit_range_panels(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield _limits_panel((obj,))


def _quotas(objects: Iterable[KubeObject]) -> Iterator[Panel]:
    """The bars of all quotas of a namespace."""
    quotas = [read(obj, ResourceQuota) for obj in objects]
    bars = tuple(
        replace(found, name=f"{found.name} ({quota.metadata.name})") for quota in quotas for found in quota_bars(quota)
    )
    if bars:
        yield Panel("quotas", PANEL, Bars(_("Quotas"), bars))


def quota_bars(quota: ResourceQuota) -> tuple[Bar, ...]:
    """By name; before its controller has counted, of the spec alone."""
    hard = quota.status.hard or quota.spec.hard
    return tuple(bar(name, quota.status.used.get(name, ""), most) for name, most in sorted(hard.items()))


def _limits_panel(objects: Iterable[KubeObject]) -> Panel:
    """A row for each type and resource of LimitRanges."""
    columns = (
        _("Type"),
        _("Resource"),
        _("Minimum"),
        _("Maximum"),
        _("Default request"),
        _("Default limit"),
        _("Maximum limit/request ratio"),
    )
    ranges = [read(obj, LimitRange) for obj in objects]
    rows = tuple(row for found in ranges for item in found.spec.limits for row in _limits(item))
    return table("limits", Table(title=_("Limits"), columns=columns, rows=rows, empty=_("No limits.")), wide=True)


def _limits(item: LimitRangeItem) -> Iterator[tuple[Cell, ...]]:
    parts = (item.min, item.max, item.default_request, item.default, item.max_limit_request_ratio)
    for name in dict.fromkeys(name for part in parts for name in part):
        yield line(item.type), line(name), *(line(part.get(name)) for part in parts)


PANELS: dict[Kind, Maker] = {
    ("", "Namespace"): panels,
    ("", "ResourceQuota"): quota_panels,
    ("", "LimitRange"): limit_range_panels,
}

"""The panels of a Namespace, a ResourceQuota and a LimitRange.

A namespace's page has its security level, its quotas as bars of used and allowed, its limits as a table, and, while it
is deleted, what it waits for in plain words.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, text
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bar, Bars, Bit, Cell, Table, bar, facts, line, some, table
from resources.state.health import conditions


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    name = name_of(obj)
    if going := waits_for(obj):
        yield facts("going", _("Deletion progress"), going)
    yield facts("namespace", _("Security"), _security(mapping(mapping(obj.get("metadata")).get("labels"))))
    yield from _quotas(some(client, "", "ResourceQuota", name, limit=50).items)
    ranges = some(client, "", "LimitRange", name, limit=50).items
    if ranges:
        yield limits_table("limits", _("Limits"), ranges)


def _security(labels: Mapping[str, Any]) -> Iterable[tuple[str, Cell]]:
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
        (title, line(words.get(str(level), level)))
        for mode, title in titles.items()
        if (level := labels.get(f"pod-security.kubernetes.io/{mode}"))
    ]
    return found or [(_("Pod security"), line(_("Not set: the cluster's default applies"), "muted"))]


def waits_for(obj: KubeObject) -> tuple[tuple[str, Cell], ...]:
    """The namespace controller's conditions in plain words; none for a namespace that stays.

    https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/namespace/deletion/status_condition_utils.go
    """
    if not mapping(obj.get("metadata")).get("deletionTimestamp"):
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


def quota(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    made = Bars(_("Used"), quota_bars(obj), _("No limits."), _scope(obj))
    yield Panel("bars", "resources/kinds/_bars.html", made)


def limit_range(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield limits_table("limits", _("Limits"), (obj,))


def _quotas(objects: Iterable[KubeObject]) -> Iterator[Panel]:
    """The bars of all quotas of a namespace."""
    found = tuple(replace(found, name=f"{found.name} ({name_of(obj)})") for obj in objects for found in quota_bars(obj))
    if found:
        yield Panel("quotas", "resources/kinds/_bars.html", Bars(_("Quotas"), found))


def quota_bars(obj: KubeObject) -> tuple[Bar, ...]:
    """Of a ResourceQuota, by name; before its controller has counted, of the spec alone."""
    status = mapping(obj.get("status"))
    hard = mapping(status.get("hard")) or mapping(mapping(obj.get("spec")).get("hard"))
    used = mapping(status.get("used"))
    return tuple(bar(name, text(used.get(name)), text(most)) for name, most in sorted(hard.items()))


def _scope(obj: KubeObject) -> str:
    scopes = mapping(obj.get("spec")).get("scopes")
    names = [text(scope) for scope in scopes] if isinstance(scopes, list) else []
    return _("Scopes: %(scopes)s") % {"scopes": ", ".join(names)} if names else ""


def limits_table(id_: str, title: str, found: Iterable[KubeObject]) -> Panel:
    """A row for each kind of thing and resource."""
    columns = (
        _("Type"),
        _("Resource"),
        _("Minimum"),
        _("Maximum"),
        _("Default request"),
        _("Default limit"),
        _("Maximum limit/request ratio"),
    )
    rows = tuple(
        row for obj in found for item in items(mapping(obj.get("spec")).get("limits")) for row in _limits(item)
    )
    return table(id_, Table(title=title, columns=columns, rows=rows, empty=_("No limits.")), wide=True)


def _limits(item: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    parts = [mapping(item.get(key)) for key in ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")]
    for name in dict.fromkeys(name for part in parts for name in part):
        yield line(item.get("type")), line(name), *(line(part.get(name)) for part in parts)


PANELS: dict[Kind, Maker] = {
    ("", "Namespace"): panels,
    ("", "ResourceQuota"): quota,
    ("", "LimitRange"): limit_range,
}

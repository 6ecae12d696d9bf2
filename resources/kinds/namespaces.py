"""A namespace's page: what is in it, its quotas and limits, and, while it goes, what it waits for in plain words."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, mapping, name_of
from resources.kinds import Kind, Maker, Panel, quotas
from resources.kinds.parts import Bit, Cell, facts, line, some
from resources.state.health import conditions


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    name = name_of(obj)
    if going := waits_for(obj):
        yield facts("going", _("Deletion progress"), going)
    yield facts("namespace", _("Security"), _security(mapping(mapping(obj.get("metadata")).get("labels"))))
    yield from quotas.of_namespace(some(client, "", "ResourceQuota", name, limit=50).items)
    ranges = some(client, "", "LimitRange", name, limit=50).items
    if ranges:
        yield quotas.limits_table("limits", _("Limits"), ranges)


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


PANELS: dict[Kind, Maker] = {
    ("", "Namespace"): panels,
    ("", "ResourceQuota"): quotas.quota,
    ("", "LimitRange"): quotas.limit_range,
}

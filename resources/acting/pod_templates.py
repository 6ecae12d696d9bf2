"""The Pod template of a workload: where it is, and how a part of it is changed. Pure."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.discovery import ResourceType
from kube.objects import KubeObject, mapping

#: Types whose Pod template can be changed, and the fields that lead to its spec.
PATHS = {
    ("apps", "Deployment"): ("spec", "template", "spec"),
    ("apps", "StatefulSet"): ("spec", "template", "spec"),
    ("apps", "DaemonSet"): ("spec", "template", "spec"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
}


def path_of(type_: ResourceType) -> tuple[str, ...]:
    """The fields that lead to the spec of the Pod template; () for a type without one that can be changed."""
    return PATHS.get((type_.group, type_.kind), ())


def spec_of(workload: KubeObject, path: tuple[str, ...]) -> Mapping[str, Any]:
    found: Any = workload
    for key in path:
        found = mapping(found).get(key)
    return mapping(found)


def patch(workload: KubeObject, path: tuple[str, ...], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A merge patch of the Pod template's spec. Lists are sent whole, so the version must be the one that was read."""
    body: dict[str, Any] = dict(changes)
    for key in reversed(path):
        body = {key: body}
    return {**body, "metadata": {"resourceVersion": mapping(workload.get("metadata")).get("resourceVersion")}}


def effect(type_: ResourceType) -> str:
    """What a change of the template does, as a sentence."""
    return _("Its next Job uses the change.") if type_.kind == "CronJob" else _("Its Pods are replaced.")

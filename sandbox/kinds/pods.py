"""Pods and the Pod templates of workloads: defaults, and what may still change once a Pod is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import Cause
from ..objects import copy, dig, now
from .strategy import Object, Strategy

_CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


def default_spec(spec: Any) -> None:
    """Defaults of a PodSpec (kubernetes/pkg/apis/core/v1/defaults.go)."""
    if not isinstance(spec, dict):
        return
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")
    if spec.get("serviceAccountName"):
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    elif spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"]
    for name in _CONTAINER_LISTS:
        for container in spec.get(name) or []:
            if isinstance(container, dict):
                _default_container(container)
    for volume in spec.get("volumes") or []:
        if isinstance(volume, dict):
            _default_volume(volume)


def _default_container(container: Object) -> None:
    container.setdefault("resources", {})
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    image = str(container.get("image") or "")
    if image:
        tag = image.rpartition("/")[2].partition(":")[2]
        latest = "@" not in image and tag in ("", "latest")
        container.setdefault("imagePullPolicy", "Always" if latest else "IfNotPresent")
    for port in container.get("ports") or []:
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or []:
        reference = dig(variable, "valueFrom", "fieldRef")
        if isinstance(reference, dict):
            reference.setdefault("apiVersion", "v1")
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if isinstance(probe, dict):
            _default_probe(probe)


def _default_probe(probe: Object) -> None:
    for key, value in (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)):
        if not probe.get(key):
            probe[key] = value
    http = probe.get("httpGet")
    if isinstance(http, dict):
        http.setdefault("path", "/")
        http.setdefault("scheme", "HTTP")


def _default_volume(volume: Object) -> None:
    if set(volume) == {"name"}:
        volume["emptyDir"] = {}
    for name in ("secret", "configMap", "downwardAPI", "projected"):
        source = volume.get(name)
        if isinstance(source, dict):
            source.setdefault("defaultMode", 420)
    for source in dig(volume, "projected", "sources") or []:
        token = source.get("serviceAccountToken")
        if isinstance(token, dict):
            token.setdefault("expirationSeconds", 3600)
    path = volume.get("hostPath")
    if isinstance(path, dict):
        path.setdefault("type", "")


def default_template(template: Any) -> None:
    """Defaults of a PodTemplateSpec."""
    if isinstance(template, dict):
        template.setdefault("metadata", {})
        if template["metadata"] is None:
            template["metadata"] = {}
        default_spec(template.get("spec"))


def _defaults(pod: Object) -> None:
    spec = pod.get("spec")
    default_spec(spec)
    if isinstance(spec, dict):
        spec.setdefault("enableServiceLinks", True)
        for container in [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]:
            limits = dig(container, "resources", "limits")
            if limits:
                container["resources"]["requests"] = {**limits, **(container["resources"].get("requests") or {})}


def _create(pod: Object, _: Any) -> None:
    spec = pod.get("spec")
    if isinstance(spec, dict):
        spec.setdefault("serviceAccountName", "default")
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
        spec.setdefault("preemptionPolicy", "PreemptLowerPriority")
        spec.setdefault("priority", 0)
        spec.setdefault(
            "tolerations",
            [
                {
                    "key": f"node.kubernetes.io/{name}",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }
                for name in ("not-ready", "unreachable")
            ],
        )
    pod["status"] = {"phase": "Pending", "qosClass": _quality(spec)}


def _quality(spec: Any) -> str:
    containers = [c for c in (spec or {}).get("containers") or [] if isinstance(c, dict)]
    wanted = [dig(c, "resources", kind) or {} for c in containers for kind in ("requests", "limits")]
    if not any(wanted):
        return "BestEffort"
    for container in containers:
        limits = dig(container, "resources", "limits") or {}
        requests = dig(container, "resources", "requests") or {}
        if not {"cpu", "memory"} <= set(limits) or any(requests.get(k, v) != v for k, v in limits.items()):
            return "Burstable"
    return "Guaranteed"


def _update(pod: Object, old: Object) -> None:
    quality = dig(old, "status", "qosClass")
    if quality:
        pod.setdefault("status", {}).setdefault("qosClass", quality)


def template_causes(spec: Any, path: str, claims: Iterable[str] = ()) -> list[Cause]:
    """What is wrong with a PodSpec at ``path`` that its schema does not say. ``claims`` are volumes that come later."""
    spec = spec if isinstance(spec, dict) else {}
    causes: list[Cause] = []
    if not spec.get("containers"):
        causes.append(Cause(f"{path}.containers", "FieldValueRequired", "Required value"))
    seen: set[str] = set()
    volumes = {volume.get("name") for volume in spec.get("volumes") or [] if isinstance(volume, dict)} | set(claims)
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or []):
            causes += _container_causes(container, f"{path}.{kind}[{index}]", seen, volumes)
    return causes


def _container_causes(container: Object, path: str, seen: set[str], volumes: set[Any]) -> list[Cause]:
    causes = []
    name = str(container.get("name") or "")
    if not name:
        causes.append(Cause(f"{path}.name", "FieldValueRequired", "Required value"))
    elif name in seen:
        causes.append(Cause(f"{path}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
    seen.add(name)
    if not container.get("image"):
        causes.append(Cause(f"{path}.image", "FieldValueRequired", "Required value"))
    for index, mount in enumerate(container.get("volumeMounts") or []):
        if mount.get("name") not in volumes:
            text = f'Not found: "{mount.get("name")}"'
            causes.append(Cause(f"{path}.volumeMounts[{index}].name", "FieldValueNotFound", text))
    return causes


#: What may change in the spec of a Pod that exists.
_MUTABLE = ("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates", "nodeName")


def _validate(pod: Object, old: Object | None) -> list[Cause]:
    spec = pod.get("spec")
    causes = template_causes(spec, "spec")
    if old is not None and isinstance(spec, dict) and spec != old.get("spec") and _frozen(spec) != _frozen(old["spec"]):
        text = (
            "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
        )
        causes.append(Cause("spec", "FieldValueForbidden", text))
    return causes


def _frozen(spec: Object) -> Object:
    kept: Object = copy({key: value for key, value in spec.items() if key not in _MUTABLE})
    for name in _CONTAINER_LISTS:
        for container in kept.get(name) or []:
            container.pop("image", None)
            container.pop("resources", None)
    return kept


def _grace(pod: Object) -> int:
    """A Pod that no kubelet has, or that has ended, goes at once."""
    if not dig(pod, "spec", "nodeName") or dig(pod, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    seconds = dig(pod, "spec", "terminationGracePeriodSeconds")
    return 30 if seconds is None else int(seconds)


def ready_condition(kind: str, status: bool) -> Object:
    """A Pod condition, for controllers."""
    return {"type": kind, "status": "True" if status else "False", "lastTransitionTime": now()}


STRATEGIES = {
    "pods": Strategy(
        defaults=_defaults, create=_create, update=_update, validate=_validate, grace=_grace, returns_deleted=True
    ),
    "podtemplates": Strategy(defaults=lambda obj: default_template(obj.get("template"))),
}

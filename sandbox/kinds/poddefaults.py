"""Defaults of Pods and of the Pod templates of workloads (kubernetes/pkg/apis/core/v1/defaults.go)."""

from __future__ import annotations

import math
from typing import Any

from structural.canonical import canonical
from structural.quantities import parse_quantity

from ..objects import dig
from .strategy import Object

CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


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
    for name in CONTAINER_LISTS:
        for container in spec.get(name) or []:
            if isinstance(container, dict):
                _default_container(container)
    for volume in spec.get("volumes") or []:
        if isinstance(volume, dict):
            _default_volume(volume)
    if isinstance(grace := spec["terminationGracePeriodSeconds"], int) and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1


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
    for amounts in (dig(container, "resources", "limits"), dig(container, "resources", "requests")):
        for name in amounts or {}:
            amounts[name] = _whole_millis(amounts[name])
    for variable in container.get("env") or []:
        reference = dig(variable, "valueFrom", "fieldRef")
        if isinstance(reference, dict):
            reference.setdefault("apiVersion", "v1")
    for name in ("postStart", "preStop"):
        _default_http(dig(container, "lifecycle", name, "httpGet"))
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if isinstance(probe, dict):
            _default_probe(probe)


def _default_probe(probe: Object) -> None:
    for key, value in (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)):
        if not probe.get(key):
            probe[key] = value
    _default_http(probe.get("httpGet"))
    if isinstance(probe.get("grpc"), dict):
        probe["grpc"].setdefault("service", "")


def _default_http(http: Any) -> None:
    if isinstance(http, dict):
        http.setdefault("path", "/")
        http.setdefault("scheme", "HTTP")


def _whole_millis(value: Any) -> Any:
    """Nothing smaller than a thousandth is asked for."""
    number = parse_quantity(str(value))
    if number is None or (number * 1000).denominator == 1:
        return value
    return canonical(f"{math.ceil(number * 1000)}m")


def _default_volume(volume: Object) -> None:
    if set(volume) == {"name"}:
        volume["emptyDir"] = {}
    for name in ("secret", "configMap", "downwardAPI", "projected"):
        source = volume.get(name)
        if isinstance(source, dict):
            source.setdefault("defaultMode", 420)
    _default_files(dig(volume, "downwardAPI", "items"))
    claim = dig(volume, "ephemeral", "volumeClaimTemplate")
    if isinstance(claim, dict):
        claim.setdefault("metadata", {})
        claim.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
    for source in dig(volume, "projected", "sources") or []:
        _default_files(dig(source, "downwardAPI", "items"))
        token = source.get("serviceAccountToken")
        if isinstance(token, dict):
            token.setdefault("expirationSeconds", 3600)
    path = volume.get("hostPath")
    if isinstance(path, dict):
        path.setdefault("type", "")


def _default_files(items: Any) -> None:
    for item in items or []:
        reference = dig(item, "fieldRef")
        if isinstance(reference, dict):
            reference.setdefault("apiVersion", "v1")


def default_template(template: Any) -> None:
    """Defaults of a PodTemplateSpec."""
    if isinstance(template, dict):
        template.setdefault("metadata", {})
        if template["metadata"] is None:
            template["metadata"] = {}
        if not isinstance(template.get("spec"), dict):
            template["spec"] = {}
        default_spec(template["spec"])

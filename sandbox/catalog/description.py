"""The CSVDescription of a CSV in the package API, built as OLM's package server builds it. Pure functions.

Source of the fields: operator-lifecycle-manager, pkg/package-server/apis/operators/v1.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

Object = dict[str, Any]


def describe(csv: Object) -> Object:
    """CSVDescription of a ClusterServiceVersion; icons are kept elsewhere, as lists of packages leave them out."""
    spec = csv.get("spec") or {}
    provider = spec.get("provider") or {}
    found: Object = {
        "displayName": spec.get("displayName", ""),
        "version": str(spec.get("version", "")),
        "provider": _only(provider, "name", "url"),
        "annotations": {
            key: str(value) for key, value in ((csv.get("metadata") or {}).get("annotations") or {}).items()
        },
        "keywords": [str(word) for word in spec.get("keywords") or []],
        "links": [_only(link, "name", "url") for link in spec.get("links") or []],
        "maintainers": [_only(person, "name", "email") for person in spec.get("maintainers") or []],
        "maturity": spec.get("maturity", ""),
        "description": spec.get("description", ""),
        "installModes": spec.get("installModes") or [],
        "customresourcedefinitions": spec.get("customresourcedefinitions") or {},
        "apiservicedefinitions": spec.get("apiservicedefinitions") or {},
        "nativeApis": spec.get("nativeAPIs") or [],
        "minKubeVersion": str(spec.get("minKubeVersion") or ""),
        "relatedImages": images(csv),
    }
    always = ("version", "provider", "customresourcedefinitions", "apiservicedefinitions")
    return {key: value for key, value in found.items() if value or key in always}


def _only(thing: Any, *keys: str) -> Object:
    if not isinstance(thing, dict):
        return {}
    return {key: str(thing[key]) for key in keys if thing.get(key)}


def images(csv: Object) -> list[str]:
    """Images of the operator's own containers and those that the CSV lists, each once."""
    spec = csv.get("spec") or {}
    found = {str(image["image"]) for image in spec.get("relatedImages") or [] if image.get("image")}
    for deployment in ((spec.get("install") or {}).get("spec") or {}).get("deployments") or []:
        pod = ((deployment.get("spec") or {}).get("template") or {}).get("spec") or {}
        for container in (pod.get("containers") or []) + (pod.get("initContainers") or []):
            if container.get("image"):
                found.add(str(container["image"]))
    return sorted(found)


def icon(csv: Object) -> tuple[bytes, str] | None:
    """The first icon: image and media type. None when there is none, or when it is not base64."""
    for entry in (csv.get("spec") or {}).get("icon") or []:
        try:
            data = base64.b64decode("".join(entry["base64data"].split()), validate=True)
        except (KeyError, TypeError, AttributeError, binascii.Error):
            continue
        if data:
            return data, str(entry.get("mediatype") or "image/png")
    return None


def labels(csv: Object) -> dict[str, str]:
    """Labels of the package: the provider's, the CSV's, and what an operator that says nothing runs on."""
    provider = (csv.get("spec") or {}).get("provider") or {}
    found = {"provider": str(provider.get("name") or ""), "provider-url": str(provider.get("url") or "")}
    found |= {key: str(value) for key, value in ((csv.get("metadata") or {}).get("labels") or {}).items()}
    if not any(key.startswith("operatorframework.io/os.") for key in found):
        found["operatorframework.io/os.linux"] = "supported"
    if not any(key.startswith("operatorframework.io/arch.") for key in found):
        found["operatorframework.io/arch.amd64"] = "supported"
    return found

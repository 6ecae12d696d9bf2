"""Environment variables of containers, and the paths of the downward API."""

from __future__ import annotations

import re
from typing import Any

from .basics import Causes, Object, config_key, invalid, not_found, not_supported, quantity, required

_NAME = re.compile(r"[ -<>-~]+")
_NAME_TEXT = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_VARIABLE_PATHS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_FILE_PATHS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_KNOWN_PATHS = {*_VARIABLE_PATHS, *_FILE_PATHS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_KNOWN_PATHS |= {"spec.hostNetwork", "status.nominatedNodeName"}
_SUBSCRIPT = re.compile(r"(.+)\['(.*)'\]")
_RESOURCES = tuple(
    f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_TOO_MANY = "may not have more than one field specified at a time"


def environment(path: str, container: Object) -> Causes:
    """``env`` and ``envFrom``."""
    for index, variable in enumerate(container.get("env") or []):
        at, name = f"{path}.env[{index}]", variable.get("name")
        if not name:
            yield required(f"{at}.name")
        elif not _NAME.fullmatch(name):
            yield invalid(f"{at}.name", name, _NAME_TEXT)
        if variable.get("valueFrom") is not None:
            yield from _source(f"{at}.valueFrom", variable["valueFrom"], variable.get("value"))
    for index, source in enumerate(container.get("envFrom") or []):
        yield from _whole(f"{path}.envFrom", index, source)


def _whole(path: str, index: int, source: Object) -> Causes:
    """All of a ConfigMap or a Secret."""
    if (prefix := source.get("prefix")) and not _NAME.fullmatch(prefix):
        yield invalid(f"{path}[{index}].prefix", prefix, _NAME_TEXT)
    found = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
    for name in found:
        if not source[name].get("name"):
            yield required(f"{path}.{name}.name")
    if not found:
        yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(found) > 1:
        yield invalid(path, "", _TOO_MANY)


def file_references(path: str, spec: Object) -> Causes:
    """Files of variables are in an emptyDir of the Pod."""
    volumes = {one.get("name"): one for one in spec.get("volumes") or []}
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(spec.get(kind) or []):
            for index, variable in enumerate(container.get("env") or []):
                reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
                at = f"{path}.{kind}[{number}].env[{index}].valueFrom.fileKeyRef.volumeName"
                if reference is None:
                    continue
                name = reference.get("volumeName") or ""
                if name not in volumes:
                    yield not_found(at, name)
                elif volumes[name].get("emptyDir") is None:
                    yield invalid(at, name, "referenced volume must be of type emptyDir")


def _source(path: str, source: Object, value: Any) -> Causes:
    found = [name for name in _SOURCES if source.get(name) is not None]
    for name in found:
        at, reference = f"{path}.{name}", source[name]
        match name:
            case "fieldRef":
                yield from field_path(at, reference, _VARIABLE_PATHS)
            case "resourceFieldRef":
                yield from resource_path(at, reference)
            case "fileKeyRef":
                for field in ("key", "volumeName", "path"):
                    if not reference.get(field):
                        yield required(f"{at}.{field}")
            case _:
                if not reference.get("name"):
                    yield required(f"{at}.name")
                if not reference.get("key"):
                    yield required(f"{at}.key")
                else:
                    yield from config_key(f"{at}.key", reference["key"])
    if not found:
        names = ", ".join(f"`{name}`" for name in _SOURCES[:-1])
        yield invalid(path, "", f"must specify one of: {names} or `{_SOURCES[-1]}`")
    elif value:
        yield invalid(path, "", "may not be specified when `value` is not empty")
    if len(found) > 1:
        yield invalid(path, "", _TOO_MANY)


def field_path(path: str, reference: Object, supported: tuple[str, ...] = _FILE_PATHS) -> Causes:
    """A field of the Pod; those that a file may have, unless ``supported`` says otherwise."""
    wanted = reference.get("fieldPath")
    if not reference.get("apiVersion"):
        yield required(f"{path}.apiVersion")
    elif not wanted:
        yield required(f"{path}.fieldPath")
    elif found := _SUBSCRIPT.fullmatch(wanted):
        if found[1] not in ("metadata.annotations", "metadata.labels"):
            yield invalid(f"{path}.fieldPath", wanted, f"does not support subscript: {wanted}")
    elif wanted not in _KNOWN_PATHS:
        text = f"error converting fieldPath: field label not supported: {wanted}"
        yield invalid(f"{path}.fieldPath", wanted, text)
    elif wanted not in supported:
        yield not_supported(f"{path}.fieldPath", wanted, list(supported))


def resource_path(path: str, reference: Object, in_file: bool = False) -> Causes:
    """A request or limit of a container."""
    if in_file and not reference.get("containerName"):
        yield required(f"{path}.containerName")
    wanted = reference.get("resource")
    if not wanted:
        yield required(f"{path}.resource")
    elif wanted not in _RESOURCES and ".hugepages-" not in wanted:
        yield not_supported(f"{path}.resource", wanted, list(_RESOURCES))
    elif (divisor := quantity(reference.get("divisor") or 0)) and divisor < 0:
        yield invalid(f"{path}.divisor", str(reference["divisor"]), "only divisor's values 1m and 1 are supported")

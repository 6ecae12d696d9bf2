"""A container's environment: what its spec says, its Services, and where the sandbox put its volumes and ports.

Nothing of the sandbox's own environment goes in but what programs need to run at all.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..client import Client
from ..errors import NotFound
from ..objects import Object, dig

#: Taken over from the sandbox's own environment.
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT", "SAMPLEDB_REDIS_SERVER")
_REFERENCE = re.compile(r"\$(\$|\(([-._a-zA-Z][-._a-zA-Z0-9]*)\))")
_SUBSCRIPT = re.compile(r"^metadata\.(labels|annotations)\['([^']+)'\]$")
#: The folder that holds this program: its packages are importable for the images' programs.
ROOT = Path(__file__).resolve().parents[2]


#: Variables that make a program load code before its own (ld.so(8), the interpreters' manuals). A Pod's spec can't set
#: them: Pods share this machine's Python, and what starts them must not run their code.
_LOADERS = frozenset(
    [
        "BASH_ENV",
        "BASHOPTS",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "LOCPATH",
        "NLSPATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PERL5DB",
        "PERL5LIB",
        "PERL5OPT",
        "PERLLIB",
        "RUBYLIB",
        "RUBYOPT",
        "SHELLOPTS",
        "_JAVA_OPTIONS",
    ]
)
_LOADER_PREFIXES = ("LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "SANDBOX_")
#: Variables of such names that are harmless, and common.
_HARMLESS = frozenset(
    {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED"}
)


def is_loader_variable(name: str) -> bool:
    """Whether a Pod's spec can't set this variable."""
    return name in _LOADERS or (name.startswith(_LOADER_PREFIXES) and name not in _HARMLESS)


class ConfigError(Exception):
    """The environment needs an object or key that doesn't exist (CreateContainerConfigError)."""


def base_environment() -> dict[str, str]:
    """The variables that every process gets."""
    inherited = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": os.defpath, **inherited, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def expand(text: str, variables: Mapping[str, str]) -> str:
    """``$(NAME)`` by its value; unknown names stay as they are, ``$$`` is a dollar."""

    def value(found: re.Match[str]) -> str:
        if found[1] == "$":
            return "$"
        return variables.get(found[2], found[0])

    return _REFERENCE.sub(value, text)


def variables_of(cluster: Client, pod: Object, container: Object, given: Mapping[str, str]) -> dict[str, str]:
    """The variables of the container's spec, after those in ``given``; ConfigError."""
    found: dict[str, str] = {}
    for source in container.get("envFrom") or []:
        found |= _from_source(cluster, pod, source)
    for variable in container.get("env") or []:
        name = str(variable["name"])
        if variable.get("valueFrom"):
            value = _value_from(cluster, pod, container, variable["valueFrom"])
            if value is None:
                continue
            found[name] = value
        else:
            found[name] = expand(str(variable.get("value") or ""), {**given, **found})
    return found


def _from_source(cluster: Client, pod: Object, source: Object) -> dict[str, str]:
    prefix = str(source.get("prefix") or "")
    for field, resource, read in (("configMapRef", "configmaps", _plain), ("secretRef", "secrets", _secret)):
        reference = source.get(field)
        if reference:
            obj = _get(cluster, resource, reference, pod)
            return {prefix + key: read(value) for key, value in ((obj or {}).get("data") or {}).items()}
    return {}


def _plain(value: object) -> str:
    return str(value)


def _secret(value: object) -> str:
    return base64.b64decode(str(value)).decode("utf-8", "replace")


def _get(cluster: Client, resource: str, reference: Object, pod: Object) -> Object | None:
    """The object, None when it is missing and optional; ConfigError when it is missing."""
    name = str(reference.get("name"))
    try:
        return cluster.get(resource, name, pod["metadata"]["namespace"])
    except NotFound:
        if reference.get("optional"):
            return None
        kind = {"configmaps": "configmap", "secrets": "secret"}[resource]
        raise ConfigError(f'{kind} "{name}" not found') from None


def _value_from(cluster: Client, pod: Object, container: Object, source: Object) -> str | None:
    readers: tuple[tuple[str, str, str, Callable[[object], str]], ...] = (
        ("configMapKeyRef", "configmaps", "ConfigMap", _plain),
        ("secretKeyRef", "secrets", "Secret", _secret),
    )
    for field, resource, kind, read in readers:
        reference = source.get(field)
        if not reference:
            continue
        obj = _get(cluster, resource, reference, pod)
        data = (obj or {}).get("data") or {}
        if reference.get("key") in data:
            return read(data[reference["key"]])
        if reference.get("optional"):
            return None
        where = f"{pod['metadata']['namespace']}/{reference.get('name')}"
        raise ConfigError(f"couldn't find key {reference.get('key')} in {kind} {where}")
    if source.get("fieldRef"):
        return field_value(pod, str(source["fieldRef"].get("fieldPath")))
    if source.get("resourceFieldRef"):
        return resource_value(pod, container, source["resourceFieldRef"])
    return ""


def field_value(pod: Object, path: str) -> str:
    """A field of the downward API; ConfigError for those that there are not."""
    if found := _SUBSCRIPT.match(path):
        return str((pod["metadata"].get(found[1]) or {}).get(found[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        values = pod["metadata"].get(path.partition(".")[2]) or {}
        return "\n".join(f'{key}="{value}"' for key, value in sorted(values.items()))
    if path == "status.podIPs":
        return str(dig(pod, "status", "podIP") or "")
    known = ("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName")
    if path not in (*known, "status.hostIP", "status.podIP", "status.hostIPs"):
        raise ConfigError(f"field label not supported: {path}")
    return str(dig(pod, *path.replace("hostIPs", "hostIP").split(".")) or "")


def resource_value(pod: Object, container: Object, reference: Object) -> str:
    """A container's limit or request as it stands in the spec."""
    name = reference.get("containerName")
    if name:
        found = [item for item in dig(pod, "spec", "containers") or [] if item["name"] == name]
        container = found[0] if found else container
    kind, _, resource = str(reference.get("resource")).partition(".")
    return str(dig(container, "resources", kind, resource) or "0")


def service_variables(name: str, host: str, ports: list[tuple[str, int]]) -> dict[str, str]:
    """A Service's variables as a kubelet sets them: ``ports`` are (name, port) in their order."""
    prefix = re.sub(r"[^A-Z0-9_]", "_", name.upper())
    found = {f"{prefix}_SERVICE_HOST": host}
    for index, (port_name, port) in enumerate(ports):
        address = f"tcp://{host}:{port}"
        if index == 0:
            found |= {f"{prefix}_SERVICE_PORT": str(port), f"{prefix}_PORT": address}
        if port_name:
            suffix = re.sub(r"[^A-Z0-9_]", "_", port_name.upper())
            found[f"{prefix}_SERVICE_PORT_{suffix}"] = str(port)
        found[f"{prefix}_PORT_{port}_TCP"] = address
        found[f"{prefix}_PORT_{port}_TCP_ADDR"] = host
        found[f"{prefix}_PORT_{port}_TCP_PORT"] = str(port)
    return found


def mount_variable(path: str) -> str:
    """The variable with the real path of a mount path."""
    return "SANDBOX_MOUNT_" + re.sub(r"[^0-9A-Za-z]", "_", path).upper()

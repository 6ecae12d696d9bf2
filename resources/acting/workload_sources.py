"""A Secret or ConfigMap in a Pod template: its keys as environment variables, or as files in a volume. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from resources.state.health import items, text

_DNS_LABEL = 63


class CannotAdd(ValueError):
    """Why it can't be added, in words for the user; `field`: whose input is wrong, '' for none."""

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(words)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The Secret or ConfigMap."""

    kind: str
    name: str

    @property
    def environment_key(self) -> str:
        """The field of EnvFromSource."""
        return "secretRef" if self.kind == "Secret" else "configMapRef"

    @property
    def volume(self) -> dict[str, Any]:
        """The fields of a Volume, without its name."""
        return {"secret": {"secretName": self.name}} if self.kind == "Secret" else {"configMap": {"name": self.name}}

    @property
    def volume_name(self) -> str:
        """A DNS label of the object's name, which may be longer and may contain dots."""
        return re.sub(r"[^a-z0-9-]", "-", f"{self.kind.lower()}-{self.name}")[:_DNS_LABEL].rstrip("-")


def as_environment(pod_spec: Mapping[str, Any], source: Source, *, container: str, prefix: str) -> dict[str, Any]:
    """The Pod template's changed fields. `container`: its name, '' for all. Raises CannotAdd."""
    entry: dict[str, Any] = {source.environment_key: {"name": source.name}, **({"prefix": prefix} if prefix else {})}
    containers = []
    for item, is_chosen in _containers(pod_spec, container):
        present = items(item.get("envFrom"))
        if is_chosen and entry not in present:
            containers.append({**item, "envFrom": [*present, entry]})
        else:
            containers.append(dict(item))
    if containers == items(pod_spec.get("containers")):
        raise CannotAdd(_("The workload already has these environment variables."))
    return {"containers": containers}


def as_files(pod_spec: Mapping[str, Any], source: Source, *, container: str, path: str) -> dict[str, Any]:
    """The same with a volume, mounted read-only at `path`."""
    volumes = [dict(volume) for volume in items(pod_spec.get("volumes"))]
    name = next((text(volume.get("name")) for volume in volumes if _is_of(volume, source)), "")
    if not name:
        name = _unused(source.volume_name, {text(volume.get("name")) for volume in volumes})
        volumes.append({"name": name, **source.volume})
    containers = []
    for item, is_chosen in _containers(pod_spec, container):
        mounts = items(item.get("volumeMounts"))
        if not is_chosen:
            containers.append(dict(item))
            continue
        if any(text(mount.get("mountPath")).rstrip("/") == path.rstrip("/") for mount in mounts):
            words = _("The container “%(name)s” already has a volume at this path.")
            raise CannotAdd(words % {"name": text(item.get("name"))}, "path")
        containers.append({**item, "volumeMounts": [*mounts, {"name": name, "mountPath": path, "readOnly": True}]})
    return {"containers": containers, "volumes": volumes}


def _containers(pod_spec: Mapping[str, Any], wanted: str) -> list[tuple[Mapping[str, Any], bool]]:
    """Each container of the Pod template, and whether it is meant."""
    found = items(pod_spec.get("containers"))
    names = [text(container.get("name")) for container in found]
    if wanted and wanted not in names:
        words = _("The workload has no container “%(name)s”. Its containers: %(names)s.")
        raise CannotAdd(words % {"name": wanted, "names": ", ".join(names)}, "container")
    return [(container, wanted in ("", name)) for container, name in zip(found, names, strict=True)]


def _is_of(volume: Mapping[str, Any], source: Source) -> bool:
    """Whether the volume has all keys of the source, and nothing else."""
    return {key: value for key, value in volume.items() if key != "name"} in (
        source.volume,
        # As the API server completes it.
        {key: {**value, "defaultMode": 0o644} for key, value in source.volume.items()},
    )


def _unused(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"-{number}"
        free = name[: _DNS_LABEL - len(ending)] + ending
    return free

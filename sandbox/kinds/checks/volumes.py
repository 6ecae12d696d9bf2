"""The volumes of a Pod, and their sources."""

from __future__ import annotations

from typing import Any

from .basics import Causes, Object, duplicate, forbidden, invalid, label, only, quantity, required
from .claims import claim_spec
from .environment import field_path, resource_path
from .mounts import below, never_up

#: In the order in which the API server looks at them.
SOURCES = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)
_HOST_PATH_TYPES = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_ONE_TYPE = "may not specify more than 1 volume type"


def volumes(path: str, given: Any) -> Causes:
    """``volumes`` of a Pod's spec."""
    names: set[str] = set()
    for index, volume in enumerate(given or []):
        at, name = f"{path}[{index}]", volume.get("name") or ""
        faults = list(source(at, volume, SOURCES))
        if not name:
            faults.append(required(f"{at}.name"))
        else:
            faults += label(f"{at}.name", name)
        if name in names:
            faults.append(duplicate(f"{at}.name", name))
        if not faults:
            names.add(name)
        yield from faults


def good(given: Any) -> dict[str, Object]:
    """The volumes that are in order, by name: only those can be mounted."""
    found: dict[str, Object] = {}
    for volume in given or []:
        name = volume.get("name") or ""
        if name and not list(label("", name)) and not list(source("", volume, SOURCES)):
            found.setdefault(name, volume)
    return found


def source(path: str, volume: Object, sources: tuple[str, ...]) -> Causes:
    """One of these sources, and that in order."""
    found = [name for name in sources if volume.get(name) is not None]
    if not found:
        yield required(path, "must specify a volume type")
        return
    check = _CHECKS.get(found[0])
    if check is not None:
        yield from check(f"{path}.{found[0]}", volume[found[0]])
    yield from (forbidden(f"{path}.{name}", _ONE_TYPE) for name in found[1:])


def _empty(path: str, given: Object) -> Causes:
    if quantity(given.get("sizeLimit") or 0) < 0:
        yield forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def host_path(path: str, given: Object) -> Causes:
    """A path of the node."""
    if not given.get("path"):
        yield required(f"{path}.path")
        return
    yield from never_up(f"{path}.path", given["path"])
    yield from only(f"{path}.type", given.get("type"), _HOST_PATH_TYPES)


def _mode(path: str, value: Any) -> Causes:
    if value is not None and not 0 <= value <= 0o777:
        yield invalid(path, value, _MODE)


def _file(path: str, value: Any) -> Causes:
    value = value or ""
    yield from below(path, value)
    if value.startswith("..") and not value.startswith("../") and value != "..":
        yield invalid(path, value, "must not start with '..'")


def _keyed(name_field: str) -> Any:
    def check(path: str, given: Object) -> Causes:
        if not given.get(name_field):
            yield required(f"{path}.{name_field}")
        yield from _mode(f"{path}.defaultMode", given.get("defaultMode"))
        yield from _items(f"{path}.items", given.get("items"))

    return check


def _items(path: str, items: Any) -> Causes:
    for index, item in enumerate(items or []):
        at = f"{path}[{index}]"
        if not item.get("key"):
            yield required(f"{at}.key")
        if not item.get("path"):
            yield required(f"{at}.path")
        yield from _file(f"{at}.path", item.get("path"))
        yield from _mode(f"{at}.mode", item.get("mode"))


def _nfs(path: str, given: Object) -> Causes:
    if not given.get("server"):
        yield required(f"{path}.server")
    if not given.get("path"):
        yield required(f"{path}.path")
    if not str(given.get("path") or "").startswith("/"):
        yield invalid(f"{path}.path", given.get("path") or "", "must be an absolute path")


def _claim(path: str, given: Object) -> Causes:
    if not given.get("claimName"):
        yield required(f"{path}.claimName")


def _downward(path: str, given: Object) -> Causes:
    yield from _mode(f"{path}.defaultMode", given.get("defaultMode"))
    for file in given.get("items") or []:  # the API server does not say which
        if not file.get("path"):
            yield required(f"{path}.path")
        yield from _file(f"{path}.path", file.get("path"))
        if file.get("fieldRef") is not None:
            yield from field_path(f"{path}.fieldRef", file["fieldRef"])
            if file.get("resourceFieldRef") is not None:
                text = "fieldRef and resourceFieldRef can not be specified simultaneously"
                yield invalid(path, "resource", text)
        elif file.get("resourceFieldRef") is not None:
            yield from resource_path(f"{path}.resourceFieldRef", file["resourceFieldRef"], in_file=True)
        else:
            yield required(path, "one of fieldRef and resourceFieldRef is required")
        yield from _mode(f"{path}.mode", file.get("mode"))


def _projected(path: str, given: Object) -> Causes:
    yield from _mode(f"{path}.defaultMode", given.get("defaultMode"))
    for index, one in enumerate(given.get("sources") or []):
        at = f"{path}.sources[{index}]"
        for kind in ("secret", "configMap"):
            if one.get(kind) is not None:
                if not one[kind].get("name"):
                    yield required(f"{at}.{kind}.name")
                yield from _items(f"{at}.{kind}.items", one[kind].get("items"))
        if one.get("downwardAPI") is not None:
            yield from _downward(f"{at}.downwardAPI", one["downwardAPI"])
        if one.get("serviceAccountToken") is not None:
            yield from _token(path, f"{at}.serviceAccountToken", one["serviceAccountToken"])
        if len([name for name in one if one[name] is not None]) > 1:
            yield forbidden(at, "may not specify more than 1 volume type per source")


def _token(path: str, at: str, token: Object) -> Causes:
    seconds = token.get("expirationSeconds") or 0
    if seconds < 600:
        yield invalid(f"{at}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    if seconds > 1 << 32:
        yield invalid(f"{at}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
    if not token.get("path"):
        yield required(f"{path}.path")
    else:
        yield from _file(f"{path}.path", token["path"])


def _csi(path: str, given: Object) -> Causes:
    if not given.get("driver"):
        yield required(f"{path}.driver")


def _ephemeral(path: str, given: Object) -> Causes:
    template = given.get("volumeClaimTemplate")
    if template is None:
        yield required(f"{path}.volumeClaimTemplate")
    else:
        yield from claim_spec(f"{path}.volumeClaimTemplate.spec", template.get("spec") or {})


_CHECKS: dict[str, Any] = {
    "emptyDir": _empty,
    "hostPath": host_path,
    "secret": _keyed("secretName"),
    "configMap": _keyed("name"),
    "nfs": _nfs,
    "persistentVolumeClaim": _claim,
    "downwardAPI": _downward,
    "projected": _projected,
    "csi": _csi,
    "ephemeral": _ephemeral,
}

__all__ = ["SOURCES", "good", "host_path", "source", "volumes"]

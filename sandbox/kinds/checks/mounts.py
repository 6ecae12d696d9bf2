"""Where containers see the Pod's volumes."""

from __future__ import annotations

from .basics import Causes, Object, forbidden, invalid, not_found, one_of, required

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")


def below(path: str, value: str) -> Causes:
    """A relative path that never goes up."""
    if value.startswith("/"):
        yield invalid(path, value, "must be a relative path")
    yield from never_up(path, value)


def never_up(path: str, value: str) -> Causes:
    """A path without ``..``."""
    if ".." in value.split("/"):
        yield invalid(path, value, "must not contain '..'")


def mounts(path: str, container: Object, volumes: dict[str, Object]) -> Causes:
    """``volumeMounts``."""
    blocks = {one.get("name"): one.get("devicePath") for one in container.get("volumeDevices") or []}
    points: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or []):
        at, name, point = f"{path}[{index}]", mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            yield required(f"{at}.name")
        if name not in volumes:
            yield not_found(f"{at}.name", name)
        if not point:
            yield required(f"{at}.mountPath")
        if point in points:
            yield invalid(f"{at}.mountPath", point, "must be unique")
        points.add(point)
        if name in blocks:
            yield invalid(f"{at}.name", name, "must not already exist in volumeDevices")
        if point in blocks.values():
            yield invalid(f"{at}.mountPath", point, "must not already exist as a path in volumeDevices")
        yield from _details(path, at, mount, container)


def _details(path: str, at: str, mount: Object, container: Object) -> Causes:
    """The API server leaves out the index in most of these."""
    if mount.get("subPath"):
        yield from below(f"{path}.subPath", mount["subPath"])
    if expression := mount.get("subPathExpr"):
        if mount.get("subPath"):
            yield invalid(f"{at}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
        yield from below(f"{path}.subPathExpr", expression)
    propagation = mount.get("mountPropagation")
    if propagation is None:
        return
    yield from one_of(f"{path}.mountPropagation", propagation, _PROPAGATIONS)
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        text = "Bidirectional mount propagation is available only to privileged containers"
        yield forbidden(f"{path}.mountPropagation", text)


def devices(path: str, container: Object, volumes: dict[str, Object]) -> Causes:
    """``volumeDevices``."""
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container.get("volumeDevices") or []):
        at, name, point = f"{path}[{index}]", device.get("name") or "", device.get("devicePath") or ""
        source = volumes.get(name)
        if not name:
            yield required(f"{at}.name")
        if name in names:
            yield invalid(f"{at}.name", name, "must be unique")
        if source is None:
            yield not_found(f"{at}.name", name)
        elif not {"persistentVolumeClaim", "ephemeral"} & set(source):
            text = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield invalid(f"{at}.name", name, text)
        if not point:
            yield required(f"{at}.devicePath")
        if point in paths:
            yield invalid(f"{at}.devicePath", point, "must be unique")
        if ".." in point.split("/"):
            yield invalid(f"{at}.devicePath", point, "can not contain backsteps ('..')")
        names.add(name)
        paths.add(point)

"""Volumes as folders: claims, ConfigMaps, Secrets, the downward API, projections of them, and empty folders.

Files are replaced one by one, each whole; those of ConfigMaps and Secrets follow their objects while the Pod runs.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path

from ..client import Client
from ..errors import NotFound, ServiceUnavailable
from ..objects import Object, dig
from .confinement import open_folder
from .environment import ConfigError, field_value, resource_value
from .place import PodPlace

#: Path in the volume → (content, mode)
Files = dict[str, tuple[bytes, int]]


#: Such volumes are folders of this machine, which no user of the cluster owns.
_NO_HOST_PATH = "hostPath and local volumes are closed on the embedded cluster; use a claim or an emptyDir"


class MountError(Exception):
    """A volume cannot be mounted yet; the message is a kubelet's."""


class Mounts:
    """The volumes of one Pod, below its folder. ``token`` mints a token of the Pod's ServiceAccount."""

    def __init__(self, cluster: Client, place: PodPlace, token: Callable[[], str]):
        self._cluster = cluster
        self._place = place
        self._folder = place.folder / "volumes"
        self._data = place.data_dir
        self._token = token

    def prepare(self, pod: Object) -> dict[str, Path]:
        """Each volume's folder by its name; MountError."""
        return {str(volume["name"]): self._mount(pod, volume) for volume in dig(pod, "spec", "volumes") or []}

    def refresh(self, pod: Object, resource: str, name: str) -> None:
        """Writes the volumes again that come from this ConfigMap or Secret."""
        for volume in dig(pod, "spec", "volumes") or []:
            if (resource, name) in sources(volume):
                try:
                    self._mount(pod, volume)
                except (MountError, ServiceUnavailable):
                    continue

    def renew_tokens(self, pod: Object) -> None:
        """Writes the volumes again that have a token; MountError."""
        for volume in dig(pod, "spec", "volumes") or []:
            if any("serviceAccountToken" in source for source in dig(volume, "projected", "sources") or []):
                self._mount(pod, volume)

    def _mount(self, pod: Object, volume: Object) -> Path:
        name = str(volume["name"])
        place = self._folder / name
        if claim := dig(volume, "persistentVolumeClaim", "claimName"):
            return self._claim(pod["metadata"]["namespace"], str(claim))
        if "hostPath" in volume:
            raise MountError(f'MountVolume.SetUp failed for volume "{name}" : {_NO_HOST_PATH}')
        for folder in (self._folder, place):
            open_folder(folder)
        try:
            files = self._files(pod, volume)
        except (MountError, ConfigError) as problem:
            raise MountError(f'MountVolume.SetUp failed for volume "{name}" : {problem}') from None
        if files is not None:
            write(place, files, self._place.confinement.uid(self._place.namespace))
        else:
            self._place.confinement.own(place, self._place.namespace)
        return place

    def _claim(self, namespace: str, name: str) -> Path:
        try:
            claim = self._cluster.get("persistentvolumeclaims", name, namespace)
            volume = self._cluster.get("persistentvolumes", str(dig(claim, "spec", "volumeName")))
        except NotFound:
            raise MountError(f'persistentvolumeclaim "{name}" not found') from None
        spec, title = volume["spec"], volume["metadata"]["name"]
        if dig(spec, "claimRef", "uid") != claim["metadata"]["uid"]:
            raise MountError(f'persistentvolume "{title}" isn\'t bound to persistentvolumeclaim "{name}"')
        place: Path = self._data / "volumes" / title
        path = dig(spec, "hostPath", "path") or dig(spec, "local", "path")
        if path and Path(str(path)) != place:
            raise MountError(f'MountVolume.SetUp failed for volume "{title}" : {_NO_HOST_PATH}')
        place.mkdir(parents=True, exist_ok=True)
        self._place.confinement.own(place, namespace)
        return place

    def _files(self, pod: Object, volume: Object) -> Files | None:
        """The files of a volume's folder; None when the Pod itself writes them."""
        if "projected" in volume:
            files: Files = {}
            mode = int(dig(volume, "projected", "defaultMode") or 0o644)
            for source in dig(volume, "projected", "sources") or []:
                files |= self._source(pod, source, mode) or {}
            return files
        return self._source(pod, volume, None)

    def _source(self, pod: Object, source: Object, mode: int | None) -> Files | None:
        if found := source.get("configMap"):
            return self._object(pod, "configmaps", found, str(found.get("name")), mode)
        if found := source.get("secret"):
            return self._object(pod, "secrets", found, str(found.get("secretName") or found.get("name")), mode)
        if "downwardAPI" in source:
            return _downward(pod, source["downwardAPI"], mode)
        if found := source.get("serviceAccountToken"):
            return {str(found.get("path", "token")): (self._token().encode(), 0o600)}
        return None

    def _object(self, pod: Object, resource: str, source: Object, name: str, mode: int | None) -> Files:
        namespace = pod["metadata"]["namespace"]
        try:
            obj = self._cluster.get(resource, name, namespace)
        except NotFound:
            if source.get("optional"):
                return {}
            kind = "configmap" if resource == "configmaps" else "secret"
            raise MountError(f'{kind} "{name}" not found') from None
        if mode is None:
            mode = int(source.get("defaultMode") or 0o644)
        data = {key: base64.b64decode(value) for key, value in (obj.get("binaryData") or {}).items()}
        for key, value in (obj.get("data") or {}).items():
            data[key] = base64.b64decode(value) if resource == "secrets" else str(value).encode()
        if not source.get("items"):
            return {key: (value, mode) for key, value in data.items()}
        files: Files = {}
        for item in source["items"]:
            if item["key"] in data:
                files[item["path"]] = (data[item["key"]], int(item.get("mode") or mode))
            elif not source.get("optional"):
                raise MountError(f"references non-existent {resource[:-1]} key: {item['key']}")
        return files


def _downward(pod: Object, source: Object, mode: int | None) -> Files:
    files: Files = {}
    for item in source.get("items") or []:
        if item.get("fieldRef"):
            text = field_value(pod, str(item["fieldRef"].get("fieldPath")))
        else:
            text = resource_value(pod, {}, item.get("resourceFieldRef") or {})
        files[item["path"]] = (text.encode(), int(item.get("mode") or mode or source.get("defaultMode") or 0o644))
    return files


def sources(volume: Object) -> set[tuple[str, str]]:
    """(resource, name) of the ConfigMaps and Secrets that a volume shows."""
    found = set()
    for source in [volume, *(dig(volume, "projected", "sources") or [])]:
        if name := dig(source, "configMap", "name"):
            found.add(("configmaps", str(name)))
        if name := dig(source, "secret", "secretName") or dig(source, "secret", "name"):
            found.add(("secrets", str(name)))
    return found


def write(place: Path, files: Files, uid: int | None = None) -> None:
    """Makes the folder hold exactly these files, of the user ``uid``; paths that lead out of it are refused by a
    MountError.
    """
    root = place.resolve()
    for name, (content, mode) in files.items():
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise MountError(f"path {name} leads out of the volume")
        if path.is_file() and path.read_bytes() == content and path.stat().st_mode & 0o777 == mode & 0o777:
            continue
        for parent in [folder for folder in reversed(path.parents) if folder.is_relative_to(root)]:
            open_folder(parent)
        partial = path.with_name(f".{path.name}.part")
        partial.unlink(missing_ok=True)
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            target.write(content)
            if uid is not None:
                os.fchown(target.fileno(), uid, uid)
        partial.chmod((mode & 0o777) | 0o400)
        partial.replace(path)
    wanted = {(root / name).resolve() for name in files}
    for path in [file for file in root.rglob("*") if file.is_file() and file not in wanted]:
        path.unlink()

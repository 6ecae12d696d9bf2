"""A catalog or a bundle in a registry's image: pulled, its layers laid over each other, only the folders that matter
unpacked.

Which folders, the image's labels say: a catalog has operators.operatorframework.io.index.configs.v1, a bundle
…bundle.manifests.v1 and …metadata.v1. https://olm.operatorframework.io/docs/reference/file-based-catalogs/ ,
https://github.com/operator-framework/operator-registry/blob/master/docs/design/operator-bundle.md
"""

import gzip
import platform
import tarfile
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

import msgspec
import zstandard
from django.utils.translation import gettext as _

from kube import limits
from kube.reader import ApiType, Text, read
from operatorhub.sources import archive, registry
from operatorhub.sources.drafts import SourceError
from untrusted import json_bounds

PREFIX = "operators.operatorframework.io."
CONFIGS, DATABASE = f"{PREFIX}index.configs.v1", f"{PREFIX}index.database.v1"
MANIFESTS, METADATA = f"{PREFIX}bundle.manifests.v1", f"{PREFIX}bundle.metadata.v1"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class _ContainerConfig(ApiType, frozen=True):
    labels: dict[str, Text] = msgspec.field(default={}, name="Labels")


class _ImageConfig(ApiType, frozen=True):
    """https://github.com/opencontainers/image-spec/blob/main/config.md"""

    created: Text = ""
    config: _ContainerConfig = _ContainerConfig()


@dataclass(frozen=True, slots=True)
class Pulled:
    """What an image holds.

    `folder`: of the catalog's files, or with the bundle's manifests/ and metadata/; None where its digest was known
    already.
    """

    digest: str
    folder: Path | None
    labels: Mapping[str, str]
    created: str = ""


def pull(reference: str, target: Path, known: str = "", seconds: float = 0) -> Pulled:
    """The catalog or bundle of an image, in `target`. Raises SourceError: what happened to which image.

    `known`: the digest that was read before; `seconds`: for all layers, else IMAGE_SECONDS.
    """
    where = registry.parse(reference)
    source = registry.Registry(where)
    manifest, digest = source.manifest(where.wanted)
    if known and digest == known:
        return Pulled(digest, None, {})
    if manifest.media_type in registry.INDEXES or manifest.manifests is not None:
        chosen = registry.choose(manifest.manifests or (), _MACHINES.get(platform.machine(), platform.machine()))
        if not chosen:
            raise SourceError(_("The image %(image)s has no manifest for any platform.") % {"image": where})
        manifest, _digest = source.manifest(chosen)
    layers = [layer.digest for layer in manifest.layers]
    if not layers or len(layers) > limits.IMAGE_LAYERS.value:
        words = _("The image %(image)s has %(number)d layers; it can't be read.")
        raise SourceError(words % {"image": where, "number": len(layers)})
    config = _config(source, manifest)
    labels = config.config.labels
    folders = _folders(labels, where)
    budget, deadline = archive.Budget(), time.monotonic() + (seconds or limits.IMAGE_SECONDS.value)
    for layer in layers:
        _layer(source=source, digest=layer, target=target, budget=budget, folders=folders, deadline=deadline)
    return Pulled(digest, _placed(target, folders, where), labels, config.created)


def _config(source: registry.Registry, manifest: registry.ImageManifest) -> _ImageConfig:
    sink = BytesIO()
    source.blob(manifest.config.digest, sink, limits.IMAGE_CONFIG.value, 30)
    try:
        return read(json_bounds.load(sink.getvalue()), _ImageConfig)
    except msgspec.DecodeError as error:
        raise SourceError(
            _("The image %(image)s has no readable configuration.") % {"image": source.reference}
        ) from error


def _folders(labels: Mapping[str, str], where: registry.Reference) -> tuple[str, ...]:
    """The folders to unpack, by their clean names.

    Raises SourceError for an image that is neither a catalog nor a bundle.
    """
    if path := archive.clean(labels.get(CONFIGS, "")):
        return (path,)
    if manifests := archive.clean(labels.get(MANIFESTS, "")):
        return (manifests, archive.clean(labels.get(METADATA, "")) or "metadata")
    if DATABASE in labels:
        words = _(
            "The image %(image)s is a catalog in the old SQLite format. Convert it to a file-based "
            "catalog with “opm migrate”."
        )
        raise SourceError(words % {"image": where})
    words = _("The image %(image)s is neither a catalog nor a bundle: it has no label %(label)s.")
    raise SourceError(words % {"image": where, "label": f"{CONFIGS} / {MANIFESTS}"})


def _layer(
    source: registry.Registry,
    digest: str,
    target: Path,
    budget: archive.Budget,
    folders: tuple[str, ...],
    deadline: float,
) -> None:
    def wanted(name: str) -> bool:
        # Also a whiteout of the folder itself, or of one above it.
        plain = name.replace(".wh.", "")
        return any(
            name.startswith(f"{folder}/") or plain == folder or folder.startswith(f"{plain}/") for folder in folders
        )

    with tempfile.TemporaryFile() as sink:
        source.blob(digest, sink, limits.IMAGE_LAYER.value, max(deadline - time.monotonic(), 1))
        budget.packed(sink.tell())
        sink.seek(0)
        try:
            archive.layer(_plain(sink), target, budget, wanted)
        except (tarfile.TarError, zstandard.ZstdError, EOFError, OSError, ValueError) as error:
            words = _("A layer of %(image)s is damaged: %(error)s.")
            raise SourceError(words % {"image": source.reference, "error": error}) from error


def _plain(sink: IO[bytes]) -> IO[bytes]:
    """The layer's tar, whatever it is packed with; judged by its first bytes, for media types are often wrong."""
    head = sink.read(4)
    sink.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=sink)  # type: ignore[return-value]
    if head == b"\x28\xb5\x2f\xfd":
        return zstandard.ZstdDecompressor(max_window_size=limits.ZSTD_WINDOW.value).stream_reader(sink)
    return sink


def _placed(target: Path, folders: tuple[str, ...], where: registry.Reference) -> Path:
    """The catalog's folder, or one with manifests/ and metadata/."""
    if not (target / folders[0]).is_dir():
        words = _(
            "The image %(image)s names /%(folder)s as the folder of its files, but that folder doesn't exist in it."
        )
        raise SourceError(words % {"image": where, "folder": folders[0]})
    if len(folders) == 1:
        return target / folders[0]
    whole = target / ".bundle"
    whole.mkdir()
    for name, folder in zip(("manifests", "metadata"), folders, strict=True):
        if (target / folder).is_dir():
            (target / folder).rename(whole / name)
    return whole

"""Images from a registry that tells the truth, and from one that lies."""

import gzip
import io
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kube import limits
from operatorhub.sources import image
from operatorhub.sources import registry as client
from operatorhub.sources.drafts import SourceError
from tests import registry

CATALOG = {image.CONFIGS: "/configs"}
BUNDLE = {image.MANIFESTS: "manifests/", image.METADATA: "metadata/"}


@pytest.fixture
def server(settings: Any, tmp_path: Path) -> Iterator[registry.Registry]:
    settings.LOCAL_ONLY = True
    settings.REGISTRY_AUTH_FILE = str(tmp_path / "auth.json")
    with registry.serving() as found:
        yield found


@pytest.fixture
def target(tmp_path: Path) -> Path:
    place = tmp_path / "target"
    place.mkdir()
    return place


def files(folder: Path | None) -> dict[str, bytes]:
    assert folder is not None
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_layers_lie_over_each_other(server: registry.Registry, target: Path) -> None:
    layers = [
        {
            "bin/opm": b"x" * 1000,
            "configs/a/catalog.yaml": b"old",
            "configs/b/catalog.yaml": b"b",
            "configs/c/x.yaml": b"c",
        },
        {"configs/a/catalog.yaml": b"new", "configs/b/.wh.catalog.yaml": b"", "etc/passwd": b"root"},
        {"configs/c/.wh..wh..opq": b"", "./configs/d.json": b"{}"},
    ]
    pulled = image.pull(server.add("team/catalog", "v1", layers, labels=CATALOG), target)
    assert files(pulled.folder) == {"a/catalog.yaml": b"new", "d.json": b"{}"}
    # What the console has already is not fetched again.
    before = len(server.asked)
    again = image.pull(f"{server.host}/team/catalog:v1", target, pulled.digest)
    assert again.folder is None and len(server.asked) == before + 1


def test_a_bundle(server: registry.Registry, target: Path) -> None:
    name = server.add(
        "team/bundle",
        "v1",
        [{"manifests/csv.yaml": b"a", "metadata/annotations.yaml": b"b", "tests/x": b""}],
        labels=BUNDLE,
    )
    assert files(image.pull(name, target).folder) == {"manifests/csv.yaml": b"a", "metadata/annotations.yaml": b"b"}


def test_the_platform_is_chosen(server: registry.Registry, target: Path) -> None:
    for machine in ("s390x", "amd64", "arm64"):
        server.add("team/catalog", "v1", [{"configs/x.yaml": machine.encode()}], labels=CATALOG, platform=machine)
    here = image._MACHINES.get(image.platform.machine(), image.platform.machine())
    wanted = here if here in ("s390x", "amd64", "arm64") else "s390x"
    assert files(image.pull(f"{server.host}/team/catalog:v1", target).folder) == {"x.yaml": wanted.encode()}


def test_a_zstd_window_is_bounded(server: registry.Registry, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S10: the stream itself says how much memory it wants."""
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=25)
    packed = zstandard.ZstdCompressor(compression_params=parameters)
    sink = io.BytesIO()
    with packed.stream_writer(sink, closefd=False) as writer:
        writer.write(gzip.decompress(registry.layer({"configs/x.yaml": b"x"})))
    name = server.add("team/catalog", "v1", [sink.getvalue()], labels=CATALOG)
    with monkeypatch.context() as patch:
        patch.setattr(limits, "ZSTD_WINDOW", replace(limits.ZSTD_WINDOW, value=2**24))
        with pytest.raises(SourceError, match="is damaged"):
            image.pull(name, target)
    assert image.pull(name, target).folder


def test_zstd(server: registry.Registry, target: Path) -> None:
    packed = zstandard.ZstdCompressor().compress(gzip.decompress(registry.layer({"configs/x.yaml": b"x"})))
    assert files(image.pull(server.add("team/z", "v1", [packed], labels=CATALOG), target).folder) == {"x.yaml": b"x"}
    broken = server.add("team/z", "v2", [packed[:30]], labels=CATALOG)
    with pytest.raises(SourceError, match="is damaged"):
        image.pull(broken, target)


def test_by_digest(server: registry.Registry, target: Path) -> None:
    server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG)
    digest = next(wanted for path, wanted in server.manifests if wanted.startswith("sha256:"))
    assert image.pull(f"{server.host}/team/catalog@{digest}", target).digest == digest


@pytest.mark.parametrize("users", [{}, {"me": "p:w"}])
def test_tokens(server: registry.Registry, target: Path, settings: Any, users: dict[str, str]) -> None:
    name = server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG)
    server.token, server.users = True, users
    if users:
        with pytest.raises(SourceError, match="401"):
            image.pull(name, target)
        auth = {"auths": {server.host: {"username": "me", "password": "p:w"}}}
        Path(settings.REGISTRY_AUTH_FILE).write_text(json.dumps(auth))
    assert files(image.pull(name, target).folder) == {"x.yaml": b"x"}


def test_no_credentials_go_to_another_host(server: registry.Registry, target: Path) -> None:
    name = server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG)
    server.token, server.lies = True, {"redirect"}
    assert files(image.pull(name, target).folder) == {"x.yaml": b"x"}
    elsewhere = [authorization for path, authorization in server.asked if path.startswith("/elsewhere/")]
    assert elsewhere and not any(elsewhere)


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ("digest", ": the blob sha256:"),
        ("header", ": the manifest v1"),
        ("manifest", ": the manifest sha256:"),
        ("truncated", "was interrupted|was closed after"),
        ("busy", "too many requests. Wait 7 seconds"),
        ("broken", "returned 500"),
        ("loop", "more than 5 times"),
        ("outside", "doesn't read from"),
    ],
)
def test_lies(server: registry.Registry, target: Path, lie: str, words: str) -> None:
    name = server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG, platform="amd64")
    server.lies = {lie}
    with pytest.raises(SourceError, match=words) as caught:
        image.pull(name, target)
    assert server.host in str(caught.value) or lie == "outside"
    assert not list(target.rglob("*.yaml"))


def test_an_image_is_bounded(server: registry.Registry, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S10: layers, bytes of a layer, bytes of a manifest."""
    files = {"configs/x.yaml": os.urandom(2000)}
    name = server.add("team/catalog", "v1", [files, {"configs/y.yaml": b"y"}], labels=CATALOG)
    for limit in ("IMAGE_LAYERS", "IMAGE_LAYER", "IMAGE_MANIFEST", "IMAGE_CONFIG"):
        with monkeypatch.context() as patch:
            smaller = {"IMAGE_LAYERS": 1, "IMAGE_CONFIG": 20}.get(limit, 200)
            patch.setattr(limits, limit, replace(getattr(limits, limit), value=smaller))
            with pytest.raises(SourceError, match="2 layers" if limit == "IMAGE_LAYERS" else "larger than|more than"):
                image.pull(name, target)
    assert not list(target.rglob("*.yaml"))
    assert image.pull(name, target).folder


@pytest.mark.parametrize("manifest", [b"[]", b'"x"', b"1", b"null", b"[" * 100_000])
def test_a_manifest_that_is_none(server: registry.Registry, target: Path, manifest: bytes) -> None:
    """It was an AttributeError, which no page words."""
    name = server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG)
    server.manifests[("team/catalog", "v1")] = (registry.MANIFEST, manifest)
    with pytest.raises(SourceError):
        image.pull(name, target)


def test_a_slow_registry_ends(server: registry.Registry, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = server.add("team/catalog", "v1", [{"configs/x.yaml": b"x"}], labels=CATALOG)
    server.lies = {"slow"}
    monkeypatch.setattr(limits, "IMAGE_SECONDS", replace(limits.IMAGE_SECONDS, value=1))
    with pytest.raises(SourceError, match="took longer than 1 second"):
        image.pull(name, target)


def test_what_is_no_catalog(server: registry.Registry, target: Path) -> None:
    for labels, words in (
        ({}, "neither a catalog nor a bundle"),
        ({image.DATABASE: "/database/index.db"}, "old SQLite format"),
        (CATALOG, "that folder doesn't exist"),
    ):
        name = server.add("team/app", "v1", [{"app": b"x"}], labels=labels)
        with pytest.raises(SourceError, match=words):
            image.pull(name, target)
    with pytest.raises(SourceError, match=r"team/app:v2 doesn't exist on"):
        image.pull(f"{server.host}/team/app:v2", target)
    with pytest.raises(SourceError, match="is damaged"):
        image.pull(server.add("team/b", "v1", [b"\x1f\x8bnonsense"], labels=CATALOG), target)


def test_nothing_leaves_the_folder(server: registry.Registry, target: Path) -> None:
    link = tarfile.TarInfo("configs/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    evil = registry.layer({"configs/ok.yaml": b"x", "../../configs/up.yaml": b"x", "/configs/abs.yaml": b"x"}, (link,))
    layers = [evil, {"configs/link/x.yaml": b"x"}]
    pulled = image.pull(server.add("team/catalog", "v1", layers, labels=CATALOG), target)
    assert set(files(pulled.folder)) == {"ok.yaml", "abs.yaml", "link/x.yaml"}
    assert not (target / "configs/link").is_symlink()
    assert not list(target.parent.glob("*.yaml")) and not list(target.parent.parent.glob("up.yaml"))


@pytest.mark.parametrize(
    ("given", "host", "path", "wanted"),
    [
        ("quay.io/operatorhubio/catalog:latest", "quay.io", "operatorhubio/catalog", "latest"),
        ("busybox", "docker.io", "library/busybox", "latest"),
        ("team/app:1.0", "docker.io", "team/app", "1.0"),
        ("localhost:5000/a/b", "localhost:5000", "a/b", "latest"),
        (f"docker://x.io/a:t@sha256:{'0' * 64}", "x.io", "a", f"sha256:{'0' * 64}"),
    ],
)
def test_references(given: str, host: str, path: str, wanted: str) -> None:
    found = client.parse(given)
    assert (found.host, found.path, found.wanted) == (host, path, wanted)


@pytest.mark.parametrize("given", ["", "http://x.io/a", "x.io/A", "x.io/a:", "x.io/a b", "x.io/../a", "user:pw@x.io/a"])
def test_what_is_no_reference(given: str) -> None:
    with pytest.raises(SourceError, match="isn't a valid image"):
        client.parse(given)


def test_plain_http_for_this_machine_only() -> None:
    assert client.parse("localhost:5000/a").base == "http://localhost:5000/v2/a"
    assert client.parse("x.io/a").base == "https://x.io/v2/a"
    assert client.parse("busybox").base == "https://registry-1.docker.io/v2/library/busybox"

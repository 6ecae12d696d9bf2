"""S10: untrusted archives are stopped at the limits of bytes, files, ratio and time."""

import base64
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kube import limits
from operatorhub.bootstrap import manifest
from operatorhub.exports import folder
from operatorhub.run import bundle_input
from operatorhub.sources import archive, drafts, fbc, fetch
from operatorhub.sources.drafts import SourceError
from operatorhub.upgrade import plans
from tests.conftest import ROOT

ZEROS = b"a: 0\n" * 4_000_000  # 20 MB of YAML


def in_zip(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("csv.yaml", data)
    return made.getvalue()


def in_tar(data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as packed:
        member = tarfile.TarInfo("csv.yaml")
        member.size = len(data)
        packed.addfile(member, io.BytesIO(data))
    return made.getvalue()


PACKED: dict[str, Callable[[], bytes]] = {
    "zip": lambda: in_zip(ZEROS),
    "xz": lambda: lzma.compress(in_tar(ZEROS), preset=0),
    "gzip": lambda: gzip.compress(in_tar(ZEROS), 1),
    "zeros": lambda: gzip.compress(bytes(1024) * 1024 * 40, 9),
}


@pytest.mark.parametrize("kind", PACKED)
def test_s10_small_archives_that_become_huge_are_refused(kind: str, tmp_path: Path) -> None:
    """A zip of 612 KB took 65 s and 300 MB, an xz of 61 KB 78 s and 400 MB."""
    data = PACKED[kind]()
    assert len(data) < 20 * 2**20 / limits.ARCHIVE_RATIO.value * 2
    with pytest.raises(SourceError):
        bundle_input.files([("bundle", data)])
    (tmp_path / "packed").write_bytes(data)
    budget = archive.Budget()
    if len(data) * limits.ARCHIVE_RATIO.value + limits.ARCHIVE_UNJUDGED.value < len(ZEROS):
        with pytest.raises(SourceError):
            archive.unpack(tmp_path / "packed", tmp_path, budget)
    written = sum(path.stat().st_size for path in tmp_path.rglob("*"))
    assert written <= limits.ARCHIVE_UNJUDGED.value + (limits.ARCHIVE_RATIO.value + 1) * len(data)


def stored(files: dict[str, bytes]) -> bytes:
    """A zip that is as large as what is in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return made.getvalue()


def test_a_bundle_of_too_many_files_is_refused() -> None:
    with pytest.raises(SourceError, match="more files"):
        bundle_input.files(
            [("bundle.zip", stored({f"{number}.yaml": b"" for number in range(limits.RUN_FILES.value + 1)}))]
        )


def test_an_export_that_is_too_large_is_refused() -> None:
    with pytest.raises(SourceError, match="larger than the console accepts"):
        folder.read_uploads([("export.zip", stored({"a.yaml": b" " * (limits.RESTORE_BYTES.value + 1)}))])


def test_an_export_of_too_many_files_is_refused() -> None:
    with pytest.raises(SourceError, match="more files"):
        folder.read_uploads(
            [("export.zip", stored({f"{number}.yaml": b"" for number in range(limits.RESTORE_FILES.value + 1)}))]
        )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ARCHIVE", "larger than the console accepts"),
        ("ARCHIVE_FILES", "more files"),
        ("ARCHIVE_STREAM", "unpacks to a huge amount"),
    ],
)
def test_a_catalogs_archive_is_bounded(name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit itself is a GiB, 100,000 files or 8 GiB: a smaller one stands for it."""
    monkeypatch.setattr(limits, name, replace(getattr(limits, name), value=10))
    (tmp_path / "packed").write_bytes(stored({f"{number}.yaml": b"a: 0\n" for number in range(11)}))
    with pytest.raises(SourceError, match=words):
        fetch.unpacked(tmp_path / "packed", tmp_path)


def test_a_bundle_that_no_page_can_carry_is_refused() -> None:
    """What can't be packed smaller than the limit."""
    found = bundle_input.files(
        [("csv.yaml", (ROOT / "examples/operators/packages/flightticket/1.0.0/csv.yaml").read_bytes())]
    )
    words = base64.b64encode(os.urandom(limits.RUN_CARRIED.value)).decode()
    large = replace(found.bundles[0], csv={**found.bundles[0].csv, "words": words})
    with pytest.raises(SourceError, match="too large to be run from here"):
        bundle_input.carried(replace(found, bundles=(large,)))
    assert bundle_input.carried(found)


def test_every_budget_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for spend in (
        lambda: archive.Budget(most=10).wrote(11),
        lambda: archive.Budget(files=0).file(),
        lambda: archive.Budget(stream=10).read(11),
        lambda: archive.Budget().read(limits.ARCHIVE_UNJUDGED.value + 1),
    ):
        with pytest.raises(SourceError):
            spend()
    judged = archive.Budget()
    judged.packed(1000)
    judged.read(limits.ARCHIVE_UNJUDGED.value + 1000)
    monkeypatch.setattr(limits, "ARCHIVE_SECONDS", replace(limits.ARCHIVE_SECONDS, value=-1))
    with pytest.raises(SourceError):
        archive.Budget().read(1)


def test_s10_a_file_larger_than_any_object_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "csv.yaml"
    path.write_bytes(b"a: " + b"x" * limits.MANIFEST_FILE.value)
    with pytest.raises(ValueError, match="larger than"):
        drafts.read_documents(path)


def test_s10_deep_json_in_a_bundle_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "csv.json"
    path.write_bytes(b"[" * 100_000 + b"]" * 100_000)
    with pytest.raises(ValueError):
        drafts.read_documents(path)
    with pytest.raises(SourceError):
        bundle_input.files([("csv.json", path.read_bytes())])


def test_s10_reading_for_a_page_ends_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(limits, "RUN_SECONDS", replace(limits.RUN_SECONDS, value=-1))
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text("kind: ConfigMap\n")
    with pytest.raises(SourceError, match="too long"):
        bundle_input.files_of(tmp_path)


def test_a_blob_larger_than_any_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CATALOG_BLOB", replace(limits.CATALOG_BLOB, value=1000))
    text = b"schema: olm.package\nname: |\n" + b" x\n" * 1000
    assert [bool(blob.problem) for blob in fbc.read_blobs(io.BytesIO(text))] == [True]


def test_what_a_page_carries_is_bounded() -> None:
    for sent in (zlib.compress(bytes(limits.RUN_BYTES.value * 3)), zlib.compress(b"[" * 100_000)):
        with pytest.raises(SourceError):
            bundle_input.received(base64.b64encode(sent).decode())


def test_a_packed_manifest_is_bounded() -> None:
    data = gzip.compress(b"kind: ConfigMap\nmetadata: {name: a}\nx: |\n " + b"y" * limits.PACKED_MANIFEST.value * 2)
    text = base64.b64encode(base64.b64encode(data)).decode()
    assert len(plans._unpacked(text)) == limits.PACKED_MANIFEST.value


def test_manifests_of_olm_are_bounded() -> None:
    with pytest.raises(manifest.ManifestProblem):
        manifest.read([("a", "#" * (limits.OLM_MANIFEST.value + 1))])

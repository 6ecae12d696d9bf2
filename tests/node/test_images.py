"""The images that are built from this repository: what is in them, and how much of it."""

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.contents import faults, installed, listed
from tools.realnode.__main__ import print_progress
from tools.realnode.images import ROOT, Builder, Image, console_images, sample_images

pytestmark = pytest.mark.timeout(1800)
#: But for the image whose shell the KUDO engine uses.
OURS = (console_images()[0], *(image for image in sample_images() if image.short != "kudo-waiter-1.0.0"))


@pytest.mark.parametrize("image", OURS, ids=[image.short for image in OURS])
def test_an_image_has_what_it_needs_and_nothing_else(image: Image, tmp_path: Path) -> None:
    archive = Builder(print_progress).build((image,))[image.name]
    layers, root = tmp_path / "layers", tmp_path / "root"
    for folder in (layers, root):
        folder.mkdir()
    subprocess.run(["tar", "-xf", str(archive), "-C", str(layers)], check=True)
    sizes = []
    for name in json.loads((layers / "manifest.json").read_text())[0]["Layers"]:
        layer = layers / name
        subprocess.run(["tar", "-xpf", str(layer), "-C", str(root)], check=True)
        sizes.append((layer.stat().st_size / 1e6, len(gzip.compress(layer.read_bytes(), 6)) / 1e6))
    written = ", ".join(f"{size:.1f}" for size, _packed in sizes if size >= 0.1)
    print_progress(
        f"{image.short}: {sum(size for size, _packed in sizes):.0f} MB in layers of {written};"
        f" {sum(packed for _size, packed in sizes):.0f} MB compressed"
    )
    assert faults(root) == []
    found = installed(root)
    assert found == {item for item in listed(root) if item[0] != "generic"}
    if image is OURS[0]:
        assert {name for kind, name in found if kind == "pypi"} <= _pinned(tmp_path)
    shutil.rmtree(root)


def _pinned(folder: Path) -> set[str]:
    """NAME@VERSION of what `make sbom` lists, which knows the lock files only."""
    subprocess.run(["make", "--silent", "sbom", f"SBOM={folder}"], cwd=ROOT, check=True)
    document = json.loads((folder / "python.cdx.json").read_text())
    return {f"{component['name']}@{component['version']}" for component in document["components"]}

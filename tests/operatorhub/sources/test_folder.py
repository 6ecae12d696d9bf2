"""Folders of bundles in their layouts, .indexignore, and what is not what it says."""

import json
import os
from pathlib import Path

import pytest

from operatorhub.sources import drafts, folder
from operatorhub.sources.drafts import BundleDraft, DraftProblem, PackageDraft, SourceError

CSV = """apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: a.v1, annotations: {olm.skipRange: '<1.0.0'}}
spec: {version: 1.0.0, replaces: a.v0, skips: [a.vx]}
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


ANNOTATIONS = """annotations:
  operators.operatorframework.io.bundle.package.v1: a
  operators.operatorframework.io.bundle.channels.v1: stable,alpha
  operators.operatorframework.io.bundle.channel.default.v1: stable
"""
BUNDLE = {
    "manifests/csv.yaml": CSV,
    "manifests/crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: as.x}\n",
    "metadata/annotations.yaml": ANNOTATIONS,
    "metadata/dependencies.yaml": (
        "dependencies:\n- {type: olm.package, value: {packageName: b, version: '>1'}}\n- {type: olm.gvk, value: {group:"
        " g, kind: K, version: v1}}\n"
    ),
}


@pytest.mark.parametrize("prefix", ["", "a/", "a/1.0.0/"])
def test_plain_bundle_folders(tmp_path: Path, prefix: str) -> None:
    root = write(tmp_path, {f"{prefix}{name}": text for name, text in BUNDLE.items()})
    found = list(folder.drafts(root, whole=True))
    (package,) = [item for item in found if isinstance(item, PackageDraft)]
    assert (package.graph.package, package.graph.default) == ("a", "stable")
    assert [channel.name for channel in package.graph.channels] == ["stable", "alpha"]
    entry = package.graph.channels[0].entries[0]
    assert (entry.name, entry.version, entry.replaces, entry.skips, entry.skip_range) == (
        "a.v1",
        "1.0.0",
        "a.v0",
        ("a.vx",),
        "<1.0.0",
    )
    (bundle,) = [item for item in found if isinstance(item, BundleDraft)]
    assert bundle.contents is not None and len(bundle.contents.crds) == 1
    assert [need["type"] for need in bundle.contents.properties] == ["olm.package.required", "olm.gvk.required"]
    assert bundle.contents.properties[0]["value"] == {"packageName": "b", "versionRange": ">1"}


def test_a_lazy_bundle_is_read_when_asked_for(tmp_path: Path) -> None:
    definition = {
        "name": "a",
        "defaultChannel": "stable",
        "channels": [{"name": "stable", "entries": [{"name": "a.v1", "version": "1.0.0"}]}],
    }
    evil = [{"name": "evil", "path": path} for path in ("../../etc", "nul\0", "x" * 5000, "round")]
    definition["bundles"] = [{"name": "a.v1", "version": "1.0.0", "path": "1.0.0"}, *evil]
    root = write(
        tmp_path / "c",
        {
            "a/package.json": json.dumps(definition),
            "a/1.0.0/csv.yaml": CSV,
            "a/1.0.0/crds/x.yaml": BUNDLE["manifests/crd.yaml"],
        },
    )
    (root / "a" / "round").symlink_to("round")
    found = list(folder.drafts(root, whole=False))
    (item,) = [draft for draft in found if isinstance(draft, BundleDraft)]
    assert item.contents is None and item.place == "a/1.0.0"
    assert [draft.words for draft in found if isinstance(draft, DraftProblem)] == ["no bundle"] * len(evil)
    assert folder.contents(root, item.place).csv["metadata"]["name"] == "a.v1"
    assert folder.csv_of(root, item.place)["spec"]["version"] == "1.0.0"
    assert drafts.bundle_stamp(root / item.place) == item.digest
    for place in ("../x", "/etc", "a/9.9.9"):
        with pytest.raises(SourceError):
            folder.contents(root, place)


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    root = write(tmp_path, {**BUNDLE, "manifests/bad.yaml": "a: [", "manifests/notes.txt": "hello"})
    (root / "manifests" / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    found = list(folder.drafts(root, whole=True))
    assert sorted(item.place for item in found if isinstance(item, DraftProblem)) == [
        "./manifests/bad.yaml",
        "./manifests/binary.yaml",
    ]
    assert any(isinstance(item, BundleDraft) for item in found)


def test_indexignore(tmp_path: Path) -> None:
    names = [
        "a/catalog.yaml",
        "b/catalog.yaml",
        "b/notes.json",
        "b/keep/notes.json",
        "c/deep/x.yaml",
        "README.md",
        ".hidden/x.yaml",
    ]
    root = write(
        tmp_path,
        dict.fromkeys(names, "")
        | {
            ".indexignore": "# words\nnotes.json\n/c\n",
            "b/.indexignore": "!keep/notes.json\n",
        },
    )
    found = [str(file.relative_to(root)) for file in folder.fbc_files(root)]
    assert found == ["a/catalog.yaml", "b/catalog.yaml", "b/keep/notes.json"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.yaml": "schema: olm.package\nname: x\n"})
    root = write(tmp_path / "catalog", {"a.yaml": ""})
    os.symlink(outside / "secret.yaml", root / "link.yaml")
    os.symlink(outside, root / "folder")
    assert [file.name for file in folder.fbc_files(root)] == ["a.yaml"]


def test_19_metadata_counts_by_what_a_file_holds(tmp_path: Path) -> None:
    """Issue 19: as opm reads it, so that the console and the embedded cluster agree: any name, the first file with
    dependencies, its first document.
    """
    files = dict(BUNDLE)
    dependencies = files.pop("metadata/dependencies.yaml")
    write(
        tmp_path,
        {
            **files,
            "metadata/needs": f"{dependencies}---\n{dependencies.replace('packageName: b', 'packageName: c')}",
            "metadata/notes.md": "# a: [",
            "metadata/zz.yaml": dependencies.replace("packageName: b", "packageName: z"),
        },
    )
    found, annotations, bad = drafts.read_bundle(tmp_path)
    assert [need["type"] for need in found.properties] == ["olm.package.required", "olm.gvk.required"]
    assert found.properties[0]["value"] == {"packageName": "b", "versionRange": ">1"}
    assert (annotations.package, bad) == ("a", [])

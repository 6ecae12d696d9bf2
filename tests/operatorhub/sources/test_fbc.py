"""File-based catalogs: what opm writes, and malformed ones."""

import base64
import io
import json
import tracemalloc
from typing import Any

import pytest

from operatorhub.sources import fbc
from operatorhub.sources.drafts import BundleDraft, DraftProblem, PackageDraft, problems

CSV = {"kind": "ClusterServiceVersion", "metadata": {"name": "a.v2"}, "spec": {"version": "2.0.0", "displayName": "A"}}
CRD = {"kind": "CustomResourceDefinition", "metadata": {"name": "as.example.com"}}


def manifest(obj: Any) -> dict[str, Any]:
    return {"type": "olm.bundle.object", "value": {"data": base64.b64encode(json.dumps(obj).encode()).decode()}}


def bundle(name: str, version: str, *properties: Any, package: str = "a", **more: Any) -> dict[str, Any]:
    own_package = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {
        "schema": "olm.bundle",
        "name": name,
        "package": package,
        "image": f"x.io/{name}",
        "properties": [own_package, *properties],
        **more,
    }


def channel(name: str, *entries: Any, package: str = "a") -> dict[str, Any]:
    return {"schema": "olm.channel", "package": package, "name": name, "entries": list(entries)}


PACKAGE = {"schema": "olm.package", "name": "a", "defaultChannel": "stable", "icon": {"base64data": "QUJD"}}
WHOLE = [
    PACKAGE,
    channel("alpha", {"name": "a.v1"}),
    channel("stable", {"name": "a.v1"}, {"name": "a.v2", "replaces": "a.v1", "skips": ["a.v0"], "skipRange": "<2.0.0"}),
    bundle("a.v1", "1.0.0"),
    bundle("a.v2", "2.0.0", manifest(CSV), manifest(CRD), relatedImages=[{"name": "x", "image": "x.io/x"}]),
    {
        "schema": "olm.deprecations",
        "package": "a",
        "entries": [
            {"reference": {"schema": "olm.package"}, "message": "use b"},
            {"reference": {"schema": "olm.channel", "name": "alpha"}, "message": "use stable"},
            {"reference": {"schema": "olm.bundle", "name": "a.v1"}, "message": "old"},
        ],
    },
]


def read(text: str | bytes, **more: Any) -> tuple[list[PackageDraft], list[BundleDraft], list[DraftProblem]]:
    data = text.encode() if isinstance(text, str) else text
    found = list(fbc.drafts([("catalog", io.BytesIO(data))], **more))
    return (
        [item for item in found if isinstance(item, PackageDraft)],
        [item for item in found if isinstance(item, BundleDraft)],
        [item for item in found if isinstance(item, DraftProblem)],
    )


def yaml(values: list[Any]) -> str:
    return "".join(f"---\n{json.dumps(item)}\n" for item in values)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, WHOLE)),
        "".join(json.dumps(item, indent=4) for item in WHOLE),
        "\ufeff" + " \n".join(map(json.dumps, WHOLE)),
        yaml(WHOLE),
        yaml(WHOLE).replace("\n", "\r\n"),
    ],
    ids=["lines", "indented", "mark", "yaml", "windows"],
)
def test_every_way_to_write_it(text: str) -> None:
    (package,), bundles, bad = read(text)
    assert not bad
    graph = package.graph
    assert (graph.package, graph.default, graph.edges_known, graph.deprecated) == ("a", "stable", True, "use b")
    assert [item.name for item in graph.channels] == ["stable", "alpha"] and graph.channels[
        1
    ].deprecated == "use stable"
    newest, oldest = graph.channels[0].entries
    assert (newest.name, newest.version, newest.replaces, newest.skips, newest.skip_range) == (
        "a.v2",
        "2.0.0",
        "a.v1",
        ("a.v0",),
        "<2.0.0",
    )
    assert (oldest.name, oldest.deprecated) == ("a.v1", "old")
    assert package.icon == b"ABC"
    found = {item.name: item for item in bundles}
    whole = found["a.v2"].contents
    assert whole is not None and not whole.partial
    assert (whole.csv, whole.crds, whole.related_images) == (CSV, (CRD,), ({"name": "x", "image": "x.io/x"},))
    assert [prop["type"] for prop in whole.properties] == ["olm.package"]
    only = found["a.v1"].contents
    assert only is not None and only.partial and only.csv == {} and found["a.v1"].image == "x.io/a.v1"


def test_metadata_instead_of_manifests() -> None:
    about = {
        "displayName": "A",
        "annotations": {"capabilities": "Deep Insights"},
        "crdDescriptions": {"owned": [{"name": "as.x", "kind": "A"}]},
    }
    _packages, (item,), bad = read(json.dumps(bundle("a.v1", "1.0.0", {"type": "olm.csv.metadata", "value": about})))
    assert item.contents is not None and item.contents.partial and len(bad) == 1
    spec = item.contents.csv["spec"]
    assert (spec["displayName"], spec["version"]) == ("A", "1.0.0")
    assert spec["customresourcedefinitions"]["owned"][0]["kind"] == "A"
    assert item.contents.csv["metadata"]["annotations"] == {"capabilities": "Deep Insights"}


def test_what_was_read_before_is_not_decoded() -> None:
    text = "\n".join(map(json.dumps, WHOLE))
    digests = {item.digest for item in read(text)[1]}
    packages, bundles, _bad = read(text, known=digests)
    assert [item.contents for item in bundles] == [None, None]
    assert packages[0].graph.channels[0].entries[0].version == "2.0.0"


@pytest.mark.parametrize(
    ("evil", "words"),
    [
        ('{"schema": "olm.bundle", "name": ', "does not end"),
        ('{"schema": "olm.bundle", "name": nothing}', "malformed"),
        ("garbage", "no JSON"),
        ('{"name": "no schema"}', "no schema"),
        ('{"schema": "olm.bundle", "name": "x"}', "no name or no package"),
        ('{"schema": "olm.bundle", "name": 7, "package": 8, "properties": 3}', "olm.package"),
        ('{"schema": "olm.bundle", "name": 7, "package": {"x": 1}}', "no name or no package"),
        (
            json.dumps(bundle("a.v9", "1", {"type": "olm.bundle.object", "value": {"data": "%%%"}})),
            "isn't valid base64",
        ),
        (
            json.dumps(bundle("a.v9", "1", {"type": "olm.bundle.object", "value": {"data": "e3t7"}})),
            "neither JSON nor YAML",
        ),
        (json.dumps(PACKAGE), "is a duplicate"),
        (json.dumps(bundle("a.v2", "2.0.0")), "is a duplicate"),
    ],
)
def test_a_bad_blob_is_named_and_the_rest_is_taken(evil: str, words: str) -> None:
    lines = list(map(json.dumps, WHOLE))
    packages, bundles, bad = read("\n".join([*lines[:5], evil, *lines[5:]]))
    assert [package.graph.package for package in packages] == ["a"] and packages[0].graph.deprecated == "use b"
    assert {"a.v1", "a.v2"} <= {item.name for item in bundles}
    assert any(words in item.words for item in bad), bad
    assert bad[0].place == "catalog:6" or "olm.package" in words


def test_a_bad_yaml_document_is_named() -> None:
    packages, _bundles, bad = read(yaml(WHOLE[:2]) + "---\na: [1\n" + yaml(WHOLE[2:]))
    assert len(packages[0].graph.channels) == 2
    assert len(bad) == 1 and bad[0].place.startswith("catalog:")


def test_bombs_of_aliases_are_refused() -> None:
    bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )
    packages, _bundles, bad = read(yaml(WHOLE) + bomb)
    assert packages and "aliases" in bad[0].words


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([{"name": "x", "replaces": "y"}, {"name": "y", "replaces": "x"}], "has a cycle"),
        ([{"name": "x"}, {"name": "y"}], "several newest"),
        (
            [
                {"name": "x", "replaces": "gone"},
                {"name": "y", "replaces": "x"},
                {"name": "z", "replaces": "lost", "skips": ["y"]},
            ],
            "gaps",
        ),
        ([], "no version"),
    ],
)
def test_graphs_that_opm_refuses_are_read(entries: list[Any], words: str) -> None:
    (package,), _bundles, _bad = read("\n".join(map(json.dumps, [PACKAGE, channel("stable", *entries)])))
    assert len(package.graph.channels[0].entries) == len(entries)
    assert any(words in problem for problem in problems(package.graph)), problems(package.graph)


def test_invalid_versions_are_kept_and_named() -> None:
    blobs_ = [
        PACKAGE,
        channel("stable", {"name": "a.v2", "replaces": "a.v1"}, {"name": "a.v1"}),
        bundle("a.v1", "1.0"),
        bundle("a.v2", "two"),
    ]
    (package,), _bundles, _bad = read("\n".join(map(json.dumps, blobs_)))
    assert [entry.version for entry in package.graph.channels[0].entries] == ["two", "1.0"]
    assert sum("isn't a semantic version" in problem for problem in problems(package.graph)) == 2


def test_channels_without_a_package() -> None:
    packages, _bundles, bad = read(json.dumps(channel("stable", {"name": "x"}, package="ghost")))
    assert not packages and "no olm.package" in bad[0].words and bad[0].place == "ghost"


class Endless(io.RawIOBase):
    """50 MB of bundles that never were in memory at once."""

    def __init__(self, blob: bytes, number: int) -> None:
        self.blob, self.left, self.rest = blob, number, b""

    def read(self, size: int = -1) -> bytes:
        while len(self.rest) < size and self.left:
            self.rest += self.blob % self.left
            self.left -= 1
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


def test_fifty_megabytes_stream() -> None:
    filler = json.dumps(manifest({"kind": "ConfigMap", "data": {"x": "y" * 60_000}}))
    blob = b'{"schema":"olm.bundle","name":"a.v%d","package":"a","properties":[' + filler.encode() + b"]}\n"
    tracemalloc.start()
    number = sum(1 for _one in fbc.read_blobs(Endless(blob, 600)))  # type: ignore[arg-type]
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert number == 600 and len(blob) * 600 > 45_000_000
    assert peak < 16_000_000, f"{peak / 1e6:.0f} MB"

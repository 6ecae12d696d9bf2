"""Bundle files on disk: YAML read as OLM reads it, and what a bundle provides and requires.

Pure but for reading files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from untrusted import bundle_metadata, yaml_bounds

Object = dict[str, Any]


class Loader(yaml_bounds.Loader):
    """PyYAML's fast loader, made to read what Go's YAML reads: a bare ``=`` is a string, and a date stays text."""


Loader.add_constructor("tag:yaml.org,2002:value", lambda loader, node: node.value)
Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)


def documents(path: Path) -> Iterator[Object]:
    """The Kubernetes objects of one YAML or JSON file; raises ValueError that names the file when it can not be
    read.
    """
    try:
        text = path.read_text(encoding="utf-8")
        for document in yaml_bounds.load_all(text, Loader):
            if isinstance(document, dict) and "kind" in document:
                yield document
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from error


def csv_of(folder: Path) -> Object:
    """A bundle's ClusterServiceVersion."""
    for document in documents(folder / "csv.yaml"):
        if document["kind"] == "ClusterServiceVersion":
            return document
    raise ValueError(f"{folder / 'csv.yaml'}: there is no ClusterServiceVersion in it")


def bundle_objects(folder: Path) -> list[Object]:
    """Every object of a bundle, its ClusterServiceVersion first; from its folder, or from the JSON file made of a
    catalog.
    """
    if folder.suffix == ".json":
        found = json.loads(folder.read_text(encoding="utf-8"))
        assert isinstance(found, list)
        return found
    others = [path for name in ("crds", "manifests") for path in sorted((folder / name).glob("*"))]
    found = [csv_of(folder)]
    for path in others:
        found += documents(path)
    return found


@dataclass(frozen=True, slots=True)
class Api:
    """A kind that a bundle provides or requires."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"group: {self.group}, version: {self.version}, kind: {self.kind}"


@dataclass(frozen=True, slots=True)
class PackageRequirement:
    """A package that has to be installed too; ``range`` is a blang/semver range."""

    name: str
    range: str


def provided(csv: Object) -> frozenset[Api]:
    """The kinds that a CSV owns: CRDs, and APIs served by the operator itself."""
    return _kinds(csv, "owned")


def required(csv: Object) -> frozenset[Api]:
    """The kinds that a CSV requires from other operators."""
    return _kinds(csv, "required")


def _kinds(csv: Object, which: str) -> frozenset[Api]:
    spec = csv.get("spec") or {}
    crds = (spec.get("customresourcedefinitions") or {}).get(which) or []
    served = (spec.get("apiservicedefinitions") or {}).get(which) or []
    found = [
        Api(crd["name"].partition(".")[2], crd.get("version", ""), crd.get("kind", ""))
        for crd in crds
        if "." in crd.get("name", "")
    ]
    found += [Api(api.get("group", ""), api.get("version", ""), api.get("kind", "")) for api in served]
    return frozenset(found)


def metadata_properties(folder: Path) -> list[Mapping[str, Any]]:
    """The properties that a bundle's metadata/ adds, as its olm.bundle blob lists them.

    What isn't YAML (there are some) adds none.
    """
    files = (_first_document(path) for path in sorted((folder / "metadata").glob("*")) if path.is_file())
    return bundle_metadata.merge(files).properties


def _first_document(path: Path) -> Any:
    try:
        return next(iter(yaml_bounds.load_all(path.read_text(encoding="utf-8"), Loader)), None)
    except (yaml.YAMLError, UnicodeDecodeError):
        return None


def requirements(properties: Iterable[Mapping[str, Any]]) -> tuple[list[Api], list[PackageRequirement]]:
    """The kinds and packages that properties ask for. Constraints of other types are not understood."""
    kinds, packages = [], []
    for entry in properties:
        value = entry.get("value") or {}
        if entry.get("type") == "olm.gvk.required":
            kinds.append(Api(value.get("group", ""), value.get("version", ""), value.get("kind", "")))
        elif entry.get("type") == "olm.package.required":
            packages.append(PackageRequirement(value.get("packageName", ""), str(value.get("versionRange", ""))))
    return kinds, packages

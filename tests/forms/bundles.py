"""Kinds with their examples and descriptors from any folder of operator bundles, whatever the layout: a ClusterServiceVersion and the
definitions beside and below it, definitions without an operator, and bare schemas (`*.json.gz`)."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from resources.writing import examples
from resources.writing.examples import Offer
from tests.forms.kinds import Kind, Loader
from tests.forms.page import Form

NAMES = ("*.yaml", "*.yml", "*.json", "*.json.gz")


def units(folder: Path) -> list[Path]:
    """What can be read by itself: the folders of ClusterServiceVersions, and files that belong to none of them."""
    if not folder.is_dir():
        return [folder] if folder.exists() else []
    files = sorted(file for pattern in NAMES for file in folder.rglob(pattern))
    owners = {file.parent for file in files if has(file, b"kind: ClusterServiceVersion", b'"ClusterServiceVersion"')}
    loose = [file for file in files if not owners.intersection(file.parents)]
    return sorted(owners) + [
        file for file in loose if file.name.endswith(".gz") or has(file, b"CustomResourceDefinition")
    ]


def has(file: Path, *words: bytes) -> bool:
    if file.name.endswith(".gz"):
        return False
    text = file.read_bytes()
    return any(word in text for word in words)


def forms(unit: Path) -> Iterator[tuple[str, Form]]:
    """The kinds of one unit, each with a name for messages."""
    if unit.name.endswith(".gz"):
        yield of_schema(unit)
        return
    files = sorted(file for pattern in NAMES[:3] for file in unit.rglob(pattern)) if unit.is_dir() else [unit]
    documents = [document for file in files for document in read(file)]
    csvs = [one for one in documents if one.get("kind") == "ClusterServiceVersion"]
    where = "/".join(unit.parts[-2:]) if unit.is_dir() else unit.name
    for crd in documents:
        if crd.get("kind") != "CustomResourceDefinition":
            continue
        for version in crd["spec"].get("versions") or ():
            form = Form.of(Kind(crd, version["name"], ()))
            offer = examples.of_csvs(csvs, form.type) or Offer()
            yield f"{where} {form.type.kind} {version['name']}", Form(form.type, form.schema, offer)


def read(file: Path) -> list[dict[str, Any]]:
    if not has(file, b"CustomResourceDefinition", b"ClusterServiceVersion"):
        return []
    try:
        return [one for one in yaml.load_all(file.read_text(encoding="utf-8"), Loader) if isinstance(one, dict)]
    except (yaml.YAMLError, UnicodeDecodeError):
        return []


def of_schema(file: Path) -> tuple[str, Form]:
    name = file.name.removesuffix(".json.gz")
    schema = json.loads(gzip.decompress(file.read_bytes()))
    names = {"plural": "things", "kind": "Thing"}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    crd = {"spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]}}
    return name, Form.of(Kind(crd, "v1", ()))

"""Kinds with their examples and descriptors from any folder of operator bundles, whatever the layout: a
ClusterServiceVersion and the definitions beside and below it, definitions without an operator, and bare schemas
(`*.json.gz`).
"""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from resources.writing import examples
from tests.forms.kinds import Kind, Loader
from tests.forms.page import Form

NAMES = ("*.yaml", "*.yml", "*.json", "*.json.gz")


def units(folder: Path) -> list[Path]:
    """Units that can be read separately: folders of ClusterServiceVersions, and files outside of them."""
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


@dataclass
class Bundle:
    """`forms`: the kinds of one unit, each with a name for messages, as pages show them; `faults`: files that can't be
    read, and examples of these kinds that no page offers. `examples`: how many of these kinds the
    ClusterServiceVersions ship; `offered`: how many of those a page offers.
    """

    forms: list[tuple[str, Form]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    examples: int = 0
    offered: int = 0


def forms(unit: Path) -> list[tuple[str, Form]]:
    return bundle(unit).forms


def bundle(unit: Path) -> Bundle:
    """What is in a unit."""
    made = Bundle()
    if unit.name.endswith(".gz"):
        made.forms.append(of_schema(unit))
        return made
    files = sorted(file for pattern in NAMES[:3] for file in unit.rglob(pattern)) if unit.is_dir() else [unit]
    where = "/".join(unit.parts[-2:]) if unit.is_dir() else unit.name
    documents = []
    for file in files:
        try:
            documents += read(file)
        except Unreadable as why:
            made.faults.append(f"{where}: {why}")
    csvs = [document for document in documents if document.get("kind") == "ClusterServiceVersion"]
    kinds: set[tuple[str, str]] = set()
    for crd in documents:
        if crd.get("kind") != "CustomResourceDefinition":
            continue
        kinds.add((crd["spec"]["group"], crd["spec"]["names"]["kind"]))
        for version in crd["spec"].get("versions") or ():
            if not version.get("served", True):
                continue
            form = Form.of_kind(Kind(crd, version["name"], ()))
            offer = examples.offered(csvs, form.type)
            if offer.problem:
                made.faults.append(f"{where} {form.type.kind}: {offer.problem}")
            made.forms.append((f"{where} {form.type.kind} {version['name']}", Form(form.type, form.schema, offer)))
    _compare(made, where, csvs, kinds)
    return made


def _compare(made: Bundle, where: str, csvs: list[dict[str, Any]], kinds: set[tuple[str, str]]) -> None:
    """Counts the examples of the unit's own kinds, and notes those that no page offers: read from the annotation
    here, by no code of ours.
    """
    offered = [_anywhere(example.object) for _, form in made.forms for example in form.offer.examples]
    for csv in csvs:
        text = ((csv.get("metadata") or {}).get("annotations") or {}).get("alm-examples") or "[]"
        try:
            found = json.loads(text)
        except ValueError as error:
            made.faults.append(f"{where}: alm-examples: {error}")
            continue
        for example in found if isinstance(found, list) else ():
            if not isinstance(example, dict):
                continue
            version = str(example.get("apiVersion") or "")
            if (version.partition("/")[0], str(example.get("kind"))) not in kinds:
                continue
            made.examples += 1
            if _anywhere(example) in offered:
                made.offered += 1
            else:
                made.faults.append(f"{where}: no page offers the example of {version} {example.get('kind')}")


def _anywhere(example: dict[str, Any]) -> dict[str, Any]:
    """The example without its version: of one that is not served a page offers it as another."""
    return {**example, "apiVersion": str(example.get("apiVersion") or "").partition("/")[0]}


class Unreadable(ValueError):
    """A file that isn't valid YAML."""


def read(file: Path) -> list[dict[str, Any]]:
    """The documents of a file that has definitions or ClusterServiceVersions. Raises Unreadable."""
    if not has(file, b"CustomResourceDefinition", b"ClusterServiceVersion"):
        return []
    try:
        found = list(yaml.load_all(file.read_text(encoding="utf-8"), Loader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Unreadable(f"{file.name} can't be read: {error}") from error
    return [document for document in found if isinstance(document, dict)]


def of_schema(file: Path) -> tuple[str, Form]:
    name = file.name.removesuffix(".json.gz")
    schema = json.loads(gzip.decompress(file.read_bytes()))
    names = {"plural": "things", "kind": "Thing"}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    crd = {"spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]}}
    return name, Form.of_kind(Kind(crd, "v1", ()))

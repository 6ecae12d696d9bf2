"""The kinds that the forms are tried on: our own, odd ones written for it, and those of 268 real operators."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
OWN = (ROOT / "examples" / "operators" / "packages", ROOT / "tests" / "forms" / "schemas")
CATALOG = ROOT.parent / "shared" / "catalog" / "packages"
_RULES = "x-kubernetes-validations"


class Loader(yaml.CSafeLoader):
    """YAML 1.1 without dates and without "=", as Kubernetes reads it."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, found) for tag, found in resolvers if not tag.endswith((":timestamp", ":value"))]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class Kind:
    """One version of a CRD, with the examples that its operator gives of it."""

    crd: dict[str, Any]
    version: str
    examples: tuple[dict[str, Any], ...]

    @property
    def schema(self) -> dict[str, Any]:
        for version in self.crd["spec"]["versions"]:
            if version["name"] == self.version:
                return (version.get("schema") or {}).get("openAPIV3Schema") or {}
        raise LookupError(self.version)

    @property
    def kind(self) -> str:
        return str(self.crd["spec"]["names"]["kind"])

    @property
    def group(self) -> str:
        return str(self.crd["spec"]["group"])

    @property
    def id(self) -> str:
        return f"{self.kind}.{self.version}.{self.group}"

    def path(self, namespace: str) -> str:
        """Where the API server has its objects."""
        scope = f"/namespaces/{namespace}" if self.crd["spec"]["scope"] == "Namespaced" else ""
        return f"/apis/{self.group}/{self.version}{scope}/{self.crd['spec']['names']['plural']}"

    def object(self, example: dict[str, Any] | None = None) -> dict[str, Any]:
        """A new object, from an example."""
        obj = copy.deepcopy(example or (self.examples[0] if self.examples else {}))
        obj |= {"apiVersion": f"{self.group}/{self.version}", "kind": self.kind}
        metadata = obj.get("metadata") or {}
        obj["metadata"] = {"name": "example"} | {
            key: value for key, value in metadata.items() if key in ("name", "labels", "annotations")
        }
        obj.pop("status", None)
        return obj


def own() -> Iterator[Kind]:
    """Ours: the operators of this repository, and the schemas written for these tests."""
    for folder in OWN:
        for file in sorted((*folder.glob("*/*/csv.yaml"), *folder.glob("*.yaml"))):
            yield from of_bundle(file.parent) if file.name == "csv.yaml" else of_file(file, [])


def catalog(having: str = "") -> Iterator[Kind]:
    """The newest bundle of every package; only the definitions that have these words in them, which is much quicker."""
    for package in sorted(CATALOG.iterdir()) if CATALOG.is_dir() else ():
        for file in sorted(package.glob("*/csv.yaml"))[-1:]:
            yield from of_bundle(file.parent, having)


def of_bundle(folder: Path, having: str = "") -> Iterator[Kind]:
    files = [file for file in sorted(folder.glob("crds/*")) if having in file.read_text(encoding="utf-8")]
    if not files:
        return
    csv = yaml.load((folder / "csv.yaml").read_text(encoding="utf-8"), Loader)
    examples = json.loads((csv["metadata"].get("annotations") or {}).get("alm-examples") or "[]")
    for file in files:
        yield from of_file(file, examples)


def of_file(file: Path, examples: list[dict[str, Any]]) -> Iterator[Kind]:
    for crd in yaml.load_all(file.read_text(encoding="utf-8"), Loader):
        if not crd or crd.get("kind") != "CustomResourceDefinition":
            continue
        for version in crd["spec"]["versions"]:
            api_version = f"{crd['spec']['group']}/{version['name']}"
            mine = [
                example
                for example in examples
                if (example.get("apiVersion"), example.get("kind")) == (api_version, crd["spec"]["names"]["kind"])
            ]
            if version.get("served", True):
                yield Kind(crd, version["name"], tuple(mine))


def installable(crd: dict[str, Any]) -> dict[str, Any]:
    """The definition as it can be created: without what its server set, and without webhooks that are not there."""
    made = copy.deepcopy({name: crd[name] for name in ("apiVersion", "kind", "spec")})
    annotations = {"api-approved.kubernetes.io": "unapproved, a test"}
    made["metadata"] = {"name": crd["metadata"]["name"], "annotations": annotations}
    made["spec"].pop("conversion", None)
    made["spec"].pop("preserveUnknownFields", None)
    return made


def without_rules(node: Any) -> Any:
    """The same without CEL."""
    if isinstance(node, dict):
        return {
            name: without_rules(inner) for name, inner in node.items() if name != _RULES or not isinstance(inner, list)
        }
    return [without_rules(item) for item in node] if isinstance(node, list) else node

"""A package of KUDO's form on disk becomes the Operator and the OperatorVersion that stand for it in a namespace.

    operator.yaml       name, versions, tasks and plans
    params.yaml         parameters
    templates/*.yaml    what the tasks apply and delete

https://kudo.dev/docs/developing-operators/packages.html
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from examples.operators.kubeapi import KubeApi, Object
from untrusted import yaml_bounds

from .version import API_VERSION, PackageError, read

MANAGER = "kudo-packages"


@dataclass(frozen=True, slots=True)
class KudoPackage:
    """The two objects, without a namespace."""

    operator: Object
    version: Object

    @property
    def name(self) -> str:
        """Of the OperatorVersion: ``galera-1.0.0``."""
        return str(self.version["metadata"]["name"])

    def objects(self, namespace: str) -> tuple[Object, Object]:
        """Both, for a namespace."""
        operator, version = (
            {**item, "metadata": {**item["metadata"], "namespace": namespace}} for item in (self.operator, self.version)
        )
        return operator, version


def load(folder: Path) -> KudoPackage:
    """Raises PackageError, which names the file."""
    described, given = _yaml(folder / "operator.yaml"), _yaml(folder / "params.yaml")
    missing = [key for key in ("name", "operatorVersion", "plans", "tasks") if not described.get(key)]
    if missing:
        raise PackageError(f"{folder / 'operator.yaml'}: {', '.join(missing)} must be set")
    name, number = str(described["name"]), str(described["operatorVersion"])
    labels = {"heritage": "kudo", "kudo.dev/operator": name}
    common = ("kubernetesVersion", "maintainers", "url")
    operator = {
        "apiVersion": API_VERSION,
        "kind": "Operator",
        "metadata": {"name": name, "labels": labels},
        "spec": {key: described[key] for key in common if key in described},
    }
    version = {
        "apiVersion": API_VERSION,
        "kind": "OperatorVersion",
        "metadata": {"name": f"{name}-{number}", "labels": labels},
        "spec": {
            "operator": {"name": name, "kind": "Operator"},
            "version": number,
            **({"appVersion": str(described["appVersion"])} if described.get("appVersion") else {}),
            "parameters": [_parameter(parameter) for parameter in given.get("parameters") or []],
            "plans": described["plans"],
            "tasks": described["tasks"],
            "templates": {
                path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "templates").glob("*.yaml"))
            },
            **({"upgradableFrom": described["upgradableFrom"]} if described.get("upgradableFrom") else {}),
        },
    }
    read(version)
    return KudoPackage(operator, version)


def _yaml(path: Path) -> dict[str, Any]:
    try:
        found = yaml_bounds.load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as problem:
        raise PackageError(f"{path}: {problem}") from None
    if not isinstance(found, dict):
        raise PackageError(f"{path}: this is not a map")
    return found


def _parameter(item: Object) -> Object:
    """As in the OperatorVersion: ``type`` is called ``value-type`` there, and every default is a text."""
    copied = ("name", "displayName", "description", "required", "trigger", "immutable", "enum")
    found = {key: item[key] for key in copied if key in item}
    if item.get("default") is not None:
        default = item["default"]
        found["default"] = (
            default if isinstance(default, str) else yaml.safe_dump(default).partition("\n...")[0].strip()
        )
    return {**found, **({"value-type": item["type"]} if "type" in item else {})}


def shipped(names: str, root: Path) -> dict[str, KudoPackage]:
    """The packages that come with the program: folders separated by ``:``, seen from ``root``; each holds one folder
    per version.
    """
    found = [
        load(path.parent)
        for name in filter(None, names.split(":"))
        for path in sorted((root / name).glob("*/operator.yaml"))
    ]
    return {package.name: package for package in found}


async def install(api: KubeApi, package: KudoPackage, namespace: str) -> Object:
    """Makes or renews both objects; returns the OperatorVersion."""
    operator, version = package.objects(namespace)
    await api.apply(operator, MANAGER)
    return await api.apply(version, MANAGER)

"""Writes small packages to a folder, in the layout that the loader reads."""

import json
from pathlib import Path
from typing import Any

import yaml


def csv(name: str, version: str, **spec: Any) -> dict[str, Any]:
    """A ClusterServiceVersion with one Deployment."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name, "annotations": {"capabilities": "Basic Install"}},
        "spec": {
            "displayName": name.title(),
            "version": version,
            "install": {"strategy": "deployment", "spec": {"deployments": []}},
            "installModes": [{"type": "AllNamespaces", "supported": True}],
            **spec,
        },
    }


def owns(*kinds: str, which: str = "owned") -> dict[str, Any]:
    """customresourcedefinitions of a CSV: ``Kind`` → kinds.example.dev/v1."""
    return {which: [{"name": f"{kind.lower()}s.example.dev", "version": "v1", "kind": kind} for kind in kinds]}


def package(
    folder: Path,
    name: str,
    *versions: dict[str, Any],
    channel: str = "stable",
    edges: dict[str, dict[str, Any]] | None = None,
    dependencies: list[dict[str, Any]] | None = None,
) -> Path:
    """A package of these CSVs, the newest first, each replacing the next. ``edges`` adds to a channel entry by name."""
    names = [version["metadata"]["name"] for version in versions]
    entries = []
    for index, item in enumerate(versions):
        entry = {"name": names[index], "version": item["spec"]["version"], **(edges or {}).get(names[index], {})}
        if index + 1 < len(names):
            entry.setdefault("replaces", names[index + 1])
        entries.append(entry)
    bundles = [
        {"name": version["metadata"]["name"], "version": version["spec"]["version"], "path": version["spec"]["version"]}
        for version in versions
    ]
    meta = {
        "name": name,
        "defaultChannel": channel,
        "channels": [{"name": channel, "head": names[0], "entries": entries}],
        "bundles": bundles,
    }
    for item in versions:
        place = folder / name / item["spec"]["version"]
        (place / "metadata").mkdir(parents=True)
        (place / "csv.yaml").write_text(yaml.safe_dump(item))
        if dependencies:
            (place / "metadata" / "dependencies.yaml").write_text(yaml.safe_dump({"dependencies": dependencies}))
    (folder / name / "package.json").write_text(json.dumps(meta))
    return folder / name

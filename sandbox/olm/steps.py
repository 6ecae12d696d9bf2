"""The steps of an InstallPlan: a bundle's objects, plus the accounts and roles that its CSV asks for.

Source of the order and the fields: operator-lifecycle-manager, pkg/controller/registry/resolver/steps.go.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from . import rbac
from .csv import as_typed, properties
from .names import GROUP
from .resolution import SelectedBundle

Object = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent.parent
ORDER = {"ClusterServiceVersion": 0, "CustomResourceDefinition": 1}


class UnreadableBundle(Exception):
    """A bundle's files can not be read."""


async def bundle_objects(folder: str) -> list[Object]:
    """A bundle's objects, read by another process."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "sandbox.catalog.bundle",
        folder,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, errors = await process.communicate()
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise UnreadableBundle(errors.decode().strip() or f"{folder} can not be read")
    found: list[Object] = json.loads(out)
    return found


async def steps(choice: SelectedBundle, namespace: str) -> list[Object]:
    """The steps for one bundle: its CSV, its CRDs, the rest."""
    csv, *others = await bundle_objects(choice.bundle.folder)
    for obj in others:
        if not obj.get("apiVersion") or not (obj.get("metadata") or {}).get("name"):
            raise UnreadableBundle(
                f"bundle {choice.bundle.name} has a {obj['kind']} without apiVersion or metadata.name"
            )
    csv = prepared(csv, choice, namespace)
    made = [*rbac.service_accounts(csv), *rbac.namespaced(csv), *rbac.cluster_wide(csv)]
    for obj in others:
        if obj["kind"] != "CustomResourceDefinition":
            obj["metadata"].pop("namespace", None)
    for obj in made:
        if obj["kind"] == "ClusterRoleBinding":
            obj["metadata"]["namespace"] = namespace
    if not choice.subscription:
        made.append(dependency_subscription(choice, namespace))
    found = [step(obj, choice) for obj in (csv, *others)] + [step(obj, choice, made_here=True) for obj in made]
    return sorted(found, key=lambda item: ORDER.get(item["resource"]["kind"], 2))


def prepared(csv: Object, choice: SelectedBundle, namespace: str) -> Object:
    """The CSV as it will be created."""
    bundle = choice.bundle
    meta = csv["metadata"]
    annotations = {
        **(meta.get("annotations") or {}),
        "operatorframework.io/properties": properties(csv, bundle.package),
    }
    spec = {key: value for key, value in as_typed(csv["spec"]).items() if key != "replaces"}
    if choice.replaces:
        spec["replaces"] = choice.replaces
    if "version" in spec:
        spec["version"] = str(spec["version"])
    head = {"name": bundle.name, "namespace": namespace, "annotations": annotations}
    return {
        "kind": "ClusterServiceVersion",
        "apiVersion": f"{GROUP}/v1alpha1",
        "metadata": head | ({"labels": meta["labels"]} if meta.get("labels") else {}),
        "spec": spec,
        "status": {"cleanup": {}},
    }


def dependency_subscription(choice: SelectedBundle, namespace: str) -> Object:
    """The Subscription that keeps a required operator up to date from now on."""
    bundle = choice.bundle
    name = f"{bundle.package}-{bundle.channel}-{bundle.catalog}-{choice.catalog_namespace}"
    return {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "channel": bundle.channel,
            "installPlanApproval": "Automatic",
            "name": bundle.package,
            "source": bundle.catalog,
            "sourceNamespace": choice.catalog_namespace,
            "startingCSV": bundle.name,
        },
    }


def step(obj: Object, choice: SelectedBundle, *, made_here: bool = False) -> Object:
    """One entry of status.plan. The manifests of objects that no bundle has do not say what kind they are."""
    group, _, version = obj["apiVersion"].rpartition("/")
    kind = "BundleSecret" if obj["kind"] == "Secret" else obj["kind"]
    if made_here:
        obj = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
    return {
        "resolving": choice.bundle.name,
        "resource": {
            "group": group,
            "kind": kind,
            "manifest": json.dumps(obj, separators=(",", ":")),
            "name": obj["metadata"].get("name") or obj["metadata"].get("generateName", ""),
            "sourceName": choice.bundle.catalog,
            "sourceNamespace": choice.catalog_namespace,
            "version": version,
        },
        "status": "Unknown",
    }

"""Pods are replaced when a ConfigMap or a Secret of theirs is another one: a hash of all that they use stands in
their template.

https://kudo.dev/docs/developing-operators/tasks.html#apply-task. There what is mounted counts; here also what comes in
variables, since those never change in a running Pod.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator

from examples.operators.kubeapi import KubeApi, Object

HASH, SKIP = "kudo.dev/dependencies-hash", "kudo.dev/skip-hash-calculation"
#: A Job's template can't be changed, and it runs once.
KINDS = ("Deployment", "StatefulSet")


async def hashed(api: KubeApi, obj: Object) -> Object:
    """The object, with the hash if its Pods use anything. What is not there yet does not count."""
    if obj["kind"] not in KINDS:
        return obj
    found = copy.deepcopy(obj)
    template = (found.get("spec") or {}).get("template") or {}
    contents = []
    for kind, name in sorted(set(_used(template.get("spec") or {}))):
        item = await api.get(kind, obj["metadata"]["namespace"], name)
        if item is not None and SKIP not in (item["metadata"].get("annotations") or {}):
            contents.append([kind, name, item.get("data"), item.get("binaryData")])
    if contents:
        text = hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()
        template.setdefault("metadata", {}).setdefault("annotations", {})[HASH] = text[:32]
    return found


def _used(spec: Object) -> Iterator[tuple[str, str]]:
    """Kind and name of each ConfigMap and Secret that a Pod needs, in any order and as often as it is named."""
    for volume in spec.get("volumes") or []:
        for source in (volume, *((volume.get("projected") or {}).get("sources") or [])):
            yield from _named(source, "configMap", "secret")
    for container in (*(spec.get("initContainers") or []), *(spec.get("containers") or [])):
        for source in container.get("envFrom") or []:
            yield from _named(source, "configMapRef", "secretRef")
        for variable in container.get("env") or []:
            yield from _named(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef")


def _named(source: Object, config_map: str, secret: str) -> Iterator[tuple[str, str]]:
    for kind, key in (("ConfigMap", config_map), ("Secret", secret)):
        found = source.get(key) or {}
        if name := found.get("name") or found.get("secretName"):
            yield kind, str(name)

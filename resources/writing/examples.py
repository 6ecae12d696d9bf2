"""What an operator ships for its kinds: example objects and words for fields, from the ClusterServiceVersions that own them.

Looked for in the namespace first (OLM copies a CSV to every namespace its operator serves), then in all where that may be listed.
A cluster without OLM has none of either.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.forms import descriptors
from resources.forms.descriptors import Descriptors
from resources.state.health import items
from resources.types.starters import starters

_KEEP_SECONDS = 10.0
#: The object that an operator wants to be created first of all (OKD's console asks for it after the install).
_FIRST = "operatorframework.io/initialization-resource"
_LIMIT = 64
_kept: "dict[tuple[str, ...], tuple[float, Offer]]" = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Example:
    """`object` is shared by all callers: never change it."""

    name: str
    description: str
    object: KubeObject


@dataclass(frozen=True, slots=True)
class Offer:
    """What is known of a kind. `operator` is the CSV's display name, '' when no CSV owns the kind; `title` the kind's own;
    `status`: its statusDescriptors as they are; `problem`: why its examples can't be read. `csv`, `place`, `phase`: the ClusterServiceVersion's name,
    namespace and phase; `resources`: (version or group/version, kind) of what the operator says it makes for an object of this kind."""

    operator: str = ""
    title: str = ""
    description: str = ""
    examples: tuple[Example, ...] = ()
    descriptors: Descriptors = field(default_factory=Descriptors)
    status: tuple[dict[str, Any], ...] = ()
    problem: str = ""
    csv: str = ""
    place: str = ""
    phase: str = ""
    resources: tuple[tuple[str, str], ...] = ()


def examples(client: ClusterClient, type_: ResourceType, namespace: str) -> tuple[Example, ...]:
    """The `alm-examples` of the kind."""
    return offer(client, type_, namespace).examples


def offer(client: ClusterClient, type_: ResourceType, namespace: str) -> Offer:
    """At most ten seconds old. A cluster that refuses or fails to list CSVs offers nothing; the form works without."""
    key = (client.host, client.who, type_.group, type_.version, type_.kind, namespace)
    now = time.monotonic()
    with _lock:
        kept = _kept.get(key)
        if kept and kept[0] > now:
            return kept[1]
    found = _look(client, type_, namespace)
    with _lock:
        if len(_kept) >= _LIMIT:
            _kept.clear()
        _kept[key] = (now + _KEEP_SECONDS, found)
    return found


def _look(client: ClusterClient, type_: ResourceType, namespace: str) -> Offer:
    # Kinds of Kubernetes itself come from no operator.
    if "." not in type_.group or type_.group.endswith(".k8s.io"):
        return Offer(examples=tuple(Example(*one) for one in starters(type_)))
    for place in dict.fromkeys((namespace, "")):
        try:
            csvs = client.list(client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions"), place).items
        except KubeError:
            continue
        found = of_csvs(csvs, type_)
        if found is not None:
            return found
    return Offer()


def of_csvs(csvs: Iterable[KubeObject], type_: ResourceType) -> Offer | None:
    """From the first CSV that owns the kind; of several, one that is not being replaced."""
    owners = [(csv, crd) for csv in csvs for crd in _owned(csv) if _is(crd, type_)]
    owners.sort(key=lambda pair: str((pair[0].get("status") or {}).get("phase")) != "Succeeded")
    if not owners:
        return None
    csv, crd = owners[0]
    found, problem = _examples(csv, type_)
    return Offer(
        operator=str((csv.get("spec") or {}).get("displayName") or ""),
        title=str(crd.get("displayName") or ""),
        description=str(crd.get("description") or ""),
        examples=found,
        problem=problem,
        descriptors=descriptors.parse(crd.get("specDescriptors")),
        status=tuple(entry for entry in crd.get("statusDescriptors") or () if isinstance(entry, dict)),
        csv=name_of(csv),
        # OLM copies a CSV to every namespace that its operator serves; this is where it runs.
        place=str(_mapping(_mapping(csv.get("metadata")).get("labels")).get("olm.copiedFrom") or namespace_of(csv)),
        phase=str(_mapping(csv.get("status")).get("phase") or ""),
        resources=tuple(
            (str(entry.get("version") or ""), str(entry.get("kind") or "")) for entry in items(crd.get("resources"))
        ),
    )


def _owned(csv: KubeObject) -> list[dict[str, Any]]:
    definitions = (csv.get("spec") or {}).get("customresourcedefinitions") or {}
    return [crd for crd in definitions.get("owned") or () if isinstance(crd, dict)]


def _is(crd: dict[str, Any], type_: ResourceType) -> bool:
    """A CRD is named <plural>.<group>; entries for several versions stand beside each other."""
    version = crd.get("version") or type_.version
    return crd.get("name") == f"{type_.plural}.{type_.group}" and version == type_.version


def _examples(csv: KubeObject, type_: ResourceType) -> tuple[tuple[Example, ...], str]:
    """The kind's examples, the one that the operator wants to begin with first; and why they can't be read, '' where they can."""
    annotations = _mapping(_mapping(csv.get("metadata")).get("annotations"))
    problem = ""
    try:
        objects = json.loads(annotations.get("alm-examples") or "[]")
    except (TypeError, ValueError) as error:
        objects, problem = [], str(error)
    try:
        first = json.loads(annotations.get(_FIRST) or "null")
    except (TypeError, ValueError):
        first = None
    seen: set[str] = set()
    found: list[Example] = []
    for obj in [first, *(objects if isinstance(objects, list) else ())]:
        if not isinstance(obj, dict) or obj.get("kind") != type_.kind or obj.get("apiVersion") != type_.api_version:
            continue
        if found and obj == first:
            continue
        metadata = _mapping(obj.get("metadata"))
        name = str(metadata.get("name") or type_.kind.lower())
        while name in seen:
            name += "+"
        seen.add(name)
        description = str(_mapping(metadata.get("annotations")).get("description") or "")
        found.append(Example(name, description, {**obj, "metadata": metadata}))
    return tuple(found), problem


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

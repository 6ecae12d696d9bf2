"""What a new object may begin with: an example of the kind's operator (ours for kinds of Kubernetes itself), an object
that exists already, or nothing.

An operator ships examples and words for fields in the ClusterServiceVersion that owns the kind. It is looked for in the
namespace first (OLM copies a CSV to every namespace its operator serves), then in all where that may be listed. A
cluster without OLM has none.

One word says what an object begins with, in the address and in the menu: `example:NAME`, `from:NAME`, `empty`.
`?example=NAME`, `?example=-` and `?from=NAME` mean the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from textwrap import dedent
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.web import navigation
from kube.client import ClusterClient
from kube.discovery import ResourceType, api_version_priority, is_custom, is_definition
from kube.errors import KubeError
from kube.objects import KubeObject, mapping, name_of, without_last_applied
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.olm import ClusterServiceVersion, CRDDescription
from resources import yamltext
from resources.forms import descriptors
from resources.forms.descriptors import Descriptors
from resources.forms.schema import Schema
from resources.place import Place
from resources.writing import draft
from untrusted import json_bounds

_KEEP_SECONDS = 10.0
#: The object that an operator wants to be created first of all (OKD's console asks for it after the install).
_FIRST = "operatorframework.io/initialization-resource"
_LIMIT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """`object` is shared by all callers: never change it. `is_first`: the operator wants it to be created first;
    `is_only_offered`: a new object doesn't begin with it unless a user chooses it.
    """

    name: str
    description: str
    object: KubeObject
    is_first: bool = False
    is_only_offered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What is known of a kind.

    `operator` is the CSV's display name, '' when no CSV owns the kind; `title` the kind's own; `status`: its
    statusDescriptors as they are; `problem`: why its examples can't be read. `csv`, `place`, `phase`: the
    ClusterServiceVersion's name, namespace and phase; `resources`: (version or group/version, kind) of what the
    operator says it makes for an object of this kind.
    """

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


def _offer_key(client: ClusterClient, type_: ResourceType, namespace: str) -> tuple[str, ...]:
    return (client.host, client.who, type_.group, type_.version, type_.kind, namespace)


@cached(TTLCache(_LIMIT, _KEEP_SECONDS), key=_offer_key, lock=Lock())
def offer(client: ClusterClient, type_: ResourceType, namespace: str) -> Offer:
    """At most ten seconds old. A cluster that refuses or fails to list CSVs offers nothing; the form works without."""
    found = _look(client, type_, namespace)
    if samples := navigation.samples(client, type_):
        added = tuple(
            Example(name=sample.title, description=sample.description, object=sample.object) for sample in samples
        )
        found = replace(found, examples=found.examples + added)
    return found


def _look(client: ClusterClient, type_: ResourceType, namespace: str) -> Offer:
    if found := of_kubernetes(type_):
        return found
    for place in dict.fromkeys((namespace, "")):
        try:
            csvs = client.list(client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions"), place).items
        except KubeError:
            continue
        found = of_csvs(csvs, type_)
        if found is not None:
            return found
    return Offer()


def of_kubernetes(type_: ResourceType) -> Offer | None:
    """Of a kind of Kubernetes itself, which comes from no operator; None for any other."""
    if is_custom(type_.group):
        return None
    return Offer(examples=(*_starters(type_), *_samples(type_)))


def offered(csvs: Iterable[KubeObject], type_: ResourceType) -> Offer:
    """What a page offers of the kind where it can read these ClusterServiceVersions."""
    return of_kubernetes(type_) or of_csvs(csvs, type_) or Offer()


def of_csvs(csvs: Iterable[KubeObject], type_: ResourceType) -> Offer | None:
    """From the first CSV that owns the kind; of several, one that is not being replaced. What its entry for the version
    lacks is taken from a sibling version.
    """
    typed = [read(csv, ClusterServiceVersion) for csv in csvs]
    owners = [(csv, entries) for csv in typed if (entries := _owned(csv, type_))]
    owners.sort(key=lambda pair: pair[0].status.phase != "Succeeded")
    if not owners:
        return None
    csv, entries = owners[0]
    found, problem = _examples(csv.metadata, type_, tuple(entry.version for entry in entries))
    title = next((entry.display_name for entry in entries if entry.display_name), "")
    description = next((entry.description for entry in entries if entry.description), "")
    fields = next((entry.spec_descriptors for entry in entries if entry.spec_descriptors), ())
    status = next((entry.status_descriptors for entry in entries if entry.status_descriptors), ())
    resources = next((entry.resources for entry in entries if entry.resources), ())
    return Offer(
        operator=csv.spec.display_name,
        title=title,
        description=description,
        examples=found,
        problem=problem,
        descriptors=descriptors.parse(fields),
        status=status,
        csv=csv.metadata.name,
        # OLM copies a CSV to every namespace that its operator serves; this is where it runs.
        place=csv.metadata.labels.get("olm.copiedFrom") or csv.metadata.namespace,
        phase=csv.status.phase,
        resources=tuple((resource.version, resource.kind) for resource in resources),
    )


def _owned(csv: ClusterServiceVersion, type_: ResourceType) -> list[CRDDescription]:
    """The CSV's entries for the kind, a CRD being named <plural>.<group>: that of the version first, then those of
    its sibling versions, newest first.
    """
    entries = [entry for entry in csv.spec.customresourcedefinitions.owned if entry.name == type_.qualified]
    return sorted(entries, key=lambda entry: _nearest(type_, entry.version))


def _nearest(type_: ResourceType, version: str) -> tuple[bool, tuple[int, int, int, str]]:
    return version not in ("", type_.version), api_version_priority(version)


def _examples(csv: ObjectMeta, type_: ResourceType, versions: tuple[str, ...]) -> tuple[tuple[Example, ...], str]:
    """The kind's examples, the one that the operator wants to begin with first; and why they can't be read, '' where
    they can.

    A version without any has those of the first sibling version that has some.
    """
    problem = ""
    try:
        objects = json_bounds.loads(csv.annotations.get("alm-examples") or "[]")
    except (TypeError, ValueError) as error:
        objects, problem = [], str(error)
    try:
        first = json_bounds.loads(csv.annotations.get(_FIRST) or "null")
    except (TypeError, ValueError):
        first = None
    by_version: dict[str, list[KubeObject]] = {}
    for obj in [first, *(objects if isinstance(objects, list) else ())]:
        if not isinstance(obj, dict) or obj.get("kind") != type_.kind:
            continue
        group, _slash, version = str(obj.get("apiVersion") or "").rpartition("/")
        known = by_version.setdefault(version, []) if group == type_.group else []
        if not known or obj != first:
            known.append(obj)
    order = sorted(by_version, key=lambda version: (version not in versions, _nearest(type_, version)))
    version = type_.version if type_.version in by_version else next(iter(order), "")
    return _named(by_version.get(version, ()), type_, first), problem


def _named(objects: Iterable[KubeObject], type_: ResourceType, first: Any) -> tuple[Example, ...]:
    """Each under a name of its own, as objects of this version. `first`: the initialization resource."""
    found: dict[str, Example] = {}
    for obj in objects:
        metadata = mapping(obj.get("metadata"))
        meta = read(metadata, ObjectMeta)
        name = meta.name or type_.kind.lower()
        while name in found:
            name += "+"
        as_version = {**obj, "apiVersion": type_.api_version, "metadata": metadata}
        description = meta.annotations.get("description", "")
        found[name] = Example(name=name, description=description, object=as_version, is_first=obj is first)
    return tuple(found.values())


_READY = {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}
_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
# https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
_CONDITION: dict[str, Any] = {
    "type": "object",
    "required": ["type", "status", "lastTransitionTime", "reason", "message"],
    "properties": {
        "type": {"type": "string", "maxLength": 316},
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1024},
        "message": {"type": "string", "maxLength": 32768},
    },
}


def _starters(type_: ResourceType) -> Iterator[Example]:
    """With which a new object begins; none for most kinds."""
    if is_definition(type_):
        words = _("Namespaced resource type with spec, status, columns and scale")
        yield Example(name="spec-and-status", description=words, object=_definition("Namespaced", True))
        words = _("Cluster-scoped resource type with spec and status")
        yield Example(name="cluster", description=words, object=_definition("Cluster", False))


def _definition(scope: str, scaled: bool) -> KubeObject:
    spec: dict[str, Any] = {
        "type": "object",
        "description": "What is wanted.",
        "required": ["message"],
        "properties": {"message": {"type": "string", "minLength": 1, "description": "What is to be said."}},
    }
    status: dict[str, Any] = {
        "type": "object",
        "description": "What is, as its operator sees it.",
        "properties": {
            "observedGeneration": {"type": "integer", "format": "int64"},
            "conditions": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": _CONDITION,
            },
        },
    }
    columns = [_READY, _AGE]
    subresources: dict[str, dict[str, str]] = {"status": {}}
    if scaled:
        spec["properties"]["replicas"] = {
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 100,
            "default": 1,
            "description": "How many are wanted.",
        }
        status["properties"] |= {"replicas": {"type": "integer", "format": "int32"}, "selector": {"type": "string"}}
        columns.insert(0, {"name": "Replicas", "type": "integer", "jsonPath": ".status.replicas"})
        subresources["scale"] = {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        }
    schema = {
        "type": "object",
        "description": "Example is a kind of yours: say here what it is for.",
        "required": ["spec"],
        "properties": {"spec": spec, "status": status},
    }
    version = {
        "name": "v1alpha1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": subresources,
        "additionalPrinterColumns": columns,
    }
    names = {"kind": "Example", "listKind": "ExampleList", "plural": "examples", "singular": "example"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "examples.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": scope, "versions": [version]},
    }


#: By group and kind: name, description, and what the object has besides its name.
_SAMPLES = {
    ("apps", "Deployment"): (
        (
            "web-server",
            gettext_lazy("Three Pods with limits and a readiness probe"),
            """
            spec:
              replicas: 3
              selector: {matchLabels: {app: web-server}}
              template:
                metadata: {labels: {app: web-server}}
                spec:
                  containers:
                    - name: web-server
                      image: registry.example.com/web-server:1.0
                      ports: [{name: http, containerPort: 8080}]
                      readinessProbe: {httpGet: {path: /, port: http}}
                      resources:
                        requests: {cpu: 100m, memory: 128Mi}
                        limits: {memory: 256Mi}
            """,
        ),
    ),
    ("batch", "CronJob"): (
        (
            "every-night",
            gettext_lazy("A Job every night that never runs twice at once"),
            """
            spec:
              schedule: 0 3 * * *
              concurrencyPolicy: Forbid
              jobTemplate:
                spec:
                  template:
                    spec:
                      restartPolicy: OnFailure
                      containers:
                        - {name: job, image: "registry.example.com/job:1.0", command: [/bin/job]}
            """,
        ),
    ),
    ("networking.k8s.io", "NetworkPolicy"): (
        (
            "deny-all-ingress",
            gettext_lazy("No incoming connections to the Pods of the namespace"),
            "spec: {podSelector: {}, policyTypes: [Ingress]}",
        ),
        (
            "same-namespace-only",
            gettext_lazy("Incoming connections only from Pods of the namespace"),
            "spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}",
        ),
    ),
    ("policy", "PodDisruptionBudget"): (
        (
            "one-at-a-time",
            gettext_lazy("At most one Pod unavailable while nodes are drained"),
            "spec: {maxUnavailable: 1, selector: {matchLabels: {app: web-server}}}",
        ),
    ),
    ("rbac.authorization.k8s.io", "Role"): (
        (
            "read-pods",
            gettext_lazy("Read Pods and their logs"),
            'rules: [{apiGroups: [""], resources: [pods, pods/log], verbs: [get, list, watch]}]',
        ),
    ),
    ("", "ResourceQuota"): (
        (
            "compute",
            gettext_lazy("CPU, memory and number of Pods of the namespace"),
            "spec: {hard: {requests.cpu: '4', requests.memory: 8Gi, limits.memory: 16Gi, pods: '20'}}",
        ),
    ),
    ("", "LimitRange"): (
        (
            "container-defaults",
            gettext_lazy("CPU and memory of containers that set none"),
            """
            spec:
              limits:
                - type: Container
                  defaultRequest: {cpu: 100m, memory: 128Mi}
                  default: {memory: 256Mi}
            """,
        ),
    ),
}


def _samples(type_: ResourceType) -> Iterator[Example]:
    """Of kinds that are hard to write from nothing."""
    for name, description, text in _SAMPLES.get((type_.group, type_.kind), ()):
        head = {"apiVersion": type_.api_version, "kind": type_.kind, "metadata": {"name": name}}
        sample = {**head, **yamltext.load(dedent(text))}
        yield Example(name=name, description=str(description), object=sample, is_only_offered=True)


EMPTY = "empty"
#: At most this many objects are in the menu; `?from=NAME` works for every one.
_OBJECTS = 50
_ANNOTATIONS = frozenset(
    [
        "deployment.kubernetes.io/revision",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
        "volume.beta.kubernetes.io/storage-provisioner",
        "olm.operatorGroup",
        "olm.operatorNamespace",
        "olm.targetNamespaces",
    ]
)
# What the server gives to one object and refuses in the next.
_GIVEN: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "Service"): ("clusterIP", "clusterIPs", "healthCheckNodePort"),
    ("", "PersistentVolumeClaim"): ("volumeName",),
    ("", "PersistentVolume"): ("claimRef",),
    ("", "Pod"): ("nodeName",),
    ("", "Namespace"): ("finalizers",),
}
_JOB_LABELS = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")


@dataclass(frozen=True, slots=True)
class Start:
    """One entry of the menu."""

    value: str
    label: str
    description: str = ""


def wanted_start(query: Mapping[str, str]) -> str:
    """What the address asks for; '' leaves the choice to us: the first example."""
    if found := query.get("start", ""):
        return found
    if name := query.get("from", ""):
        return f"from:{name}"
    example = query.get("example", "")
    return EMPTY if example == "-" else f"example:{example}" if example else ""


def chosen_start(offer: Offer, asked: str) -> str:
    """The menu's entry that is taken, where the address names none or one that is gone."""
    if asked == EMPTY or asked.startswith("from:"):
        return asked
    names = [f"example:{example.name}" for example in offer.examples]
    first = next((f"example:{example.name}" for example in offer.examples if not example.is_only_offered), EMPTY)
    return asked if asked in names else EMPTY if asked else first


def default_start(client: ClusterClient, place: Place, offer: Offer) -> str:
    """The menu's entry where the address names none: what the operator wants to be created first only while nothing
    is there.
    """
    first, *others = offer.examples or (None,)
    if first and first.is_first and others and object_starts(client, place):
        return f"example:{others[0].name}"
    return chosen_start(offer, "")


def starting_object(client: ClusterClient, place: Place, schema: Schema, offer: Offer, start: str) -> KubeObject:
    """The object that `start` (of chosen_start()) means. Raises KubeError when the one to be copied can't be read."""
    kind, _, name = start.partition(":")
    if kind == "from":
        found = client.get(place.type, name, place.namespace)
        return draft.begin(place.type, place.namespace, schema, as_new(found, f"{name}-copy"))
    example = next((example.object for example in offer.examples if kind == "example" and example.name == name), None)
    return draft.begin(place.type, place.namespace, schema, example)


def as_new(obj: KubeObject, name: str = "") -> KubeObject:
    """The object without what makes it that one: what the server gave it, its owners, its status.

    `name`: another name for it.
    """
    made = draft.own(obj)
    metadata: dict[str, Any] = {
        key: value for key, value in made["metadata"].items() if key not in ("ownerReferences", "finalizers")
    }
    if name:
        metadata["name"] = name[:253]
    annotations = {
        key: value
        for key, value in without_last_applied(metadata.get("annotations")).items()
        if key not in _ANNOTATIONS
    }
    if annotations:
        metadata["annotations"] = annotations
    else:
        metadata.pop("annotations", None)
    made["metadata"] = metadata
    if isinstance(made.get("spec"), dict):
        made["spec"] = _spec(made)
    return made


def _spec(obj: KubeObject) -> dict[str, Any]:
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    kind = str(obj.get("kind") or "")
    spec = {key: value for key, value in obj["spec"].items() if key not in _GIVEN.get((group, kind), ())}
    if (group, kind) == ("", "Service") and isinstance(spec.get("ports"), list):
        spec["ports"] = [
            {key: value for key, value in port.items() if key != "nodePort"} if isinstance(port, dict) else port
            for port in spec["ports"]
        ]
    if (group, kind) == ("batch", "Job") and not spec.get("manualSelector"):
        spec.pop("selector", None)
        template = spec.get("template")
        if isinstance(template, dict) and isinstance(template.get("metadata"), dict):
            labels = template["metadata"].get("labels") or {}
            labels = {key: value for key, value in labels.items() if key not in _JOB_LABELS}
            spec["template"] = {**template, "metadata": {**template["metadata"], "labels": labels}}
    return spec


def example_starts(offer: Offer) -> tuple[Start, ...]:
    return tuple(Start(f"example:{example.name}", example.name, example.description) for example in offer.examples)


def object_starts(client: ClusterClient, place: Place) -> tuple[Start, ...]:
    """Existing objects to copy, by name; none where they can't be listed."""
    try:
        rows = client.table(place.type, place.namespace, limit=_OBJECTS).rows
    except KubeError:
        return ()
    return (
        tuple(Start(f"from:{name}", name) for row in rows if (name := name_of(row.object)))
        if place.namespace or not place.type.namespaced
        else ()
    )

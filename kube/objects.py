"""Objects as plain dicts, and what is done with them without a cluster: lists, Tables, names, the order of
resourceVersions, merge patches, redaction, copies without what the cluster added. Pure.

A Table (meta.k8s.io/v1) is a list by the API server, with columns and cells, so that any kind can be shown.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

KubeObject = dict[str, Any]
#: Accept of a Table.
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectList:
    """One page.

    `continue_` asks for the next ('' = last page); `remaining` is the server's count of what is left, None if unknown.

    `within`: the only namespaces that were read, since the user can't list all (kube/across_namespaces.py); () if no
    namespace was left out.
    """

    items: list[KubeObject]
    resource_version: str
    continue_: str
    remaining: int | None
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The answer of an access review."""

    allowed: bool
    reason: str = ""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text(value: Any) -> str:
    """A scalar as text; anything else, and None, as ''."""
    return str(value) if isinstance(value, str | int | float | bool) else ""


def items(value: Any) -> list[Mapping[str, Any]]:
    """Those elements of a list that are mappings; [] for anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def comparable(left: str, right: str) -> bool:
    """Whether two resourceVersions of one cluster can be ordered: they are growing numbers, by contract since
    Kubernetes 1.35.
    https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
    """
    return left.isdigit() and right.isdigit()


def older(left: str, right: str) -> bool:
    """Whether `left` is older than `right`; False if they can't be compared (the later arrival counts as newer)."""
    return comparable(left, right) and (len(left), left) < (len(right), right)


def newest(left: str, right: str) -> str:
    """The higher of two; `right`, the later arrival, if they can't be compared. '' is ignored."""
    return left if not right or older(right, left) else right


def name_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("name") or "")


def namespace_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("namespace") or "")


def uid_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("uid") or "")


# Annotations in which a program stores a copy of the whole object, to compare with later. Sources: kubectl apply; kopf,
# AnnotationsDiffBaseStorage (each operator has its own prefix and key); banzaicloud/k8s-objectmatcher;
# rancher/wrangler.
_COPY_NAMES = frozenset(("last-applied-configuration", "last-applied", "last-handled-configuration", "last-handled"))
_COPY_KEYS = frozenset(("objectset.rio.cattle.io/applied",))


def is_last_applied(annotation: str) -> bool:
    """Whether an annotation of this key holds a copy of its object."""
    return annotation.rpartition("/")[2] in _COPY_NAMES or annotation in _COPY_KEYS


def without_last_applied(annotations: Any) -> dict[str, Any]:
    """A new mapping of the other annotations; {} if it isn't a mapping.

    The copy in a Secret has its values. In another object, or in an older version of the same one, the copy is wrong:
    kopf skips an object whose copy equals it, as already handled.
    """
    return {key: value for key, value in mapping(annotations).items() if not is_last_applied(str(key))}


def merge_patch(old: Any, new: Any) -> Any:
    """The smallest merge patch that turns `old` into `new`; {} when they are equal.

    RFC 7386: null removes, mappings merge, everything else, lists too, is replaced whole.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif value != old[key]:
            patch[key] = merge_patch(old[key], value)
    return patch


def apply_merge(target: Any, patch: Any) -> Any:
    """`target` with the merge patch laid over it; neither is changed."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge(result.get(key), value)
    return result


MASKED = "••••••"
#: Keys whose values are probably secret.
SENSITIVE_NAMES = re.compile(
    r"(pass(word|wd|phrase)?|pwd|token|(secret|access|api|private|encryption)[-_]?key|client[-_]?secret)$", re.I
)


def redacted(value: Any, mask: Callable[[str], str]) -> Any:
    """A new value in which each text under a name like `password` is replaced by what `mask` returns for it."""
    if isinstance(value, list):
        return [redacted(part, mask) for part in value]
    if not isinstance(value, Mapping):
        return value
    # An environment variable: {name, value}.
    is_named = isinstance(value.get("name"), str) and bool(SENSITIVE_NAMES.search(value["name"]))
    return {
        key: mask(part)
        if isinstance(part, str) and part and (SENSITIVE_NAMES.search(str(key)) or (is_named and key == "value"))
        else redacted(part, mask)
        for key, part in value.items()
    }


#: metadata that the server writes.
SERVER_METADATA = (
    "resourceVersion",
    "uid",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
# Of the cluster that the object comes from: owners (by their uid) and finalizers.
_CLEANED_METADATA = (*SERVER_METADATA, "ownerReferences", "finalizers", "generateName")
#: Labels and annotations that Kubernetes, OLM, kubectl and this console write for themselves.
_GENERATED_PREFIXES = (
    "olm.",
    "operators.coreos.com/",
    "kubectl.kubernetes.io/",
    "operator-console.dev/run-bundle",
    "console.openshift.io/operator-monitoring",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/storage-provisioner",
    "control-plane.alpha.kubernetes.io/",
    "deployment.kubernetes.io/",
    "endpoints.kubernetes.io/",
    "autoscaling.alpha.kubernetes.io/",
    "deprecated.daemonset.template.generation",
)
_GENERATED_NAMES = frozenset(
    [
        "kubernetes.io/metadata.name",
        "operatorframework.io/properties",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
        "batch.kubernetes.io/job-tracking",
        "controller-uid",
        "job-name",
        "pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "kubernetes.io/service-account.uid",
    ]
)
# What the cluster gave it, by kind.
_ASSIGNED_FIELDS = {
    ("v1", "Service"): ("clusterIP", "clusterIPs", "ipFamilies", "healthCheckNodePort"),
    ("v1", "Pod"): ("nodeName", "serviceAccount"),
    ("v1", "PersistentVolumeClaim"): ("volumeName",),
    ("v1", "PersistentVolume"): ("claimRef",),
    ("v1", "Namespace"): ("finalizers",),
}
_TOKEN_VOLUME = "kube-api-access-"  # noqa: S105 - a prefix of names


def clean(obj: KubeObject) -> KubeObject:
    """A copy that is ready to be applied elsewhere: without the fields that the API server, controllers, OLM or tools
    add; apiVersion, kind, metadata.name and namespace first. What was made by generateName keeps its name.

    Defaults stay: whether a user set them isn't recorded. The fields are those that kubectl-neat and `velero restore`
    leave out.
    """
    head: KubeObject = {key: obj[key] for key in ("apiVersion", "kind") if key in obj}
    found: KubeObject = {**head, "metadata": _clean_metadata(obj.get("metadata"))}
    found |= {key: value for key, value in obj.items() if key not in (*head, "metadata", "status")}
    if isinstance(found.get("spec"), Mapping):
        found["spec"] = _clean_spec((str(obj.get("apiVersion")), str(obj.get("kind"))), found["spec"])
        if not found["spec"]:
            del found["spec"]
    return found


def _clean_metadata(value: Any) -> dict[str, Any]:
    meta = {key: part for key, part in mapping(value).items() if key not in _CLEANED_METADATA and part is not None}
    for key in ("labels", "annotations"):
        others = without_last_applied(meta.pop(key, None))
        own = {name: part for name, part in others.items() if not is_generated(str(name))}
        if own:
            meta[key] = own
    return {**{key: meta[key] for key in ("name", "namespace") if key in meta}, **meta}


def is_generated(name: str) -> bool:
    """Whether a label or annotation is written by Kubernetes, OLM, kubectl or this console for themselves."""
    return name.startswith(_GENERATED_PREFIXES) or name in _GENERATED_NAMES


def _clean_spec(kind: tuple[str, str], value: Mapping[str, Any]) -> dict[str, Any]:
    gone = set(_ASSIGNED_FIELDS.get(kind, ()))
    if value.get("clusterIP") == "None":  # a headless Service is meant to be one
        gone -= {"clusterIP"}
    spec = {key: part for key, part in value.items() if key not in gone}
    if kind == ("v1", "Pod"):
        spec = _without_tokens(spec)
    if kind == ("batch/v1", "Job") and value.get("manualSelector") is not True:
        spec.pop("selector", None)
    template = spec.get("template")
    if isinstance(template, Mapping) and isinstance(template.get("metadata"), Mapping):
        spec["template"] = {**template, "metadata": _clean_metadata(template["metadata"])}
    if isinstance(spec.get("volumeClaimTemplates"), list):
        spec["volumeClaimTemplates"] = [
            clean(claim) if isinstance(claim, dict) else claim for claim in spec["volumeClaimTemplates"]
        ]
    return spec


def _without_tokens(spec: dict[str, Any]) -> dict[str, Any]:
    """Without the volume of the ServiceAccount's token that admission puts into each Pod."""
    found = {**spec, "volumes": _without_token_volumes(spec.get("volumes"))}
    for key in ("containers", "initContainers"):
        if isinstance(spec.get(key), list):
            found[key] = [_unmounted(container) for container in spec[key]]
    return {key: part for key, part in found.items() if part or key != "volumes"}


def _unmounted(container: Any) -> Any:
    if not isinstance(container, Mapping) or "volumeMounts" not in container:
        return container
    mounts = _without_token_volumes(container["volumeMounts"])
    rest = {key: part for key, part in container.items() if key != "volumeMounts"}
    return {**rest, "volumeMounts": mounts} if mounts else rest


def _without_token_volumes(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else []
    return [item for item in items if not str(mapping(item).get("name", "")).startswith(_TOKEN_VOLUME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`priority` 0 is always shown, above that only in wide lists.

    `format` 'name' marks the name's column, type 'date' an age.
    """

    name: str
    type: str
    format: str
    priority: int
    description: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """`object` is the PartialObjectMetadata (or the whole object when asked for)."""

    cells: tuple[Any, ...]
    object: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`within`: as of an ObjectList."""

    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    resource_version: str
    continue_: str = ""
    remaining: int | None = None
    within: tuple[str, ...] = ()


def parse_table(document: dict[str, Any]) -> Table:
    """A Table as answered. A plain list (a server that can't make Tables) becomes one with Name and Age."""
    metadata = document.get("metadata") or {}
    version, token = str(metadata.get("resourceVersion") or ""), str(metadata.get("continue") or "")
    remaining = metadata.get("remainingItemCount")
    if document.get("kind") != "Table":
        return Table(
            columns=FALLBACK_COLUMNS,
            rows=tuple(_fallback_row(item) for item in document.get("items") or ()),
            resource_version=version,
            continue_=token,
            remaining=remaining,
        )
    return Table(
        columns=table_columns(document),
        rows=table_rows(document),
        resource_version=version,
        continue_=token,
        remaining=remaining,
    )


def table_columns(document: dict[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(
            name=str(entry.get("name") or ""),
            type=str(entry.get("type") or "string"),
            format=str(entry.get("format") or ""),
            priority=int(entry.get("priority") or 0),
            description=str(entry.get("description") or ""),
        )
        for entry in document.get("columnDefinitions") or ()
    )


def table_rows(document: dict[str, Any]) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(tuple(entry.get("cells") or ()), entry.get("object") or {}) for entry in document.get("rows") or ()
    )


FALLBACK_COLUMNS = (
    Column(name="Name", type="string", format="name", priority=0, description=""),
    Column(name="Age", type="date", format="", priority=0, description=""),
)


def _fallback_row(item: dict[str, Any]) -> TableRow:
    metadata = item.get("metadata") or {}
    return TableRow((metadata.get("name"), metadata.get("creationTimestamp")), item)


def moment(text: str) -> datetime | None:
    """A time of the API server, in UTC where it names no offset; None if `text` isn't one."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)

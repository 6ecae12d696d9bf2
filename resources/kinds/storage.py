"""The pages of claims (PersistentVolumeClaims), volumes and storage classes."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of
from kube.reader import read
from kube.types.cluster import (
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    StorageClass,
)
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Cell, Table, facts, label, line, lines, more_note, see, some, state, table
from resources.kinds.pods import pods_using
from resources.state.kind_health import health

_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def claim(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("claim", _("Claim"), _claim(client, obj))
    yield pods_using(client, "PersistentVolumeClaim", name_of(obj), namespace_of(obj))


def _claim(client: ClusterClient, obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    claim_ = read(obj, PersistentVolumeClaim)
    spec, status = claim_.spec, claim_.status
    wanted = spec.resources.requests.get("storage", "")
    yield _("Capacity"), line(status.capacity.get("storage"))
    yield _("Requested"), line(wanted)
    yield _("Expansion"), label(_("waiting to expand to %(size)s") % {"size": wanted}, "blue") if _grows(status) else ()
    yield _("Volume"), see(client, "", "PersistentVolume", spec.volume_name)
    yield _("Storage class"), see(client, "storage.k8s.io", "StorageClass", spec.storage_class_name)
    yield _("Access modes"), modes(spec.access_modes)
    yield _("Volume mode"), line(spec.volume_mode)
    source = spec.data_source or spec.data_source_ref
    yield _("Data source"), see(client, source.api_group, source.kind, source.name, namespace_of(obj))


def _grows(status: PersistentVolumeClaimStatus) -> bool:
    return any(condition.type in ("Resizing", "FileSystemResizePending") for condition in status.conditions)


def modes(names: Iterable[str]) -> Cell:
    """'ReadWriteOnce (RWO)', a line each."""
    return lines(f"{name} ({_MODES[name]})" if name in _MODES else name for name in names)


def volume(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("volume", _("Volume"), _volume(client, obj))


def _volume(client: ClusterClient, obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    spec = read(obj.get("spec"), PersistentVolumeSpec)
    bound = spec.claim_ref
    policies = {
        "Delete": _("Delete: data is deleted with the claim"),
        "Retain": _("Retain: data is kept when the claim is deleted"),
    }
    policy = spec.persistent_volume_reclaim_policy
    yield _("Capacity"), line(spec.capacity.get("storage"))
    yield (
        _("Claim"),
        see(
            client=client,
            group="",
            kind="PersistentVolumeClaim",
            name=bound.name,
            namespace=bound.namespace,
            words=f"{bound.namespace}/{bound.name}",
        ),
    )
    yield _("Storage class"), see(client, "storage.k8s.io", "StorageClass", spec.storage_class_name)
    yield _("Access modes"), modes(spec.access_modes)
    yield _("Reclaim policy"), line(policies.get(policy, policy))
    yield _("Volume mode"), line(spec.volume_mode)
    yield _("Source"), line(_source(spec))
    yield _("Volume handle"), line(spec.csi.volume_handle if spec.csi else "", "code")


def _source(spec: PersistentVolumeSpec) -> str:
    if spec.csi:
        return f"csi {spec.csi.driver}"
    if spec.host_path:
        return f"hostPath {spec.host_path.path}"
    if spec.nfs:
        return f"nfs {spec.nfs.path}"
    if spec.local:
        return f"local {spec.local.path}"
    if spec.iscsi is not None:
        return "iscsi"
    return "fc" if spec.fc is not None else ""


def storage_class(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("class", _("Storage class"), _class(obj))
    found = some(client, "", "PersistentVolumeClaim")
    claims = ((item, read(item, PersistentVolumeClaim)) for item in found.items)
    rows = tuple(
        (
            see(client, "", "PersistentVolumeClaim", name_of(item), namespace_of(item)),
            see(client, "", "Namespace", namespace_of(item)),
            state(health(item)),
            line(claim_.status.capacity.get("storage")),
        )
        for item, claim_ in claims
        if claim_.spec.storage_class_name == name_of(obj)
    )
    columns = (_("Claim"), _("Namespace"), _("State"), _("Capacity"))
    empty = _("No claims use this storage class.")
    yield table(
        "claims",
        Table(
            title=_("Claims"),
            columns=columns,
            rows=rows,
            note=more_note(found),
            left=0,
            problem=found.problem,
            empty=empty,
        ),
        wide=True,
    )


def _class(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    class_ = read(obj, StorageClass)
    is_default = class_.metadata.annotations.get(_DEFAULT) == "true"
    waits = class_.volume_binding_mode == "WaitForFirstConsumer"
    yield _("Default"), label(_("Yes: for claims without a storage class"), "blue") if is_default else ()
    yield _("Provisioner"), line(class_.provisioner, "code")
    yield _("Reclaim policy"), line(class_.reclaim_policy or "Delete")
    yield (
        _("Volume binding mode"),
        line(
            _("WaitForFirstConsumer: when a Pod uses the claim") if waits else _("Immediate: when the claim is created")
        ),
    )
    yield _("Volume expansion"), line(_("Yes") if class_.allow_volume_expansion else _("No"))
    yield _("Parameters"), lines((f"{key}={value}" for key, value in class_.parameters.items()), "code")


PANELS: dict[Kind, Maker] = {
    ("", "PersistentVolumeClaim"): claim,
    ("", "PersistentVolume"): volume,
    ("storage.k8s.io", "StorageClass"): storage_class,
}

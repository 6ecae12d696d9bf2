"""The pages of claims (PersistentVolumeClaims), volumes and storage classes."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, mapping, name_of, namespace_of, text
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
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    wanted = text(mapping(mapping(spec.get("resources")).get("requests")).get("storage"))
    there = text(mapping(status.get("capacity")).get("storage"))
    yield _("Capacity"), line(there)
    yield _("Requested"), line(wanted)
    yield _("Expansion"), label(_("waiting to expand to %(size)s") % {"size": wanted}, "blue") if _grows(status) else ()
    yield _("Volume"), see(client, "", "PersistentVolume", spec.get("volumeName"))
    yield _("Storage class"), see(client, "storage.k8s.io", "StorageClass", spec.get("storageClassName"))
    yield _("Access modes"), modes(spec.get("accessModes"))
    yield _("Volume mode"), line(spec.get("volumeMode"))
    source = mapping(spec.get("dataSource")) or mapping(spec.get("dataSourceRef"))
    group = text(source.get("apiGroup"))
    yield _("Data source"), see(client, group, text(source.get("kind")), source.get("name"), namespace_of(obj))


def _grows(status: Any) -> bool:
    conditions = status.get("conditions")
    kinds = (
        {text(mapping(condition).get("type")) for condition in conditions} if isinstance(conditions, list) else set()
    )
    return bool(kinds & {"Resizing", "FileSystemResizePending"})


def modes(value: Any) -> Cell:
    """'ReadWriteOnce (RWO)', a line each."""
    known = value if isinstance(value, list) else []
    return lines(f"{text(mode)} ({_MODES[text(mode)]})" if text(mode) in _MODES else text(mode) for mode in known)


def volume(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("volume", _("Volume"), _volume(client, obj))


def _volume(client: ClusterClient, obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    spec = mapping(obj.get("spec"))
    of = mapping(spec.get("claimRef"))
    claim_ = text(of.get("name"))
    policies = {
        "Delete": _("Delete: data is deleted with the claim"),
        "Retain": _("Retain: data is kept when the claim is deleted"),
    }
    policy = text(spec.get("persistentVolumeReclaimPolicy"))
    where = text(of.get("namespace"))
    yield _("Capacity"), line(mapping(spec.get("capacity")).get("storage"))
    yield (
        _("Claim"),
        see(
            client=client,
            group="",
            kind="PersistentVolumeClaim",
            name=claim_,
            namespace=where,
            words=f"{where}/{claim_}",
        )
        if claim_
        else (),
    )
    yield _("Storage class"), see(client, "storage.k8s.io", "StorageClass", spec.get("storageClassName"))
    yield _("Access modes"), modes(spec.get("accessModes"))
    yield _("Reclaim policy"), line(policies.get(policy, policy))
    yield _("Volume mode"), line(spec.get("volumeMode"))
    source = next((key for key in ("csi", "hostPath", "nfs", "local", "iscsi", "fc") if key in spec), "")
    origin = mapping(spec.get(source))
    words = text(origin.get("driver")) or text(origin.get("path"))
    yield _("Source"), line(f"{source} {words}".strip())
    yield _("Volume handle"), line(origin.get("volumeHandle"), "code")


def storage_class(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("class", _("Storage class"), _class(obj))
    found = some(client, "", "PersistentVolumeClaim")
    rows = tuple(
        (
            see(client, "", "PersistentVolumeClaim", name_of(item), namespace_of(item)),
            see(client, "", "Namespace", namespace_of(item)),
            state(health(item)),
            line(mapping(mapping(item.get("status")).get("capacity")).get("storage")),
        )
        for item in found.items
        if mapping(item.get("spec")).get("storageClassName") == name_of(obj)
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
    notes = mapping(mapping(obj.get("metadata")).get("annotations"))
    waits = obj.get("volumeBindingMode") == "WaitForFirstConsumer"
    yield (
        _("Default"),
        label(_("Yes: for claims without a storage class"), "blue") if notes.get(_DEFAULT) == "true" else (),
    )
    yield _("Provisioner"), line(obj.get("provisioner"), "code")
    yield _("Reclaim policy"), line(text(obj.get("reclaimPolicy")) or "Delete")
    yield (
        _("Volume binding mode"),
        line(
            _("WaitForFirstConsumer: when a Pod uses the claim") if waits else _("Immediate: when the claim is created")
        ),
    )
    yield _("Volume expansion"), line(_("Yes") if obj.get("allowVolumeExpansion") is True else _("No"))
    pairs = mapping(obj.get("parameters")).items()
    yield _("Parameters"), lines((f"{key}={text(value)}" for key, value in pairs), "code")


PANELS: dict[Kind, Maker] = {
    ("", "PersistentVolumeClaim"): claim,
    ("", "PersistentVolume"): volume,
    ("storage.k8s.io", "StorageClass"): storage_class,
}

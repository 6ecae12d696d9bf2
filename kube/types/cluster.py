"""What a cluster has beside workloads: nodes, namespaces, quotas, volumes, and who may do what (RBAC)."""

from typing import Any

from msgspec import field

from kube.reader import ApiType
from kube.types.core import HostPathVolumeSource, NFSVolumeSource, ResourceRequirements
from kube.types.meta import Condition, LabelSelector, Object, ObjectReference, TypedLocalObjectReference


class Release(ApiType, frozen=True):
    version: str = ""


class ClusterVersionStatus(ApiType, frozen=True):
    desired: Release = Release()


class ClusterVersion(Object, frozen=True):
    """Of OpenShift: config.openshift.io/v1, with the name "version"."""

    status: ClusterVersionStatus = ClusterVersionStatus()


class Taint(ApiType, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(ApiType, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    pod_cidr: str = ""
    provider_id: str = ""


class NodeAddress(ApiType, frozen=True):
    type: str = ""
    address: str = ""


class NodeSystemInfo(ApiType, frozen=True):
    kubelet_version: str = ""
    container_runtime_version: str = ""
    os_image: str = ""
    kernel_version: str = ""
    operating_system: str = ""
    architecture: str = ""


class NodeStatus(ApiType, frozen=True):
    allocatable: dict[str, str] = {}
    capacity: dict[str, str] = {}
    addresses: tuple[NodeAddress, ...] = ()
    node_info: NodeSystemInfo = NodeSystemInfo()


class Node(Object, frozen=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class ResourceQuotaSpec(ApiType, frozen=True):
    hard: dict[str, str] = {}
    scopes: tuple[str, ...] = ()


class ResourceQuotaStatus(ApiType, frozen=True):
    hard: dict[str, str] = {}
    used: dict[str, str] = {}


class ResourceQuota(Object, frozen=True):
    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class LimitRangeItem(ApiType, frozen=True):
    type: str = ""
    min: dict[str, str] = {}
    max: dict[str, str] = {}
    default_request: dict[str, str] = {}
    default: dict[str, str] = {}
    max_limit_request_ratio: dict[str, str] = {}


class LimitRangeSpec(ApiType, frozen=True):
    limits: tuple[LimitRangeItem, ...] = ()


class LimitRange(Object, frozen=True):
    spec: LimitRangeSpec = LimitRangeSpec()


class PolicyRule(ApiType, frozen=True):
    """`api_groups`: None without a list; that grants nothing of any group but names."""

    verbs: tuple[str, ...] = ()
    api_groups_: tuple[str | None, ...] | None = None
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = field(default=(), name="nonResourceURLs")

    @property
    def api_groups(self) -> tuple[str, ...] | None:
        """With null as the core group: OLM, written in Go, reads it so from a bundle, and grants it."""
        return None if self.api_groups_ is None else tuple(group or "" for group in self.api_groups_)


class AggregationRule(ApiType, frozen=True):
    cluster_role_selectors: tuple[LabelSelector, ...] = ()


class Role(Object, frozen=True):
    """Also a ClusterRole, which alone can have an `aggregation_rule`."""

    rules: tuple[PolicyRule, ...] = ()
    aggregation_rule: AggregationRule = AggregationRule()


class RoleRef(ApiType, frozen=True):
    kind: str = ""
    name: str = ""


class Subject(ApiType, frozen=True):
    """`namespace`: of a ServiceAccount."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class RoleBinding(Object, frozen=True):
    """Also a ClusterRoleBinding, which has no namespace."""

    role_ref: RoleRef = RoleRef()
    subjects: tuple[Subject, ...] = ()


class ServiceAccount(Object, frozen=True):
    secrets: tuple[ObjectReference, ...] = ()
    image_pull_secrets: tuple[ObjectReference, ...] = ()
    automount_service_account_token: bool = True


class NamespaceStatus(ApiType, frozen=True):
    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class Namespace(Object, frozen=True):
    status: NamespaceStatus = NamespaceStatus()


class PlatformStatus(ApiType, frozen=True):
    type: str = ""


class InfrastructureStatus(ApiType, frozen=True):
    platform_status: PlatformStatus = PlatformStatus()


class Infrastructure(Object, frozen=True):
    """OpenShift's; `cluster` is its one object."""

    status: InfrastructureStatus = InfrastructureStatus()

    @property
    def platform(self) -> str:
        return self.status.platform_status.type


class PersistentVolumeClaimSpec(ApiType, frozen=True):
    storage_class_name: str = ""
    volume_name: str = ""
    volume_mode: str = ""
    access_modes: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedLocalObjectReference = TypedLocalObjectReference()


class PersistentVolumeClaimStatus(ApiType, frozen=True):
    phase: str = ""
    capacity: dict[str, str] = {}
    conditions: tuple[Condition, ...] = ()


class PersistentVolumeClaim(Object, frozen=True):
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class LocalVolumeSource(ApiType, frozen=True):
    path: str = ""


class CSIPersistentVolumeSource(ApiType, frozen=True):
    driver: str = ""
    volume_handle: str = ""


class PersistentVolumeSpec(ApiType, frozen=True):
    persistent_volume_reclaim_policy: str = ""
    storage_class_name: str = ""
    volume_mode: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: dict[str, str] = {}
    claim_ref: ObjectReference = ObjectReference()
    csi: CSIPersistentVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    nfs: NFSVolumeSource | None = None
    local: LocalVolumeSource | None = None
    iscsi: Any = None
    fc: Any = None


class StorageClass(Object, frozen=True):
    provisioner: str = ""
    reclaim_policy: str = ""
    volume_binding_mode: str = ""
    allow_volume_expansion: bool = False
    parameters: dict[str, str] = {}


class CertificateSigningRequestStatus(ApiType, frozen=True):
    certificate: str = ""

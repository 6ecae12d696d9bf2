"""Pods and what they are made of: containers, volumes, ConfigMaps, Secrets; Events."""

from typing import Any

from msgspec import field

from kube.reader import ApiType, IntOrString
from kube.types.meta import Condition, Object, ObjectReference


class ContainerPort(ApiType, frozen=True):
    name: str = ""
    container_port: IntOrString = ""
    host_port: IntOrString = ""
    protocol: str = ""


class ObjectFieldSelector(ApiType, frozen=True):
    field_path: str = ""


class ResourceFieldSelector(ApiType, frozen=True):
    resource: str = ""


class EnvVarSource(ApiType, frozen=True):
    secret_key_ref: ObjectReference | None = None
    config_map_key_ref: ObjectReference | None = None
    field_ref: ObjectFieldSelector = ObjectFieldSelector()
    resource_field_ref: ResourceFieldSelector = ResourceFieldSelector()


class EnvVar(ApiType, frozen=True):
    name: str = ""
    value: str = ""
    value_from: EnvVarSource | None = None


class EnvFromSource(ApiType, frozen=True):
    prefix: str = ""
    secret_ref: ObjectReference | None = None
    config_map_ref: ObjectReference | None = None


class VolumeMount(ApiType, frozen=True):
    name: str = ""
    mount_path: str = ""
    sub_path: str = ""
    read_only: bool = False


class ResourceRequirements(ApiType, frozen=True):
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


class ExecAction(ApiType, frozen=True):
    command: tuple[str, ...] = ()


class HTTPGetAction(ApiType, frozen=True):
    scheme: str = ""
    host: str = ""
    port: IntOrString = ""
    path: str = ""


class TCPSocketAction(ApiType, frozen=True):
    port: IntOrString = ""


class GRPCAction(ApiType, frozen=True):
    port: IntOrString = ""


class Probe(ApiType, frozen=True):
    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    grpc: GRPCAction | None = None
    initial_delay_seconds: IntOrString = ""
    period_seconds: IntOrString = ""
    failure_threshold: IntOrString = ""


class Capabilities(ApiType, frozen=True):
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


class SecurityContext(ApiType, frozen=True):
    privileged: bool = False
    allow_privilege_escalation: bool = False
    run_as_user: IntOrString = ""
    run_as_non_root: bool = False
    read_only_root_filesystem: bool = False
    capabilities: Capabilities = Capabilities()


class Container(ApiType, frozen=True):
    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[EnvFromSource, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    volume_mounts: tuple[VolumeMount, ...] = ()
    readiness_probe: Probe | None = None
    liveness_probe: Probe | None = None
    startup_probe: Probe | None = None
    security_context: SecurityContext = SecurityContext()
    image_pull_policy: str = ""
    restart_policy: str = ""


class Toleration(ApiType, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class SecretVolumeSource(ApiType, frozen=True):
    secret_name: str = ""


class PersistentVolumeClaimVolumeSource(ApiType, frozen=True):
    claim_name: str = ""


class VolumeProjection(ApiType, frozen=True):
    secret: ObjectReference | None = None
    config_map: ObjectReference | None = None
    service_account_token: Any = None
    downward_api: Any = field(default=None, name="downwardAPI")


class ProjectedVolumeSource(ApiType, frozen=True):
    sources: tuple[VolumeProjection, ...] = ()


class HostPathVolumeSource(ApiType, frozen=True):
    path: str = ""


class EmptyDirVolumeSource(ApiType, frozen=True):
    medium: str = ""
    size_limit: str = ""


class CSIVolumeSource(ApiType, frozen=True):
    driver: str = ""


class NFSVolumeSource(ApiType, frozen=True):
    server: str = ""
    path: str = ""


class ImageVolumeSource(ApiType, frozen=True):
    reference: str = ""


class Volume(ApiType, frozen=True):
    """Sources that are shown by their name alone aren't here: they are the other key of the raw volume."""

    name: str = ""
    config_map: ObjectReference | None = None
    secret: SecretVolumeSource | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None
    host_path: HostPathVolumeSource = HostPathVolumeSource()
    empty_dir: EmptyDirVolumeSource = EmptyDirVolumeSource()
    csi: CSIVolumeSource = CSIVolumeSource()
    nfs: NFSVolumeSource = NFSVolumeSource()
    image: ImageVolumeSource = ImageVolumeSource()


class PodSpec(ApiType, frozen=True):
    node_name: str = ""
    service_account_name: str = ""
    restart_policy: str = ""
    priority_class_name: str = ""
    scheduler_name: str = ""
    scheduling_gates: tuple[ObjectReference, ...] = ()
    termination_grace_period_seconds: int | None = None
    host_network: bool = False
    node_selector: dict[str, str] = {}
    overhead: dict[str, str] = {}
    image_pull_secrets: tuple[ObjectReference, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[Volume, ...] = ()
    init_containers: tuple[Container, ...] = ()
    containers: tuple[Container, ...] = ()
    ephemeral_containers: tuple[Container, ...] = ()


class ContainerStateRunning(ApiType, frozen=True):
    started_at: str = ""


class ContainerStateWaiting(ApiType, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerStateTerminated(ApiType, frozen=True):
    reason: str = ""
    message: str = ""
    exit_code: int = 0
    signal: int = 0
    started_at: str = ""


class ContainerState(ApiType, frozen=True):
    running: ContainerStateRunning | None = None
    waiting: ContainerStateWaiting | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(ApiType, frozen=True):
    name: str = ""
    image: str = ""
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()
    ready: bool = False
    restart_count: int = 0


class PodIP(ApiType, frozen=True):
    ip: str = ""


class PodStatus(ApiType, frozen=True):
    phase: str = ""
    reason: str = ""
    message: str = ""
    pod_ip: str = ""
    pod_ips: tuple[PodIP, ...] = ()
    host_ip: str = ""
    qos_class: str = ""
    conditions: tuple[Condition, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    ephemeral_container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(Object, frozen=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class ConfigMap(Object, frozen=True):
    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}
    immutable: bool = False


class Secret(Object, frozen=True):
    type: str = ""
    data: dict[str, str] = {}
    immutable: bool = False


class DockerConfigEntry(ApiType, frozen=True):
    username: str = ""
    email: str = ""
    auth: str = ""


class DockerConfigJSON(ApiType, frozen=True):
    """The value `.dockerconfigjson` of a Secret. `auths`: by registry."""

    auths: dict[str, DockerConfigEntry] = {}


class EventSource(ApiType, frozen=True):
    component: str = ""


class EventSeries(ApiType, frozen=True):
    count: int = 0
    last_observed_time: str = ""


class Event(Object, frozen=True):
    """v1; the fields that events.k8s.io/v1 renamed are there too, in v1's words. Each Event has a time that is null."""

    type: str = ""
    reason: str = ""
    message: str = ""
    count: int = 0
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    event_time: str | None = None
    involved_object: ObjectReference = ObjectReference()
    source: EventSource = EventSource()
    reporting_component: str = ""
    series: EventSeries | None = None

    @property
    def last_seen(self) -> str:
        """RFC 3339. Old and new Events keep it in different fields."""
        observed = self.series.last_observed_time if self.series else ""
        fields = (observed, self.last_timestamp, self.event_time, self.first_timestamp)
        return next((time for time in fields if time), self.metadata.creation_timestamp)

    @property
    def occurrences(self) -> int:
        """How often it happened, by what the Event itself counts."""
        return max(1, (self.series.count if self.series else 0) or self.count)

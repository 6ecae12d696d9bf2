"""Deployments and the other kinds that make Pods of a template."""

from typing import Any

from kube.reader import ApiType, IntOrString, read
from kube.types.cluster import PersistentVolumeClaim
from kube.types.core import PodSpec
from kube.types.meta import (
    Condition,
    LabelSelector,
    Object,
    ObjectMeta,
    ObjectReference,
    TypicalObject,
    TypicalSpec,
    TypicalStatus,
)


class RollingUpdate(ApiType, frozen=True):
    max_surge: IntOrString = ""
    max_unavailable: IntOrString = ""
    partition: int = 0


class UpdateStrategy(ApiType, frozen=True):
    type: str = ""
    rolling_update: RollingUpdate = RollingUpdate()


class WorkloadSpec(TypicalSpec, frozen=True):
    """`strategy`, `progress_deadline_seconds`: of a Deployment, others have an `update_strategy`. `service_name`,
    `pod_management_policy`, `volume_claim_templates`: of a StatefulSet. `template`: the Pod template as it is;
    `pod_spec`: its spec, read.
    """

    replicas: int = 1
    selector: LabelSelector = LabelSelector()
    template: dict[str, Any] = {}
    progress_deadline_seconds: int = 600
    volume_claim_templates: tuple[PersistentVolumeClaim, ...] = ()
    strategy: UpdateStrategy | None = None
    update_strategy: UpdateStrategy = UpdateStrategy()
    min_ready_seconds: int = 0
    revision_history_limit: IntOrString = ""
    service_name: str = ""
    pod_management_policy: str = ""

    @property
    def pod_spec(self) -> PodSpec:
        return read(self.template.get("spec"), PodSpec)


class WorkloadStatus(TypicalStatus, frozen=True):
    replicas: int | None = None
    ready_replicas: int = 0
    available_replicas: int = 0
    updated_replicas: int | None = None
    conditions: tuple[Condition, ...] = ()


class Workload(TypicalObject, frozen=True):
    """Any kind with replicas: Deployment, StatefulSet, ReplicaSet, ReplicationController. `spec`: a DaemonSet's too."""

    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()


class DaemonSetStatus(TypicalStatus, frozen=True):
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_misscheduled: int = 0


class DaemonSet(TypicalObject, frozen=True):
    status: DaemonSetStatus = DaemonSetStatus()


class JobSpec(TypicalSpec, frozen=True):
    """`completions`: None where one Pod that succeeds is enough. `template`: the Pod template as it is."""

    completions: int | None = None
    parallelism: IntOrString = ""
    backoff_limit: IntOrString = ""
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None
    template: dict[str, Any] = {}

    @property
    def wanted(self) -> int:
        """How many Pods must succeed."""
        return 1 if self.completions is None else self.completions


class JobStatus(ApiType, frozen=True):
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    start_time: str = ""
    completion_time: str = ""
    conditions: tuple[Condition, ...] = ()


class Job(Object, frozen=True):
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplateSpec(ApiType, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(TypicalSpec, frozen=True):
    schedule: str = ""
    time_zone: str = ""
    concurrency_policy: str = ""
    starting_deadline_seconds: int | None = None
    job_template: JobTemplateSpec = JobTemplateSpec()


class CronJobStatus(ApiType, frozen=True):
    active: tuple[ObjectReference, ...] = ()
    last_schedule_time: str = ""
    last_successful_time: str = ""


class CronJob(Object, frozen=True):
    spec: CronJobSpec = CronJobSpec()
    status: CronJobStatus = CronJobStatus()


class HorizontalPodAutoscalerStatus(ApiType, frozen=True):
    current_replicas: int = 0
    desired_replicas: int = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudgetStatus(TypicalStatus, frozen=True):
    current_healthy: int = 0
    desired_healthy: int = 0
    disruptions_allowed: int = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(TypicalObject, frozen=True):
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class ControllerRevision(Object, frozen=True):
    """`data`: of a StatefulSet or DaemonSet its Pod template alone."""

    revision: int | None = None
    data: Workload = Workload()


class ScaleSpec(ApiType, frozen=True):
    replicas: int = 0


class ScaleStatus(ApiType, frozen=True):
    replicas: int = 0


class Scale(Object, frozen=True):
    spec: ScaleSpec = ScaleSpec()
    status: ScaleStatus = ScaleStatus()

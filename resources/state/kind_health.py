"""The state of the kinds that Kubernetes and OLM bring along; any other kind by its operator's conventions
(resources/state/health.py).
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.reader import read
from kube.types import meta
from kube.types.cluster import (
    CertificateSigningRequestStatus,
    NodeSpec,
    PersistentVolumeClaimStatus,
    ResourceQuotaStatus,
)
from kube.types.core import PodStatus
from kube.types.meta import TypicalStatus
from kube.types.network import IngressStatus, RouteStatus, Service
from kube.types.olm import CatalogSourceStatus, SubscriptionSpec
from kube.types.workloads import CronJob, DaemonSet, HorizontalPodAutoscalerStatus, Job, PodDisruptionBudget, Workload
from resources.state import operator_health
from resources.state.health import (
    COMPLETED,
    DEGRADED,
    PROGRESSING,
    READY,
    SUSPENDED,
    UNKNOWN,
    Health,
    by_convention,
    by_word,
    condition_of,
    conditions,
    terminating,
)

Object = Mapping[str, Any]
_GATEWAYS = "gateway.networking.k8s.io"


def health(obj: Object) -> Health:
    """The state of any object, as far as its kind has one. Never raises, whatever an operator wrote."""
    known = read(obj, meta.Object)
    if going := terminating(known.metadata):
        return going
    rule = _RULES.get((known.group, known.kind))
    if rule is not None:
        return rule(obj)
    if not has_state(known.group, known.kind):
        return Health()
    if not obj.get("status") and not obj.get("spec"):
        return Health()
    return operator_health.by_group(known.group, obj) or by_convention(obj)


def has_state(group: str, kind: str) -> bool:
    """Whether objects of this kind can have a state other than Terminating."""
    if (group, kind) in _RULES:
        return (group, kind) not in _STATELESS
    return "." in group and not group.endswith(".k8s.io")


def waiting_reason(status: PodStatus) -> str:
    """Why a Pod's container does not run, as kubectl words it (CrashLoopBackOff, ImagePullBackOff, Error …); '' when
    all is well.
    """
    for container in (*status.init_container_statuses, *status.container_statuses):
        waiting, ended = container.state.waiting, container.state.terminated
        if waiting is not None and waiting.reason:
            return waiting.reason
        if ended is not None and ended.exit_code != 0:
            return ended.reason or "Error"
    return ""


def _pod(obj: Object) -> Health:
    status = read(obj.get("status"), PodStatus)
    phase, why = status.phase, status.message or status.reason
    waiting = waiting_reason(status)
    ready = condition_of(status.conditions, "Ready")
    since = ready.last_transition_time if ready is not None else ""
    if phase == "Succeeded":
        return Health(state=COMPLETED)
    if phase == "Failed":
        return Health(state=DEGRADED, reason=why or waiting or phase, since=since, ended=True)
    if waiting and by_word(waiting) == DEGRADED:
        return Health(state=DEGRADED, reason=waiting, since=since)
    if phase == "Running":
        if ready is None or ready.status == "True":
            return Health(state=READY)
        return Health(state=PROGRESSING, reason=waiting or ready.message or ready.reason, since=since)
    if scheduled := condition_of(status.conditions, "PodScheduled", "False"):
        reason = scheduled.message or scheduled.reason
        return Health(state=DEGRADED, reason=reason, since=scheduled.last_transition_time)
    return Health(state=PROGRESSING if phase == "Pending" else UNKNOWN, reason=waiting or why or phase, since=since)


def _replicas(obj: Object) -> Health:
    workload = read(obj, Workload)
    spec, status = workload.spec, workload.status
    wanted, ready = spec.replicas, status.ready_replicas
    words = _("%(ready)d of %(wanted)d ready") % {"ready": ready, "wanted": wanted}
    if failed := condition_of(status.conditions, "ReplicaFailure", "True"):
        return Health(state=DEGRADED, reason=failed.message or failed.reason, since=failed.last_transition_time)
    if spec.paused:
        return Health(state=SUSPENDED, reason=words)
    if workload.is_behind:
        return Health(state=PROGRESSING, reason=_("the latest change isn't reconciled yet"))
    if wanted == 0 and not status.replicas:
        # A Deployment's older ReplicaSets stand at 0 for good.
        return Health() if workload.kind == "ReplicaSet" else Health(state=SUSPENDED, reason=_("scaled to 0"))
    current = ready if status.updated_replicas is None else status.updated_replicas
    replicas = ready if status.replicas is None else status.replicas
    if ready < wanted or current < wanted or replicas > wanted:
        if stuck := condition_of(status.conditions, "Progressing", "False"):
            return Health(state=DEGRADED, reason=stuck.message or stuck.reason, since=stuck.last_transition_time)
        return Health(state=PROGRESSING, reason=words)
    return Health(state=READY, reason=words)


def _daemon_set(obj: Object) -> Health:
    daemon_set = read(obj, DaemonSet)
    wanted, ready = daemon_set.status.desired_number_scheduled, daemon_set.status.number_ready
    words = _("%(ready)d of %(wanted)d ready") % {"ready": ready, "wanted": wanted}
    return Health(state=PROGRESSING if ready < wanted or daemon_set.is_behind else READY, reason=words)


def _job(obj: Object) -> Health:
    job = read(obj, Job)
    if failed := condition_of(job.status.conditions, "Failed", "True"):
        reason = failed.message or failed.reason
        return Health(state=DEGRADED, reason=reason, since=failed.last_transition_time, ended=True)
    if condition_of(job.status.conditions, "Complete", "True"):
        return Health(state=COMPLETED)
    if job.spec.suspend:
        return Health(state=SUSPENDED)
    words = {"done": job.status.succeeded, "wanted": job.spec.wanted}
    return Health(state=PROGRESSING, reason=_("%(done)d of %(wanted)d completed") % words)


def _cron_job(obj: Object) -> Health:
    cron_job = read(obj, CronJob)
    status = cron_job.status
    if cron_job.spec.suspend:
        return Health(state=SUSPENDED)
    # Both are in UTC and of one length. A Job that has succeeded did so after it was scheduled.
    if not status.active and status.last_schedule_time > status.last_successful_time:
        return Health(state=DEGRADED, reason=_("the last run didn't succeed"), since=status.last_schedule_time)
    return Health(state=READY)


def _phase(obj: Object) -> Health:
    word = read(obj.get("status"), TypicalStatus).phase
    return Health(state=by_word(word) or UNKNOWN, reason=word)


def _node(obj: Object) -> Health:
    ready = condition_of(conditions(obj), "Ready")
    if ready is None:
        return Health(state=UNKNOWN)
    if ready.status != "True":
        return Health(state=DEGRADED, reason=ready.message or ready.reason)
    if read(obj.get("spec"), NodeSpec).unschedulable:
        return Health(state=SUSPENDED, reason=_("unschedulable"))
    return Health(state=READY)


def _service(obj: Object) -> Health:
    """Only one with a load balancer waits for anything; the others have no state."""
    service = read(obj, Service)
    if service.spec.type != "LoadBalancer":
        return Health()
    if service.status.load_balancer.ingress:
        return Health(state=READY)
    return Health(state=PROGRESSING, reason=_("waits for its load balancer"))


def _ingress(obj: Object) -> Health:
    if read(obj.get("status"), IngressStatus).load_balancer.ingress:
        return Health(state=READY)
    # Controllers that serve on the nodes themselves report no address: that isn't a failure.
    return Health(state=PROGRESSING, reason=_("no controller has assigned an address"))


def _claim(obj: Object) -> Health:
    status = read(obj.get("status"), PersistentVolumeClaimStatus)
    for condition in status.conditions:
        if condition.type in ("FileSystemResizePending", "Resizing") and condition.status == "True":
            return Health(state=PROGRESSING, reason=condition.message or _("the volume is being resized"))
        if condition.type.endswith(("ResizeError", "ResizeInfeasible")) and condition.status == "True":
            return Health(state=DEGRADED, reason=condition.message or condition.reason or condition.type)
    return Health(state=by_word(status.phase) or UNKNOWN, reason=status.phase)


def _autoscaler(obj: Object) -> Health:
    """A HorizontalPodAutoscaler: what it can't measure or scale; one at its limit still works as configured."""
    status = read(obj.get("status"), HorizontalPodAutoscalerStatus)
    for type_ in ("AbleToScale", "ScalingActive"):
        if found := condition_of(status.conditions, type_, "False"):
            state = SUSPENDED if found.reason == "ScalingDisabled" else DEGRADED
            return Health(state=state, reason=found.message or found.reason)
    if condition_of(status.conditions, "AbleToScale") is None:
        return Health(state=PROGRESSING, reason=_("no measurement yet"))
    if status.current_replicas != status.desired_replicas:
        words = {"ready": status.current_replicas, "wanted": status.desired_replicas}
        return Health(state=PROGRESSING, reason=_("%(ready)d of %(wanted)d replicas") % words)
    limited = condition_of(status.conditions, "ScalingLimited", "True")
    return Health(state=READY, reason=limited.message if limited else "")


def _disruption_budget(obj: Object) -> Health:
    budget = read(obj, PodDisruptionBudget)
    status = budget.status
    failed = condition_of(status.conditions, "DisruptionAllowed")
    if failed is not None and failed.reason == "SyncFailed":
        return Health(state=DEGRADED, reason=failed.message or failed.reason)
    if budget.is_behind or not obj.get("status"):
        return Health(state=PROGRESSING, reason=_("the latest change isn't reconciled yet"))
    words = _("%(ready)d of %(wanted)d ready") % {"ready": status.current_healthy, "wanted": status.desired_healthy}
    if status.current_healthy < status.desired_healthy:
        return Health(state=DEGRADED, reason=words)
    return Health(state=READY, reason=words if status.disruptions_allowed else _("no disruptions allowed now"))


def _quota(obj: Object) -> Health:
    """Full is degraded: the next object is refused."""
    status = read(obj.get("status"), ResourceQuotaStatus)
    # Amounts are written alike where they are equal; what is nearly full is for its page to show.
    full = sorted(name for name, most in status.hard.items() if most != "0" and status.used.get(name) == most)
    if full:
        return Health(state=DEGRADED, reason=_("quota used up: %(names)s") % {"names": ", ".join(full)})
    return Health(state=READY)


def _csr(obj: Object) -> Health:
    """A CertificateSigningRequest."""
    found = conditions(obj)
    for type_ in ("Denied", "Failed"):
        refused = condition_of(found, type_)
        if refused is not None and refused.status != "False":
            return Health(state=DEGRADED, reason=refused.message or refused.reason or type_)
    if read(obj.get("status"), CertificateSigningRequestStatus).certificate:
        return Health(state=READY, reason=_("issued"))
    approved = condition_of(found, "Approved") is not None
    return Health(state=PROGRESSING, reason=_("approved, not yet issued") if approved else _("waiting for approval"))


def _gateway(obj: Object) -> Health:
    """A Gateway is accepted by its controller, then programmed into whatever carries the traffic."""
    all_conditions = conditions(obj)
    for type_ in ("Accepted", "Programmed"):
        found = condition_of(all_conditions, type_)
        if found is None or found.status == "Unknown":
            return Health(state=PROGRESSING, reason=found.message if found else _("no controller has accepted it"))
        if found.status == "False":
            waits = found.reason in ("Pending", "AddressNotAssigned")
            return Health(state=PROGRESSING if waits else DEGRADED, reason=found.message or found.reason)
    return Health(state=READY)


def _route(obj: Object) -> Health:
    """Each parent Gateway of a route reports conditions of its own."""
    parents = read(obj.get("status"), RouteStatus).parents
    for parent in parents:
        for found in parent.conditions:
            if found.type in ("Accepted", "ResolvedRefs") and found.status == "False":
                return Health(state=DEGRADED, reason=found.message or found.reason)
    return Health(state=READY) if parents else Health(state=PROGRESSING, reason=_("no controller has accepted it"))


def _crd(obj: Object) -> Health:
    found = conditions(obj)
    if names := condition_of(found, "NamesAccepted", "False"):
        return Health(state=DEGRADED, reason=names.message or names.reason)
    return Health(state=READY if condition_of(found, "Established", "True") else PROGRESSING)


def _api_service(obj: Object) -> Health:
    available = condition_of(conditions(obj), "Available")
    if available is None:
        return Health(state=UNKNOWN)
    if available.status == "True":
        return Health(state=READY)
    return Health(state=DEGRADED, reason=available.message or available.reason)


def _csv(obj: Object) -> Health:
    status = read(obj.get("status"), TypicalStatus)
    word, state = status.phase, by_word(status.phase)
    if status.reason == "Copied":
        return Health(state=state or READY, reason=_("copied from the operator's own namespace"))
    why = status.message if state != READY else ""
    return Health(state=state or UNKNOWN, reason=f"{word}: {why}" if why else word)


def _subscription(obj: Object) -> Health:
    for condition in conditions(obj):
        bad = (
            "CatalogSourcesUnhealthy",
            "ResolutionFailed",
            "InstallPlanFailed",
            "InstallPlanMissing",
            "BundleUnpackFailed",
        )
        if condition.type in bad and condition.status == "True":
            return Health(state=DEGRADED, reason=condition.message or condition.reason or condition.type)
    word = read(obj.get("status"), TypicalStatus).state
    if word == "AtLatestKnown":
        return Health(state=READY, reason=_("up to date"))
    if word == "UpgradePending" and read(obj.get("spec"), SubscriptionSpec).install_plan_approval == "Manual":
        return Health(state=PROGRESSING, reason=_("an update waits for approval"))
    return Health(state=by_word(word) or PROGRESSING, reason=word)


def _catalog_source(obj: Object) -> Health:
    word = read(obj.get("status"), CatalogSourceStatus).connection_state.last_observed_state
    states = {
        "READY": READY,
        "TRANSIENT_FAILURE": DEGRADED,
        "SHUTDOWN": DEGRADED,
        "CONNECTING": PROGRESSING,
        "IDLE": READY,
    }
    return Health(state=states.get(word, PROGRESSING), reason=word if word != "READY" else "")


_RULES: dict[tuple[str, str], Callable[[Object], Health]] = {
    **operator_health.RULES,
    ("", "Pod"): _pod,
    ("", "PersistentVolume"): _phase,
    ("", "PersistentVolumeClaim"): _claim,
    ("", "Service"): _service,
    ("", "ResourceQuota"): _quota,
    ("", "Namespace"): _phase,
    ("", "Node"): _node,
    ("", "ReplicationController"): _replicas,
    ("apps", "Deployment"): _replicas,
    ("apps", "StatefulSet"): _replicas,
    ("apps", "ReplicaSet"): _replicas,
    ("apps", "DaemonSet"): _daemon_set,
    ("batch", "Job"): _job,
    ("batch", "CronJob"): _cron_job,
    ("networking.k8s.io", "Ingress"): _ingress,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    ("policy", "PodDisruptionBudget"): _disruption_budget,
    ("certificates.k8s.io", "CertificateSigningRequest"): _csr,
    (_GATEWAYS, "Gateway"): _gateway,
    **{(_GATEWAYS, kind): _route for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _crd,
    ("apiregistration.k8s.io", "APIService"): _api_service,
    ("operators.coreos.com", "ClusterServiceVersion"): _csv,
    ("operators.coreos.com", "Subscription"): _subscription,
    ("operators.coreos.com", "InstallPlan"): _phase,
    ("operators.coreos.com", "CatalogSource"): _catalog_source,
    ("operators.coreos.com", "OperatorGroup"): lambda _obj: Health(),
    ("packages.operators.coreos.com", "PackageManifest"): lambda _obj: Health(),
}
# Kinds of groups that operators' kinds are in, which have none.
_STATELESS = {
    ("operators.coreos.com", "OperatorGroup"),
    ("packages.operators.coreos.com", "PackageManifest"),
    ("argoproj.io", "AppProject"),
}

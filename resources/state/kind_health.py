"""The state of the kinds that Kubernetes and OLM bring along; any other kind by its operator's conventions
(resources/state/health.py).
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.objects import items, mapping, text
from resources.state import operator_health
from resources.state.health import (
    COMPLETED,
    DEGRADED,
    PROGRESSING,
    READY,
    SUSPENDED,
    UNKNOWN,
    Health,
    behind,
    by_convention,
    by_word,
    condition_of,
    conditions,
    number,
    terminating,
)

Object = Mapping[str, Any]
_GATEWAYS = "gateway.networking.k8s.io"


def health(obj: Object) -> Health:
    """The state of any object, as far as its kind has one. Never raises, whatever an operator wrote."""
    group, kind = text(obj.get("apiVersion")).rpartition("/")[0], text(obj.get("kind"))
    if going := terminating(obj):
        return going
    rule = _RULES.get((group, kind))
    if rule is not None:
        return rule(obj)
    if not has_state(group, kind):
        return Health()
    if not obj.get("status") and not obj.get("spec"):
        return Health()
    return operator_health.by_group(group, obj) or by_convention(obj)


def has_state(group: str, kind: str) -> bool:
    """Whether objects of this kind can have a state other than Terminating."""
    if (group, kind) in _RULES:
        return (group, kind) not in _STATELESS
    return "." in group and not group.endswith(".k8s.io")


def waiting_reason(obj: Object) -> str:
    """Why a Pod's container does not run, as kubectl words it (CrashLoopBackOff, ImagePullBackOff, Error …); '' when
    all is well.
    """
    status = mapping(obj.get("status"))
    for part in ("initContainerStatuses", "containerStatuses"):
        for container in items(status.get(part)):
            state = mapping(container.get("state"))
            waiting, ended = mapping(state.get("waiting")), mapping(state.get("terminated"))
            if word := text(waiting.get("reason")):
                return word
            if ended and number(ended.get("exitCode")) != 0:
                return text(ended.get("reason")) or "Error"
    return ""


def _pod(obj: Object) -> Health:
    status = mapping(obj.get("status"))
    phase, why = text(status.get("phase")), text(status.get("message")) or text(status.get("reason"))
    waiting = waiting_reason(obj)
    ready, scheduled = condition_of(obj, "Ready"), condition_of(obj, "PodScheduled")
    since = ready.changed if ready is not None else ""
    if phase == "Succeeded":
        return Health(state=COMPLETED)
    if phase == "Failed":
        return Health(state=DEGRADED, reason=why or waiting or phase, since=since, ended=True)
    if waiting and by_word(waiting) == DEGRADED:
        return Health(state=DEGRADED, reason=waiting, since=since)
    if phase == "Running":
        if ready is None or ready.status == "True":
            return Health(state=READY)
        return Health(state=PROGRESSING, reason=waiting or ready.message or ready.reason)
    if scheduled is not None and scheduled.status == "False":
        return Health(state=DEGRADED, reason=scheduled.message or scheduled.reason, since=scheduled.changed)
    return Health(state=PROGRESSING if phase == "Pending" else UNKNOWN, reason=waiting or why or phase)


def _replicas(obj: Object, ready_field: str = "readyReplicas") -> Health:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    wanted, ready = number(spec.get("replicas"), 1), number(status.get(ready_field))
    words = _("%(ready)d of %(wanted)d ready") % {"ready": ready, "wanted": wanted}
    failed = condition_of(obj, "ReplicaFailure")
    if failed is not None and failed.status == "True":
        return Health(state=DEGRADED, reason=failed.message or failed.reason, since=failed.changed)
    if spec.get("paused") is True:
        return Health(state=SUSPENDED, reason=words)
    if behind(obj):
        return Health(state=PROGRESSING, reason=_("the latest change isn't reconciled yet"))
    if wanted == 0 and number(status.get("replicas")) == 0:
        # A Deployment's older ReplicaSets stand at 0 for good.
        return Health() if obj.get("kind") == "ReplicaSet" else Health(state=SUSPENDED, reason=_("scaled to 0"))
    current = number(status.get("updatedReplicas"), ready)
    if ready < wanted or current < wanted or number(status.get("replicas"), ready) > wanted:
        stuck = condition_of(obj, "Progressing")
        if stuck is not None and stuck.status == "False":
            return Health(state=DEGRADED, reason=stuck.message or stuck.reason, since=stuck.changed)
        return Health(state=PROGRESSING, reason=words)
    return Health(state=READY, reason=words)


def _daemon_set(obj: Object) -> Health:
    status = mapping(obj.get("status"))
    wanted, ready = number(status.get("desiredNumberScheduled")), number(status.get("numberReady"))
    words = _("%(ready)d of %(wanted)d ready") % {"ready": ready, "wanted": wanted}
    return Health(state=PROGRESSING if ready < wanted or behind(obj) else READY, reason=words)


def _job(obj: Object) -> Health:
    failed, complete = condition_of(obj, "Failed"), condition_of(obj, "Complete")
    if failed is not None and failed.status == "True":
        return Health(state=DEGRADED, reason=failed.message or failed.reason, since=failed.changed, ended=True)
    if complete is not None and complete.status == "True":
        return Health(state=COMPLETED)
    if mapping(obj.get("spec")).get("suspend") is True:
        return Health(state=SUSPENDED)
    done = number(mapping(obj.get("status")).get("succeeded"))
    wanted = number(mapping(obj.get("spec")).get("completions"), 1)
    return Health(state=PROGRESSING, reason=_("%(done)d of %(wanted)d completed") % {"done": done, "wanted": wanted})


def _cron_job(obj: Object) -> Health:
    return Health(state=SUSPENDED) if mapping(obj.get("spec")).get("suspend") is True else Health(state=READY)


def _phase(obj: Object) -> Health:
    word = text(mapping(obj.get("status")).get("phase"))
    return Health(state=by_word(word) or UNKNOWN, reason=word if word else "")


def _node(obj: Object) -> Health:
    ready = condition_of(obj, "Ready")
    if ready is None:
        return Health(state=UNKNOWN)
    if ready.status != "True":
        return Health(state=DEGRADED, reason=ready.message or ready.reason)
    return (
        Health(state=SUSPENDED, reason=_("unschedulable"))
        if mapping(obj.get("spec")).get("unschedulable") is True
        else Health(state=READY)
    )


def _service(obj: Object) -> Health:
    """Only one with a load balancer waits for anything; the others have no state."""
    if mapping(obj.get("spec")).get("type") != "LoadBalancer":
        return Health()
    return (
        Health(state=READY) if _addresses(obj) else Health(state=PROGRESSING, reason=_("waits for its load balancer"))
    )


def _ingress(obj: Object) -> Health:
    # Controllers that serve on the nodes themselves report no address: that isn't a failure.
    return (
        Health(state=READY)
        if _addresses(obj)
        else Health(state=PROGRESSING, reason=_("no controller has assigned an address"))
    )


def _addresses(obj: Object) -> list[Mapping[str, Any]]:
    return items(mapping(mapping(obj.get("status")).get("loadBalancer")).get("ingress"))


def _claim(obj: Object) -> Health:
    word = text(mapping(obj.get("status")).get("phase"))
    for condition in conditions(obj):
        if condition.type in ("FileSystemResizePending", "Resizing") and condition.status == "True":
            return Health(state=PROGRESSING, reason=condition.message or _("the volume is being resized"))
        if condition.type.endswith(("ResizeError", "ResizeInfeasible")) and condition.status == "True":
            return Health(state=DEGRADED, reason=condition.message or condition.reason or condition.type)
    return Health(state=by_word(word) or UNKNOWN, reason=word)


def _autoscaler(obj: Object) -> Health:
    """A HorizontalPodAutoscaler: what it can't measure or scale; one at its limit still works as configured."""
    for type_ in ("AbleToScale", "ScalingActive"):
        found = condition_of(obj, type_)
        if found is not None and found.status == "False":
            state = SUSPENDED if found.reason == "ScalingDisabled" else DEGRADED
            return Health(state=state, reason=found.message or found.reason)
    limited, status = condition_of(obj, "ScalingLimited"), mapping(obj.get("status"))
    if condition_of(obj, "AbleToScale") is None:
        return Health(state=PROGRESSING, reason=_("no measurement yet"))
    if number(status.get("currentReplicas")) != number(status.get("desiredReplicas")):
        words = {"ready": number(status.get("currentReplicas")), "wanted": number(status.get("desiredReplicas"))}
        return Health(state=PROGRESSING, reason=_("%(ready)d of %(wanted)d replicas") % words)
    return Health(state=READY, reason=limited.message if limited is not None and limited.status == "True" else "")


def _disruption_budget(obj: Object) -> Health:
    status = mapping(obj.get("status"))
    healthy, wanted = number(status.get("currentHealthy")), number(status.get("desiredHealthy"))
    failed = condition_of(obj, "DisruptionAllowed")
    if failed is not None and failed.reason == "SyncFailed":
        return Health(state=DEGRADED, reason=failed.message or failed.reason)
    if behind(obj) or not status:
        return Health(state=PROGRESSING, reason=_("the latest change isn't reconciled yet"))
    words = _("%(ready)d of %(wanted)d ready") % {"ready": healthy, "wanted": wanted}
    if healthy < wanted:
        return Health(state=DEGRADED, reason=words)
    return Health(
        state=READY, reason=words if number(status.get("disruptionsAllowed")) else _("no disruptions allowed now")
    )


def _quota(obj: Object) -> Health:
    """Full is degraded: the next object is refused."""
    status = mapping(obj.get("status"))
    hard, used = mapping(status.get("hard")), mapping(status.get("used"))
    # Amounts are written alike where they are equal; what is nearly full is for its page to show.
    full = sorted(name for name in hard if text(used.get(name)) == text(hard[name]) and text(hard[name]) != "0")
    return (
        Health(state=DEGRADED, reason=_("quota used up: %(names)s") % {"names": ", ".join(full)})
        if full
        else Health(state=READY)
    )


def _csr(obj: Object) -> Health:
    """A CertificateSigningRequest."""
    for type_, state in (("Denied", DEGRADED), ("Failed", DEGRADED)):
        found = condition_of(obj, type_)
        if found is not None and found.status != "False":
            return Health(state=state, reason=found.message or found.reason or type_)
    if mapping(obj.get("status")).get("certificate"):
        return Health(state=READY, reason=_("issued"))
    approved = condition_of(obj, "Approved") is not None
    return Health(state=PROGRESSING, reason=_("approved, not yet issued") if approved else _("waiting for approval"))


def _gateway(obj: Object) -> Health:
    """A Gateway is accepted by its controller, then programmed into whatever carries the traffic."""
    for type_ in ("Accepted", "Programmed"):
        found = condition_of(obj, type_)
        if found is None or found.status == "Unknown":
            return Health(state=PROGRESSING, reason=found.message if found else _("no controller has accepted it"))
        if found.status == "False":
            waits = found.reason in ("Pending", "AddressNotAssigned")
            return Health(state=PROGRESSING if waits else DEGRADED, reason=found.message or found.reason)
    return Health(state=READY)


def _route(obj: Object) -> Health:
    """Each parent Gateway of a route reports conditions of its own."""
    parents = items(mapping(obj.get("status")).get("parents"))
    for parent in parents:
        for found in conditions({"status": parent}):
            if found.type in ("Accepted", "ResolvedRefs") and found.status == "False":
                return Health(state=DEGRADED, reason=found.message or found.reason)
    return Health(state=READY) if parents else Health(state=PROGRESSING, reason=_("no controller has accepted it"))


def _crd(obj: Object) -> Health:
    established, names = condition_of(obj, "Established"), condition_of(obj, "NamesAccepted")
    if names is not None and names.status == "False":
        return Health(state=DEGRADED, reason=names.message or names.reason)
    return (
        Health(state=READY) if established is not None and established.status == "True" else Health(state=PROGRESSING)
    )


def _api_service(obj: Object) -> Health:
    available = condition_of(obj, "Available")
    if available is None:
        return Health(state=UNKNOWN)
    return (
        Health(state=READY)
        if available.status == "True"
        else Health(state=DEGRADED, reason=available.message or available.reason)
    )


def _csv(obj: Object) -> Health:
    status = mapping(obj.get("status"))
    word, state = text(status.get("phase")), by_word(text(status.get("phase")))
    if text(status.get("reason")) == "Copied":
        return Health(state=state or READY, reason=_("copied from the operator's own namespace"))
    why = text(status.get("message")) if state != READY else ""
    return Health(state=state or UNKNOWN, reason=f"{word}: {why}" if why else word)


def _subscription(obj: Object) -> Health:
    word = text(mapping(obj.get("status")).get("state"))
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
    if word == "AtLatestKnown":
        return Health(state=READY, reason=_("up to date"))
    if word == "UpgradePending" and text(mapping(obj.get("spec")).get("installPlanApproval")) == "Manual":
        return Health(state=PROGRESSING, reason=_("an update waits for approval"))
    return Health(state=by_word(word) or PROGRESSING, reason=word)


def _catalog_source(obj: Object) -> Health:
    word = text(mapping(mapping(obj.get("status")).get("connectionState")).get("lastObservedState"))
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

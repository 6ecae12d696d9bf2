"""The state of Kubernetes' own kinds other than workloads: those that wait for an address, capacity or an approval."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from resources.state.health import (
    DEGRADED,
    PROGRESSING,
    READY,
    SUSPENDED,
    UNKNOWN,
    Health,
    behind,
    by_word,
    condition_of,
    conditions,
    items,
    mapping,
    number,
    text,
)

Object = Mapping[str, Any]


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


_GATEWAYS = "gateway.networking.k8s.io"
RULES: dict[tuple[str, str], Callable[[Object], Health]] = {
    ("", "PersistentVolumeClaim"): _claim,
    ("", "Service"): _service,
    ("", "ResourceQuota"): _quota,
    ("networking.k8s.io", "Ingress"): _ingress,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    ("policy", "PodDisruptionBudget"): _disruption_budget,
    ("certificates.k8s.io", "CertificateSigningRequest"): _csr,
    (_GATEWAYS, "Gateway"): _gateway,
    **{(_GATEWAYS, kind): _route for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")},
}

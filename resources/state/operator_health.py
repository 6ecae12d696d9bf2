"""The state of kinds whose operators do not write what others do: where the conventions of resources/state/health.py
would mislead.

Argo CD has a script for each such kind (resource_customizations); these rules come to the same states.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.reader import ApiType, read
from kube.types.meta import ObjectMeta, TypicalObject
from resources.state.health import (
    COMPLETED,
    DEGRADED,
    PROGRESSING,
    READY,
    SUSPENDED,
    Condition,
    Health,
    by_convention,
    by_word,
    condition_of,
    conditions,
)

Object = Mapping[str, Any]
Rule = Callable[[Object], Health | None]


def by_group(group: str, obj: Object) -> Health | None:
    """By the habits of everything in an API group; None where the group has none, or they say nothing about this
    object.
    """
    for ending, rule in _GROUPS:
        if group == ending or group.endswith(f".{ending}"):
            return rule(obj)
    return None


def _why(condition: Condition) -> str:
    return condition.message or condition.reason or condition.type


def _decided(found: Iterable[Condition], *types: str) -> Health | None:
    """For conditions where False is final and Unknown means in progress, as in Knative, Tekton and cert-manager."""
    for type_ in types:
        condition = condition_of(found, type_)
        if condition is None:
            continue
        if condition.status == "True":
            return Health(state=READY)
        return Health(state=DEGRADED if condition.status == "False" else PROGRESSING, reason=_why(condition))
    return None


def _knative(obj: Object) -> Health | None:
    if read(obj, TypicalObject).is_behind:
        return None
    return _decided(conditions(obj), "Ready", "Succeeded")


def _tekton_run(obj: Object) -> Health:
    found = condition_of(conditions(obj), "Succeeded")
    if found is None:
        return Health(state=PROGRESSING)
    if found.status == "True":
        return Health(state=COMPLETED)
    if found.status == "False":
        return Health(state=DEGRADED, reason=_why(found))
    return Health(state=PROGRESSING, reason=_why(found))


def _workflow(obj: Object) -> Health:
    """Argo Workflows: running is not done."""
    workflow = read(obj, TypicalObject)
    word, message = workflow.status.phase, workflow.status.message
    if workflow.spec.suspend:
        return Health(state=SUSPENDED, reason=message)
    states = {"Succeeded": COMPLETED, "Failed": DEGRADED, "Error": DEGRADED}
    state = states.get(word, PROGRESSING)
    return Health(state=state, reason=message or (word if state != COMPLETED else ""))


class _ApplicationHealth(ApiType, frozen=True):
    status: str = ""
    message: str = ""


class _ApplicationSync(ApiType, frozen=True):
    status: str = ""


class _ApplicationOperation(ApiType, frozen=True):
    phase: str = ""
    message: str = ""


class _ApplicationStatus(ApiType, frozen=True):
    health: _ApplicationHealth = _ApplicationHealth()
    sync: _ApplicationSync = _ApplicationSync()
    operation_state: _ApplicationOperation = _ApplicationOperation()


def _application(obj: Object) -> Health | None:
    """Argo CD: its health, and an operation that failed; being out of sync with Git alone isn't a failure."""
    status = read(obj.get("status"), _ApplicationStatus)
    operation = status.operation_state
    if operation.phase in ("Failed", "Error"):
        return Health(state=DEGRADED, reason=operation.message or operation.phase)
    for condition in conditions(obj):
        if condition.type.endswith("Error"):
            return Health(state=DEGRADED, reason=_why(condition))
    state, sync = by_word(status.health.status), status.sync.status
    reason = status.health.message or (sync if sync != "Synced" else "")
    return Health(state=state, reason=reason) if state else None


class _CertificateStatus(ApiType, frozen=True):
    not_after: str = ""


def _certificate(obj: Object) -> Health | None:
    """cert-manager."""
    found = conditions(obj)
    issuing, ready = condition_of(found, "Issuing"), condition_of(found, "Ready")
    if issuing is not None and issuing.status == "True":
        return Health(state=PROGRESSING, reason=_why(issuing))
    if issuing is not None and issuing.reason == "Failed":
        return Health(state=DEGRADED, reason=_why(issuing))
    if ready is None:
        return None
    if ready.status == "True":
        not_after = read(obj.get("status"), _CertificateStatus).not_after
        return Health(state=READY, reason=_("valid until %(moment)s") % {"moment": not_after})
    return Health(state=DEGRADED if ready.reason in ("Expired", "Failed") else PROGRESSING, reason=_why(ready))


def _certificate_request(obj: Object) -> Health | None:
    found = conditions(obj)
    for type_ in ("InvalidRequest", "Denied"):
        if refused := condition_of(found, type_, "True"):
            return Health(state=DEGRADED, reason=_why(refused))
    ready = condition_of(found, "Ready")
    if ready is None or ready.status == "True":
        return Health(state=READY) if ready else None
    return Health(state=DEGRADED if ready.reason in ("Failed", "Denied") else PROGRESSING, reason=_why(ready))


def _issuer(obj: Object) -> Health | None:
    return _decided(conditions(obj), "Ready")


def _keda(obj: Object) -> Health | None:
    found = conditions(obj)
    if paused := condition_of(found, "Paused", "True"):
        return Health(state=SUSPENDED, reason=_why(paused))
    if fallback := condition_of(found, "Fallback", "True"):
        return Health(state=DEGRADED, reason=_why(fallback))
    return _decided(found, "Ready")


def _crossplane(obj: Object) -> Health | None:
    """Synced and Ready are two questions, and both have to be answered well."""
    if read(obj.get("metadata"), ObjectMeta).annotations.get("crossplane.io/paused") == "true":
        return Health(state=SUSPENDED)
    if synced := condition_of(conditions(obj), "Synced", "False"):
        return Health(state=DEGRADED, reason=_why(synced))
    return None


def _ack(obj: Object) -> Health | None:
    """AWS Controllers for Kubernetes."""
    found = conditions(obj)
    for type_ in ("ACK.Terminal", "ACK.Recoverable"):
        if failed := condition_of(found, type_, "True"):
            return Health(state=DEGRADED, reason=_why(failed))
    synced = condition_of(found, "ACK.ResourceSynced")
    if synced is None:
        return Health(state=PROGRESSING)
    return Health(state=READY) if synced.status == "True" else Health(state=PROGRESSING, reason=_why(synced))


def _strimzi(obj: Object) -> Health | None:
    found = conditions(obj)
    if condition_of(found, "ReconciliationPaused", "True"):
        return Health(state=SUSPENDED)
    if not_ready := condition_of(found, "NotReady", "True"):
        return Health(
            state=PROGRESSING if by_word(not_ready.reason) == PROGRESSING else DEGRADED, reason=_why(not_ready)
        )
    return None


class _ElasticStatus(ApiType, frozen=True):
    phase: str = ""
    health: str = ""


def _elastic(obj: Object) -> Health | None:
    """Elastic Cloud on Kubernetes: the colour of the cluster counts more than its phase."""
    status = read(obj.get("status"), _ElasticStatus)
    colour, word = status.health, status.phase
    if by_word(word) == PROGRESSING or word in ("ApplyingChanges", "MigratingData"):
        return Health(state=PROGRESSING, reason=word)
    states = {"green": READY, "yellow": PROGRESSING, "red": DEGRADED}
    return Health(state=states[colour], reason=colour if colour != "green" else "") if colour in states else None


class _CephHealthMessage(ApiType, frozen=True):
    message: str = ""


class _CephStatus(ApiType, frozen=True):
    health: str = ""
    details: dict[str, _CephHealthMessage] = {}


class _CephClusterStatus(ApiType, frozen=True):
    ceph: _CephStatus = _CephStatus()


def _ceph(obj: Object) -> Health | None:
    """Rook."""
    ceph = read(obj.get("status"), _CephClusterStatus).ceph
    word = ceph.health
    if not word:
        return None
    details = [detail.message for detail in ceph.details.values() if detail.message]
    states = {"HEALTH_OK": READY, "HEALTH_ERR": DEGRADED, "HEALTH_WARN": DEGRADED}
    return Health(state=states.get(word, PROGRESSING), reason="" if word == "HEALTH_OK" else "; ".join(details) or word)


class _LonghornVolumeStatus(ApiType, frozen=True):
    robustness: str = ""
    state: str = ""


def _longhorn_volume(obj: Object) -> Health | None:
    status = read(obj.get("status"), _LonghornVolumeStatus)
    if status.robustness in ("degraded", "faulted"):
        return Health(state=DEGRADED, reason=status.robustness)
    states = {"attached": READY, "detached": SUSPENDED}
    return Health(state=states.get(status.state, PROGRESSING), reason=status.state) if status.state else None


class _SparkApplicationState(ApiType, frozen=True):
    state: str = ""
    error_message: str = ""


class _SparkApplicationStatus(ApiType, frozen=True):
    application_state: _SparkApplicationState = _SparkApplicationState()


def _spark(obj: Object) -> Health | None:
    application = read(obj.get("status"), _SparkApplicationStatus).application_state
    word = application.state
    if not word:
        return None
    bad, done = word.endswith("FAILED") or word in ("FAILING", "UNKNOWN"), word == "COMPLETED"
    found = DEGRADED if bad else COMPLETED if done else READY if word == "RUNNING" else PROGRESSING
    return Health(state=found, reason=application.error_message or ("" if done else word.lower()))


class _VirtualMachineStatus(ApiType, frozen=True):
    printable_status: str = ""


def _virtual_machine(obj: Object) -> Health | None:
    """KubeVirt."""
    word = read(obj.get("status"), _VirtualMachineStatus).printable_status
    if word.startswith("Error") or by_word(word) == DEGRADED:
        return Health(state=DEGRADED, reason=word)
    state = by_word(word)
    return Health(state=state or PROGRESSING, reason=word if state != READY else "") if word else None


class _BackupStatus(ApiType, frozen=True):
    phase: str = ""
    failure_reason: str = ""


def _backup(obj: Object) -> Health | None:
    """Velero and OADP."""
    status = read(obj.get("status"), _BackupStatus)
    if "Fail" in status.phase:
        return Health(state=DEGRADED, reason=status.failure_reason or status.phase)
    return None


def _or(rule: Rule) -> Callable[[Object], Health]:
    """The rule, or the conventions where it says nothing."""
    return lambda obj: rule(obj) or by_convention(obj)


# Of a whole group, by its ending.
_GROUPS: tuple[tuple[str, Rule], ...] = (
    ("knative.dev", _knative),
    ("crossplane.io", _crossplane),
    ("upbound.io", _crossplane),
    ("services.k8s.aws", _ack),
    ("kafka.strimzi.io", _strimzi),
    ("k8s.elastic.co", _elastic),
    ("keda.sh", _keda),
    ("velero.io", _backup),
    ("oadp.openshift.io", _backup),
)
RULES: dict[tuple[str, str], Callable[[Object], Health]] = {
    ("tekton.dev", "PipelineRun"): _tekton_run,
    ("tekton.dev", "TaskRun"): _tekton_run,
    ("argoproj.io", "Workflow"): _workflow,
    ("argoproj.io", "Application"): _or(_application),
    ("argoproj.io", "AppProject"): lambda _obj: Health(),
    ("cert-manager.io", "Certificate"): _or(_certificate),
    ("cert-manager.io", "CertificateRequest"): _or(_certificate_request),
    ("cert-manager.io", "Issuer"): _or(_issuer),
    ("cert-manager.io", "ClusterIssuer"): _or(_issuer),
    ("ceph.rook.io", "CephCluster"): _or(_ceph),
    ("longhorn.io", "Volume"): _or(_longhorn_volume),
    ("sparkoperator.k8s.io", "SparkApplication"): _or(_spark),
    ("kubevirt.io", "VirtualMachine"): _or(_virtual_machine),
}

"""The state of an install, decided in one place: its page, the JSON API, the lists and the overview ask here.

OLM writes passing states on the way of every install: a ClusterServiceVersion is Pending for kinds and permissions that
its own InstallPlan is about to create, and Failed for a moment between two attempts. A state counts as failed when OLM
has given up, or when what is wrong lasts. Sources: operator-lifecycle-manager,
pkg/controller/operators/{olm,catalog}/operator.go; operator-framework/api, pkg/operators/v1alpha1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.reader import read
from kube.types.meta import Condition
from kube.types.olm import CatalogSourceStatus, InstallPlanStatus
from operatorhub import olm
from resources.state.health import condition_of

#: OLM rechecks missing requirements within this time.
SETTLE_SECONDS = 15.0
#: Permissions can't be checked from here, so OLM has longer to notice those that its plan created.
PERMISSIONS_SECONDS = 60.0
#: OLM retries a failed install; after this many failures since it last worked, the version counts as failed.
MAX_ATTEMPTS = 3
HEALTHY_CATALOG = ("", "READY", "CONNECTING", "IDLE")
MET = ("Present", "Satisfied", "DependentSatisfied", "DeploymentFound", "Created")
_CRD = "CustomResourceDefinition"

Object = Mapping[str, Any]


def seconds_since(timestamp: str) -> float | None:
    """None for what isn't a timestamp."""
    try:
        return (datetime.now(UTC) - datetime.fromisoformat(timestamp)).total_seconds()
    except (ValueError, TypeError):
        return None


def lasts(timestamp: str, seconds: float = SETTLE_SECONDS) -> bool:
    """Whether what began then is older than `seconds`; True where nothing says when it began."""
    age = seconds_since(timestamp)
    return age is None or age >= seconds


@dataclass(frozen=True, slots=True)
class Failure:
    """OLM's reason and message."""

    reason: str
    message: str


def version_failure(found: Object | None) -> Failure | None:
    """Why a ClusterServiceVersion has failed; None while OLM works on it, and when it runs."""
    status = olm.csv_status(found)
    if status.phase in ("", olm.SUCCEEDED, olm.REPLACING, olm.DELETING):
        return None
    if status.phase == olm.FAILED and lasts(status.last_transition_time):
        return Failure(status.reason, status.message)
    failures: list[Condition] = []
    for condition in status.conditions:
        if condition.phase == olm.SUCCEEDED:
            failures = []
        elif condition.phase == olm.FAILED:
            failures.append(condition)
    # InstallCheckFailed: its Deployments weren't ready within five minutes.
    timed_out = any(failure.reason == "InstallCheckFailed" for failure in failures)
    if timed_out or len(failures) >= MAX_ATTEMPTS:
        return Failure(failures[-1].reason, failures[-1].message)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Something that the CSV needs and does not have.

    `rules`: permissions that its ServiceAccount lacks, as OLM writes them.
    """

    kind: str
    name: str
    status: str
    message: str
    rules: tuple[str, ...] = ()


def unmet(found: Object | None) -> tuple[Requirement, ...]:
    """Requirements that OLM last reported as unmet; not conclusive while the plan is being carried out."""
    return tuple(
        Requirement(
            kind=requirement.kind,
            name=requirement.name,
            status=requirement.status,
            message=requirement.message,
            rules=tuple(dependent.message for dependent in requirement.dependents if dependent.status not in MET),
        )
        for requirement in olm.csv_status(found).requirement_status
        if requirement.status not in MET
    )


def missing(found: Object | None, plan: Object | None, served: frozenset[str]) -> tuple[Requirement, ...]:
    """Requirements that OLM won't find by waiting: its plan is carried out, time has passed, and the kind isn't in
    `served` either.

    `plan` None: OLM has removed it, or a bundle runs without one. `served`: CRDs that the cluster now serves.
    """
    status = olm.csv_status(found)
    if status.phase not in ("Pending", olm.FAILED):
        return ()
    plan_status = read((plan or {}).get("status"), InstallPlanStatus)
    if plan is not None and plan_status.phase not in ("Complete", "Failed"):
        return ()
    start = max(
        [status.last_transition_time, *(condition.last_transition_time for condition in plan_status.conditions)]
    )
    return tuple(
        requirement
        for requirement in unmet(found)
        if (requirement.kind != _CRD or requirement.name not in served)
        and lasts(start, SETTLE_SECONDS if requirement.kind == _CRD else PERMISSIONS_SECONDS)
    )


def served_by_now(client: ClusterClient, found: Object | None) -> frozenset[str]:
    """Of the CRDs that OLM has noted as missing, those that the API server serves at this moment."""
    names = {requirement.name for requirement in unmet(found) if requirement.kind == _CRD}
    if not names or olm.phase(found or {}) not in ("Pending", olm.FAILED):
        return frozenset()
    for attempt in ("as discovered before", "anew"):
        if attempt == "anew":
            client.forget_types()
        try:
            served = frozenset(f"{type_.plural}.{type_.group}" for type_ in client.types())
        except KubeError:
            return frozenset()
        if names <= served:
            return frozenset(names)
    return frozenset(names & served)


def version_failed(client: ClusterClient, found: Object, plan: Callable[[], Object | None]) -> bool:
    """Whether a ClusterServiceVersion won't get on by waiting.

    `plan` reads its InstallPlan, and is asked only where that matters.
    """
    if version_failure(found):
        return True
    if not missing(found, None, frozenset()):
        return False
    return bool(missing(found, plan(), served_by_now(client, found)))


def subscription_problem(sub: olm.Subscription) -> str:
    """Why nothing comes of a Subscription, in OLM's own words; '' when nothing is wrong, and while OLM may still
    find its way.
    """
    under_way = bool(sub.plan) and not sub.installed
    for kind in olm.PROBLEMS:
        if kind == "ResolutionFailed" and under_way:
            continue
        condition = condition_of(sub.conditions, kind, "True")
        if condition and (kind in olm.FINAL_PROBLEMS or lasts(sub.problem_since)):
            return condition.message or condition.reason
    return ""


def catalog_silent(source: CatalogSourceStatus) -> str:
    """The state of a catalog's connection where it has not answered for long (TRANSIENT_FAILURE …), else ''."""
    connection = source.connection_state
    state = connection.last_observed_state
    if state in HEALTHY_CATALOG or not lasts(connection.last_connect):
        return ""
    return state

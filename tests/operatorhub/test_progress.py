"""Why an install doesn't progress: each rule over facts as OLM writes them, without a cluster."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kube.reader import read
from kube.types.olm import InstallPlan
from operatorhub import olm
from operatorhub.progress import pods, stages, trouble
from operatorhub.progress.facts import InstallFacts
from operatorhub.upgrade import plans

Object = dict[str, Any]
GROUP = {"metadata": {"name": "g", "namespace": "apps"}, "spec": {"targetNamespaces": ["apps"]}}
READY = {"metadata": {"name": "cat"}, "status": {"connectionState": {"lastObservedState": "READY"}}}


def conditions(*pairs: tuple[str, str, str]) -> Object:
    return {"conditions": [{"type": kind, "status": status, "message": words} for kind, status, words in pairs]}


def facts(status: Object | None = None, **others: Any) -> InstallFacts:
    """An install in `apps`; `status`: of its Subscription."""
    spec = {"name": "db", "source": "cat", "sourceNamespace": "olm"}
    obj = {
        "metadata": {"name": "db", "namespace": "apps"},
        "spec": spec,
        "status": {"installPlanRef": {"name": "install-1"}, **(status or {})},
    }
    found: dict[str, Any] = {
        "groups": (GROUP,),
        "space": None,
        "source": READY,
        "source_missing": False,
        "plan": None,
        "csv_name": "db.v1",
        "csv": None,
        "deployments": (),
        "pods": (),
        "events": {},
        "unread": (),
    }
    return InstallFacts(**{"subscription": olm.subscription(obj), **found, **others})


def csv(phase: str, reason: str = "", message: str = "", **status: Any) -> Object:
    status = {"phase": phase, "reason": reason, "message": message, **status}
    return {"metadata": {"name": "db.v1", "namespace": "apps"}, "spec": {}, "status": status}


def pod(*, waiting: Object | None = None, terminated: Object | None = None, scheduled: str = "") -> Object:
    state = {"waiting": waiting} if waiting else {"terminated": terminated}
    conditions_ = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": scheduled}]
    return {
        "metadata": {"name": "db-1", "namespace": "apps", "uid": "1"},
        "status": {
            "conditions": conditions_ if scheduled else [],
            "containerStatuses": [{"name": "manager", "image": "x/y:1", "restartCount": 2, "state": state}],
        },
    }


def needs(kind: str, name: str, status: str, *rules: str) -> Object:
    dependents = [{"status": "NotSatisfied", "message": rule} for rule in rules]
    return {"kind": kind, "name": name, "status": status, "message": "said", "dependents": dependents}


SILENT = "error using catalogsource other/sick: failed to list bundles: rpc error: code = Unavailable"
ORPHAN = (
    "constraints not satisfiable: clusterserviceversion db.v0 exists and is not referenced by a subscription,"
    " subscription db exists"
)
NEEDS = (
    "constraints not satisfiable: bundle db.v1 requires an operator providing an API with group: a.example, version:"
    " v1, kind: Thing"
)

NEEDS_PACKAGE = (
    "constraints not satisfiable: bundle db.v1 requires an operator with package: mortar and with version in range: >=2"
)


@pytest.mark.parametrize(
    ("found", "key", "stage"),
    [
        (facts(groups=()), "no-group", "place"),
        (facts(groups=(GROUP, GROUP)), "groups", "place"),
        (facts(source=None, source_missing=True), "catalog-missing", "catalog"),
        (
            facts(source={"status": {"connectionState": {"lastObservedState": "TRANSIENT_FAILURE"}}}),
            "catalog-unhealthy",
            "catalog",
        ),
        (facts(conditions(("ResolutionFailed", "True", SILENT))), "catalog-unhealthy", "catalog"),
        (facts(conditions(("ResolutionFailed", "True", ORPHAN))), "orphan", "subscription"),
        (facts(conditions(("ResolutionFailed", "True", NEEDS))), "dependency", "subscription"),
        (facts(conditions(("ResolutionFailed", "True", NEEDS_PACKAGE))), "dependency", "subscription"),
        (
            facts(
                conditions(
                    ("ResolutionFailed", "True", "no operators found in channel beta of package db in the catalog")
                )
            ),
            "not-in-catalog",
            "subscription",
        ),
        (facts(conditions(("ResolutionFailed", "True", "constraints not satisfiable"))), "resolution", "subscription"),
        (facts(conditions(("BundleUnpackFailed", "True", "bundle unpacking failed"))), "bundle", "bundle"),
        (
            facts(plan={"status": {"phase": "Failed", "message": "clusterroles is forbidden: User cannot create"}}),
            "plan-rights",
            "plan",
        ),
        (
            facts(plan={"status": {"phase": "Installing", "message": "Kind=X not found on the cluster"}}),
            "plan-api",
            "plan",
        ),
        (
            facts(
                plan={
                    "status": {"phase": "Failed", "message": "error validating existing CRs against new CRD's schema"}
                }
            ),
            "plan-schema",
            "plan",
        ),
        (facts(plan={"status": {"phase": "Failed", "message": "boom"}}), "plan", "plan"),
        # The version is the plan's first step: what it lacks is what the plan could not bring.
        (
            facts(
                plan={"status": {"phase": "Installing", "message": "existing CRs against new CRD's schema"}},
                csv=csv("Pending", requirementStatus=[needs("CustomResourceDefinition", "a.b", "NotPresent")]),
            ),
            "plan-schema",
            "plan",
        ),
        (
            facts(
                csv=csv(
                    "Pending", requirementStatus=[needs("CustomResourceDefinition", "things.a.example", "NotPresent")]
                )
            ),
            "missing-crd",
            "csv",
        ),
        (
            facts(
                csv=csv("Pending", requirementStatus=[needs("ServiceAccount", "db", "PresentNotSatisfied", "rule x")])
            ),
            "rights",
            "csv",
        ),
        (
            facts(
                csv=csv("Pending", requirementStatus=[needs("ClusterServiceVersion", "db.v1", "PresentNotSatisfied")])
            ),
            "requirements",
            "csv",
        ),
        (
            facts(csv=csv("Failed", "UnsupportedOperatorGroup", "OwnNamespace InstallModeType not supported")),
            "csv-failed",
            "csv",
        ),
        (
            facts(
                csv=csv("Installing"), pods=(pod(waiting={"reason": "ImagePullBackOff", "message": "no such host"}),)
            ),
            "image_pull",
            "pods",
        ),
        (
            facts(
                csv=csv("Failed", "InstallCheckFailed", "timeout"), pods=(pod(waiting={"reason": "CrashLoopBackOff"}),)
            ),
            "crash_loop",
            "pods",
        ),
        (
            facts(csv=csv("Installing"), pods=(pod(terminated={"reason": "Error", "exitCode": 1}),)),
            "crash_loop",
            "pods",
        ),
        (
            facts(
                csv=csv("Installing"),
                pods=(pod(waiting={"reason": "CreateContainerConfigError", "message": 'secret "db" not found'}),),
            ),
            "missing_config",
            "pods",
        ),
        (
            facts(csv=csv("Installing"), pods=(pod(scheduled="0/1 nodes are available: 1 Insufficient cpu."),)),
            "unschedulable",
            "pods",
        ),
        (
            facts(
                csv=csv("Installing"),
                deployments=(("db", {"status": conditions(("ReplicaFailure", "True", "exceeded quota"))}),),
            ),
            "replicas",
            "deployments",
        ),
    ],
)
def test_the_first_broken_link_is_named(found: InstallFacts, key: str, stage: str) -> None:
    broken = trouble.find(found)
    assert broken is not None
    assert (broken.key, broken.stage) == (key, stage)
    assert broken.words
    assert all(way.url or way.action for way in broken.ways)


@pytest.mark.parametrize(
    "found",
    [
        facts(),
        facts(groups=None),
        facts(csv=csv("Succeeded"), groups=()),
        facts(csv=csv("Installing"), pods=(pod(waiting={"reason": "ContainerCreating"}),)),
        facts(csv=csv("Pending"), plan={"status": {"phase": "Complete"}}),
        # Older than the plan that was made since.
        facts(conditions(("ResolutionFailed", "True", ORPHAN)), plan={"status": {"phase": "Installing"}}),
        facts(plan={"status": {"phase": "RequiresApproval"}}),
        facts(csv=csv("Installing"), pods=(pod(terminated={"reason": "Completed", "exitCode": 0}),)),
    ],
)
def test_what_only_takes_its_time_is_no_trouble(found: InstallFacts) -> None:
    assert trouble.find(found) is None


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:05Z", 5.0),
        ("2026-01-01T10:00:00Z", "2026-01-03T10:00:00Z", None),  # an update, days later
        ("2026-01-01T10:00:05Z", "2026-01-01T10:00:00Z", 0.0),  # clocks of two machines
        ("2026-01-01T10:00:00Z", "", None),
        ("", "2026-01-01T10:00:00Z", None),
        ("soon", "2026-01-01T10:00:00Z", None),
    ],
)
def test_how_long_a_choice_took(start: str, end: str, seconds: float | None) -> None:
    assert stages.chosen_after(start, end) == seconds


@pytest.mark.parametrize(
    ("phase", "spec", "waits"),
    [
        ("RequiresApproval", {"approved": False}, True),
        ("RequiresApproval", {}, True),
        ("RequiresApproval", None, True),
        # Approved, and OLM hasn't seen it yet.
        ("RequiresApproval", {"approved": True}, False),
        ("Installing", {"approved": True}, False),
        ("", {"approved": False}, False),
    ],
)
def test_a_plan_waits_by_the_same_rule_everywhere(phase: str, spec: Object | None, waits: bool) -> None:
    plan = {"metadata": {"name": "install-1", "namespace": "apps"}, "spec": spec, "status": {"phase": phase}}
    assert olm.plan_waits(read(plan, InstallPlan)) is waits
    shown = plans.plan(plan)
    assert (shown.waits, shown.state) == (waits, "asks" if waits else "running")
    assert stages.plan(facts(plan=plan)).state == shown.state


def test_an_olm_that_says_nothing_is_asked_again() -> None:
    obj = {
        "metadata": {"name": "db", "namespace": "apps", "creationTimestamp": "2020-01-01T00:00:00Z"},
        "spec": {"name": "db"},
    }
    broken = trouble.find(facts(subscription=olm.subscription(obj)))
    assert broken is not None
    assert (broken.key, broken.ways[0].action) == ("silence", "look-again")


def test_the_clusters_own_words_are_kept() -> None:
    broken = trouble.find(facts(conditions(("ResolutionFailed", "True", ORPHAN))))
    assert broken is not None
    assert broken.raw == ORPHAN
    assert "db.v0" in broken.words
    assert broken.ways[0].url.endswith("/clusterserviceversions/apps/db.v0/delete/")


def test_a_crash_tells_its_exit_code_and_the_log() -> None:
    broken = trouble.find(facts(csv=csv("Installing"), pods=(pod(terminated={"reason": "Error", "exitCode": 3}),)))
    assert broken is not None
    assert "exits with code 3" in broken.words
    assert broken.ways[0].url.endswith("/pods/apps/db-1/logs/")


@pytest.mark.parametrize(("seconds", "restarts", "key"), [(2, 3, "crash_loop"), (60, 3, ""), (2, 1, "")])
def test_a_program_that_was_begun_once_more_just_now(seconds: int, restarts: int, key: str) -> None:
    """Between two crashes it runs for a moment; the page does not say meanwhile that all is well."""
    begun = datetime.now(UTC) - timedelta(seconds=seconds)
    last = {"terminated": {"reason": "Error", "exitCode": 3}}
    state = {"running": {"startedAt": begun.isoformat(timespec="seconds").replace("+00:00", "Z")}}
    item = {"name": "app", "restartCount": restarts, "state": state, "lastState": last}
    found = next(
        pods.troubles([{"metadata": {"name": "db-1", "namespace": "apps"}, "status": {"containerStatuses": [item]}}]),
        None,
    )
    assert (found.key if found else "") == key

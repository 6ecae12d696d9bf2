"""A Subscription's status from what is there."""

from typing import Any

from sandbox.olm.subscription_status import GENERATED_BY, is_pending, observed, pending

PLAN = {
    "metadata": {"name": "install-1", "namespace": "n", "uid": "p"},
    "spec": {"generation": 1},
    "status": {"phase": "Installing"},
}


def source(state: str = "READY") -> dict[str, Any]:
    meta = {"name": "c", "namespace": "olm", "uid": "s", "resourceVersion": "1"}
    return {"metadata": meta, "status": {"connectionState": {"lastObservedState": state}}}


def subscription(status: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    spec = {"name": "tea", "source": "c", "sourceNamespace": "olm", "startingCSV": "tea.v1"}
    return {"metadata": {"name": "tea", **meta}, "spec": spec, "status": status or {}}


def condition(status: dict[str, Any], type_: str) -> dict[str, Any]:
    return next((item for item in status.get("conditions", []) if item["type"] == type_), {})


def test_it_settles() -> None:
    first = observed(subscription(), [source()], {}, {})
    assert observed(subscription(first), [source()], {}, {}) == first
    assert condition(first, "CatalogSourcesUnhealthy")["reason"] == "AllCatalogSourcesHealthy"


def test_a_missing_catalog_is_named() -> None:
    found = condition(observed(subscription(), [], {}, {}), "CatalogSourcesUnhealthy")
    assert found["status"] == "True"
    assert found["message"] == "targeted catalogsource olm/c missing"


def test_it_waits_for_its_plan_and_then_has_its_csv() -> None:
    waiting = observed(subscription(pending({}, "tea.v1", PLAN, 1)), [source()], {}, {"install-1": PLAN})
    assert is_pending(waiting)
    assert condition(waiting, "InstallPlanPending")["reason"] == "Installing"
    done = {**PLAN, "status": {"phase": "Complete"}}
    found = observed(subscription(waiting), [source()], {"tea.v1": {}}, {"install-1": done})
    assert (found["state"], found["installedCSV"]) == ("AtLatestKnown", "tea.v1")
    assert condition(found, "InstallPlanPending") == {}


def test_a_failed_plan_gives_its_reason() -> None:
    failed = {
        "phase": "Failed",
        "message": "no",
        "conditions": [{"type": "Installed", "reason": "InstallComponentFailed"}],
    }
    found = observed(
        subscription(pending({}, "tea.v1", PLAN, 1)), [source()], {}, {"install-1": {**PLAN, "status": failed}}
    )
    assert condition(found, "InstallPlanFailed")["reason"] == "InstallComponentFailed"
    assert condition(found, "InstallPlanFailed")["message"] == "no"


def test_a_plan_that_was_deleted_is_made_again() -> None:
    found = observed(subscription(pending({}, "tea.v1", PLAN, 1)), [source()], {}, {})
    assert "installPlanRef" not in found
    assert "currentCSV" not in found


def test_a_subscription_made_by_a_plan_knows_it() -> None:
    found = observed(subscription(annotations={GENERATED_BY: "install-1"}), [source()], {}, {"install-1": PLAN})
    assert found["installPlanRef"]["name"] == "install-1"
    assert found["currentCSV"] == "tea.v1"

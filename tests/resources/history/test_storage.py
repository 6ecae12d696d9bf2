"""What is kept of an object: no heartbeats, no passwords; and steps that lead back."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.history import stored_object
from resources.writing.diff import same


def _object(**more: Any) -> dict[str, Any]:
    metadata = {
        "name": "a",
        "namespace": "n",
        "uid": "u",
        "resourceVersion": "5",
        "generation": 2,
        "managedFields": [{}],
    }
    return {"apiVersion": "x.io/v1", "kind": "X", "metadata": metadata, **more}


def test_heartbeats_are_not_kept() -> None:
    item = _object(
        status={
            "lastSeen": "2026-01-01T00:00:00Z",
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        }
    )
    other = _object(
        status={
            "lastSeen": "2026-01-01T00:00:09.5Z",
            "observedGeneration": 2,
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"}],
        }
    )
    other["metadata"]["resourceVersion"] = "6"
    assert stored_object.clean(item) == stored_object.clean(other)
    assert stored_object.clean(item)["status"] == {"conditions": [{"type": "Ready", "status": "True"}]}
    assert "managedFields" not in stored_object.clean(item)["metadata"]


def test_passwords_are_not_kept_but_that_they_change_is() -> None:
    def cleaned(word: str) -> dict[str, Any]:
        env = [{"name": "DB_PASSWORD", "value": word}, {"name": "COLOUR", "value": "blue"}]
        return stored_object.clean(
            _object(spec={"adminPassword": word, "passwordSecretRef": "ref", "tokenName": "t", "env": env})
        )

    item, other = cleaned("hunter2"), cleaned("hunter3")
    assert "hunter" not in repr(item)
    assert item["spec"]["adminPassword"] != other["spec"]["adminPassword"]
    assert item["spec"]["passwordSecretRef"] == "ref"
    assert item["spec"]["env"][1]["value"] == "blue"
    assert cleaned("hunter2") == item
    live = _object(
        spec={
            "adminPassword": "now",
            "env": [{"name": "COLOUR", "value": "red"}, {"name": "DB_PASSWORD", "value": "p"}],
        }
    )
    back = stored_object.unmasked(item, live)
    assert back["spec"]["adminPassword"] == "now"
    assert back["spec"]["env"][0] == {"name": "DB_PASSWORD", "value": "p"}, "found by its name, not its place"
    assert stored_object.unmasked(item, {})["spec"]["env"][0] == {"name": "DB_PASSWORD"}, (
        "what nobody knows is left out"
    )
    assert not stored_object.any_hidden(back)


@pytest.mark.parametrize(
    "odd", [None, [], "text", 3, {"conditions": "no"}, {"conditions": [None, 3]}, {"conditions": {"Ready": "True"}}]
)
def test_odd_shapes(odd: Any) -> None:
    for name in ("metadata", "spec", "status"):
        obj = {**_object(), name: odd}
        made = stored_object.clean(obj)
        stored_object.writer(obj, [("spec", "a", 0), ("status",)])
        fields, _number = stored_object.changed_fields(stored_object.clean(_object()), made, 5)
        assert all(len(entry) == 3 for entry in fields)
        assert stored_object.apply_steps(
            made, stored_object.steps_back(made, stored_object.clean(_object()))
        ) == stored_object.clean(_object())


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab=", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_JSON, _JSON)
def test_steps_lead_back(old: Any, new: Any) -> None:
    assert same(stored_object.apply_steps(new, stored_object.steps_back(new, old)), old)


def test_words_name_what_changed() -> None:
    def obj(image: str, status: str, reason: str, names: tuple[str, ...]) -> dict[str, Any]:
        containers = [{"name": name, "image": image if name == "web" else "x"} for name in names]
        conditions = [{"type": "Ready", "status": status, "reason": reason}]
        return {"spec": {"containers": containers, "on": True, "n": 0}, "status": {"conditions": conditions}}

    fields, number = stored_object.changed_fields(
        obj("a:1", "False", "Waiting", ("web",)), obj("a:2", "True", "Fine", ("side", "web")), 9
    )
    assert fields == [
        ["condition Ready", "False (Waiting)", "True (Fine)"],
        ["spec.containers[name=web].image", "a:1", "a:2"],
        ["spec.containers[name=side]", "", "{…}"],
    ]
    assert number == 3
    fields, _ = stored_object.changed_fields(
        {"spec": {"on": True, "n": 0, "t": ""}}, {"spec": {"on": False, "n": False, "t": None}}, 9
    )
    assert [entry[1:] for entry in fields] == [["true", "false"], ["0", "false"], ['""', "null"]]
    assert stored_object.changed_fields({}, {"status": {"phase": "Ready"}}, 9) == ([["status.phase", "", "Ready"]], 1)


def test_of_two_in_one_second_the_one_who_writes_what_changed() -> None:
    at = "2026-11-22T03:00:00Z"
    notes = {"f:metadata": {"f:annotations": {"f:mine": {}}}, "f:spec": {"f:replicas": {}}}
    person = {"manager": "operator-console", "time": at, "fieldsV1": notes}
    operator = {"manager": "kopf", "time": at, "fieldsV1": {"f:metadata": {"f:annotations": {"f:last-handled": {}}}}}
    status = {"manager": "kopf-status", "time": at, "subresource": "status", "fieldsV1": {"f:status": {}}}
    obj = {"metadata": {"managedFields": [operator, person, status]}}
    assert stored_object.writer(obj, [("metadata", "annotations", "last-handled")])[0] == "kopf"
    assert stored_object.writer(obj, [("metadata", "annotations", "mine")])[0] == "operator-console"
    assert (
        stored_object.writer(obj, [("spec", "replicas"), ("metadata", "annotations", "mine")])[0] == "operator-console"
    )
    assert stored_object.writer(obj, [("status", "phase")])[0] == "kopf-status"
    assert stored_object.writer(obj, [])[0] == "kopf-status", "a state that changed without a field: the status's own"
    newer = {**operator, "time": "2026-11-22T03:00:01Z"}
    gone = stored_object.writer({"metadata": {"managedFields": [person, newer]}}, [("spec", "replicas")])
    assert gone[0] == "kopf", "of what is gone, as far as nothing is known of before"


T0, T1 = "2026-11-22T03:00:00Z", "2026-11-22T03:00:05Z"
KNOWN = datetime(2026, 11, 22, 3, 0, 0, 400_000, tzinfo=UTC)


def _managed(*entries: tuple[str, str, dict[str, Any]], **parts: Any) -> dict[str, Any]:
    managed = [{"manager": name, "time": time, "fieldsV1": fields} for name, time, fields in entries]
    return {"metadata": {"labels": {"kept": "1"}, "managedFields": managed}, "spec": {"size": 1}, **parts}


LABEL = {"f:metadata": {"f:labels": {"f:kept": {}}}}
SIZE = {"f:spec": {"f:size": {}}}


@pytest.mark.parametrize(
    ("obj", "path", "who"),
    [
        # `kubectl label thing gone-`: no manager's entry changed, and the newest one is the operator's from before.
        (_managed(("kubectl-create", T0, LABEL), ("argocd-operator", T0, SIZE)), ("metadata", "labels", "gone"), ""),
        # A manager removed a field that it owned: its entry changed too.
        (_managed(("kubectl-edit", T1, LABEL), ("operator", T0, SIZE)), ("metadata", "labels", "gone"), "kubectl-edit"),
        # It was set by its owner.
        (_managed(("kubectl-edit", T1, LABEL), ("operator", T0, SIZE)), ("metadata", "labels", "kept"), "kubectl-edit"),
        # The newest manager does not own what changed.
        (_managed(("operator", T1, SIZE), ("kubectl-edit", T0, LABEL)), ("metadata", "labels", "kept"), ""),
        # `kubectl delete` of an object with finalizers: no manager owns the time of its deletion.
        (
            {
                "metadata": {
                    "deletionTimestamp": T1,
                    "managedFields": [{"manager": "kubectl-patch", "time": T0, "fieldsV1": SIZE}],
                }
            },
            ("metadata", "deletionTimestamp"),
            "",
        ),
        # An atomic map belongs to its owner with all that is in it; an item of a list goes by its list.
        (
            _managed(("me", T1, {"f:spec": {"f:selector": {}}}), spec={"selector": {"a": "b"}}),
            ("spec", "selector", "a"),
            "me",
        ),
        (
            _managed(("me", T1, {"f:spec": {"f:ports": {'k:{"port":1}': {}}}}), spec={"ports": [{"port": 1}]}),
            ("spec", "ports", 0, "port"),
            "me",
        ),
        ({"metadata": {}}, ("spec",), ""),
    ],
)
def test_o5_nobody_is_credited_with_what_they_do_not_own(
    obj: dict[str, Any], path: tuple[str | int, ...], who: str
) -> None:
    """O5: '' is "unknown": better than another user's name."""
    assert stored_object.writer(obj, [path], KNOWN)[0] == who

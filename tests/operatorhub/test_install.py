"""The objects of an install, and what speaks against it, without a cluster."""

from typing import Any

import pytest
import yaml

from operatorhub import install, olm
from operatorhub.install import Situation
from operatorhub.package import Channel, Manifest, describe

ALL_MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace")


def channel(modes: tuple[str, ...] = ALL_MODES, **notes: str) -> Channel:
    desc = {"installModes": [{"type": one, "supported": True} for one in modes], "annotations": notes}
    return Channel("stable", "db.v2", "2", (("db.v2", "2"), ("db.v1", "1")), True, "", desc)


def group(namespace: str, *targets: str, name: str = "g", **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"targetNamespaces": list(targets), **spec} if targets else spec,
    }


def subscription(namespace: str, package: str, name: str = "", approval: str = "Automatic") -> olm.Subscription:
    spec = {"name": package, "source": "cat", "sourceNamespace": "olm", "installPlanApproval": approval}
    return olm.subscription({"metadata": {"name": name or package, "namespace": namespace}, "spec": spec})


def draft(
    situation: Situation,
    *,
    mode: str = "OwnNamespace",
    namespace: str = "apps",
    version: str = "",
    approval: str = "Automatic",
    modes: tuple[str, ...] = ALL_MODES,
) -> install.Draft:
    found = channel(modes)
    manifest = Manifest("olm", "cat", "db", "Cat", "", "", (found,))
    return install.draft(
        manifest,
        found,
        describe(found, "db"),
        situation,
        version=version,
        mode=mode,
        namespace=namespace,
        approval=approval,
    )


EMPTY = Situation({"default": "Active"}, {}, ())


def test_everything_is_made_where_nothing_is() -> None:
    found = draft(EMPTY, version="db.v1", approval="Manual")
    assert found.errors == {}
    namespace, operator_group, sub = yaml.safe_load_all(found.yaml)
    assert namespace == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}
    assert operator_group["spec"] == {"targetNamespaces": ["apps"]}
    assert sub["metadata"] == {"name": "db", "namespace": "apps"}
    assert sub["spec"] == {
        "channel": "stable", "name": "db", "source": "cat", "sourceNamespace": "olm", "installPlanApproval": "Manual", "startingCSV": "db.v1",
    }  # fmt: skip
    assert found.kubectl.startswith("kubectl create -f - <<'EOF'\n")


def test_what_is_there_is_not_made_again() -> None:
    found = draft(Situation({"apps": "Active"}, {"apps": (group("apps", "apps"),)}, ()))
    assert [one["kind"] for one in found.objects] == ["Subscription"]
    assert found.errors == {}


def test_all_namespaces_is_a_group_without_targets() -> None:
    found = draft(EMPTY, mode="AllNamespaces")
    assert found.objects[1]["spec"] == {}


@pytest.mark.parametrize(
    ("situation", "choices", "field"),
    [
        (EMPTY, {"namespace": ""}, "namespace"),
        (EMPTY, {"namespace": "Upper"}, "namespace"),
        (EMPTY, {"namespace": "x" * 64}, "namespace"),
        (EMPTY, {"version": "db.v9"}, "version"),
        (EMPTY, {"approval": "Never"}, "approval"),
        (EMPTY, {"mode": "AllNamespaces", "modes": ("OwnNamespace",)}, "mode"),
        (EMPTY, {"mode": "MultiNamespace"}, "mode"),
        (Situation({"apps": "Terminating"}, {}, ()), {}, "namespace"),
        (
            Situation({"apps": "Active"}, {"apps": (group("apps", "apps"), group("apps", name="h"))}, ()),
            {},
            "namespace",
        ),
        (Situation({"apps": "Active"}, {"apps": (group("apps"),)}, ()), {}, "mode"),
        (Situation({"apps": "Active"}, {"apps": (group("apps", "apps"),)}, ()), {"mode": "AllNamespaces"}, "mode"),
        (Situation({"apps": "Active"}, {"apps": (group("apps", "a", "b"),)}, ()), {}, "namespace"),
        (Situation({"apps": "Active"}, {}, (subscription("apps", "db"),)), {}, "namespace"),
        (Situation({"apps": "Active"}, {}, (subscription("apps", "other", "db"),)), {}, "namespace"),
        (
            Situation({"x": "Active"}, {"x": (group("x", "x"),)}, (subscription("x", "db"),)),
            {"mode": "AllNamespaces"},
            "mode",
        ),
        (Situation({"x": "Active"}, {"x": (group("x"),)}, (subscription("x", "db"),)), {}, "mode"),
    ],
)
def test_what_speaks_against_it_is_said_at_the_field(situation: Situation, choices: dict[str, Any], field: str) -> None:
    assert list(draft(situation, **choices).errors) == [field]


def test_two_in_their_own_namespaces_may_be() -> None:
    found = draft(Situation({"x": "Active"}, {"x": (group("x", "x"),)}, (subscription("x", "db"),)))
    assert found.errors == {}
    assert len(found.warnings) == 1


def test_neighbours_with_another_approval_are_warned_of() -> None:
    found = draft(
        Situation(
            {"apps": "Active"}, {"apps": (group("apps", "apps"),)}, (subscription("apps", "other", approval="Manual"),)
        )
    )
    assert "other" in found.warnings[0]


@pytest.mark.parametrize(
    ("mode", "picked", "notes", "expected"),
    [
        ("OwnNamespace", "", {}, "my-db"),
        ("OwnNamespace", "apps", {}, "apps"),
        ("AllNamespaces", "apps", {}, "operators"),
        ("AllNamespaces", "", {"operatorframework.io/suggested-namespace": "wanted"}, "wanted"),
        ("AllNamespaces", "", {"operatorframework.io/suggested-namespace": "<bad>"}, "operators"),
    ],
)
def test_where_it_goes_first(mode: str, picked: str, notes: dict[str, str], expected: str) -> None:
    situation = Situation({}, {"zeta": (group("zeta"),), "operators": (group("operators"),)}, ())
    assert install.suggestion(describe(channel(**notes), "my.db"), situation, mode, picked, "my.db") == expected


@pytest.mark.parametrize(
    ("found", "mode"),
    [
        (group("apps"), "AllNamespaces"),
        (group("apps", "apps"), "OwnNamespace"),
        (group("apps", "other"), "SingleNamespace"),
        (group("apps", "apps", "other"), "MultiNamespace"),
        (group("apps", selector={"matchLabels": {}}), "AllNamespaces"),
        ({"spec": {"selector": {"matchLabels": {"a": "b"}}}, "status": {"namespaces": ["x", "y"]}}, "MultiNamespace"),
    ],
)
def test_what_an_operator_group_asks_for(found: dict[str, Any], mode: str) -> None:
    assert olm.group_modes(found, "apps") == mode

"""The objects of an install, and what speaks against it, without a cluster."""

from typing import Any

import pytest
import yaml
from django.http import QueryDict

from operatorhub import olm
from operatorhub.bundle.package import Channel, Manifest, describe
from operatorhub.install import choices, owners
from operatorhub.install import draft as drafts
from operatorhub.install.conflicts import Asked
from operatorhub.install.draft import Draft
from operatorhub.install.situation import Situation

ALL_MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace")


def channel(modes: tuple[str, ...] = ALL_MODES, least: str = "", **notes: str) -> Channel:
    desc = {
        "minKubeVersion": least,
        "installModes": [{"type": one, "supported": True} for one in modes],
        "annotations": notes,
    }
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
    modes: tuple[str, ...] = ALL_MODES,
    posted: bool = True,
    least: str = "",
    notes: dict[str, str] | None = None,
    exact: bool = True,
    client: Any = None,
    **others: Any,
) -> Draft:
    """What the form says to these choices; `watch` may be several."""
    found = channel(modes, least, **(notes or {}))
    manifest = Manifest("olm", "cat", "db", "Cat", "", "", (found,))
    data = QueryDict(mutable=True)
    data.update({"mode": mode, "namespace": namespace or "+", "approval": "Automatic"})
    for key, value in others.items():
        data.setlist(key, value if isinstance(value, list) else [value])
    about = describe(found, "db")
    chosen = choices.read(data, posted, found, about, situation, "db", "")
    return drafts.make(manifest, found, about, situation, chosen, client, exact)


EMPTY = Situation({"default": "Active", "one": "Active", "two": "Active"}, {}, ())


def test_everything_is_made_where_nothing_is() -> None:
    found = draft(EMPTY, version="db.v1", approval="Manual")
    assert found.errors == {}
    assert found.creates_namespace
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


@pytest.mark.parametrize(
    ("mode", "watched", "spec"),
    [
        ("AllNamespaces", {}, {}),
        ("OwnNamespace", {}, {"targetNamespaces": ["apps"]}),
        ("SingleNamespace", {"single": "one"}, {"targetNamespaces": ["one"]}),
        ("MultiNamespace", {"watch": ["one", "two"]}, {"targetNamespaces": ["one", "two"]}),
    ],
)
def test_each_mode_is_a_group_of_its_own(mode: str, watched: dict[str, Any], spec: dict[str, Any]) -> None:
    found = draft(EMPTY, mode=mode, modes=(mode,), **watched)
    assert found.errors == {}
    assert found.objects[1]["spec"] == spec


def test_the_authors_namespace_comes_with_its_labels() -> None:
    wish = '{"kind":"Namespace","metadata":{"name":"apps","labels":{"pod-security.kubernetes.io/enforce":"privileged"},"annotations":{"a":"b"}}}'
    notes = {"operatorframework.io/suggested-namespace-template": wish}
    found = draft(EMPTY, notes=notes)
    assert found.objects[0]["metadata"] == {
        "name": "apps", "labels": {"pod-security.kubernetes.io/enforce": "privileged"}, "annotations": {"a": "b"},
    }  # fmt: skip
    assert draft(Situation({"apps": "Active"}, {}, ()), notes=notes).objects[0]["kind"] == "OperatorGroup"
    assert draft(EMPTY, notes={"operatorframework.io/suggested-namespace-template": "{not json"}).errors == {}


def test_monitoring_is_offered_where_there_is_some() -> None:
    notes = {"operatorframework.io/cluster-monitoring": "true"}
    monitored = Situation({"monitoring": "Active"}, {}, ())
    kinds = [one["kind"] for one in draft(monitored, notes=notes, monitoring="1").objects]
    assert kinds == ["Namespace", "Role", "RoleBinding", "OperatorGroup", "Subscription"]
    assert len(draft(EMPTY, notes=notes, monitoring="1").objects) == 3


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
        (EMPTY, {"modes": ()}, "mode"),
        (EMPTY, {"mode": "SingleNamespace"}, "watch"),
        (EMPTY, {"mode": "SingleNamespace", "single": "apps"}, "watch"),
        (EMPTY, {"mode": "SingleNamespace", "single": "nowhere"}, "watch"),
        (EMPTY, {"mode": "MultiNamespace", "modes": ("MultiNamespace",), "watch": ["one"]}, "watch"),
        (EMPTY, {"version": "db.v1"}, "approval"),
        (Situation({"x": "Active"}, {}, (), (), "v1.28.3+x"), {"least": "1.30.0"}, "version"),
        (Situation({"apps": "Terminating"}, {}, ()), {}, "namespace"),
        (
            Situation({"apps": "Active"}, {"apps": (group("apps", "apps"), group("apps", name="h"))}, ()),
            {},
            "namespace",
        ),
        (Situation({"apps": "Active"}, {"apps": (group("apps"),)}, ()), {}, "mode"),
        (Situation({"apps": "Active"}, {"apps": (group("apps", "apps"),)}, ()), {"mode": "AllNamespaces"}, "mode"),
        (Situation({"apps": "Active"}, {"apps": (group("apps", "a", "b"),)}, ()), {}, "namespace"),
        (
            Situation({"apps": "Active"}, {"apps": (group("apps", "one"),)}, ()),
            {"mode": "SingleNamespace", "single": "two"},
            "mode",
        ),
        (Situation({"apps": "Active"}, {}, (subscription("apps", "db"),)), {}, "namespace"),
        (
            Situation(
                {"apps": "Active"}, {"apps": (group("apps", "apps"),)}, (subscription("apps", "x", "", "Manual"),)
            ),
            {},
            "approval",
        ),
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


def test_each_conflict_has_a_way_out_that_mends_it() -> None:
    found = draft(Situation({"apps": "Active"}, {"apps": (group("apps"),)}, ()))
    (conflict,) = found.blocking
    assert conflict.key == "group-mode"
    mended = QueryDict(conflict.ways[0].url.removeprefix("?")).dict()
    again = draft(Situation({"apps": "Active"}, {"apps": (group("apps"),)}, ()), posted=False, **mended)
    assert again.errors == {}
    assert again.choices.mode == "AllNamespaces"
    elsewhere = QueryDict(conflict.ways[1].url.removeprefix("?")).dict()
    assert elsewhere["new_namespace"] == "apps-2"


@pytest.mark.parametrize("version", ["db.v1", ""])
def test_manual_is_set_where_it_must_be(version: str) -> None:
    found = draft(EMPTY, version=version, posted=False)
    assert found.choices.approval == ("Manual" if version else "Automatic")
    assert found.errors == {}


def test_who_may_not_list_namespaces_makes_none() -> None:
    found = draft(Situation({}, {}, (), ("namespaces",)))
    assert found.errors == {}
    assert [one["kind"] for one in found.objects] == ["OperatorGroup", "Subscription"]


def test_an_older_cluster_only_warns_of_another_version() -> None:
    situation = Situation({"x": "Active"}, {}, (), (), "v1.28.3")
    found = draft(situation, least="1.30.0", version="db.v1", approval="Manual", exact=False)
    assert found.errors == {}
    assert [one.key for one in found.warnings] == ["kubernetes"]


def test_two_in_their_own_namespaces_may_be() -> None:
    found = draft(Situation({"x": "Active"}, {"x": (group("x", "x"),)}, (subscription("x", "db"),)))
    assert found.errors == {}
    assert len(found.warnings) == 1


def test_neighbours_with_another_approval_are_warned_of() -> None:
    situation = Situation({"apps": "Active"}, {"apps": (group("apps", "apps"),)}, (subscription("apps", "other"),))
    found = draft(situation, approval="Manual")
    assert found.errors == {}
    assert "other" in found.warnings[0].words


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
    assert choices.suggestion(describe(channel(**notes), "my.db"), situation, mode, picked, "my.db") == expected


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


def test_a_catalog_that_can_not_be_used_from_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operatorhub.install.situation.visible", lambda client, catalog, package, namespace: False)
    monkeypatch.setattr("operatorhub.install.situation.waiting_plan", lambda client, namespace: "install-abc")
    monkeypatch.setattr("operatorhub.install.owners.find", lambda client, asked: ())
    found = draft(Situation({"apps": "Active"}, {}, ()), client=object())
    assert list(found.errors) == ["namespace"]
    assert "lives in the namespace “olm”" in found.errors["namespace"]
    assert QueryDict(found.ways["namespace"][0].url.removeprefix("?"))["namespace"] == "olm"
    (waiting,) = found.warnings
    assert "install-abc" in waiting.words
    assert waiting.ways[0].url == "/operators/apps/installplans/install-abc/"


def test_a_cloud_identity_makes_approval_manual() -> None:
    notes = {"features.operators.openshift.io/token-auth-aws": "true"}
    found = draft(EMPTY, notes=notes, token_ROLEARN="arn:aws:iam::1:role/x", posted=False)
    assert found.choices.approval == "Manual"
    assert found.objects[-1]["spec"]["config"] == {"env": [{"name": "ROLEARN", "value": "arn:aws:iam::1:role/x"}]}
    assert list(draft(EMPTY, notes=notes, token_ROLEARN="arn:aws:iam::1:role/x").errors) == ["approval"]


def test_kinds_that_nobody_provides_and_those_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owners, "_offers", lambda cluster, crds: {"caches.b.example": ("cache-operator",)})
    required = [
        {"name": "things.a.example", "kind": "Thing", "version": "v1"},
        {"name": "caches.b.example", "kind": "Cache", "version": "v1"},
    ]
    found = Channel(
        "stable", "db.v2", "2", (("db.v2", "2"),), True, "", {"customresourcedefinitions": {"required": required}}
    )
    about = describe(found, "db")
    chosen = choices.read(QueryDict(""), False, found, about, EMPTY, "db", "")
    asked = Asked(Manifest("olm", "cat", "db", "Cat", "", "", (found,)), found, about, EMPTY, chosen)
    told = owners.find(Bare(), asked)  # type: ignore[arg-type]
    assert [one.key for one in told] == ["required", "dependency"]
    assert "cache-operator" in told[1].words
    assert told[0].ways[0].url == "/operatorhub/?q=Thing"
    assert not any(one.blocks for one in told)


class Bare:
    """A cluster that serves no kinds of operators."""

    name = "bare"

    def types(self) -> tuple[()]:
        return ()

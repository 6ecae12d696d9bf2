"""The objects of an install, and what speaks against it, without a cluster."""

import dataclasses
import json
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.http import QueryDict

from kube.errors import Forbidden
from kube.reader import read
from kube.types.olm import CSVDescription
from operatorhub import olm
from operatorhub.bundle import contents
from operatorhub.bundle.bundles import PackageOffer
from operatorhub.bundle.contents import Need
from operatorhub.bundle.package import Channel, Manifest, describe
from operatorhub.install import choices
from operatorhub.install import draft as drafts
from operatorhub.install import situation as situation_of
from operatorhub.install.conflicts import InstallRequest
from operatorhub.install.draft import InstallDraft
from operatorhub.install.situation import Situation
from operatorhub.models import Package
from operatorhub.sources import drafts as drafts_of
from operatorhub.sources.drafts import ChannelEntry, Graph

ALL_MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace")


def channel(modes: tuple[str, ...] = ALL_MODES, least: str = "", **notes: str) -> Channel:
    desc = {
        "minKubeVersion": least,
        "installModes": [{"type": mode, "supported": True} for mode in modes],
        "annotations": notes,
    }
    return Channel(
        name="stable",
        csv="db.v2",
        version="2",
        versions=(("db.v2", "2"), ("db.v1", "1")),
        default=True,
        deprecated="",
        desc=read(desc, CSVDescription),
    )


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
) -> InstallDraft:
    """What the form says to these choices; `watch` may be several."""
    found = channel(modes, least, **(notes or {}))
    manifest = Manifest(
        namespace="olm", catalog="cat", name="db", catalog_title="Cat", publisher="", deprecated="", channels=(found,)
    )
    data = QueryDict(mutable=True)
    data.update({"mode": mode, choices.PLACE: namespace or choices.NEW, "approval": "Automatic"})
    for key, value in others.items():
        data.setlist(key, value if isinstance(value, list) else [value])
    about = describe(found, "db")
    chosen = choices.read(data, posted, found, about, situation, "db", "")
    asked = InstallRequest(
        manifest=manifest, channel=found, about=about, situation=situation, choices=chosen, exact=exact
    )
    return drafts.make(asked, client)


EMPTY = Situation(namespaces={"default": "Active", "one": "Active", "two": "Active"}, groups={}, subscriptions=())


def test_everything_is_made_where_nothing_is() -> None:
    found = draft(EMPTY, version="db.v1", approval="Manual")
    assert found.errors == {}
    assert found.creates_namespace
    namespace, operator_group, sub = yaml.safe_load_all(found.yaml)
    assert namespace == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}
    assert operator_group["spec"] == {"targetNamespaces": ["apps"]}
    assert sub["metadata"] == {"name": "db", "namespace": "apps"}
    assert sub["spec"] == {
        "channel": "stable",
        "name": "db",
        "source": "cat",
        "sourceNamespace": "olm",
        "installPlanApproval": "Manual",
        "startingCSV": "db.v1",
    }
    assert found.kubectl.startswith("kubectl create -f - <<'EOF'\n")


def test_what_is_there_is_not_made_again() -> None:
    found = draft(Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps", "apps"),)}, subscriptions=()))
    assert [item["kind"] for item in found.objects] == ["Subscription"]
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
    labels = {"pod-security.kubernetes.io/enforce": "privileged"}
    template = {"kind": "Namespace", "metadata": {"name": "apps", "labels": labels, "annotations": {"a": "b"}}}
    notes = {"operatorframework.io/suggested-namespace-template": json.dumps(template)}
    found = draft(EMPTY, notes=notes)
    assert found.objects[0]["metadata"] == {
        "name": "apps",
        "labels": {"pod-security.kubernetes.io/enforce": "privileged"},
        "annotations": {"a": "b"},
    }
    assert (
        draft(Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=()), notes=notes).objects[0]["kind"]
        == "OperatorGroup"
    )
    assert draft(EMPTY, notes={"operatorframework.io/suggested-namespace-template": "{not json"}).errors == {}


def test_monitoring_is_offered_where_there_is_some() -> None:
    notes = {"operatorframework.io/cluster-monitoring": "true"}
    monitored = Situation(namespaces={"monitoring": "Active"}, groups={}, subscriptions=())
    kinds = [item["kind"] for item in draft(monitored, notes=notes, monitoring="1").objects]
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
        (
            Situation(namespaces={"x": "Active"}, groups={}, subscriptions=(), unread=(), kubernetes="v1.28.3+x"),
            {"least": "1.30.0"},
            "version",
        ),
        (Situation(namespaces={"apps": "Terminating"}, groups={}, subscriptions=()), {}, "namespace"),
        (
            Situation(
                namespaces={"apps": "Active"},
                groups={"apps": (group("apps", "apps"), group("apps", name="h"))},
                subscriptions=(),
            ),
            {},
            "namespace",
        ),
        (Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps"),)}, subscriptions=()), {}, "mode"),
        (
            Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps", "apps"),)}, subscriptions=()),
            {"mode": "AllNamespaces"},
            "mode",
        ),
        (
            Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps", "a", "b"),)}, subscriptions=()),
            {},
            "namespace",
        ),
        (
            Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps", "one"),)}, subscriptions=()),
            {"mode": "SingleNamespace", "single": "two"},
            "mode",
        ),
        (
            Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=(subscription("apps", "db"),)),
            {},
            "namespace",
        ),
        (
            Situation(
                namespaces={"apps": "Active"},
                groups={"apps": (group("apps", "apps"),)},
                subscriptions=(subscription("apps", "x", "", "Manual"),),
            ),
            {},
            "approval",
        ),
        (
            Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=(subscription("apps", "other", "db"),)),
            {},
            "namespace",
        ),
        (
            Situation(
                namespaces={"x": "Active"}, groups={"x": (group("x", "x"),)}, subscriptions=(subscription("x", "db"),)
            ),
            {"mode": "AllNamespaces"},
            "mode",
        ),
        (
            Situation(
                namespaces={"x": "Active"}, groups={"x": (group("x"),)}, subscriptions=(subscription("x", "db"),)
            ),
            {},
            "mode",
        ),
    ],
)
def test_what_speaks_against_it_is_said_at_the_field(situation: Situation, choices: dict[str, Any], field: str) -> None:
    assert list(draft(situation, **choices).errors) == [field]


def test_each_conflict_has_a_way_out_that_mends_it() -> None:
    found = draft(Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps"),)}, subscriptions=()))
    (conflict,) = found.blocking
    assert conflict.key == "group-mode"
    mended = QueryDict(conflict.ways[0].url.removeprefix("?")).dict()
    again = draft(
        Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps"),)}, subscriptions=()),
        posted=False,
        **mended,
    )
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
    found = draft(Situation(namespaces={}, groups={}, subscriptions=(), unread=("namespaces",)))
    assert found.errors == {}
    assert [item["kind"] for item in found.objects] == ["OperatorGroup", "Subscription"]


def test_an_older_cluster_only_warns_of_another_version() -> None:
    situation = Situation(namespaces={"x": "Active"}, groups={}, subscriptions=(), unread=(), kubernetes="v1.28.3")
    found = draft(situation, least="1.30.0", version="db.v1", approval="Manual", exact=False)
    assert found.errors == {}
    assert [warning.key for warning in found.warnings] == ["kubernetes"]


def test_two_in_their_own_namespaces_may_be() -> None:
    found = draft(
        Situation(
            namespaces={"x": "Active"}, groups={"x": (group("x", "x"),)}, subscriptions=(subscription("x", "db"),)
        )
    )
    assert found.errors == {}
    assert len(found.warnings) == 1


def test_neighbours_with_another_approval_are_warned_of() -> None:
    situation = Situation(
        namespaces={"apps": "Active"},
        groups={"apps": (group("apps", "apps"),)},
        subscriptions=(subscription("apps", "other"),),
    )
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
    situation = Situation(
        namespaces={}, groups={"zeta": (group("zeta"),), "operators": (group("operators"),)}, subscriptions=()
    )
    about = describe(channel(**notes), "my.db")
    assert choices.suggestion(about, situation, mode, picked, "my.db") == expected
    # A catalog of one namespace can be used there only.
    there = dataclasses.replace(situation, catalog_home="shop")
    assert choices.suggestion(about, there, mode, picked, "my.db") == "shop"


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
    monkeypatch.setattr(
        "operatorhub.install.situation.visible", lambda client, catalog, package, namespace: namespace == "olm"
    )
    monkeypatch.setattr("operatorhub.install.situation.waiting_plan", lambda client, namespace: "install-abc")
    for look in ("find_owner_conflicts", "blocking_owner_conflicts"):
        monkeypatch.setattr(f"operatorhub.install.draft.{look}", lambda client, asked: ())
    found = draft(Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=()), client=object())
    assert list(found.errors) == ["namespace"]
    assert "is in the namespace “olm”" in found.errors["namespace"]
    assert QueryDict(found.ways["namespace"][0].url.removeprefix("?"))[choices.PLACE] == "olm"
    (waiting,) = found.warnings
    assert "install-abc" in waiting.words
    assert waiting.ways[0].url == "/operators/apps/installplans/install-abc/"


NEW_PLACE, OLD_PLACE = "doesn't exist and will be created", "exists."
ONE, TWO = (group("apps", "apps"),), (group("apps", "apps"), group("apps", "apps", name="h"))


def test_labels_that_the_namespace_has_are_not_missing() -> None:
    """As after an attempt that created it and then failed."""
    wanted = json.dumps({"metadata": {"name": "apps", "labels": {"team": "db"}}})
    notes = {"operatorframework.io/suggested-namespace-template": wanted}
    there = Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=())
    assert "suggests aren't added" in " ".join(draft(there, notes=notes).place_notes)
    labeled = dataclasses.replace(there, labels={"apps": {"team": "db", "more": "x"}})
    assert "suggests aren't added" not in " ".join(draft(labeled, notes=notes).place_notes)


@pytest.mark.parametrize(
    ("found", "present", "unsaid"),
    [
        (draft(EMPTY), [NEW_PLACE], ["OperatorGroup"]),
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=())),
            [OLD_PLACE, "no OperatorGroup yet"],
            [NEW_PLACE],
        ),
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={"apps": ONE}, subscriptions=())),
            [OLD_PLACE, "is used."],
            ["no OperatorGroup yet"],
        ),
        # More than one OperatorGroup: the error says so.
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={"apps": TWO}, subscriptions=())),
            [OLD_PLACE],
            ["OperatorGroup"],
        ),
        # No such name is possible, or it is being deleted.
        (draft(EMPTY, namespace="Not_A_Name"), [], [NEW_PLACE, OLD_PLACE]),
        (
            draft(Situation(namespaces={"apps": "Terminating"}, groups={}, subscriptions=())),
            [],
            [OLD_PLACE, "OperatorGroup"],
        ),
        # Its group does not fit, or the operator is there already: nothing is made.
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={"apps": (group("apps"),)}, subscriptions=())),
            [OLD_PLACE],
            ["is used."],
        ),
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=(subscription("apps", "db"),))),
            [OLD_PLACE],
            ["one is created"],
        ),
        # What can't be listed is neither there nor missing.
        (
            draft(Situation(namespaces={"apps": "Active"}, groups={}, subscriptions=(), unread=("operatorgroups",))),
            [OLD_PLACE],
            ["OperatorGroup"],
        ),
        (
            draft(Situation(namespaces={}, groups={}, subscriptions=(), unread=("namespaces",))),
            ["assumed to exist"],
            [NEW_PLACE, OLD_PLACE],
        ),
    ],
)
def test_no_note_contradicts_an_error(found: InstallDraft, present: list[str], unsaid: list[str]) -> None:
    """H10."""
    notes = " ".join(found.place_notes)
    assert all(words in notes for words in present)
    assert not any(words in notes for words in unsaid)


def test_a_cloud_identity_makes_approval_manual() -> None:
    notes = {"features.operators.openshift.io/token-auth-aws": "true"}
    found = draft(EMPTY, notes=notes, token_ROLEARN="arn:aws:iam::1:role/x", posted=False)
    assert found.choices.approval == "Manual"
    assert found.objects[-1]["spec"]["config"] == {"env": [{"name": "ROLEARN", "value": "arn:aws:iam::1:role/x"}]}
    assert list(draft(EMPTY, notes=notes, token_ROLEARN="arn:aws:iam::1:role/x").errors) == ["approval"]


def test_a_cloud_identity_is_asked_for_the_clusters_cloud() -> None:
    prefix = "features.operators.openshift.io/token-auth-"
    notes = {f"{prefix}aws": "true", f"{prefix}azure": "true"}
    for cloud, names in (
        ("", ["ROLEARN", "CLIENTID", "TENANTID", "SUBSCRIPTIONID", "RESOURCEGROUP"]),
        ("AWS", ["ROLEARN"]),
        ("Azure", ["CLIENTID", "TENANTID", "SUBSCRIPTIONID", "RESOURCEGROUP"]),
        ("GCP", []),
        ("None", []),
    ):
        found = draft(dataclasses.replace(EMPTY, cloud=cloud), notes=notes)
        assert list(found.choices.config.token_fields) == names


def test_the_clusters_cloud_is_openshifts_platform() -> None:
    served = SimpleNamespace(group="config.openshift.io", version="v1", plural="infrastructures")
    platform = {"status": {"platformStatus": {"type": "AWS"}}}

    def refuse(_type: object, name: str) -> dict[str, Any]:
        raise Forbidden(name)

    for types, get, expected in (
        ((served,), lambda _type, _name: platform, "AWS"),
        ((served,), lambda _type, _name: {"status": {"platformStatus": None}}, ""),
        ((served,), refuse, ""),
        ((), refuse, ""),
    ):
        client: Any = SimpleNamespace(types=lambda types=types: types, get=get)
        assert situation_of.cloud(client) == expected


def test_what_nobody_offers_and_what_another_package_brings(monkeypatch: pytest.MonkeyPatch) -> None:
    """H28: packages and kinds of dependencies.yaml count as the kinds that the CSV requires."""
    needs = (
        Need(kind="api", group="a.example", version="v1", api_kind="Thing"),
        Need(kind="api", group="b.example", version="v1", api_kind="Cache"),
        Need(kind="api", group="c.example", version="v1", api_kind="Served"),
        Need(kind="api", group="d.example", version="v1", api_kind="Neighbour"),
        Need(kind="package", package="mortar", range=">=2.0.0"),
        Need(kind="package", package="there"),
        *contents.created(
            [
                {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor"},
                {"apiVersion": "a.example/v1", "kind": "Own"},
                {"apiVersion": "c.example/v1", "kind": "Served"},
            ],
            [{"spec": {"group": "a.example", "names": {"kind": "Own"}}}],
        ),
    )

    def answers(_client: Any, wanted: Any, _subscriptions: Any, _namespace: str) -> tuple[contents.Resolution, ...]:
        offer = PackageOffer(
            namespace="olm",
            catalog="cat",
            package="cache-operator",
            catalog_title="Cat",
            title="Cache",
            version="1",
            provider="",
        )
        there = {"Served", "there"}
        return tuple(
            contents.Resolution(
                need, bool({need.api_kind, need.package} & there), (offer,) if need.api_kind == "Cache" else (), True
            )
            for need in wanted
        )

    monkeypatch.setattr(contents, "answers", answers)
    neighbour = group("apps", "apps")
    neighbour["metadata"]["annotations"] = {"olm.providedAPIs": "Neighbour.v1.d.example"}
    found = channel()
    situation = Situation(namespaces={"apps": "Active"}, groups={"apps": (neighbour,)}, subscriptions=())
    about = describe(found, "db")
    asked = InstallRequest(
        manifest=Manifest(
            namespace="olm",
            catalog="cat",
            name="db",
            catalog_title="Cat",
            publisher="",
            deprecated="",
            channels=(found,),
        ),
        channel=found,
        about=about,
        situation=situation,
        choices=choices.read(QueryDict("install_namespace=apps"), False, found, about, situation, "db", ""),
        needs=needs,
    )
    problems = drafts.find_owner_conflicts(Bare(), asked)  # type: ignore[arg-type]
    assert [item.key for item in problems] == ["required", "dependency", "unmanaged", "required", "required"]
    assert "cache-operator" in problems[1].words
    assert problems[0].ways[0].url == "/operatorhub/?q=Thing"
    assert "mortar >=2.0.0" in problems[3].words
    assert "monitoring.coreos.com/v1 ServiceMonitor" in problems[4].words
    assert not any(item.blocks for item in problems)


def test_a_package_in_other_versions_only_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """H28."""
    row = Package(namespace="olm", catalog="cat", name="ack-rds-controller", version="1.7.7")
    entries = (
        ChannelEntry(name="ack-rds-controller.v1.7.7", version="1.7.7"),
        ChannelEntry(name="ack-rds-controller.v0.1.3", version="0.1.3"),
    )
    graph = Graph(
        package="ack-rds-controller", default="alpha", channels=(drafts_of.Channel("alpha", entries),), edges_known=True
    )
    monkeypatch.setattr(contents.bundles, "graph", lambda *_place: graph)
    monkeypatch.setattr(contents.bundles, "describing_catalogs", lambda *_place: ())
    for wanted, there in (("", True), (">=1.0.0", True), (">=0.0.27 <=0.1.3", True), (">=2.0.0", False)):
        assert contents._has_version(Bare(), row, wanted) is there  # type: ignore[arg-type]


class Bare:
    """A cluster that serves no kinds of operators."""

    name = "bare"

    def types(self) -> tuple[()]:
        return ()


def test_manual_approval_goes_with_the_namespace_that_forced_it() -> None:
    """H6: it stayed, unexplained, after another namespace was chosen."""
    situation = Situation(
        namespaces={"apps": "Active", "two": "Active"},
        groups={},
        subscriptions=(subscription("apps", "x", "", "Manual"),),
    )
    there = draft(situation, posted=False)
    assert (there.choices.approval, there.choices.free_approval) == ("Manual", "Automatic")
    sent = {"approval": "Manual", "free_approval": "Automatic"}
    elsewhere = draft(situation, namespace="two", posted=False, **sent)
    assert (elsewhere.choices.approval, elsewhere.choices.free_approval) == ("Automatic", "")
    # A remedy's address keeps it as well; and Manual that was chosen freely stays.
    assert "free_approval=Automatic" in there.choices.query()
    chosen = draft(situation, posted=False, approval="Manual")
    assert chosen.choices.free_approval == "Manual"
    assert draft(situation, namespace="two", posted=False, approval="Manual").choices.approval == "Manual"


def test_a_remedy_is_offered_only_if_it_works() -> None:
    """H9: an operator for all namespaces only can't be installed twice, in “operators-2” either."""
    everywhere = {"operators": (group("operators"),)}
    situation = Situation(
        namespaces={"operators": "Active"}, groups=everywhere, subscriptions=(subscription("operators", "db"),)
    )
    again = draft(situation, mode="AllNamespaces", modes=("AllNamespaces",), namespace="operators")
    assert [conflict.key for conflict in again.blocking] == ["subscribed"]
    assert [way.url.startswith("?") for way in again.ways["namespace"]] == [False]
    # One that watches its own namespace only can.
    own = Situation(
        namespaces={"apps": "Active"},
        groups={"apps": (group("apps", "apps"),)},
        subscriptions=(subscription("apps", "db"),),
    )
    _open, elsewhere = draft(own).ways["namespace"]
    assert QueryDict(elsewhere.url.removeprefix("?"))["new_namespace"] == "apps-2"


@pytest.mark.parametrize("modes", [("AllNamespaces",), ("OwnNamespace",), ("AllNamespaces", "OwnNamespace"), ALL_MODES])
@pytest.mark.parametrize("mode", choices.MODES)
@pytest.mark.parametrize("namespace", ["", "apps", "two", "going", "many"])
def test_every_remedy_works(modes: tuple[str, ...], mode: str, namespace: str) -> None:
    """H9: whatever is chosen, what a remedy leads to has lost the problem and has no new one."""
    situation = Situation(
        namespaces={"apps": "Active", "two": "Active", "going": "Terminating", "many": "Active"},
        groups={
            "apps": (group("apps"),),
            "two": (group("two", "apps"),),
            "many": (group("many"), group("many", "two", name="h")),
        },
        subscriptions=(subscription("apps", "db"), subscription("two", "other", "db", "Manual")),
    )
    before = draft(situation, mode=mode, modes=modes, namespace=namespace)
    for conflict in before.conflicts:
        for way in conflict.ways:
            if way.url.startswith("?"):
                query = QueryDict(way.url.removeprefix("?"))
                after = draft(situation, modes=modes, posted=False, **{**dict(query.lists()), "mode": query["mode"]})
                assert conflict.key not in {other.key for other in after.conflicts}
                assert {other.key for other in after.blocking} <= {other.key for other in before.blocking}


@pytest.mark.parametrize(
    ("modes", "targets", "possible"),
    [
        (("AllNamespaces",), (), False),
        (("OwnNamespace",), ("operators",), True),
        (ALL_MODES, ("operators",), True),
        (ALL_MODES, (), False),
    ],
)
def test_whether_it_can_be_installed_once_more(
    modes: tuple[str, ...], targets: tuple[str, ...], possible: bool
) -> None:
    """H9: the package page offers it only then."""
    situation = Situation(
        namespaces={"operators": "Active"},
        groups={"operators": (group("operators", *targets),)},
        subscriptions=(subscription("operators", "db"),),
    )
    found = channel(modes)
    manifest = Manifest(
        namespace="olm", catalog="cat", name="db", catalog_title="Cat", publisher="", deprecated="", channels=(found,)
    )
    assert drafts.is_possible(manifest, found, describe(found, "db"), situation) is possible

"""H30: what each step of OLM asks of all other objects is taken from them once for each stored version, not decoded
at each step.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sandbox import crds, outlines
from sandbox.aggregation import CLUSTER_ROLES, Aggregation
from sandbox.assembly import assemble
from sandbox.cluster import Cluster
from sandbox.http import User
from sandbox.objects import decode, encode
from sandbox.olm import workqueue
from sandbox.rbac import Attributes, Authorizer
from sandbox.store import Store, StoreEntry
from tests.eventually import reached

CRDS = "customresourcedefinitions.apiextensions.k8s.io"


def crd(number: int, group: str = "example.com") -> dict[str, Any]:
    names = {"plural": f"things{number}", "singular": f"thing{number}", "kind": f"Thing{number}"}
    names["listKind"] = f"Thing{number}List"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things{number}.{group}"},
        "spec": {"group": group, "names": names, "versions": [{"name": "v1", "served": True, "storage": True}]},
    }


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each object was decoded for an outline."""
    found: Counter[str] = Counter()

    def counting(data: bytes) -> Any:
        obj = decode(data)
        found[obj["metadata"]["name"]] += 1
        return obj

    monkeypatch.setattr(outlines, "decode", counting)
    return found


def put(store: Store, obj: dict[str, Any]) -> None:
    store.put(
        CRDS,
        StoreEntry(
            namespace="", name=obj["metadata"]["name"], version=store.next_version(), data=encode(obj), labels={}
        ),
    )


def test_h30_a_definition_is_read_once_however_many_come_after_it(decoded: Counter[str]) -> None:
    store = Store()
    for number in range(60):
        new = crd(number)
        crds._create(new, store)
        put(store, new)
    assert max(decoded.values()) == 1 and sum(decoded.values()) == 59


def test_h30_names_are_still_told_apart(decoded: Counter[str]) -> None:
    """A kind that another definition of the group has is refused, one of another group is not; a change is noticed."""
    store = Store()
    first = crd(1)
    crds._create(first, store)
    put(store, first)

    def accepted(group: str) -> Any:
        other = crd(2, group)
        other["spec"]["names"]["kind"] = "Thing1"
        crds._create(other, store)
        conditions = {condition["type"]: condition["status"] for condition in other["status"]["conditions"]}
        return conditions["NamesAccepted"]

    assert (accepted("example.com"), accepted("example.org")) == ("False", "True")
    first["status"]["acceptedNames"]["kind"] = "Other"
    put(store, first)
    assert accepted("example.com") == "True"
    store.remove(
        CRDS,
        StoreEntry(
            namespace="", name=first["metadata"]["name"], version=store.next_version(), data=encode(first), labels={}
        ),
    )
    assert [*outlines.outlines(store, CRDS, outlines.metadata)] == []


async def test_h30_the_changes_of_a_moment_are_one_look() -> None:
    """As client-go's AddAfter: the earliest appointment of a key stands, and none is lost."""
    looks: list[str] = []

    async def reconcile(namespace: str, name: str) -> None:
        looks.append(name)
        if len(looks) == 1:
            ended.set()

    ended = asyncio.Event()
    queue = workqueue.Workqueue("test", reconcile)
    for _ in range(50):
        queue.add("n", "a", after=0.05)
    queue.add("n", "a", after=30)
    await asyncio.wait_for(ended.wait(), 10)
    assert looks == ["a"]
    queue.add("n", "a", after=30)
    queue.add("n", "a", after=0.01)
    await reached(lambda: len(looks) >= 2)
    await queue.close()


Labels = dict[str, str]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return assemble(tmp_path).cluster


def make_role(
    cluster: Cluster, name: str, *verbs: str, labels: Labels | None = None, aggregates: Labels | None = None
) -> None:
    """A ClusterRole with a rule for each verb; ``aggregates``: the labels by which it selects others."""
    rules = [{"verbs": [verb], "apiGroups": [""], "resources": ["pods"]} for verb in verbs]
    role: dict[str, Any] = {"metadata": {"name": name, "labels": labels or {}}, "rules": rules}
    if aggregates is not None:
        role["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": aggregates}]}
    cluster.create(CLUSTER_ROLES, role)


def verbs_of(cluster: Cluster, name: str) -> list[str]:
    return [rule["verbs"][0] for rule in cluster.get(CLUSTER_ROLES, name)["rules"] or []]


def version_of(cluster: Cluster, name: str) -> str:
    return str(cluster.get(CLUSTER_ROLES, name)["metadata"]["resourceVersion"])


def test_h30_roles_aggregate_rules_by_one_label_or_by_several_together(cluster: Cluster) -> None:
    make_role(cluster, "one", aggregates={"a": "1"})
    make_role(cluster, "both", aggregates={"a": "1", "b": "1"})
    make_role(cluster, "none", "kept", aggregates={})
    make_role(cluster, "x", "get", "list", labels={"a": "1"})
    make_role(cluster, "y", "list", "watch", labels={"a": "1", "b": "1"})
    aggregation = Aggregation(cluster)
    aggregation.run()
    assert verbs_of(cluster, "one") == ["get", "list", "watch"]
    assert verbs_of(cluster, "both") == ["list", "watch"]
    assert verbs_of(cluster, "none") == ["kept"]
    before = version_of(cluster, "one")
    aggregation.run()
    assert version_of(cluster, "one") == before
    cluster.delete(CLUSTER_ROLES, "x")
    aggregation.run()
    assert verbs_of(cluster, "one") == ["list", "watch"]


def test_h30_a_role_that_aggregates_aggregating_ones_is_complete_after_one_pass(cluster: Cluster) -> None:
    make_role(cluster, "a", aggregates={"to-a": "1"})
    make_role(cluster, "b", aggregates={"to-b": "1"}, labels={"to-a": "1"})
    make_role(cluster, "c", aggregates={"to-c": "1"}, labels={"to-b": "1"})
    make_role(cluster, "part", "get", labels={"to-c": "1"})
    aggregation = Aggregation(cluster)
    aggregation.run()
    assert [verbs_of(cluster, name) for name in "abc"] == [["get"]] * 3
    make_role(cluster, "more", "list", labels={"to-c": "1"})
    aggregation.run()
    assert [verbs_of(cluster, name) for name in "abc"] == [["list", "get"]] * 3


def test_h30_aggregated_rules_take_the_usual_write_where_another_writer_has_changed_them(cluster: Cluster) -> None:
    """The quick way (stored_fields.py) leaves what owners and readers see as it was: one owner of the rules, a newer
    version.
    """
    make_role(cluster, "whole", aggregates={"a": "1"})
    make_role(cluster, "x", "get", labels={"a": "1"})
    aggregation = Aggregation(cluster)
    aggregation.run()
    make_role(cluster, "y", "list", labels={"a": "1"})
    aggregation.run()
    found = cluster.get(CLUSTER_ROLES, "whole")
    owners = [owner["manager"] for owner in found["metadata"]["managedFields"] if "f:rules" in owner["fieldsV1"]]
    assert (owners, verbs_of(cluster, "whole")) == ([cluster.manager], ["get", "list"])
    cluster.as_manager("somebody").patch(CLUSTER_ROLES, "whole", {"rules": []})
    aggregation.run()
    found = cluster.get(CLUSTER_ROLES, "whole")
    owners = [owner["manager"] for owner in found["metadata"]["managedFields"] if "f:rules" in owner["fieldsV1"]]
    assert (owners, verbs_of(cluster, "whole")) == ([cluster.manager], ["get", "list"])


def test_h30_changes_of_roles_that_no_role_aggregates_start_no_pass(cluster: Cluster) -> None:
    make_role(cluster, "whole", aggregates={"a": "1"})
    make_role(cluster, "x", "get", labels={"a": "1"})
    aggregation = Aggregation(cluster)
    subscription = cluster.verbs.store.subscribe(CLUSTER_ROLES, limit=None)
    aggregation.run()
    make_role(cluster, "other", "get", labels={"b": "1"})
    assert [aggregation.concerns(change) for change in subscription.queue] == [False, False]
    subscription.queue.clear()
    make_role(cluster, "y", "get", labels={"a": "1"})
    cluster.patch(CLUSTER_ROLES, "x", {"metadata": {"labels": {"a": None}}})
    cluster.patch(CLUSTER_ROLES, "whole", {"rules": []})
    assert [aggregation.concerns(change) for change in subscription.queue] == [True, True, True]


def test_h30_a_role_is_read_when_somebody_who_has_it_asks_not_when_another_one_changes(
    cluster: Cluster, decoded: Counter[str]
) -> None:
    def bind(name: str, role: str) -> None:
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
        subjects = [{"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}]
        binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": subjects}
        cluster.create("clusterrolebindings.rbac.authorization.k8s.io", binding)

    make_role(cluster, "mine", "get")
    make_role(cluster, "others", "get")
    bind("ann", "mine")
    bind("bob", "others")
    bind("carl", "absent")
    authorizer, asked = Authorizer(cluster.verbs.store), Attributes("get", "", "pods")
    assert authorizer.allows(User("ann"), asked) is not None
    assert (decoded["mine"], decoded["others"]) == (1, 0)
    assert authorizer.allows(User("carl"), asked) is None
    make_role(cluster, "absent", "get")
    cluster.patch(CLUSTER_ROLES, "mine", {"rules": []})
    assert authorizer.allows(User("carl"), asked) is not None
    assert authorizer.allows(User("ann"), asked) is None
    cluster.delete(CLUSTER_ROLES, "absent")
    assert authorizer.allows(User("carl"), asked) is None


def test_h30_entries_are_found_by_a_label_as_by_a_scan_whatever_happens_to_them() -> None:
    store = Store()

    def write(name: str, **labels: str) -> None:
        store.put(CRDS, StoreEntry(namespace="", name=name, version=store.next_version(), data=b"{}", labels=labels))

    def names_labelled(value: str | None = None) -> list[str]:
        return [entry.name for entry in store.labelled(CRDS, {"a": value})]

    assert names_labelled() == []
    write("x", a="1")
    write("y", b="1")
    assert (names_labelled(), names_labelled("1"), names_labelled("2")) == (["x"], ["x"], [])
    write("y", a="2")
    write("w", a="1", b="1")
    assert (names_labelled(), names_labelled("1"), names_labelled("2")) == (["w", "x", "y"], ["w", "x"], ["y"])
    write("x", a="2")
    write("y")
    assert (names_labelled(), names_labelled("1"), names_labelled("2")) == (["w", "x"], ["w"], ["x"])
    store.remove(CRDS, StoreEntry(namespace="", name="x", version=store.next_version(), data=b"{}", labels={"a": "2"}))
    write("y", a="2")
    assert (names_labelled(), names_labelled("2")) == (["w", "y"], ["y"])
    assert [entry.name for entry in store.labelled(CRDS, {"b": None})] == ["w"]
    assert [entry.name for entry in store.labelled(CRDS, {"a": None, "b": "1"})] == ["w"]

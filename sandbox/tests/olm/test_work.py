"""H30: with many operators installed the next one is as much work as with few.

Function calls are counted, not seconds.
"""

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sandbox import managed_fields
from sandbox.assembly import assemble
from sandbox.catalog.store import CatalogStore
from sandbox.cluster import Cluster
from sandbox.controllers.owners import children, owner_reference
from sandbox.http import User
from sandbox.olm.components import Components
from sandbox.olm.csv import owner_labels
from sandbox.olm.names import CRDS, CSVS, INSTALL_PLANS, OPERATOR_GROUPS, SUBSCRIPTIONS
from sandbox.olm.rights import permission_statuses
from sandbox.olm.seed import seeds
from sandbox.olm.subscriptions import Namespace
from sandbox.rbac import GROUP, Attributes, Authorizer
from sandbox.tests.catalog.bundles import csv

Object = dict[str, Any]

FEW, MANY = 5, 60
#: More calls for 55 more operators than this are work for each of them.
SLACK = 20


def calls(act: Callable[[], Any]) -> int:
    """How many functions of the sandbox ``act`` calls."""
    found = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal found
        found += event == "call" and "sandbox" in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


def done(work: Coroutine[Any, Any, Any]) -> None:
    """Runs what awaits nothing."""
    with pytest.raises(StopIteration):
        work.send(None)


class Operators:
    """A cluster with so many operators, each with a Subscription, a CSV, and a Role, Deployment and ReplicaSet."""

    def __init__(self, folder: Path, count: int):
        self.folder = folder
        folder.mkdir()
        self.cluster: Cluster = assemble(folder).cluster
        self.create("namespaces", {"metadata": {"name": "home"}})
        for obj in seeds():
            if obj["kind"] == "CustomResourceDefinition":
                self.cluster.apply(CRDS, obj)
        self.create(OPERATOR_GROUPS, {"metadata": {"name": "group", "namespace": "home"}})
        plan = {"approval": "Automatic", "approved": True, "clusterServiceVersionNames": []}
        self.create(INSTALL_PLANS, {"metadata": {"name": "p", "namespace": "home"}, "spec": plan})
        for number in range(count):
            self.add(number)

    def create(self, resource: str, obj: Object) -> Object:
        served = self.cluster.verbs.registry.by_key(resource)
        assert served is not None
        return self.cluster.create(resource, {"apiVersion": served.api_version, "kind": served.kind, **obj})

    def add(self, number: int) -> None:
        name = f"tea{number}"
        spec = {"name": name, "channel": "stable", "source": "leaves", "sourceNamespace": "olm"}
        self.create(SUBSCRIPTIONS, {"metadata": {"name": name, "namespace": "home"}, "spec": spec})
        status = {
            "currentCSV": name,
            "installedCSV": name,
            "state": "AtLatestKnown",
            "lastUpdated": "2026-01-01T00:00:00Z",
        }
        self.cluster.patch(SUBSCRIPTIONS, name, {"status": status}, "home", "status")
        body = csv(name, "1.0.0")
        body["metadata"] |= {"namespace": "home", "labels": {f"operators.coreos.com/{name}.home": ""}}
        operator = self.create(CSVS, body)
        rules = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]
        meta: Object = {"name": name, "namespace": "home", "labels": owner_labels(operator)}
        meta["ownerReferences"] = [owner_reference(operator) | {"controller": False, "blockOwnerDeletion": False}]
        self.create(f"roles.{GROUP}", {"metadata": meta, "rules": rules})
        self.create("serviceaccounts", {"metadata": {"name": name, "namespace": "home"}})
        reference = {"apiGroup": GROUP, "kind": "Role", "name": name}
        subjects = [{"kind": "ServiceAccount", "name": name, "namespace": "home"}]
        self.create(f"rolebindings.{GROUP}", {"metadata": meta, "roleRef": reference, "subjects": subjects})
        template = {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "c", "image": "example.dev/tea"}]},
        }
        selected = {"selector": {"matchLabels": {"app": name}}, "template": template}
        self.create("deployments.apps", {"metadata": meta, "spec": selected})
        owner = owner_reference(self.cluster.get("deployments.apps", name, "home"))
        child = {"name": name, "namespace": "home", "labels": {"app": name}, "ownerReferences": [owner]}
        self.create("replicasets.apps", {"metadata": child, "spec": selected})

    def label(self) -> None:
        """Who labels what belongs to an operator."""
        components = Components(self.cluster)
        done(components.label_subscription("home", "tea1"))
        done(components.label_csv("home", "tea1"))
        done(components.write_operator("", "tea1.home"))

    def judge(self) -> None:
        """Whether its accounts have their rights."""
        operator = self.cluster.get(CSVS, "tea1", "home")
        permission = {
            "serviceAccountName": "tea1",
            "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["x"]}],
        }
        operator["spec"]["install"]["spec"]["permissions"] = [permission]
        permission_statuses(self.cluster, operator, Authorizer(self.cluster.verbs.store))

    def ask(self) -> None:
        """An account's right, after another account got one."""
        authorizer = Authorizer(self.cluster.verbs.store)
        self.cluster.patch(f"rolebindings.{GROUP}", "tea2", {"metadata": {"labels": {"a": "b"}}}, "home")
        user = User("system:serviceaccount:home:tea1")
        assert authorizer.allows(user, Attributes("get", "", "pods", "", "home")) is not None

    def scale(self) -> None:
        """A Deployment looks for its ReplicaSets."""
        owner = self.cluster.get("deployments.apps", "tea1", "home")
        assert len(children(self.cluster, "replicasets.apps", owner, owner["spec"]["selector"])) == 1

    def write_plan(self) -> None:
        """A step of a plan that belongs to every Subscription of the namespace."""
        self.cluster.patch(
            INSTALL_PLANS, "p", {"status": {"phase": "Installing", "catalogSources": [], "plan": []}}, "home", "status"
        )


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Operators:
    return Operators(tmp_path_factory.mktemp("few") / "data", FEW)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Operators:
    return Operators(tmp_path_factory.mktemp("many") / "data", MANY)


@pytest.mark.parametrize("work", [Operators.label, Operators.judge, Operators.ask, Operators.scale])
def test_h30_with_many_operators_a_step_of_one_is_as_much_work_as_with_few(
    few: Operators, many: Operators, work: Callable[[Operators], None]
) -> None:
    for operators in (few, many):
        work(operators)  # the first time, indexes are made
    assert calls(lambda: work(many)) <= calls(lambda: work(few)) + SLACK


def test_h30_a_status_is_worked_out_for_the_subscriptions_of_which_something_changed(
    few: Operators, many: Operators
) -> None:
    found = []
    for operators in (few, many):
        store = CatalogStore(operators.folder / "catalog.db")
        namespace = Namespace(operators.cluster, store, "home")
        namespace.publish({"tea1"})
        namespace = Namespace(operators.cluster, store, "home")
        found.append(calls(lambda namespace=namespace: namespace.publish({"tea1"})))  # type: ignore[misc]
        store.close()
    assert found[1] <= found[0] + SLACK


def test_h30_a_step_of_a_plan_does_not_read_who_owns_each_of_its_owner_references(tmp_path: Path) -> None:
    operators = Operators(tmp_path / "data", 0)
    found = []
    for count in (FEW, MANY):
        owner = owner_reference(operators.cluster.get(OPERATOR_GROUPS, "group", "home"))
        owners = [{**owner, "name": f"o{number}", "uid": f"u{number}", "controller": False} for number in range(count)]
        operators.cluster.patch(INSTALL_PLANS, "p", {"metadata": {"ownerReferences": owners}}, "home")
        operators.write_plan()
        old = operators.cluster.get(INSTALL_PLANS, "p", "home")
        obj = {**old, "status": {**old["status"], "phase": "Complete"}, "metadata": {**old["metadata"]}}
        resource = operators.cluster.verbs.registry.by_key(INSTALL_PLANS)
        assert resource is not None
        schema = operators.cluster.verbs.schemas.schema_of(resource)
        found.append(calls(lambda: managed_fields.track(resource, old, obj, "olm", "status", schema)))  # noqa: B023
        fields = [entry["fieldsV1"] for entry in obj["metadata"]["managedFields"] if "subresource" not in entry]
        assert len(fields[0]["f:metadata"]["f:ownerReferences"]) == count + 1
    assert found[1] <= found[0] + SLACK

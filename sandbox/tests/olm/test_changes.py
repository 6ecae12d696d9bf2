"""H30: which changes OLM's controllers answer to, so that a step of one operator causes no work for all others."""

from types import SimpleNamespace
from typing import Any

from sandbox.objects import encode
from sandbox.olm.components import csvs_of
from sandbox.olm.names import CSVS, DEPLOYMENTS, INSTALL_PLANS, SUBSCRIPTIONS
from sandbox.olm.subscription_status import followers
from sandbox.olm.subscriptions import News
from sandbox.store import Store, StoreChange, StoreEntry
from sandbox.tests.catalog.bundles import csv

Object = dict[str, Any]


def put(store: Store, resource: str, obj: Object) -> StoreChange:
    meta = obj["metadata"]
    entry = StoreEntry(
        namespace=meta["namespace"],
        name=meta["name"],
        version=store.next_version(),
        data=encode(obj),
        labels=meta.get("labels") or {},
    )
    return store.put(resource, entry)


def test_h30_a_csv_is_news_to_subscriptions_when_its_phase_changes() -> None:
    store = Store()
    news = News(SimpleNamespace(verbs=SimpleNamespace(store=store)))  # type: ignore[arg-type]
    operator = csv("tea", "1.0.0")
    operator["metadata"] |= {"namespace": "home", "uid": "u"}
    assert news.tells(put(store, CSVS, operator))
    operator["status"] = {"phase": "Pending"}
    assert news.tells(put(store, CSVS, operator))
    operator["status"]["message"] = "one or more requirements couldn't be found"
    assert not news.tells(put(store, CSVS, operator))
    operator["metadata"]["annotations"] = {"olm.targetNamespaces": ""}
    assert news.tells(put(store, CSVS, operator))
    last = store.get(CSVS, "home", operator["metadata"]["name"])
    assert last is not None
    assert news.tells(store.remove(CSVS, last))
    assert news.tells(put(store, CSVS, operator))


def test_h30_a_plan_is_news_to_subscriptions_when_it_ends_not_at_each_step() -> None:
    store = Store()
    news = News(SimpleNamespace(verbs=SimpleNamespace(store=store)))  # type: ignore[arg-type]
    plan: Object = {"metadata": {"name": "p", "namespace": "home", "uid": "u"}, "spec": {"approved": False}}
    plan["status"] = {"phase": "RequiresApproval", "plan": [{"status": "Unknown"}]}
    assert news.tells(put(store, INSTALL_PLANS, plan))
    plan["status"]["plan"][0]["status"] = "Created"
    assert not news.tells(put(store, INSTALL_PLANS, plan))
    plan["spec"]["approved"] = True
    assert news.tells(put(store, INSTALL_PLANS, plan))
    plan["status"]["phase"] = "Complete"
    assert news.tells(put(store, INSTALL_PLANS, plan))
    assert news.tells(put(store, SUBSCRIPTIONS, plan)) and news.tells(put(store, SUBSCRIPTIONS, plan))


def test_h30_a_changed_object_is_work_for_its_own_operator_only() -> None:
    store = Store()
    owner = {"kind": "ClusterServiceVersion", "name": "tea.v1"}
    owned = {"metadata": {"name": "d", "namespace": "home", "ownerReferences": [owner, {"kind": "Pod", "name": "x"}]}}
    assert csvs_of(put(store, DEPLOYMENTS, owned)) == [("home", "tea.v1")]
    labels = {"olm.owner.kind": "ClusterServiceVersion", "olm.owner": "tea.v1", "olm.owner.namespace": "home"}
    role = {"metadata": {"name": "r", "namespace": "", "labels": labels}}
    assert csvs_of(put(store, "clusterroles.rbac.authorization.k8s.io", role)) == [("home", "tea.v1")]
    assert csvs_of(put(store, DEPLOYMENTS, {"metadata": {"name": "mine", "namespace": "home"}})) == []


def test_h30_a_changed_csv_or_plan_is_work_for_the_subscriptions_that_follow_it_only() -> None:
    store = Store()
    operator = csv("tea", "1.0.0")
    operator["metadata"]["namespace"] = "home"
    for name, status in (
        ("tea", {"currentCSV": operator["metadata"]["name"], "installPlanRef": {"name": "p"}}),
        ("coffee", {"currentCSV": "coffee.v1", "installedCSV": "coffee.v1", "installPlanRef": {"name": "q"}}),
    ):
        subscription = {"metadata": {"name": name, "namespace": "home"}, "status": status}
        assert followers(store, put(store, SUBSCRIPTIONS, subscription)) == [("home", name)]
    adopted = {"metadata": {"name": "milk", "namespace": "home", "annotations": {"olm.generated-by": "p"}}}
    put(store, SUBSCRIPTIONS, adopted)
    assert followers(store, put(store, CSVS, operator)) == [("home", "tea")]
    plan = {"metadata": {"name": "p", "namespace": "home"}}
    assert followers(store, put(store, INSTALL_PLANS, plan)) == [("home", "milk"), ("home", "tea")]
    assert followers(store, put(store, DEPLOYMENTS, operator)) == []
    operator["metadata"]["namespace"] = "elsewhere"
    assert followers(store, put(store, CSVS, operator)) == []

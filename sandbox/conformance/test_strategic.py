"""Strategic merge patch: lists by their keys, directives"""

from typing import Any

import pytest

from tests.api import MERGE, STRATEGIC, Answer, Api

from .observations import Seen


@pytest.fixture
def app(api: Api, namespace: str) -> str:
    """The path of a Deployment of two containers."""
    labels = {"app": "a"}
    first = {
        "name": "first",
        "image": "example.com/a:1",
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "ports": [{"containerPort": 80}, {"containerPort": 81, "name": "other"}],
        "args": ["x", "y"],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    }
    spec = {
        "containers": [first, {"name": "second", "image": "example.com/b:1"}],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "tolerations": [{"key": "t", "operator": "Exists"}],
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    body = {
        "metadata": {"name": "a", "finalizers": ["a.example/1", "a.example/2"]},
        "spec": {"replicas": 0, "paused": True, "selector": {"matchLabels": labels}, "template": template},
    }
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    assert api.post(path, body).status == 201
    return f"{path}/a"


def patch(api: Api, path: str, pod: dict[str, Any], kind: str = STRATEGIC) -> Answer:
    """A patch of the Pod's spec, tried."""
    return api.patch(f"{path}?dryRun=All", {"spec": {"template": {"spec": pod}}}, kind)


POD = ["spec.template.spec", "message", "code"]


def test_lists_with_keys(seen: Seen, api: Api, app: str) -> None:
    """Containers, variables, ports and volumes are merged by their keys"""
    first = {
        "name": "first",
        "image": "example.com/a:2",
        "env": [{"name": "B", "value": "3"}, {"name": "C", "value": "4"}],
    }
    seen("changed", patch(api, app, {"containers": [first]}), only=POD)
    seen("added", patch(api, app, {"containers": [{"name": "third", "image": "example.com/c"}]}), only=POD)
    seen(
        "port",
        patch(api, app, {"containers": [{"name": "first", "ports": [{"containerPort": 81, "name": "n"}]}]}),
        only=POD,
    )
    seen("volume", patch(api, app, {"volumes": [{"name": "w", "emptyDir": {}}]}), only=POD)
    mounts = [{"name": "v", "mountPath": "/w"}]
    seen("mount", patch(api, app, {"containers": [{"name": "first", "volumeMounts": mounts}]}), only=POD)
    seen("merge patch instead", patch(api, app, {"containers": [{"name": "third", "image": "c"}]}, MERGE), only=POD)


def test_lists_without_keys(seen: Seen, api: Api, app: str) -> None:
    """Other lists are replaced"""
    seen("args", patch(api, app, {"containers": [{"name": "first", "args": ["z"]}]}), only=POD)
    seen("tolerations", patch(api, app, {"tolerations": [{"key": "u", "operator": "Exists"}]}), only=POD)
    seen("null", patch(api, app, {"containers": [{"name": "first", "args": None, "env": None}]}), only=POD)


def test_lists_of_values(seen: Seen, api: Api, app: str) -> None:
    """finalizers are a set: merged, and taken from with $deleteFromPrimitiveList"""
    only = ["metadata.finalizers", "message", "code"]

    def metadata(**fields: Any) -> Answer:
        return api.patch(f"{app}?dryRun=All", {"metadata": fields}, STRATEGIC)

    seen("merged", metadata(finalizers=["a.example/3"]), only=only)
    seen("one that is there", metadata(finalizers=["a.example/1"]), only=only)
    seen("deleted", metadata(**{"$deleteFromPrimitiveList/finalizers": ["a.example/1"]}), only=only)
    seen("deleted, not there", metadata(**{"$deleteFromPrimitiveList/finalizers": ["a.example/9"]}), only=only)
    both = {"finalizers": ["a.example/3"], "$deleteFromPrimitiveList/finalizers": ["a.example/2"]}
    seen("both", metadata(**both), only=only)
    order = {"$setElementOrder/finalizers": ["a.example/2", "a.example/1"]}
    seen("order", metadata(**order), only=only)
    api.patch(app, {"metadata": {"finalizers": None}})


def test_directives(seen: Seen, api: Api, app: str) -> None:
    """$patch deletes and replaces, $retainKeys keeps"""
    second = {"name": "second", "$patch": "delete"}
    seen("delete an item", patch(api, app, {"containers": [second]}), only=POD)
    seen("delete what is not there", patch(api, app, {"containers": [{"name": "x", "$patch": "delete"}]}), only=POD)
    replaced = [{"$patch": "replace"}, {"name": "only", "image": "example.com/o"}]
    seen("replace a list", patch(api, app, {"containers": replaced}), only=POD)
    selector = {"nodeSelector": {"a": "b", "$patch": "replace"}}
    seen("replace a map", patch(api, app, selector), only=POD)
    strategy = {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}
    seen("replace the strategy", api.patch(f"{app}?dryRun=All", strategy, STRATEGIC), only=["spec.strategy", "message"])
    retained = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    seen("retain keys", api.patch(f"{app}?dryRun=All", retained, STRATEGIC), only=["spec.strategy", "message"])
    other = {"spec": {"strategy": {"type": "Recreate"}}}
    seen("without them", api.patch(f"{app}?dryRun=All", other, STRATEGIC), only=["spec.strategy", "message"])
    volume = {"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}
    seen("retain keys in an item", patch(api, app, {"volumes": [volume]}), only=POD)
    seen("delete a map", patch(api, app, {"securityContext": {"$patch": "delete"}}), only=POD)


def test_order(seen: Seen, api: Api, app: str) -> None:
    """$setElementOrder says where items stand"""
    order = [{"name": "second"}, {"name": "first"}]
    seen("turned", patch(api, app, {"$setElementOrder/containers": order}), only=POD)
    order = [{"name": "second"}, {"name": "new"}, {"name": "first"}]
    new = [{"name": "new", "image": "example.com/n"}]
    seen("new between", patch(api, app, {"$setElementOrder/containers": order, "containers": new}), only=POD)
    wrong = [{"name": "first"}]
    seen("of others", patch(api, app, {"$setElementOrder/containers": wrong, "containers": new}), only=POD)


def test_bad_directives(seen: Seen, api: Api, app: str) -> None:
    """Directives that mean nothing are refused"""
    seen("unknown", patch(api, app, {"$patch": "frob"}), only=POD)
    seen("in an item", patch(api, app, {"containers": [{"name": "first", "$patch": "frob"}]}), only=POD)
    seen("no key", patch(api, app, {"containers": [{"image": "x"}]}), only=["message", "code", "reason"])
    seen("no list", patch(api, app, {"containers": {"name": "x"}}), only=["message", "code", "reason"])
    seen("items that are none", patch(api, app, {"containers": ["x"]}), only=["message", "code", "reason"])
    retain = {"spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": {}}}}
    seen("keys that are not retained", api.patch(app, retain, STRATEGIC), only=["message", "code", "reason"])
    delete = {"$deleteFromPrimitiveList/finalizers": "x"}
    seen("no list to delete", api.patch(app, {"metadata": delete}, STRATEGIC), only=["message", "code", "reason"])
    api.patch(app, {"metadata": {"finalizers": None}})


def test_services(seen: Seen, api: Api, namespace: str) -> None:
    """Ports of a Service are merged by port, of EndpointSlices replaced"""
    path = f"/api/v1/namespaces/{namespace}/services"
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    api.post(path, {"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}, "ports": ports}})
    only = ["spec.ports", "message"]
    change = {"spec": {"ports": [{"port": 80, "targetPort": "http"}]}}
    seen("changed", api.patch(f"{path}/s?dryRun=All", change, STRATEGIC), only=only)
    gone = {"spec": {"ports": [{"port": 81, "$patch": "delete"}]}}
    seen("deleted", api.patch(f"{path}/s?dryRun=All", gone, STRATEGIC), only=only)
    added = {"spec": {"ports": [{"port": 82, "name": "c"}]}}
    seen("added", api.patch(f"{path}/s?dryRun=All", added, STRATEGIC), only=only)
    selector = {"spec": {"selector": {"x": "y"}}}
    seen("selector", api.patch(f"{path}/s?dryRun=All", selector, STRATEGIC), only=["spec.selector", "message"])

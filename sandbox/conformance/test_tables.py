"""Tables: what kubectl get prints, for built-in kinds"""

from typing import Any

import pytest

from tests.api import TABLE, Api, config_map
from tests.kubectl import Kubectl

from .observations import Seen

POD = {"containers": [{"name": "main", "image": "example.com/a:1"}]}
LABELS = {"app": "a"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": POD}
SELECTOR = {"matchLabels": LABELS}


def objects(namespace: str) -> dict[str, dict[str, Any]]:
    """Path of the collection → an object of it, named a."""
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    about = {"kind": "ConfigMap", "namespace": namespace, "name": "a"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}
    subjects = [
        {"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"},
        {"kind": "Group", "name": "g", "apiGroup": "rbac.authorization.k8s.io"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
    ]
    job = {"template": {"spec": {**POD, "restartPolicy": "Never"}}, "suspend": True}
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "none",
    }
    return {
        f"{core}/configmaps": {"data": {"k": "v", "l": "w"}},
        f"{core}/secrets": {"stringData": {"k": "v"}},
        f"{core}/serviceaccounts": {"secrets": [{"name": "x"}]},
        f"{core}/services": {
            "spec": {"selector": LABELS, "ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]}
        },
        f"{core}/limitranges": {"spec": {"limits": []}},
        f"{core}/persistentvolumeclaims": {"spec": claim},
        f"{core}/events": {"involvedObject": about, "reason": "R", "message": "M ", "type": "Normal", "count": 3},
        f"{core}/podtemplates": {"template": TEMPLATE},
        f"{apps}/deployments": {"spec": {"replicas": 0, "paused": True, "selector": SELECTOR, "template": TEMPLATE}},
        f"{apps}/replicasets": {"spec": {"replicas": 0, "selector": SELECTOR, "template": TEMPLATE}},
        f"{apps}/statefulsets": {"spec": {"replicas": 0, "selector": SELECTOR, "template": TEMPLATE}},
        f"{apps}/controllerrevisions": {"revision": 7, "data": {"x": 1}},
        f"/apis/batch/v1/namespaces/{namespace}/cronjobs": {
            "spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": job}}
        },
        f"/apis/batch/v1/namespaces/{namespace}/jobs": {"spec": job},
        f"{rbac}/roles": {"rules": []},
        f"{rbac}/rolebindings": {"roleRef": role, "subjects": subjects},
        f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies": {"spec": {"podSelector": SELECTOR}},
        f"/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses": {
            "spec": {"rules": [{"host": "a.example"}, {"host": "b.example"}], "tls": [{"hosts": ["a.example"]}]}
        },
        f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets": {
            "spec": {"minAvailable": 1, "selector": SELECTOR}
        },
        f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases": {"spec": {"holderIdentity": "me"}},
        f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices": {
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["192.0.2.2"]}],
            "ports": [{"port": 80, "name": "x"}],
        },
    }


KINDS = sorted(path.rpartition("/")[2] for path in objects("x"))


@pytest.mark.parametrize("plural", KINDS)
def test_kinds(seen: Seen, api: Api, namespace: str, plural: str) -> None:
    """Columns and cells of each kind"""
    path, body = next(item for item in objects(namespace).items() if item[0].endswith(f"/{plural}"))
    made = api.post(path, {"metadata": {"name": "a"}, **body})
    assert made.status == 201, made.raw
    table = api.get(f"{path}/a", accept=TABLE).json
    seen.value("columns", table["columnDefinitions"])
    cells = dict(zip([column["name"] for column in table["columnDefinitions"]], table["rows"][0]["cells"], strict=True))
    for name in ("Age", "Last Seen", "First Seen", "Duration", "Created At"):
        cells.pop(name, None)
    if plural == "jobs":  # its controller says a moment later that it is suspended
        cells.pop("Status")
    seen.value("cells", cells)


def test_cluster_kinds(seen: Seen, api: Api, namespace: str) -> None:
    """Columns and cells of a Namespace"""
    table = api.get(f"/api/v1/namespaces/{namespace}", accept=TABLE).json
    seen.value("columns", table["columnDefinitions"])
    seen.value("cells", table["rows"][0]["cells"][:2])
    for path in (
        "/api/v1/nodes",
        "/api/v1/persistentvolumes",
        "/apis/storage.k8s.io/v1/storageclasses",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        "/apis/networking.k8s.io/v1/ingressclasses",
        "/apis/apiregistration.k8s.io/v1/apiservices",
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    ):
        table = api.get(f"{path}?labelSelector=none-conformance", accept=TABLE).json
        seen.value(path.rpartition("/")[2], [table["columnDefinitions"], table["rows"]])


def test_table(seen: Seen, api: Api, maps: str) -> None:
    """A table has the list's metadata, and each row the object's"""
    for name in "ab":
        api.post(maps, {"metadata": {"name": name, "labels": {"l": "1"}}, "data": {"k": "v"}})
    without = ["rows.cells", "columnDefinitions"]
    seen("list", api.get(f"{maps}?labelSelector=l", accept=TABLE), without=without)
    seen("page", api.get(f"{maps}?limit=1", accept=TABLE), without=without)
    seen("one", api.get(f"{maps}/a", accept=TABLE), without=without)
    empty = seen("empty", api.get(f"{maps}?labelSelector=none", accept=TABLE))
    assert empty.json["rows"] == []


def test_include_object(seen: Seen, api: Api, maps: str) -> None:
    """includeObject says how much of the object comes along"""
    api.post(maps, config_map("a", k="v"))
    for value in ("None", "Metadata", "Object", "Other", ""):
        answer = api.get(f"{maps}/a?includeObject={value}", accept=TABLE)
        seen(value or "empty", answer, only=["rows.object", "message", "code", "reason", "details"])


def test_writes(seen: Seen, api: Api, maps: str) -> None:
    """Writes answer with tables too; errors are what they are"""
    without = ["rows.cells", "columnDefinitions"]
    seen("create", api("POST", maps, config_map("a"), accept=TABLE), without=without)
    seen("update", api("PUT", f"{maps}/a", config_map("a", k="v"), accept=TABLE), without=without)
    seen("missing", api.get(f"{maps}/none", accept=TABLE))
    seen("delete", api("DELETE", f"{maps}/a", accept=TABLE), without=["columnDefinitions", "rows.cells"])


def test_watch(seen: Seen, api: Api, maps: str) -> None:
    """A watch of tables: the first has the columns"""
    since = api.get(maps).json["metadata"]["resourceVersion"]
    with api.watch(f"{maps}?watch=1&resourceVersion={since}", accept=TABLE) as watch:
        api.post(maps, config_map("a", k="v"))
        api.patch(f"{maps}/a", {"data": {"l": "w"}})
        api.delete(f"{maps}/a")
        events = [watch.next() for _ in range(3)]
    for event in events:
        for row in event["object"]["rows"]:
            row["cells"] = row["cells"][:2]
    seen.value("events", events)


def test_watch_bookmark(seen: Seen, api: Api, maps: str) -> None:
    """A bookmark is a table too"""
    api.post(maps, config_map("a"))
    options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    with api.watch(f"{maps}?watch=1&fieldSelector=metadata.name%3Da&{options}", accept=TABLE) as watch:
        watch.next()
        mark = watch.next()
    assert mark["type"] == "BOOKMARK"
    seen.value("bookmark", mark)


def test_kubectl(seen: Seen, api: Api, k: Kubectl, maps: str) -> None:
    """kubectl prints them"""
    api.post(maps, config_map("a", k="v"))
    api.post(maps.replace("configmaps", "secrets"), {"metadata": {"name": "s", "labels": {"l": "1"}}})
    seen.text("get", k("get", "configmaps"))
    seen.text("wide", k("get", "configmap", "a", "-o", "wide"))
    seen.text("several kinds", k("get", "secret,configmap"))
    seen.text("labels", k("get", "secret", "--show-labels"))
    seen.text("label column", k("get", "secret", "-L", "l"))
    seen.text("none", k("get", "deployments"))
    seen.text("missing", k("get", "configmap", "none", fails=True))
    seen.text("unknown", k("get", "nothings", fails=True))
    seen.text("names", k("get", "secret,configmap", "-o", "name"))

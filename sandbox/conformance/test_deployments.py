"""Deployments: defaults, rollouts, scaling, history, refusals"""

from typing import Any

import pytest

from tests.api import STRATEGIC, TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, conditions, container, events, items, path, replica_sets, settled, workload

NEW_IMAGE = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": f"{IMAGE}.1"}]}}}}


@pytest.fixture
def at(namespace: str) -> str:
    """The path of Deployments."""
    return path(namespace, "deployments")


def _create(api: Api, at: str, **spec: Any) -> Any:
    created = api.post(at, workload(**spec))
    assert created.status == 201, created.raw
    return api.until(f"{at}/a", settled)


def _next(api: Api, at: str, image: str) -> Any:
    """After a rollout to another image."""
    change = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}}
    assert api.patch(f"{at}/a", change, STRATEGIC).status == 200
    return api.until(f"{at}/a", settled)


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal Deployment gets its defaults, and those of its template"""
    seen("create", api.post(at, workload()))


def test_rollout(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A new Deployment makes a ReplicaSet of revision 1 and says when it is available"""
    done = _create(api, at, replicas=2)
    sets = replica_sets(api, seen, namespace)
    seen.value("status", done["status"], without=["conditions", "terminatingReplicas"])
    seen.value("conditions", conditions(done))
    seen.value("annotations", done["metadata"]["annotations"])
    assert list(sets) == ["1"]
    seen.value("replica set", api.until(path(namespace, "replicasets", sets["1"]["metadata"]["name"]), bool))
    pods = items(api, namespace, "pods")
    assert len(pods) == 2
    seen.value("pod", pods[0]["metadata"], without=["annotations", "name"])
    seen.value("events", events(api, namespace, "a"))


def test_new_image(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Another image makes another ReplicaSet and scales the old one down to none"""
    first = _create(api, at, replicas=2)
    done = _next(api, at, f"{IMAGE}.1")
    sets = replica_sets(api, seen, namespace)
    assert {revision: set_["spec"]["replicas"] for revision, set_ in sets.items()} == {"1": 0, "2": 2}
    assert sets["1"]["metadata"]["labels"]["pod-template-hash"] != sets["2"]["metadata"]["labels"]["pod-template-hash"]
    seen.value("status", done["status"], without=["conditions", "terminatingReplicas"])
    seen.value("annotations", done["metadata"]["annotations"])
    seen.value("conditions", conditions(done))
    for revision, item in sets.items():
        seen.value(f"annotations of revision {revision}", item["metadata"]["annotations"])
    assert done["metadata"]["generation"] == first["metadata"]["generation"] + 1
    seen.value("events", events(api, namespace, "a", lambda lines: len(lines) == 5))


def test_only_the_template_counts(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Labels and annotations of the Deployment make no new ReplicaSet; its annotations are handed down"""
    _create(api, at)
    assert api.patch(f"{at}/a", {"metadata": {"labels": {"l": "1"}}}).json["metadata"]["generation"] == 1
    annotated = api.patch(f"{at}/a", {"metadata": {"annotations": {"n": "1"}}}).json
    assert annotated["metadata"]["generation"] == 2, "annotations are handed down, so they count"
    (name,) = [replicaset["metadata"]["name"] for replicaset in items(api, namespace, "replicasets")]
    found = api.until(path(namespace, "replicasets", name), lambda item: "n" in item["metadata"]["annotations"])
    seen.alias("hash", found["metadata"]["labels"]["pod-template-hash"])
    seen.value("replica set", found["metadata"], without=["resourceVersion"])
    _next(api, at, f"{IMAGE}.1")
    assert len(items(api, namespace, "replicasets")) == 2


def test_same_template_again(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A template that was there before gets its old ReplicaSet back, with a new revision"""
    _create(api, at)
    before = replica_sets(api, seen, namespace)["1"]
    _next(api, at, f"{IMAGE}.1")
    _next(api, at, IMAGE)
    sets = replica_sets(api, seen, namespace)
    assert sorted(sets) == ["2", "3"] and sets["3"]["metadata"]["uid"] == before["metadata"]["uid"]
    seen.value("annotations", sets["3"]["metadata"]["annotations"])


def test_recreate(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Recreate lets all old Pods go before it makes new ones"""
    done = _create(api, at, replicas=2, strategy={"type": "Recreate"})
    seen.value("strategy", done["spec"]["strategy"])
    before = {pod["metadata"]["name"] for pod in items(api, namespace, "pods")}
    with api.watch(f"{path(namespace, 'pods')}?watch=1") as watch:
        assert api.patch(f"{at}/a", NEW_IMAGE, STRATEGIC).status == 200
        gone: set[str] = set()
        for event in watch:
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED" or event["object"]["status"].get("phase") in ("Succeeded", "Failed"):
                gone.add(name)
            elif event["type"] == "ADDED" and name not in before:
                break
    assert gone == before
    done = api.until(f"{at}/a", settled)
    sets = replica_sets(api, seen, namespace)
    seen.value("annotations", {revision: set_["metadata"]["annotations"] for revision, set_ in sets.items()})
    seen.value("conditions", conditions(done))


def test_surge_and_unavailable(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """maxSurge rounds up, maxUnavailable rounds down; a rollout that cannot continue shows it"""
    _create(api, at, replicas=5, strategy={"rollingUpdate": {"maxSurge": "30%", "maxUnavailable": "30%"}})
    change: Any = {"spec": {"template": {"spec": {"nodeSelector": {"no": "such-node"}}}}}
    api.patch(f"{at}/a", change)

    def stuck(body: Any) -> bool:
        status = body["status"]
        counts = [status.get(name) for name in ("updatedReplicas", "readyReplicas", "unavailableReplicas")]
        return status["observedGeneration"] == 2 and counts == [3, 4, 3]

    found = api.until(f"{at}/a", stuck)
    seen.value("status", found["status"], without=["conditions", "terminatingReplicas"])
    seen.value("available", conditions(found)["Available"])
    sets = replica_sets(api, seen, namespace)
    assert {revision: set_["spec"]["replicas"] for revision, set_ in sets.items()} == {"1": 4, "2": 3}
    seen.value("progressing", conditions(found)["Progressing"])
    seen.value("sizes", sets["2"]["metadata"]["annotations"])


def test_scaling_in_the_middle(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Scaled in the middle of a rollout, each ReplicaSet gets its share"""
    _create(api, at, replicas=4, strategy={"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}})
    api.patch(f"{at}/a", {"spec": {"template": {"spec": {"nodeSelector": {"no": "such-node"}}}}})
    api.until(f"{at}/a", lambda item: item["status"].get("updatedReplicas") == 2 and item["status"]["replicas"] == 6)
    api.patch(f"{at}/a", {"spec": {"replicas": 8}})
    api.until(f"{at}/a", lambda item: item["status"]["replicas"] == 10)
    sizes = {
        revision: set_["spec"]["replicas"] for revision, set_ in replica_sets(api, seen, namespace).items() if revision
    }
    seen.value("sizes", sizes)


def test_pause(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """A paused Deployment rolls nothing out, but scales; resumed, it continues"""
    _create(api, at)
    seen.text("pause", k("rollout", "pause", "deployment/a"))
    seen.text("pause again", k("rollout", "pause", "deployment/a", fails=True))
    paused = api.until(f"{at}/a", lambda item: conditions(item)["Progressing"]["reason"] == "DeploymentPaused")
    seen.value("paused", conditions(paused))
    api.patch(f"{at}/a", {**NEW_IMAGE, "spec": {**NEW_IMAGE["spec"], "replicas": 2}}, STRATEGIC)
    scaled = api.until(f"{at}/a", lambda item: item["status"].get("readyReplicas") == 2)
    assert len(items(api, namespace, "replicasets")) == 1
    assert "updatedReplicas" not in scaled["status"]
    seen.text("undo while paused", k("rollout", "undo", "deployment/a", fails=True))
    seen.text("restart while paused", k("rollout", "restart", "deployment/a", fails=True))
    seen.text("resume", k("rollout", "resume", "deployment/a"))
    done = api.until(f"{at}/a", settled)
    seen.value("resumed", conditions(done), without=["Progressing.message"])
    assert len(items(api, namespace, "replicasets")) == 2


def test_scale(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """The scale subresource reads and sets the number of replicas"""
    _create(api, at)
    scale = seen("get", api.get(f"{at}/a/scale")).json
    scale["spec"]["replicas"] = 3
    seen("put", api.put(f"{at}/a/scale", scale))
    seen("an old version", api.put(f"{at}/a/scale", scale))
    seen("patch", api.patch(f"{at}/a/scale", {"spec": {"replicas": 2}}), without=["status"])
    seen("negative", api.patch(f"{at}/a/scale", {"spec": {"replicas": -1}}))
    text = seen("no number", api.patch(f"{at}/a/scale", {"spec": {"replicas": "x"}}), only=["code", "reason"]).message
    assert text.endswith("json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32")
    seen("other name", api.put(f"{at}/a/scale", {"metadata": {"name": "b"}, "spec": {"replicas": 1}}))
    seen("of nothing", api.get(f"{at}/b/scale"))
    seen("delete", api.delete(f"{at}/a/scale"))
    seen.text("kubectl", k("scale", "deployment/a", "--replicas=1"))
    seen.text(
        "kubectl, wrong expectation", k("scale", "deployment/a", "--current-replicas=7", "--replicas=1", fails=True)
    )
    assert api.get(f"{at}/a").json["spec"]["replicas"] == 1


def test_scale_to_zero(seen: Seen, api: Api, at: str) -> None:
    """A Deployment of no replicas is available, and its counts are left out"""
    _create(api, at)
    api.patch(f"{at}/a/scale", {"spec": {"replicas": 0}})
    done = api.until(f"{at}/a", settled)
    seen.value("status", done["status"], without=["conditions", "terminatingReplicas"])
    seen.value("conditions", conditions(done), only=["Available"])


def test_rollout_commands(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """kubectl rollout: status, history, undo, restart"""
    _create(api, at)
    api.patch(f"{at}/a", {"metadata": {"annotations": {"kubernetes.io/change-cause": "second"}}})
    _next(api, at, f"{IMAGE}.1")
    replica_sets(api, seen, namespace)
    seen.text("status", k("rollout", "status", "deployment/a"))
    seen.text("history", k("rollout", "history", "deployment/a"))
    seen.text("history of one", k("rollout", "history", "deployment/a", "--revision=1"))
    seen.text("history of one that is none", k("rollout", "history", "deployment/a", "--revision=9", fails=True))
    seen.text("undo", k("rollout", "undo", "deployment/a"))
    undone = api.until(f"{at}/a", settled)
    assert undone["spec"]["template"]["spec"]["containers"][0]["image"] == IMAGE
    seen.value("annotations after undo", undone["metadata"]["annotations"])
    seen.text("undo to", k("rollout", "undo", "deployment/a", "--to-revision=2"))
    done = api.until(f"{at}/a", settled)
    assert done["spec"]["template"]["spec"]["containers"][0]["image"] == f"{IMAGE}.1"
    seen.text("undo to one that is none", k("rollout", "undo", "deployment/a", "--to-revision=9", fails=True))
    seen.text("restart", k("rollout", "restart", "deployment/a"))
    seen.value("restarted", api.get(f"{at}/a").json["spec"]["template"]["metadata"])


def test_history_limit(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """revisionHistoryLimit keeps so many old ReplicaSets, the newest"""
    _create(api, at, revisionHistoryLimit=1)
    for number in range(3):
        _next(api, at, f"{IMAGE}.{number}")
    api.until(path(namespace, "replicasets"), lambda body: len(body["items"]) == 2)
    assert sorted(replica_sets(api, seen, namespace)) == ["3", "4"]


def test_deadline(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A rollout that makes no progress in time is reported in the conditions"""
    stuck = workload(progressDeadlineSeconds=1)
    stuck["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such-node"}
    api.post(at, stuck)

    def has_failed(item: dict[str, Any]) -> bool:
        # On a busy machine the second is over before the controller has counted the Pod.
        return conditions(item).get("Progressing", {}).get("status") == "False" and "replicas" in item["status"]

    late = api.until(f"{at}/a", has_failed)
    replica_sets(api, seen, namespace)
    seen.value("conditions", conditions(late))
    seen.value("status", late["status"], without=["conditions", "terminatingReplicas"])


def test_adoption(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Deleted with Orphan, a Deployment leaves its ReplicaSet, which the next one with this template takes over"""
    _create(api, at)
    before = replica_sets(api, seen, namespace)["1"]
    seen(
        "delete",
        api.delete(f"{at}/a?propagationPolicy=Orphan"),
        only=["status", "kind", "metadata.finalizers"],
        without=["status.terminatingReplicas"],
    )
    api.until_gone(f"{at}/a")
    (left,) = items(api, namespace, "replicasets")
    assert "ownerReferences" not in left["metadata"]
    new = _create(api, at)
    (after,) = items(api, namespace, "replicasets")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["metadata"]["ownerReferences"][0]["uid"] == new["metadata"]["uid"]


def test_selector(seen: Seen, api: Api, at: str) -> None:
    """The selector must be there, select the template, and never change"""
    body = workload()
    body["spec"]["template"]["metadata"]["labels"] = {"app": "b", "x": "y"}
    seen("other labels", api.post(f"{at}?dryRun=All", body))
    body["spec"]["template"].pop("metadata")
    seen("no labels", api.post(f"{at}?dryRun=All", body))
    seen("none", api.post(f"{at}?dryRun=All", {**workload(), "spec": {"template": workload()["spec"]["template"]}}))
    seen("empty", api.post(f"{at}?dryRun=All", workload(selector={})))
    api.post(at, workload())
    changed = {"spec": {"selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}}}}}
    seen("changed", api.patch(f"{at}/a", changed))


def test_bad_specs(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a Deployment's spec is named"""
    seen("no spec", api.post(f"{at}?dryRun=All", {"metadata": {"name": "a"}}))
    seen(
        "no template", api.post(f"{at}?dryRun=All", {**workload(), "spec": {"selector": {"matchLabels": {"app": "a"}}}})
    )
    for name, spec in {
        "replicas": {"replicas": -1},
        "minReadySeconds": {"minReadySeconds": -1},
        "revisionHistoryLimit": {"revisionHistoryLimit": -1},
        "several": {"replicas": -1, "minReadySeconds": -2, "revisionHistoryLimit": -3},
    }.items():
        seen(name, api.post(f"{at}?dryRun=All", workload(**spec)))
    seen("replicas of another type", api.post(f"{at}?dryRun=All", workload(replicas="two")))
    for policy in ("Never", "Sometimes"):
        body = workload()
        body["spec"]["template"]["spec"]["restartPolicy"] = policy
        seen(f"restartPolicy {policy}", api.post(f"{at}?dryRun=All", body))
    body = workload()
    body["spec"]["template"]["spec"]["activeDeadlineSeconds"] = 5


def test_bad_strategies(seen: Seen, api: Api, at: str) -> None:
    """A strategy must let the rollout make progress"""
    for name, strategy in {
        "unknown": {"type": "Odd"},
        "Recreate with numbers": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},
    }.items():
        seen(name, api.post(f"{at}?dryRun=All", workload(strategy=strategy)))


def test_strategies(seen: Seen, api: Api, at: str) -> None:
    """Half a strategy is made whole"""
    for name, strategy in {
        "type only": {"type": "RollingUpdate"},
        "surge only": {"rollingUpdate": {"maxSurge": 3}},
        "unavailable only": {"rollingUpdate": {"maxUnavailable": "50%"}},
        "recreate": {"type": "Recreate"},
    }.items():
        seen(name, api.post(f"{at}?dryRun=All", workload(strategy=strategy)), only=["spec.strategy"])
    api.post(at, workload())
    seen("to Recreate alone", api.patch(f"{at}/a", {"spec": {"strategy": {"type": "Recreate"}}}))
    whole = {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}
    seen("to Recreate", api.patch(f"{at}/a", whole), only=["spec.strategy"])


def test_status(seen: Seen, api: Api, at: str) -> None:
    """The status cannot be set with the object"""
    seen("create", api.post(at, {**workload(), "status": {"replicas": 7}}), only=["status"])
    api.until(f"{at}/a", settled)
    changed = api.patch(f"{at}/a", {"status": {"replicas": 7}})
    assert changed.json["status"]["replicas"] == 1
    seen("status subresource", api.patch(f"{at}/a/status", {"spec": {"replicas": 7}}), only=["spec.replicas", "kind"])


def test_columns(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """Deployments and ReplicaSets as tables"""
    _create(api, at, replicas=2)
    replica_sets(api, seen, namespace)
    table = api.get(at, accept=TABLE)
    seen("columns", table, only=["columnDefinitions"])
    seen.text("get", k("get", "deployments"))
    seen.text("wide", k("get", "deployments,replicasets", "-o", "wide"))
    body = workload("b")
    body["spec"]["template"]["spec"]["containers"] += [container("d")]
    body["spec"]["selector"]["matchExpressions"] = [{"key": "app", "operator": "In", "values": ["b", "c"]}]
    api.post(at, {**body, "spec": {**body["spec"], "replicas": 0}})
    api.until(f"{at}/b", settled)
    seen.text("wide, two containers", k("get", "deployment", "b", "-o", "wide"))


def test_autoscaling(seen: Seen, api: Api, namespace: str) -> None:
    """HorizontalPodAutoscalers are served as v1 too, which kubectl autoscale writes"""
    body = {
        "metadata": {"name": "a"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}},
    }
    kind = f"namespaces/{namespace}/horizontalpodautoscalers?dryRun=All"
    seen("v2", api.post(f"/apis/autoscaling/v2/{kind}", body), only=["kind", "spec.minReplicas", "spec.maxReplicas"])
    seen("v1", api.post(f"/apis/autoscaling/v1/{kind}", body), only=["kind", "spec.minReplicas", "spec.maxReplicas"])


def test_create_command(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """kubectl create, set, label, annotate, expose and wait on a Deployment"""
    seen.text("create", k("create", "deployment", "a", "--image", IMAGE, "--port=8080", "--replicas=1"))
    api.until(f"{at}/a", settled)
    seen.text("create again", k("create", "deployment", "a", "--image", IMAGE, fails=True))
    seen.value("created", api.get(f"{at}/a").json["spec"])
    seen.text("set image", k("set", "image", "deployment/a", f"app={IMAGE}.1"))
    seen.text("set env", k("set", "env", "deployment/a", "K=v"))
    seen.text("set resources", k("set", "resources", "deployment/a", "--limits=cpu=200m,memory=1Gi"))
    spec = api.get(f"{at}/a").json["spec"]["template"]["spec"]["containers"]
    seen.value("containers", spec)
    seen.text("set image of none", k("set", "image", "deployment/a", "odd=x", fails=True))
    seen.text("expose", k("expose", "deployment", "a", "--port=80", "--target-port=8080"))
    seen.text("wait", k("wait", "deployment/a", "--for=condition=Available"))
    seen.text("delete", k("delete", "deployment", "a"))

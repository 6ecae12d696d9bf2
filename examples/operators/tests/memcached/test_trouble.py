"""Bad input and bad luck: the right status and message, nothing left over. All on a really started cluster."""

from typing import Any

import pytest

from examples.operators.tests.memcached.clusters import Caches, settled
from examples.operators.tests.places import Object, Operator, condition, says
from tests.eventually import until

#: No image has a capital letter in its name; the registry's own name sends it to a node that reads it, on a real
#: cluster too.
NO_IMAGE = {"RELATED_IMAGE_MEMCACHED": "operator-console.dev/Memcached:1.6"}


@pytest.mark.parametrize(
    ("name", "spec", "field", "message"),
    [
        ("few", {"size": -1}, "spec.size", "should be greater than or equal to 0"),
        ("many", {"size": 8}, "spec.size", "should be less than or equal to 7"),
        ("words", {"size": "three"}, "spec.size", 'must be of type integer: "string"'),
        ("none", {"size": None}, "spec.size", "Required value"),
        ("port", {"containerPort": 65536}, "spec.containerPort", "should be less than or equal to 65535"),
        ("x" * 64, {}, "<nil>", "the name must be at most 63 characters"),
    ],
)
def test_the_api_server_refuses_in_words(
    installed: Caches, name: str, spec: dict[str, Any], field: str, message: str
) -> None:
    answer = installed.ask(name, **spec)
    assert answer.status == 422, answer.raw
    assert message in answer.message
    assert field in [cause[0] for cause in answer.causes]


def test_a_scale_outside_the_schema_is_refused_and_changes_nothing(installed: Caches) -> None:
    installed.create("scaled")
    before = installed.ready("scaled")
    answer = installed.scale("scaled", 8)
    assert (answer.status, "should be less than or equal to 7" in answer.message) == (422, True), answer.raw
    assert installed.get("scaled") == before
    installed.away("scaled")


def test_a_killed_node_is_replaced(installed: Caches) -> None:
    installed.create("mortal", size=3)
    first, *rest = installed.ready("mortal", 3)["status"]["nodes"]
    installed.kill_pod(first)
    found = installed.until("mortal", lambda item: settled(3)(item) and first not in item["status"]["nodes"])
    assert set(rest) <= set(found["status"]["nodes"])
    assert found["status"]["nodes"] == installed.pods("mortal")
    installed.away("mortal")


def test_a_deployment_that_was_deleted_is_made_again(installed: Caches) -> None:
    installed.create("again", size=2)
    old = set(installed.ready("again", 2)["status"]["nodes"])
    uid = installed.deployment("again")["metadata"]["uid"]
    installed.api.delete(installed.path("deployments", "again"))
    found = installed.until("again", lambda item: settled(2)(item) and not old & set(item["status"]["nodes"]))
    assert found["status"]["nodes"] == installed.pods("again")
    assert installed.deployment("again")["metadata"]["uid"] != uid
    installed.away("again")


def same(item: Object, other: Object) -> bool:
    """Whether two Deployments are one and want the same."""
    return item["spec"] == other["spec"] and all(
        item["metadata"].get(key) == other["metadata"][key] for key in ("uid", "labels", "ownerReferences")
    )


def test_what_others_change_of_a_deployment_is_corrected(installed: Caches) -> None:
    uid = installed.create("kept", size=2)["metadata"]["uid"]
    installed.ready("kept", 2)
    path = installed.path("deployments", "kept")
    installed.api.patch(f"{path}/scale", {"spec": {"replicas": 4}})
    installed.api.until(path, lambda item: item["spec"]["replicas"] == 2)
    words = "Somebody scaled the Deployment to 4; back to 2. Scale the Memcached instead"
    assert installed.events(uid, "Corrected")["Corrected"] == words

    before = installed.deployment("kept")
    (container,) = before["spec"]["template"]["spec"]["containers"]
    sidecar = {"name": "sidecar", "image": "busybox"}
    for change in (
        {"spec": {"paused": True}},
        {"metadata": {"labels": None}},
        {"metadata": {"ownerReferences": None}},
        {"spec": {"template": {"spec": {"containers": [{**container, "image": "nginx"}, sidecar]}}}},
    ):
        assert installed.api.patch(path, change).status == 200
        installed.api.until(path, lambda item: same(item, before))
    installed.ready("kept", 2)
    installed.away("kept")


def test_what_others_add_to_a_deployment_stays(installed: Caches) -> None:
    """`kubectl rollout restart` and users' own labels are left alone."""
    installed.create("shared")
    (old,) = installed.ready("shared")["status"]["nodes"]
    note = {"kubectl.kubernetes.io/restartedAt": "2026-11-22T00:00:00Z"}
    change = {"metadata": {"labels": {"team": "a"}}, "spec": {"template": {"metadata": {"annotations": note}}}}
    installed.api.patch(installed.path("deployments", "shared"), change)
    installed.until("shared", lambda item: settled(1)(item) and item["status"]["nodes"] != [old])
    found = installed.deployment("shared")
    assert found["metadata"]["labels"]["team"] == "a"
    assert found["spec"]["template"]["metadata"]["annotations"] == note
    installed.away("shared")


def test_a_name_that_is_taken_is_left_to_its_owner(installed: Caches) -> None:
    pod = {"metadata": {"labels": {"app": "mine"}}, "spec": {"containers": [{"name": "a", "image": "mine"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "mine"}}, "template": pod}
    made = installed.make("deployments", "taken", spec=spec)
    uid = installed.create("taken")["metadata"]["uid"]
    found = installed.until("taken", says("Available", "NameTaken"))
    assert condition(found, "Available")["status"] == "False"
    words = "a Deployment named taken exists already and does not belong to this Memcached; "
    assert condition(found, "Available")["message"].startswith(words)
    assert (found["status"]["nodes"], found["status"]["replicas"]) == ([], 0)
    assert installed.events(uid, "NameTaken")["NameTaken"].startswith(words)
    installed.delete("taken")
    installed.gone("taken")
    left = installed.deployment("taken")["metadata"]
    assert (left["uid"], left.get("labels")) == (made["metadata"]["uid"], made["metadata"].get("labels"))
    installed.create("taken")
    installed.until("taken", says("Available", "NameTaken"))
    installed.api.delete(installed.path("deployments", "taken"))
    installed.ready("taken")
    installed.away("taken")


def test_a_deployment_that_was_left_behind_is_taken_over(installed: Caches) -> None:
    """`kubectl delete --cascade=orphan`, then the Memcached is recreated: its nodes keep running."""
    installed.create("orphan", size=2)
    nodes = installed.ready("orphan", 2)["status"]["nodes"]
    installed.api.delete(f"{installed.home}/orphan", {"propagationPolicy": "Orphan"})
    installed.gone("orphan")
    installed.create("orphan", size=2)
    assert installed.ready("orphan", 2)["status"]["nodes"] == nodes
    installed.away("orphan")


def test_an_image_that_can_not_be_had(caches: Caches, operator: Operator) -> None:
    """The status says why new nodes don't start; the old ones keep serving; and the right image is enough."""
    caches.create("serving", size=2)
    nodes = caches.ready("serving", 2)["status"]["nodes"]
    operator.restart(**NO_IMAGE)
    uid = caches.create("stuck", size=2)["metadata"]["uid"]
    found = caches.until("stuck", says("Available", "InvalidImageName"))
    assert (condition(found, "Available")["status"], found["status"]["readyReplicas"]) == ("False", 0)
    message = condition(found, "Available")["message"]
    assert message.startswith("0 of 2 nodes ready: the Pod stuck-")
    assert "operator-console.dev/Memcached:1.6" in message
    assert "does not start" in caches.events(uid, "InvalidImageName")["InvalidImageName"]
    found = caches.until("serving", says("Available", "UpdateStuck"))
    assert condition(found, "Available")["status"] == "True"
    assert condition(found, "Available")["message"].startswith("2 of 2 nodes ready; the Pod serving-")
    assert set(nodes) < set(found["status"]["nodes"])
    operator.restart()
    caches.ready("stuck", 2)
    assert caches.ready("serving", 2)["status"]["nodes"] == nodes, "those that served were never touched"
    caches.away("serving", "stuck")


def test_pods_that_the_api_server_refuses(installed: Caches) -> None:
    """A user has added something invalid to the Deployment: the status has the API server's message, and removing it
    is enough.
    """
    installed.create("refused", size=2)
    installed.ready("refused", 2)
    path, words = installed.path("deployments", "refused"), "no PriorityClass with name nowhere was found"
    installed.api.patch(path, {"spec": {"template": {"spec": {"priorityClassName": "nowhere"}}}})
    found = installed.until("refused", says("Available", "UpdateStuck"))
    message = condition(found, "Available")["message"]
    assert message.startswith("2 of 2 nodes ready; ") and words in message
    installed.change("refused", size=5)
    found = installed.until("refused", says("Available", "ReplicaFailure"))
    message = condition(found, "Available")["message"]
    assert (condition(found, "Available")["status"], words in message) == ("False", True)
    assert "of 5 nodes ready: " in message
    assert words in installed.events(found["metadata"]["uid"], "ReplicaFailure")["ReplicaFailure"]
    installed.api.patch(path, {"spec": {"template": {"spec": {"priorityClassName": None}}}})
    installed.ready("refused", 5)
    installed.away("refused")


def test_one_name_in_two_namespaces_is_two_memcacheds(two: tuple[Caches, Caches], caches: Caches) -> None:
    first, second = two
    first.create("twin", size=1)
    second.create("twin", size=3)
    first.ready("twin", 1)
    nodes = second.ready("twin", 3)["status"]["nodes"]
    first.away("twin")
    assert second.get("twin")["status"]["nodes"] == nodes == second.pods("twin")
    second.away("twin")


@pytest.mark.parametrize("moment", ["", "deployments", "replicasets", "pods"])
def test_a_memcached_that_is_deleted_while_it_is_made_leaves_nothing(caches: Caches, moment: str) -> None:
    caches.create("hasty", size=7)
    if moment:
        until(lambda: caches.listed(moment, "cache.example.com/memcached=hasty"))
    caches.away("hasty")
    caches.create("marker")
    caches.ready("marker")
    assert caches.left("hasty") == [], "no pass makes anything for a Memcached that is gone"
    caches.away("marker")


def test_a_name_is_free_at_once(caches: Caches) -> None:
    """What the garbage collector has not taken yet belongs to the old one, and is not mistaken for another owner's."""
    caches.create("phoenix", size=3)
    old = caches.ready("phoenix", 3)["status"]["nodes"]
    path = caches.path("deployments", "phoenix")
    caches.api.patch(path, {"metadata": {"finalizers": ["example.com/slow"]}})
    caches.delete("phoenix")
    caches.gone("phoenix")
    uid = caches.create("phoenix", size=2)["metadata"]["uid"]
    found = caches.until("phoenix", says("Available", "Creating"))
    message = "waiting for the Deployment of the Memcached that was called phoenix before to go"
    assert condition(found, "Available")["message"] == message
    caches.api.patch(path, {"metadata": {"finalizers": None}})
    assert not set(old) & set(caches.ready("phoenix", 2)["status"]["nodes"])
    assert caches.deployment("phoenix")["metadata"]["ownerReferences"][0]["uid"] == uid
    caches.away("phoenix")

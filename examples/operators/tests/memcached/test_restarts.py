"""The operator is killed, as a node that loses its power does it, and goes on from what it finds in the cluster."""

from examples.operators.tests.memcached.clusters import Caches, settled
from examples.operators.tests.places import Operator
from tests.eventually import until


def test_killed_at_every_step_of_a_life(one: Caches, operator: Operator) -> None:
    uid = one.create("cat", size=2)["metadata"]["uid"]
    operator.restart()
    for plural in ("deployments", "pods"):
        until(lambda plural=plural: one.listed(plural, "cache.example.com/memcached=cat"))
        operator.restart()
    one.ready("cat", 2)
    for size in (5, 1):
        one.change("cat", size=size)
        one.api.until(one.path("deployments", "cat"), lambda found, size=size: found["spec"]["replicas"] == size)
        operator.restart()
        assert one.ready("cat", size)["status"]["nodes"] == one.pods("cat")
    one.delete("cat")
    operator.restart()
    one.gone("cat")
    until(lambda: one.left("cat") == [])
    assert one.owned(uid, "deployments", "replicasets", "pods") == []


def test_what_changes_while_it_is_away_is_done_when_it_is_back(one: Caches, operator: Operator) -> None:
    for name in ("grown", "going", "robbed", "meddled"):
        one.create(name)
        one.ready(name)
    robbed = one.get("robbed")["status"]["nodes"]
    operator.kill()
    one.change("grown", size=3)
    one.delete("going")
    one.create("new", size=2)
    one.api.delete(one.path("deployments", "robbed"))
    one.api.patch(one.path("deployments", "meddled") + "/scale", {"spec": {"replicas": 4}})
    one.gone("going")
    until(lambda: one.left("going") == [])
    assert "status" not in one.get("new")
    operator.start()
    one.ready("grown", 3)
    one.ready("new", 2)
    found = one.until("robbed", lambda body: settled(1)(body) and body["status"]["nodes"] != robbed)
    assert found["status"]["nodes"] == one.pods("robbed")
    one.api.until(one.path("deployments", "meddled"), lambda found: found["spec"]["replicas"] == 1)
    one.ready("meddled")
    one.away("grown", "new", "robbed", "meddled")


def test_a_look_at_nothing_writes_nothing(one: Caches, operator: Operator) -> None:
    one.create("calm", size=2)
    before, below = one.ready("calm", 2), one.deployment("calm")
    operator.restart()
    one.create("marker")
    one.ready("marker")
    assert one.get("calm") == before
    assert one.deployment("calm")["metadata"]["generation"] == below["metadata"]["generation"]
    one.away("calm", "marker")


def test_the_installed_operators_pod_is_killed(installed: Caches) -> None:
    """Its Deployment starts another one, which finds all that it needs in the cluster."""
    installed.create("same")
    installed.create("changed")
    same = installed.ready("same")
    installed.ready("changed")
    (old,) = [pod["metadata"]["name"] for pod in installed.listed("pods", "app.kubernetes.io/name=memcached-operator")]
    installed.kill_pod(old)
    installed.api.until_gone(installed.path("pods", old))
    installed.change("changed", size=2)
    installed.create("meanwhile")
    installed.ready("changed", 2)
    installed.ready("meanwhile")
    assert installed.get("same") == same
    installed.away("same", "changed", "meanwhile")

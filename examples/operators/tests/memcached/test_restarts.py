"""The operator is killed, as by a power failure of its node, and resumes from what it finds in the cluster."""

from examples.operators.tests.memcached.clusters import Caches, settled
from examples.operators.tests.places import Operator
from tests.eventually import until


def test_killed_at_every_step_of_a_life(caches: Caches, operator: Operator) -> None:
    uid = caches.create("cat", size=2)["metadata"]["uid"]
    operator.restart()
    for plural in ("deployments", "pods"):
        until(lambda plural=plural: caches.listed(plural, "cache.example.com/memcached=cat"))
        operator.restart()
    caches.ready("cat", 2)
    for size in (5, 1):
        caches.change("cat", size=size)
        caches.api.until(caches.path("deployments", "cat"), lambda found, size=size: found["spec"]["replicas"] == size)
        operator.restart()
        assert caches.ready("cat", size)["status"]["nodes"] == caches.pods("cat")
    caches.delete("cat")
    operator.restart()
    caches.gone("cat")
    until(lambda: caches.left("cat") == [])
    assert caches.owned(uid, "deployments", "replicasets", "pods") == []


def test_what_changes_while_it_is_away_is_done_when_it_is_back(caches: Caches, operator: Operator) -> None:
    for name in ("grown", "going", "robbed", "meddled"):
        caches.create(name)
        caches.ready(name)
    robbed = caches.get("robbed")["status"]["nodes"]
    operator.kill()
    caches.change("grown", size=3)
    caches.delete("going")
    caches.create("new", size=2)
    caches.api.delete(caches.path("deployments", "robbed"))
    caches.api.patch(caches.path("deployments", "meddled") + "/scale", {"spec": {"replicas": 4}})
    caches.gone("going")
    until(lambda: caches.left("going") == [])
    assert "status" not in caches.get("new")
    operator.start()
    caches.ready("grown", 3)
    caches.ready("new", 2)
    found = caches.until("robbed", lambda body: settled(1)(body) and body["status"]["nodes"] != robbed)
    assert found["status"]["nodes"] == caches.pods("robbed")
    caches.api.until(caches.path("deployments", "meddled"), lambda found: found["spec"]["replicas"] == 1)
    caches.ready("meddled")
    caches.away("grown", "new", "robbed", "meddled")


def test_a_look_at_nothing_writes_nothing(caches: Caches, operator: Operator) -> None:
    caches.create("calm", size=2)
    before, below = caches.ready("calm", 2), caches.deployment("calm")
    operator.restart()
    caches.create("marker")
    caches.ready("marker")
    assert caches.get("calm") == before
    assert caches.deployment("calm")["metadata"]["generation"] == below["metadata"]["generation"]
    caches.away("calm", "marker")


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

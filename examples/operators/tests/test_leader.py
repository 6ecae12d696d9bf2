"""K8: of several Pods of an operator one works."""

import asyncio
import copy
from typing import Any

import pytest

from examples.operators import leader as leader_module
from examples.operators.kubeapi import ApiError, KubeApi
from examples.operators.leader import Leader, elect
from tests.eventually import reached

Object = dict[str, Any]


class Cluster:
    """The API server's part of it: one Lease, with optimistic locking. `problem` is raised by every request."""

    def __init__(self) -> None:
        self.lease: Object | None = None
        self.problem: Exception | None = None
        self.writes = 0

    async def get(self, kind: str, namespace: str, name: str) -> Object | None:
        assert (kind, namespace, name) == ("Lease", "operators", "sampledb-operator")
        if self.problem:
            raise self.problem
        return copy.deepcopy(self.lease)

    async def create(self, obj: Object) -> Object:
        if self.lease is not None:
            raise ApiError(409, "AlreadyExists", "it is there")
        return self._stored(obj["metadata"], obj["spec"])

    async def patch(self, kind: str, namespace: str, name: str, patch: Object) -> Object:
        assert self.lease is not None
        version = (patch.get("metadata") or {}).get("resourceVersion")
        if version not in (None, self.lease["metadata"]["resourceVersion"]):
            raise ApiError(409, "Conflict", "it has been modified")
        return self._stored(self.lease["metadata"], {**self.lease["spec"], **patch["spec"]})

    def _stored(self, meta: Object, spec: Object) -> Object:
        if self.problem:
            raise self.problem
        self.writes += 1
        self.lease = {"metadata": {**meta, "resourceVersion": str(self.writes)}, "spec": spec}
        return copy.deepcopy(self.lease)

    @property
    def holder(self) -> str:
        return str((self.lease or {"spec": {}})["spec"].get("holderIdentity"))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Times are a hundredth of the real ones."""
    for name, value in {"DURATION_SECONDS": 0.15, "DEADLINE_SECONDS": 0.1, "RETRY_SECONDS": 0.01}.items():
        monkeypatch.setattr(leader_module, name, value)
    return Cluster()


def candidate(cluster: Cluster, identity: str) -> Leader:
    return Leader(cluster, "operators", "sampledb-operator", identity)  # type: ignore[arg-type]


async def test_k8_one_of_two_leads_and_the_other_follows(cluster: Cluster) -> None:
    """A planned end hands over at once."""
    lost: list[str] = []
    first, second = candidate(cluster, "first"), candidate(cluster, "second")
    await first.acquire(lambda: lost.append("first"))
    waiting = asyncio.create_task(second.acquire(lambda: lost.append("second")))
    writes = cluster.writes
    await reached(lambda: cluster.writes > writes + 3)  # renewed, while the other one asks
    assert cluster.holder == "first" and not waiting.done()
    await first.release()
    await waiting
    assert cluster.holder == "second"
    assert cluster.lease is not None and cluster.lease["spec"]["leaseTransitions"] == 1
    await second.release()
    assert lost == []


async def test_k8_a_leader_that_dies_is_followed_when_its_lease_runs_out(cluster: Cluster) -> None:
    """By the follower's own clock: the times in the lease aren't trusted."""
    first, second = candidate(cluster, "first"), candidate(cluster, "second")
    await first.acquire(lambda: None)
    assert first._renewing is not None
    first._renewing.cancel()
    assert cluster.lease is not None
    cluster.lease["spec"]["renewTime"] = "2001-01-01T00:00:00.000000Z"
    assert not await second._try_once()
    await second.acquire(lambda: None)
    assert cluster.holder == "second"
    await second.release()


async def test_k8_who_cannot_renew_stops(cluster: Cluster) -> None:
    """Before another one may take over."""
    lost = asyncio.Event()
    first = candidate(cluster, "first")
    await first.acquire(lost.set)
    cluster.problem = ApiError(500, "InternalError", "etcd is away")
    await asyncio.wait_for(lost.wait(), 20)


async def test_k8_who_sees_another_leader_stops(cluster: Cluster) -> None:
    lost = asyncio.Event()
    first = candidate(cluster, "first")
    await first.acquire(lost.set)
    assert cluster.lease is not None
    cluster.lease["spec"]["holderIdentity"] = "somebody"
    cluster.lease["metadata"]["resourceVersion"] = "changed"
    await asyncio.wait_for(lost.wait(), 20)
    assert cluster.holder == "somebody"
    await first.release()
    assert cluster.holder == "somebody"


async def test_no_election_outside_of_a_pod_or_without_permission(cluster: Cluster) -> None:
    assert await elect(cluster, "", "sampledb-operator") is None  # type: ignore[arg-type]
    cluster.problem = ApiError(403, "Forbidden", "leases is forbidden")
    assert await elect(cluster, "operators", "sampledb-operator") is None  # type: ignore[arg-type]


async def test_a_cluster_keeps_the_lease(cluster_kubeconfig: Any) -> None:
    """The requests and the fields are the API server's."""
    from examples.operators.access import ApiServerAccess

    async with KubeApi(ApiServerAccess.find({"KUBECONFIG": str(cluster_kubeconfig)})) as api:
        first, second = Leader(api, "default", "leader-test", "first"), Leader(api, "default", "leader-test", "second")
        try:
            assert await first._try_once() and await first._try_once()
            assert not await second._try_once()
            found = await api.get("Lease", "default", "leader-test")
            assert found and found["spec"]["holderIdentity"] == "first"
            assert found["spec"]["leaseDurationSeconds"] == leader_module.DURATION_SECONDS
        finally:
            await api.delete("Lease", "default", "leader-test")

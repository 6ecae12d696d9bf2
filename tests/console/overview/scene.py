"""A cluster on which something is wrong, made with real objects: an operator that can't come, an update that waits,
instances in three states, a Pod whose image can't be pulled.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from kube.client import ClusterClient
from kube.errors import AlreadyExists, KubeError, NotFound
from operatorhub import olm
from tests.eventually import until
from tests.operatorhub import operators
from tests.resources.history.crd import crd

#: Of this process alone: two may share a real cluster.
GROUP = f"overview-{uuid4().hex[:6]}.example.com"


@dataclass(frozen=True, slots=True)
class Scene:
    """`place`: the namespace of the operator with an update and of the instances; `broken`: of the one that can't
    come. `plan`: what waits for approval.
    """

    place: str
    broken: str
    plan: str


def gadgets(client: ClusterClient, csv: str = "") -> Any:
    """A kind of this scene's own that takes anything, served. `csv`: of the operator that brought it."""
    body = crd()
    if csv:
        body["metadata"]["labels"] = {"olm.owner": csv, "olm.owner.kind": "ClusterServiceVersion"}
    body["metadata"]["name"] = f"gadgets.{GROUP}"
    body["spec"]["group"] = GROUP
    definitions = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")

    def begun() -> bool:
        """Its own, and not the last test's, which may be on its way out."""
        try:
            client.create(definitions, body)
        except AlreadyExists:
            with suppress(NotFound):
                return "deletionTimestamp" not in client.get(definitions, body["metadata"]["name"])["metadata"]
            return False
        return True

    until(begun)

    def served() -> Any:
        client.forget_types()
        try:
            type_ = client.find(GROUP, "v1", "gadgets")
            client.list(type_)
        except KubeError:
            return None
        return type_

    return until(served)


def gadget(client: ClusterClient, namespace: str, name: str, **status: Any) -> None:
    type_ = client.find(GROUP, "v1", "gadgets")
    client.create(
        type_, {"apiVersion": f"{GROUP}/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": {}}, namespace
    )
    if status:
        client.patch(type_, name, {"status": status}, namespace, subresource="status")


def instances(client: ClusterClient, namespace: str) -> None:
    """Three that are ready, one on its way, one that is degraded and says why, one whose operator has said nothing."""
    gadgets(client, operators.V1)
    for number in range(3):
        gadget(client, namespace, f"good-{number}", phase="Running")
    gadget(client, namespace, "coming", phase="Creating")
    no_room = {"type": "Ready", "status": "False", "reason": "Failed", "message": "no room on any disk"}
    gadget(client, namespace, "bad", phase="Failed", conditions=[no_room])
    gadget(client, namespace, "silent")


def pod(client: ClusterClient, namespace: str) -> None:
    """It never runs: where its image should come from, there is nothing."""
    spec = {"containers": [{"name": "main", "image": "registry.invalid/none:1"}]}
    operators.make(client, "", "Pod", "stuck", namespace, spec=spec)


@contextmanager
def scene(client: ClusterClient) -> Iterator[Scene]:
    with operators.place(client, "overview") as place:
        operators.subscribe(client, place, installPlanApproval="Manual", startingCSV=operators.V1)
        plans = olm.type_of(client, olm.PLANS)
        client.patch(plans, operators.waiting_plan(client, place, operators.V1), {"spec": {"approved": True}}, place)
        operators.succeeded(client, place, operators.V1)
        plan = operators.waiting_plan(client, place, operators.V11)
        broken = f"broken-{uuid4().hex[:6]}"
        operators.make(client, "", "Namespace", broken)
        operators.make(client, olm.GROUP, "OperatorGroup", "g", broken, spec={"targetNamespaces": [broken]})
        try:
            operators.subscribe(client, broken, "sampledb", source="nowhere")
            instances(client, place)
            pod(client, place)
            yield Scene(place, broken, plan)
        finally:
            operators.clean_subscriptions(client, broken)
            remove(client)


def remove(client: ClusterClient) -> None:
    """The kind and its objects."""
    with suppress(NotFound):
        client.delete(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), f"gadgets.{GROUP}")
    client.forget_types()

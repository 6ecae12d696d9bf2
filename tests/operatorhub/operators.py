"""Operators installed for a test in a namespace of its own, and everything taken away again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import olm
from tests.eventually import until

FLIGHTS = "flighttickets.flights.com"
V1, V11, V2 = (f"flightticket-operator.v{number}" for number in ("1.0.0", "1.1.0", "2.0.0"))


def make(client: ClusterClient, group: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    type_ = client.find_kind(group, kind)
    meta = {"name": name, **more.pop("metadata", {})} | ({"namespace": namespace} if namespace else {})
    return client.create(type_, {"apiVersion": type_.api_version, "kind": kind, "metadata": meta, **more}, namespace)


def subscribe(client: ClusterClient, namespace: str, package: str = "flightticket", **spec: Any) -> dict[str, Any]:
    full = {"name": package, "source": "samples-catalog", "sourceNamespace": "olm", "channel": "stable", **spec}
    return make(client, olm.GROUP, "Subscription", package, namespace, spec=full)


@contextmanager
def place(client: ClusterClient, name: str, targets: list[str] | None = None) -> Iterator[str]:
    """A namespace of a new name with an OperatorGroup for itself; gone with its operators and their kind afterwards."""
    name = f"{name}-{uuid4().hex[:6]}"
    make(client, "", "Namespace", name)
    make(
        client,
        olm.GROUP,
        "OperatorGroup",
        name,
        name,
        spec={"targetNamespaces": [name] if targets is None else targets},
    )
    try:
        yield name
    finally:
        clean(client, name)


def clean_subscriptions(client: ClusterClient, name: str) -> None:
    """A namespace and what OLM has in it; the kinds stay."""
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS):
        type_ = olm.type_of(client, plural)
        for item in client.list(type_, name).items:
            quietly(client, type_, item["metadata"]["name"], name)
    spaces = client.find("", "v1", "namespaces")
    quietly(client, spaces, name)
    until(lambda: gone(client, spaces, name))


def clean(client: ClusterClient, name: str) -> None:
    client.forget_types()
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS):
        type_ = olm.type_of(client, plural)
        for item in client.list(type_, name).items:
            quietly(client, type_, item["metadata"]["name"], name)
    crds = client.find("apiextensions.k8s.io", "", "customresourcedefinitions")
    try:
        tickets = client.find("flights.com", "", "flighttickets")
        for item in client.list(tickets).items:
            client.patch(
                tickets, item["metadata"]["name"], {"metadata": {"finalizers": None}}, item["metadata"]["namespace"]
            )
    except NotFound:
        pass
    spaces = client.find("", "v1", "namespaces")
    quietly(client, spaces, name)
    until(lambda: gone(client, spaces, name))
    until(lambda: _is_gone_for_good(client, crds, FLIGHTS))
    client.forget_types()


def _is_gone_for_good(client: ClusterClient, type_: Any, name: str) -> bool:
    """Deletes it as often as needed: an approved plan of another namespace may still make it once more."""
    quietly(client, type_, name)
    return gone(client, type_, name)


def quietly(client: ClusterClient, type_: Any, name: str, namespace: str = "") -> None:
    try:
        client.delete(type_, name, namespace)
    except NotFound:
        return


def gone(client: ClusterClient, type_: Any, name: str, namespace: str = "") -> bool:
    try:
        client.get(type_, name, namespace)
    except NotFound:
        return True
    return False


def sub_of(client: ClusterClient, namespace: str, name: str = "flightticket") -> olm.Subscription:
    return olm.subscription(client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace))


def waiting_plan(client: ClusterClient, namespace: str, csv: str = "") -> str:
    """The name of the plan that waits for approval (of `csv`)."""

    def plan_name() -> str:
        for item in client.list(olm.type_of(client, olm.PLANS), namespace).items:
            names = item["spec"].get("clusterServiceVersionNames") or []
            if (
                (item.get("status") or {}).get("phase") == "RequiresApproval"
                and not item["spec"].get("approved")
                and (not csv or csv in names)
            ):
                return str(item["metadata"]["name"])
        return ""

    return str(until(plan_name))


def succeeded(client: ClusterClient, namespace: str, csv: str) -> dict[str, Any]:
    def succeeded_csv() -> Any:
        try:
            found = client.get(olm.type_of(client, olm.CSVS), csv, namespace)
        except KubeError:
            return None
        return found if olm.phase(found) == "Succeeded" else None

    try:
        found: dict[str, Any] = until(succeeded_csv)
    except AssertionError as error:
        raise AssertionError(f"{csv}: {_state_of_install(client, namespace)}") from error
    client.forget_types()
    return found


def _state_of_install(client: ClusterClient, namespace: str) -> list[Any]:
    """What OLM says of all that it has there."""
    plurals = (olm.SUBSCRIPTIONS, olm.PLANS, olm.CSVS)
    return [
        {
            key: value
            for key, value in (item.get("status") or {}).items()
            if key not in ("plan", "catalogHealth", "requirementStatus")
        }
        for plural in plurals
        for item in client.list(olm.type_of(client, plural), namespace).items
    ]


def ticket(client: ClusterClient, namespace: str, name: str, number: int = 2, **meta: Any) -> None:
    spec = {"from": "Seoul", "to": "Paris", "number": number}
    until(lambda: _created(client, namespace, name, spec, meta))


def _created(client: ClusterClient, namespace: str, name: str, spec: dict[str, Any], meta: dict[str, Any]) -> bool:
    try:
        make(client, "flights.com", "FlightTicket", name, namespace, spec=spec, metadata=meta)
    except NotFound:
        client.forget_types()
        return False
    return True

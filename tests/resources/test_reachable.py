"""Where a forward of a custom resource may lead: what it owns that has ports, Services first, and no Pod that a
workload would replace.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from kube.discovery import ResourceType
from kube.errors import Forbidden
from resources.forward.targets import ForwardTarget, Port, ports
from resources.tree import Belongings, Owned
from resources.views import forward

SHOP = ResourceType(group="example.dev", version="v1", plural="shops", kind="Shop", namespaced=True)
POD = {"containers": [{"name": "web", "ports": [{"containerPort": 8080, "name": "http"}, {"containerPort": "odd"}]}]}


def owned(group: str, kind: str, name: str, depth: int, **more: Any) -> Owned:
    type_ = ResourceType(group=group, version="v1", plural=f"{kind.lower()}s", kind=kind, namespaced=True)
    obj = {"metadata": {"name": name, "namespace": "home"}, **more}
    return Owned(type_, obj, depth)


class Cluster:
    """Knows one of two Services."""

    def get(self, _type: ResourceType, name: str, _namespace: str) -> dict[str, Any]:
        if name != "front":
            raise Forbidden("no")
        return {"metadata": {"name": name}, "spec": {"ports": [{"port": 80, "targetPort": "http", "name": "http"}]}}


def test_what_it_owns(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (
        owned("apps", "Deployment", "web", 0, spec={"template": {"spec": POD}}),
        owned("apps", "ReplicaSet", "web-1", 1, spec={"template": {"spec": POD}}),
        owned("", "Pod", "web-1-a", 2, spec=POD),
        owned("", "Pod", "alone", 0, spec=POD),
        owned("", "Service", "front", 0),
        owned("", "Service", "hidden", 0),
        owned("", "Secret", "key", 0),
    )
    monkeypatch.setattr(forward, "belongings", lambda *_: Belongings(rows, ()))
    found = forward.forward_choices(Cluster(), SHOP, {"metadata": {"name": "one", "namespace": "home"}})  # type: ignore[arg-type]
    assert [choice.target.key for choice in found] == ["Service/front", "Deployment/web", "Pod/alone"]
    assert found[0].ports == (Port(80, "http"),)
    assert found[1].ports == (Port(8080, "http"),)


def test_a_service_for_browsers_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    services = {"dex": 5556, "server": 443, "zoo": 8083}

    class Services:
        def get(self, _type: ResourceType, name: str, _namespace: str) -> dict[str, Any]:
            return {"metadata": {"name": name}, "spec": {"ports": [{"port": services[name], "name": "http"}]}}

    rows = tuple(owned("", "Service", name, 0) for name in services)
    monkeypatch.setattr(forward, "belongings", lambda *_: Belongings(rows, ()))
    found = forward.forward_choices(Services(), SHOP, {"metadata": {"name": "one", "namespace": "home"}})  # type: ignore[arg-type]
    assert [choice.target.name for choice in found] == ["server", "dex", "zoo"]


def test_itself() -> None:
    type_ = ResourceType(group="apps", version="v1", plural="deployments", kind="Deployment", namespaced=True)
    obj = {"metadata": {"name": "web", "namespace": "home"}, "spec": {"template": {"spec": POD}}}
    (choice,) = forward.forward_choices(SimpleNamespace(), type_, obj)  # type: ignore[arg-type]
    assert choice.target == ForwardTarget("Deployment", "home", "web")
    assert str(choice.target.kubectl("1", "2")) == "kubectl port-forward deployment/web 1:2 -n home"


@pytest.mark.parametrize("spec", [None, "odd", {"containers": "odd"}, {"containers": [None, {"ports": {}}]}])
def test_odd_objects_have_no_ports(spec: Any) -> None:
    assert ports({"kind": "Pod", "spec": spec}) == ()

"""The drawing of an instance: what stands in which row, and that only its state changes when objects' states do."""

from typing import Any

import pytest

from kube.discovery import ResourceType
from resources.page.owned_rows import nodes
from resources.page.topology import ALL_ROWS, DOTS, READY_ROWS, ROOT_HEIGHT, topology
from resources.tree import Owned


def _type(kind: str, group: str = "") -> ResourceType:
    plural = f"{kind.lower()}s"
    return ResourceType(
        group=group,
        version="v1",
        plural=plural,
        kind=kind,
        singular=kind.lower(),
        namespaced=True,
        verbs=frozenset(("list",)),
    )


DEPLOYMENT, POD, SERVICE = _type("Deployment", "apps"), _type("Pod"), _type("Service")
INSTANCE = _type("ArgoCD", "argoproj.io")


def _object(name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "argocd", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"metadata": {**metadata, **more.pop("metadata", {})}, **more}


def _deployment(name: str, ready: int = 1, replicas: int = 1) -> Owned:
    labels = {"app": name}
    spec = {"replicas": replicas, "template": {"metadata": {"labels": labels}}}
    status = {"replicas": replicas, "readyReplicas": ready, "availableReplicas": ready, "observedGeneration": 1}
    return Owned(DEPLOYMENT, _object(name, spec=spec, status=status, metadata={"generation": 1}), 0)


def _pod(name: str, waiting: str = "") -> Owned:
    container: dict[str, Any] = {"name": "main", "ready": not waiting, "restartCount": 0}
    container["state"] = {"waiting": {"reason": waiting}} if waiting else {"running": {}}
    ready = {"type": "Ready", "status": "False" if waiting else "True"}
    phase = "Pending" if waiting else "Running"
    return Owned(
        POD, _object(name, status={"phase": phase, "containerStatuses": [container], "conditions": [ready]}), 1
    )


def _service(name: str, app: str, *ports: int) -> Owned:
    return Owned(
        SERVICE, _object(name, spec={"selector": {"app": app}, "ports": [{"port": port} for port in ports]}), 0
    )


def _draw(*rows: Owned) -> Any:
    return topology(nodes(rows), INSTANCE, _object("argo", status={"phase": "Available"}))


def test_nothing_is_drawn_of_an_instance_that_runs_nothing() -> None:
    assert _draw() is None
    assert _draw(Owned(_type("ConfigMap"), _object("settings"), 0)) is None


def test_a_row_has_its_pods_and_the_services_that_select_them() -> None:
    drawing = _draw(
        _deployment("argo-server"),
        _pod("argo-server-1"),
        _deployment("argo-redis"),
        _service("argo-web", "argo-server", 80, 443, 8080),
    )
    server, redis = drawing.boxes
    assert (server.name, redis.name) == ("server", "redis"), "without the name of the instance, which all begin with"
    assert [dot.state for dot in server.dots] == ["Ready"]
    assert [plug.ports for plug in server.plugs] == [":80 :443…"]
    assert redis.plugs == ()
    assert drawing.sentence == ""


def test_a_pod_that_fails_leads_to_a_red_line() -> None:
    drawing = _draw(
        _deployment("argo-a"),
        _pod("argo-a-1"),
        _deployment("argo-b", ready=1, replicas=2),
        _pod("argo-b-1"),
        _pod("argo-b-2", waiting="ImagePullBackOff"),
    )
    assert [box.is_worst for box in drawing.boxes] == [False, True]
    assert drawing.worst.dots[0].state == "Degraded", "the worst first"
    assert "1" in drawing.sentence
    assert drawing.health.state == "Degraded"


def test_a_change_of_state_moves_no_row() -> None:
    well = _draw(_deployment("argo-a"), _pod("argo-a-1"), _deployment("argo-b"), _pod("argo-b-1"))
    bad = _draw(
        _deployment("argo-a"), _pod("argo-a-1", waiting="CrashLoopBackOff"), _deployment("argo-b"), _pod("argo-b-1")
    )
    assert [(box.title, box.y) for box in well.boxes] == [(box.title, box.y) for box in bad.boxes]
    assert well.height == bad.height


def test_many_pods_are_counted_by_state() -> None:
    pods = [_pod(f"argo-a-{number}") for number in range(DOTS)]
    drawing = _draw(_deployment("argo-a"), *pods, _pod("argo-a-x", waiting="ImagePullBackOff"))
    assert [(dot.state, dot.count) for dot in drawing.boxes[0].dots] == [("Degraded", 1), ("Ready", DOTS)]


def test_of_many_workloads_those_in_trouble_stay() -> None:
    rows: list[Owned] = []
    for number in range(300):
        bad = number == 299
        rows += [
            _deployment(f"argo-{number:03}", ready=0 if bad else 1),
            _pod(f"p{number}", "ImagePullBackOff" if bad else ""),
        ]
    drawing = _draw(*rows)
    assert len(drawing.boxes) == READY_ROWS + 1
    assert drawing.boxes[-1].name == "299"
    assert any("291" in fold.label for fold in drawing.folds)


@pytest.mark.parametrize("count", [1, ALL_ROWS])
def test_few_workloads_are_all_drawn(count: int) -> None:
    assert len(_draw(*(_deployment(f"argo-{number}") for number in range(count))).boxes) == count


def test_configuration_and_access_are_counted() -> None:
    others = [Owned(_type(kind), _object(f"{kind}-x"), 0) for kind in ("ConfigMap", "Secret", "ServiceAccount")]
    labels = [fold.label for fold in _draw(_deployment("argo-a"), *others).folds]
    assert len(labels) == 2
    assert "2" in labels[0] and "1" in labels[1]


def test_objects_of_any_shape_are_drawn() -> None:
    odd = Owned(DEPLOYMENT, _object("odd", spec=["no"], status="none"), 0)
    service = Owned(SERVICE, _object("s", spec={"selector": "x", "ports": "y"}), 0)
    assert [box.title for box in _draw(odd, service).boxes] == ["Deployment odd"]


def test_the_root_is_inside_the_drawing() -> None:
    drawing = _draw(_deployment("argo-a"))
    assert drawing.root_y + ROOT_HEIGHT <= drawing.height


def test_earlier_revisions_of_a_deployment_are_left_out() -> None:
    sets = _type("ReplicaSet", "apps")
    old, new = (Owned(sets, _object(name, spec={"replicas": size}), 0) for name, size in (("web-1", 0), ("web-2", 1)))
    drawn = topology(nodes([old, new, _pod("web-2-a")]), DEPLOYMENT, _object("web"))
    assert drawn is not None
    assert [box.name for box in drawn.boxes] == ["2"]

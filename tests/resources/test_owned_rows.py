"""The tree as rows: many alike under one heading, the worst first; sums in words; Pods told by their Table row
alone.
"""

from typing import Any

from kube.discovery import ResourceType
from kube.objects import Column, TableRow
from resources.page import owned_rows
from resources.state.kind_health import health
from resources.tree import Owned, as_pod, owned_tree

POD = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
SET = ResourceType(group="apps", version="v1", plural="statefulsets", kind="StatefulSet", namespaced=True)
MAP = ResourceType(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)


def _pod(name: str, ready: bool = True, restarts: int = 0) -> dict[str, Any]:
    containers = [{"ready": ready, "restartCount": restarts}]
    conditions = [{"type": "Ready", "status": "True" if ready else "False", "message": "not yet"}]
    return {
        "metadata": {"name": name, "uid": name, "namespace": "shop"},
        "spec": {"containers": [{}]},
        "status": {"phase": "Running", "containerStatuses": containers, "conditions": conditions},
    }


def test_it_works() -> None:
    set_ = {"metadata": {"name": "db", "uid": "db"}, "spec": {"replicas": 2}, "status": {"readyReplicas": 1}}
    found = (Owned(SET, set_, 0), Owned(POD, _pod("db-0", True, 3), 1), Owned(POD, _pod("db-1", False), 1))
    rows, more = owned_rows.rows(owned_rows.nodes(found))
    assert more == 0
    assert [(row.level, row.parent, row.ready, row.restarts, row.branch) for row in rows] == [
        (1, "", "1/2", None, True),
        (2, "db", "1/1", 3, False),
        (2, "db", "0/1", 0, False),
    ]
    assert rows[1].guides == ("none", "tee")
    assert rows[2].guides == ("none", "last")
    sum_ = owned_rows.summary(owned_rows.nodes(found))
    assert sum_.sentence == "1 of 2 Pods ready, 3 restarts"
    assert [(state.state, count) for state, count in sum_.states] == [("Progressing", 2), ("Ready", 1)]


def test_a_port_of_a_finished_pod_is_not_offered() -> None:
    done = {**_pod("job"), "status": {"phase": "Succeeded"}}
    service = ResourceType(group="", version="v1", plural="services", kind="Service", namespaced=True)
    offered = (
        (POD, _pod("web")),
        (POD, done),
        (service, {"metadata": {"name": "web-svc", "uid": "s"}}),
        (MAP, _pod("m")),
    )
    rows, _more = owned_rows.rows(owned_rows.nodes(tuple(Owned(type_, obj, 0) for type_, obj in offered)))
    assert {row.place.name for row in rows if row.place and row.takes_forwards} == {"web", "web-svc"}


def test_restarts_are_counted_in_the_right_number() -> None:
    sentences = [owned_rows.Sum(pods=1, ready=1, restarts=count).sentence for count in (0, 1, 2)]
    assert sentences == ["1 of 1 Pods ready", "1 of 1 Pods ready, 1 restart", "1 of 1 Pods ready, 2 restarts"]


def test_many_alike_stand_under_a_heading_the_worst_first() -> None:
    pods = [_pod(f"p-{number}") for number in range(200)] + [_pod("bad", ready=False)]
    rows, more = owned_rows.rows(owned_rows.nodes(tuple(Owned(POD, pod, 0) for pod in pods)))
    heading = rows[0].heading
    assert heading is not None
    assert (heading.count, heading.hidden) == (201, 151)
    assert [(state.state, count) for state, count in heading.counts] == [("Progressing", 1), ("Ready", 200)]
    assert rows[1].place is not None
    assert rows[1].place.name == "bad"
    assert all(row.folded and row.parent == rows[0].id for row in rows[1:])
    assert len(rows) == 1 + owned_rows.SHOWN
    assert more == 151


def test_many_kinds_are_bounded() -> None:
    kinds = [
        ResourceType(group="x.example.com", version="v1", plural=f"k{number}", kind=f"K{number}", namespaced=True)
        for number in range(900)
    ]
    found = tuple(Owned(kind, {"metadata": {"name": "a", "uid": kind.plural}}, 0) for kind in kinds)
    rows, more = owned_rows.rows(owned_rows.nodes(found))
    assert len(rows) == owned_rows.ROWS
    assert more == 900 - owned_rows.ROWS


def test_labels_of_its_own_name_lead_to_what_nobody_owns() -> None:
    owner = {"metadata": {"name": "my", "uid": "my", "namespace": "shop"}}
    mine = {"metadata": {"name": "a", "uid": "a", "labels": {"strimzi.io/cluster": "my"}}}
    foreign = {"metadata": {"name": "b", "uid": "b", "labels": {"strimzi.io/cluster": "another"}}}
    reference = {"uid": "elsewhere", "kind": "X", "name": "x", "apiVersion": "v1"}
    owned = {
        "metadata": {"name": "c", "uid": "c", "labels": mine["metadata"]["labels"], "ownerReferences": [reference]}
    }
    marks = (("app.kubernetes.io/instance", "my"), ("*strimzi.io", "my"))
    found = owned_tree(owner, [(MAP, mine), (MAP, foreign), (MAP, owned)], ["ConfigMap"], marks)
    assert [(row.object["metadata"]["name"], row.how) for row in found] == [("a", "strimzi.io/cluster")]


def test_odd_objects_are_no_error() -> None:
    odd: list[dict[str, Any]] = [
        {"metadata": {"name": "a", "uid": "1"}, "status": {"containerStatuses": "x"}, "spec": []},
        {
            "metadata": {"name": "b", "uid": "2", "labels": "none"},
            "status": {"containerStatuses": [{"restartCount": "x"}]},
        },
        {"metadata": {"name": "c", "uid": "3"}},
    ]
    rows, _more = owned_rows.rows(owned_rows.nodes(tuple(Owned(POD, obj, 0) for obj in odd)))
    assert [row.restarts for row in rows] == [0, 0, 0]


def test_a_pods_state_by_its_table_row() -> None:
    names = ("Name", "Ready", "Status", "Restarts", "Age")
    columns = [Column(name=name, type="string", format="", priority=0, description="") for name in names]
    metadata = {"metadata": {"name": "p", "uid": "p"}}

    def state(*cells: Any) -> tuple[str, str, int]:
        pod = owned_rows.whole(POD, as_pod(columns, TableRow(cells, metadata)))
        return health(pod).state, owned_rows.readiness("Pod", pod), owned_rows.restarts(pod)

    assert state("p", "2/2", "Running", "3 (5m ago)", "1h") == ("Ready", "2/2", 3)
    assert state("p", "0/1", "CrashLoopBackOff", "7", "1h") == ("Degraded", "0/1", 7)
    assert state("p", "1/2", "Running", 0, "1h")[0] == "Progressing"
    assert state("p", "0/1", "Completed", 0, "1h")[0] == "Completed"
    assert state("p", "0/1", "ContainerCreating", 0, "1h")[0] == "Progressing"
    assert state("p")[1:] == ("", 0)

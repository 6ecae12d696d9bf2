"""Memcacheds on a really started cluster: installed through OLM's objects, looked after by the operator with the
rights of its bundle.
"""

from examples.operators.tests.memcached.clusters import Caches, settled


def test_the_tutorial(installed: Caches) -> None:
    """Three nodes, five, two by the scale subresource, and away."""
    installed.create("sample", size=3)
    for size in (3, 5, 2):
        if size == 5:
            assert installed.change("sample", size=5).status == 200
        if size == 2:
            assert installed.scale("sample", 2).status == 200
        found = installed.ready("sample", size)
        assert found["status"]["nodes"] == installed.pods("sample")
        assert found["status"]["conditions"][0]["message"] == f"{size} of {size} nodes ready"
    assert "finalizers" not in found["metadata"]
    assert "annotations" not in found["metadata"]
    scale = installed.api.get(f"{installed.home}/sample/scale").json
    assert scale["status"] == {"replicas": 2, "selector": "cache.example.com/memcached=sample"}
    installed.away("sample")


def test_what_happened_is_recorded(installed: Caches) -> None:
    uid = installed.create("told")["metadata"]["uid"]
    installed.ready("told")
    installed.change("told", size=2)
    installed.ready("told", 2)
    events = installed.events(uid, "Created", "Creating", "NodesReady", "Scaled")
    assert events["Created"] == "Made a Deployment of 1 node(s) at port 11211"
    assert events["Scaled"] == "Scaled from 1 to 2 nodes"
    installed.away("told")


def test_the_port_reaches_the_pods(installed: Caches) -> None:
    installed.create("port")
    (old,) = installed.ready("port")["status"]["nodes"]
    installed.change("port", containerPort=11311)
    found = installed.until("port", lambda item: settled(1)(item) and item["status"]["nodes"] != [old])
    pod = installed.api.get(installed.path("pods", found["status"]["nodes"][0])).json
    assert pod["spec"]["containers"][0]["ports"][0]["containerPort"] == 11311
    installed.away("port")


def test_none_and_seven_nodes(installed: Caches) -> None:
    """The least and the most that there can be, one after the other, both ways."""
    installed.create("wide", size=7)
    assert len(installed.ready("wide", 7)["status"]["nodes"]) == 7
    installed.change("wide", size=0)
    assert installed.ready("wide", 0)["status"]["nodes"] == [] == installed.pods("wide")
    installed.scale("wide", 7)
    assert installed.ready("wide", 7)["status"]["nodes"] == installed.pods("wide")
    installed.away("wide")


def test_k11_it_is_created_and_changed_in_v1(installed: Caches) -> None:
    """K11: the version of Operator SDK's tutorial; the operator reads the other one."""
    newer = installed.home.replace("/v1alpha1/", "/v1/")
    body = {"apiVersion": "cache.example.com/v1", "kind": "Memcached", "metadata": {"name": "newer"}}
    assert installed.api.post(newer, {**body, "spec": {"size": 0}}).status == 201
    assert installed.ready("newer", 0)["status"]["conditions"][0]["message"] == "0 of 0 nodes ready"
    assert installed.api.patch(f"{newer}/newer", {"spec": {"size": 2}}).status == 200
    nodes = installed.ready("newer", 2)["status"]["nodes"]
    found = installed.api.get(f"{newer}/newer").json
    assert (found["apiVersion"], found["status"]["nodes"]) == ("cache.example.com/v1", nodes)
    assert found["spec"] == {"size": 2, "containerPort": 11211}
    installed.away("newer")


def test_the_table_of_a_list(installed: Caches) -> None:
    installed.create("shown")
    (node,) = installed.ready("shown")["status"]["nodes"]
    columns, rows = installed.table()
    assert [column["name"] for column in columns if not column["priority"]] == [
        "Name",
        "Size",
        "Ready",
        "Available",
        "Age",
    ]
    assert rows["shown"][1:4] == [1, 1, "True"]
    wide = {column["name"]: cell for column, cell in zip(columns, rows["shown"], strict=True)}
    assert (wide["Port"], wide["Reason"]) == (11211, "NodesReady")
    assert node in str(wide["Nodes"])
    installed.away("shown")

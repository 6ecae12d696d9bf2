"""Tables: columns of built-in kinds and of CRDs, JSONPath, ages."""

import pytest

from sandbox.columns.core import pod_status
from sandbox.durations import human
from sandbox.jsonpath import BadPath, compile_path
from tests.api import CRDS, TABLE, Api, config_map, custom_resource_definition


def _columns(table: dict) -> list[str]:
    return [column["name"] for column in table["columnDefinitions"]]


def test_built_in_kinds(api: Api, namespace: str, maps: str) -> None:
    api.post(maps, config_map("a", k="v"))
    table = api.get(f"{maps}?fieldSelector=metadata.name%3Da", accept=TABLE).json
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert _columns(table) == ["Name", "Data", "Age"]
    assert table["columnDefinitions"][0]["format"] == "name"
    assert table["rows"][0]["cells"][:2] == ["a", 1]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    pods = api.get(f"/api/v1/namespaces/{namespace}/pods", accept=TABLE).json
    assert _columns(pods) == [
        "Name",
        "Ready",
        "Status",
        "Restarts",
        "Age",
        "IP",
        "Node",
        "Nominated Node",
        "Readiness Gates",
    ]


def test_how_much_of_the_object_comes_along(api: Api, maps: str) -> None:
    api.post(maps, config_map("a", k="v"))
    query = f"{maps}?fieldSelector=metadata.name%3Da&includeObject="
    assert api.get(query + "None", accept=TABLE).json["rows"][0]["object"] is None
    assert api.get(query + "Object", accept=TABLE).json["rows"][0]["object"]["data"] == {"k": "v"}
    assert api.get(f"{maps}/a", accept=TABLE).json["rows"][0]["cells"][0] == "a"


def test_columns_of_a_crd(api: Api, namespace: str) -> None:
    columns = [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
        {"name": "First", "type": "string", "jsonPath": ".spec.list[*].name", "priority": 1},
        {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
        {"name": "Born", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    crd = custom_resource_definition("columns.test", "boxes", "Box", additionalPrinterColumns=columns)
    api.post(CRDS, crd)
    path = f"/apis/columns.test/v1/namespaces/{namespace}/boxes"
    spec = {"size": 3, "on": True, "list": [{"name": "p"}, {"name": "q"}]}
    status = {"conditions": [{"type": "Other", "status": "No"}, {"type": "Ready", "status": "True"}]}
    head = {"apiVersion": "columns.test/v1", "kind": "Box"}
    api.post(path, {**head, "metadata": {"name": "full"}, "spec": spec, "status": status})
    api.post(path, {**head, "metadata": {"name": "none"}})
    table = api.get(path, accept=TABLE).json
    assert _columns(table) == ["Name", "Size", "Ready", "First", "On", "Born"]
    assert table["columnDefinitions"][3]["priority"] == 1
    assert table["rows"][0]["cells"][:5] == ["full", 3, "True", "p", True]
    assert table["rows"][1]["cells"][:5] == ["none", None, None, None, None]
    api.delete(f"{CRDS}/boxes.columns.test")


def test_a_crd_without_columns_shows_its_age(api: Api, namespace: str) -> None:
    api.post(CRDS, custom_resource_definition("plain.test", "boxes", "Box"))
    assert _columns(api.get("/apis/plain.test/v1/boxes", accept=TABLE).json) == ["Name", "Age"]
    api.delete(f"{CRDS}/boxes.plain.test")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".a.b", [1]),
        ("{.a.b}", [1]),
        (".l[0].n", ["x"]),
        (".l[-1].n", ["y"]),
        (".l[*].n", ["x", "y"]),
        ('.l[?(@.n=="y")].v', [2]),
        (".l[?(@.v>1)].n", ["y"]),
        (".a['b']", [1]),
        (".m.with\\.dots", ["d"]),
        (".nothing.at.all", []),
    ],
)
def test_json_path(path: str, found: list) -> None:
    obj = {"a": {"b": 1}, "l": [{"n": "x", "v": 1}, {"n": "y", "v": 2}], "m": {"with.dots": "d"}}
    assert compile_path(path)(obj) == found


def test_a_bad_path_is_refused() -> None:
    with pytest.raises(BadPath):
        compile_path(".a[?(x)]")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (200, "3m20s"),
        (700, "11m"),
        (4 * 3600 + 60, "4h1m"),
        (20 * 3600, "20h"),
        (3 * 86400 + 7200, "3d2h"),
        (30 * 86400, "30d"),
        (800 * 86400, "2y70d"),
    ],
)
def test_ages(seconds: int, text: str) -> None:
    assert human(seconds) == text


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ({"phase": "Running"}, "Running"),
        (
            {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]},
            "ImagePullBackOff",
        ),
        ({"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 2}}}]}, "ExitCode:2"),
        ({"phase": "Pending", "initContainerStatuses": [{"state": {"running": {}}}]}, "Init:0/1"),
        (
            {"phase": "Succeeded", "containerStatuses": [{"state": {"terminated": {"reason": "Completed"}}}]},
            "Completed",
        ),
    ],
)
def test_pod_status(status: dict, word: str) -> None:
    assert pod_status({"metadata": {}, "status": status}) == word
    assert pod_status({"metadata": {"deletionTimestamp": "x"}, "status": status}) == "Terminating"

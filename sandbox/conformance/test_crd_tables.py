"""Tables of custom resources: additionalPrinterColumns"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import CRDS, TABLE, Api, custom_resource_definition
from tests.kubectl import Kubectl

from .observations import Seen

COLUMNS: list[dict[str, Any]] = [
    {"name": "Text", "type": "string", "jsonPath": ".spec.text"},
    {"name": "Number", "type": "integer", "jsonPath": ".spec.number", "description": "How many", "priority": 1},
    {"name": "Share", "type": "number", "jsonPath": ".spec.share", "format": "float"},
    {"name": "Yes", "type": "boolean", "jsonPath": ".spec.yes"},
    {"name": "When", "type": "date", "jsonPath": ".spec.when"},
    {"name": "First", "type": "string", "jsonPath": ".spec.list[0]"},
    {"name": "All", "type": "string", "jsonPath": ".spec.list[*]"},
    {"name": "Ready", "type": "string", "jsonPath": '.spec.conditions[?(@.type=="Ready")].status'},
    {"name": "Map", "type": "string", "jsonPath": ".spec.map"},
    {"name": "Dotted", "type": "string", "jsonPath": ".metadata.annotations.example\\.com/a"},
    {"name": "Nothing", "type": "string", "jsonPath": ".spec.nothing.at.all"},
]
SPEC = {
    "text": "some text",
    "number": 12,
    "share": 1.5,
    "yes": True,
    "when": "2020-01-01T00:00:00Z",
    "list": ["a", "b"],
    "conditions": [{"type": "Other", "status": "x"}, {"type": "Ready", "status": "True"}],
    "map": {"b": 1, "a": "x"},
}


@pytest.fixture
def things(api: Api, group: str, namespace: str) -> Iterator[str]:
    """The path of a custom resource with columns of every type."""
    crd = custom_resource_definition(group, "things", "Thing", additionalPrinterColumns=COLUMNS)
    assert api.post(CRDS, crd).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    api.until(path, lambda _: True)
    yield path
    api.delete(f"{CRDS}/things.{group}")


def thing(path: str, name: str, spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "annotations": {"example.com/a": "dotted"}} if spec else {"name": name}
    return {"apiVersion": f"{path.split('/')[2]}/v1", "kind": "Thing", "metadata": metadata, "spec": spec}


def test_cells(seen: Seen, api: Api, things: str) -> None:
    """Each type of column, with and without a value"""
    api.post(things, thing(things, "full", SPEC))
    api.post(things, thing(things, "none", {}))
    table = api.get(things, accept=TABLE).json
    seen.value("columns", table["columnDefinitions"])
    rows = {row["cells"][0]: row["cells"] for row in table["rows"]}
    when = next(at for at, column in enumerate(table["columnDefinitions"]) if column["name"] == "When")
    assert rows["full"].pop(when).endswith(("d", "y"))
    seen.value("rows", rows)
    seen.value("metadata", table["metadata"])


def test_values_of_other_types(seen: Seen, api: Api, things: str) -> None:
    """A value that is not of the column's type"""
    odd = {"text": 5, "number": "many", "share": "x", "yes": "true", "when": "yesterday", "list": "a", "map": [1, None]}
    api.post(things, thing(things, "odd", odd))
    api.post(things, thing(things, "big", {"text": 1e21, "number": 3.7, "share": 2, "when": "2999-01-01T00:00:00Z"}))
    api.post(
        things, thing(things, "nulls", {"text": None, "list": [None], "conditions": [{"type": "Ready"}], "map": {}})
    )
    table = api.get(things, accept=TABLE).json
    seen.value("rows", {row["cells"][0]: row["cells"] for row in table["rows"]})


def test_default_columns(seen: Seen, api: Api, group: str, namespace: str) -> None:
    """Without columns of its own a kind shows its age"""
    assert api.post(CRDS, custom_resource_definition(group, "plains", "Plain")).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/plains"
    api.until(path, lambda _: True)
    body = {"apiVersion": f"{group}/v1", "kind": "Plain", "metadata": {"name": "a"}}
    api.post(path, body)
    table = api.get(path, accept=TABLE).json
    seen.value("columns", table["columnDefinitions"])
    assert table["rows"][0]["cells"][0] == "a"
    api.delete(f"{CRDS}/plains.{group}")


def test_watch(seen: Seen, api: Api, things: str) -> None:
    """A watch of tables of custom resources"""
    since = api.get(things).json["metadata"]["resourceVersion"]
    with api.watch(f"{things}?watch=1&resourceVersion={since}", accept=TABLE) as watch:
        api.post(things, thing(things, "a", {"text": "x"}))
        api.patch(f"{things}/a", {"spec": {"text": "y"}})
        events = [watch.next(), watch.next()]
    assert events[1]["object"]["columnDefinitions"] is None
    seen.value("events", events)


def test_kubectl(seen: Seen, api: Api, k: Kubectl, things: str) -> None:
    """kubectl prints the columns; the less important ones only wide"""
    api.post(things, thing(things, "full", {**SPEC, "when": None}))
    group = things.split("/")[2]
    seen.text("get", k("get", f"things.{group}"))
    seen.text("wide", k("get", f"things.{group}", "-o", "wide"))


@pytest.mark.parametrize(
    "column",
    [
        {"name": "A", "type": "string", "jsonPath": "spec.x"},
        {"name": "A", "type": "string", "jsonPath": ".spec[x"},
        {"name": "A", "type": "string", "jsonPath": ""},
        {"name": "A", "type": "text", "jsonPath": ".spec.x"},
        {"name": "", "type": "string", "jsonPath": ".spec.x"},
        {"name": "A", "type": "string", "jsonPath": "{.spec.x}"},
        {"name": "A", "type": "integer", "format": "int32", "jsonPath": ".spec.x"},
    ],
    ids=["no dot", "open bracket", "no path", "bad type", "no name", "braces", "good"],
)
def test_refused_columns(seen: Seen, api: Api, group: str, column: dict[str, Any]) -> None:
    """Columns are checked with the CRD"""
    crd = custom_resource_definition(group, "things", "Thing", additionalPrinterColumns=[column])
    seen("create", api.post(f"{CRDS}?dryRun=All", crd), only=["kind", "message", "reason", "code", "details"])

"""Server-side apply and managedFields."""

from tests.api import APPLY, CRDS, Api, custom_resource_definition


def _apply(api: Api, path: str, manager: str, obj: dict, force: bool = False):
    return api.patch(f"{path}?fieldManager={manager}{'&force=true' if force else ''}", obj, APPLY)


def _map(name: str, **data: str) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _owners(answer) -> dict:
    return {(e["manager"], e["operation"]): e["fieldsV1"] for e in answer.json["metadata"]["managedFields"]}


def test_creates_then_changes(api: Api, maps: str) -> None:
    created = _apply(api, f"{maps}/a", "one", _map("a", k="v"))
    assert created.status == 201
    assert _owners(created) == {("one", "Apply"): {"f:data": {"f:k": {}}}}
    changed = _apply(api, f"{maps}/a", "one", _map("a", l="w"))
    assert (changed.status, changed.json["data"]) == (200, {"l": "w"})


def test_what_others_own_is_a_conflict(api: Api, maps: str) -> None:
    api.post(maps, _map("a", k="v", other="x"))
    refused = _apply(api, f"{maps}/a", "one", _map("a", k="w"))
    assert (refused.status, refused.json["reason"]) == (409, "Conflict")
    assert refused.message == 'Apply failed with 1 conflict: conflict with "tests" using v1: .data.k'
    assert refused.causes == [(".data.k", "FieldManagerConflict")]
    forced = _apply(api, f"{maps}/a", "one", _map("a", k="w"), force=True)
    assert forced.json["data"] == {"k": "w", "other": "x"}
    assert _owners(forced)["tests", "Update"] == {"f:data": {".": {}, "f:other": {}}}


def test_the_same_value_is_shared(api: Api, maps: str) -> None:
    _apply(api, f"{maps}/a", "one", _map("a", k="v"))
    assert _apply(api, f"{maps}/a", "two", _map("a", k="v")).status == 200
    assert _apply(api, f"{maps}/a", "one", _map("a")).json["data"] == {"k": "v"}
    gone = _apply(api, f"{maps}/a", "two", _map("a"))
    assert "data" not in gone.json


def test_an_update_takes_fields_over(api: Api, maps: str) -> None:
    _apply(api, f"{maps}/a", "one", _map("a", k="v"))
    updated = api.patch(f"{maps}/a", {"data": {"k": "w"}})
    assert _owners(updated) == {("tests", "Update"): {"f:data": {"f:k": {}}}}


def test_lists_are_maps_where_the_kind_says_so(api: Api, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"

    def deployment(**container: object) -> dict:
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
        spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}

    _apply(api, path, "one", deployment(name="x", image="1"))
    both = _apply(api, path, "two", deployment(name="y", image="1"))
    assert [c["name"] for c in both.json["spec"]["template"]["spec"]["containers"]] == ["x", "y"]
    clash = _apply(api, path, "two", deployment(name="x", image="2"))
    assert clash.causes == [('.spec.template.spec.containers[name="x"].image', "FieldManagerConflict")]


def test_custom_resources_follow_their_schema(api: Api, namespace: str) -> None:
    crd = custom_resource_definition("apply.test", "boxes", "Box")
    items = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}},
    }
    items["items"]["required"] = ["name"]
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"items": items}}}}
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    assert api.post(CRDS, crd).status == 201
    path = f"/apis/apply.test/v1/namespaces/{namespace}/boxes/b"

    def box(*items: dict) -> dict:
        return {"apiVersion": "apply.test/v1", "kind": "Box", "metadata": {"name": "b"}, "spec": {"items": list(items)}}

    _apply(api, path, "one", box({"name": "a", "n": 1}))
    both = _apply(api, path, "two", box({"name": "b", "n": 2}))
    assert both.json["spec"]["items"] == [{"name": "a", "n": 1}, {"name": "b", "n": 2}]
    assert _apply(api, path, "one", box()).json["spec"]["items"] == [{"name": "b", "n": 2}]
    api.delete(f"{CRDS}/boxes.apply.test")


def test_what_is_missing_is_said(api: Api, maps: str) -> None:
    assert api.patch(f"{maps}/a", _map("a"), APPLY).causes == [("fieldManager", "FieldValueRequired")]
    nameless = {"apiVersion": "v1", "kind": "ConfigMap"}
    assert "name must be provided" in _apply(api, f"{maps}/a", "one", nameless).message

"""Custom resources: pruning, defaults, status and scale, unknown fields"""

from collections.abc import Callable
from typing import Any

from tests.api import APPLY, CRDS, JSON_PATCH, Api

from .observations import Seen

Define = Callable[..., str]

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
KEEP = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def widget(path: str, name: str = "a", **spec: Any) -> dict[str, Any]:
    """One of the test's kind."""
    version = "/".join(path.split("/")[2:4])
    return {"apiVersion": version, "kind": "Widget", "metadata": {"name": name}, "spec": spec}


def test_pruning(seen: Seen, api: Api, define: Define) -> None:
    """Fields that the schema does not know are dropped, but where it says to keep them"""
    inner = {"type": "object", "properties": {"known": {"type": "object", "properties": {"a": STRING}}}}
    path = define(
        {
            "size": INTEGER,
            "kept": inner | {"x-kubernetes-preserve-unknown-fields": True},
            "items": {"type": "array", "items": {"type": "object", "properties": {"a": STRING}}},
            "byName": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": STRING}}},
        }
    )
    body = widget(
        path,
        size=1,
        other=1,
        kept={"b": 1, "known": {"a": "x", "c": 1}},
        items=[{"a": "x", "d": 1}],
        byName={"one": {"a": "x", "e": 1}},
    ) | {"top": 1}
    created = seen("create", api.post(path, body))
    assert "top" not in created.json and created.json["spec"]["kept"] == {"b": 1, "known": {"a": "x"}}
    seen("merge patch", api.patch(f"{path}/a", {"spec": {"other": 2, "kept": {"f": None, "g": 1}}}))
    seen("JSON patch", api.patch(f"{path}/a", [{"op": "add", "path": "/spec/other", "value": 1}], JSON_PATCH))
    seen("get", api.get(f"{path}/a"))


def test_unknown_fields(seen: Seen, api: Api, define: Define) -> None:
    """fieldValidation: Strict refuses unknown and duplicate fields, Warn warns, Ignore is silent"""
    path = define({"size": INTEGER, "inner": {"type": "object", "properties": {"a": STRING}}})
    body = widget(path, size=1, other=1, inner={"a": "x", "b": 1})
    head = f'{{"apiVersion":"{body["apiVersion"]}","kind":"Widget","metadata":{{"name":"a"}},'
    twice = f'{head}"spec":{{"size":1,"size":2,"inner":{{"a":"x","a":"y"}}}}}}'.encode()
    for validation in ("Strict", "Warn", "Ignore", "Other"):
        query = f"{path}?dryRun=All&fieldValidation={validation}"
        seen(f"{validation}: unknown", api.post(query, body))
        seen(f"{validation}: twice", api.post(query, twice))
    seen("Strict: both", api.post(f"{path}?fieldValidation=Strict", twice[:-2] + b',"other":1},"more":1}'))
    seen("Strict: in metadata", api.post(f"{path}?fieldValidation=Strict", body | {"metadata": {"name": "a", "x": 1}}))
    seen("default: in metadata", api.post(path, widget(path) | {"metadata": {"name": "a", "x": 1}}))
    seen("Strict: update", api.put(f"{path}/a?fieldValidation=Strict", body))
    seen("Strict: merge patch", api.patch(f"{path}/a?fieldValidation=Strict", {"spec": {"other": 1}}))
    patch = [{"op": "add", "path": "/spec/other", "value": 1}]
    seen("Strict: JSON patch", api.patch(f"{path}/a?fieldValidation=Strict", patch, JSON_PATCH))


def test_embedded(seen: Seen, api: Api, define: Define) -> None:
    """An embedded resource has apiVersion, kind and well-formed metadata"""
    path = define({"template": KEEP | {"x-kubernetes-embedded-resource": True}})
    good = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {"any": 1}}
    seen("good", api.post(path, widget(path, template=good)))
    for name, change in {
        "no apiVersion": {"apiVersion": None},
        "bad apiVersion": {"apiVersion": "a/b/c"},
        "no kind": {"kind": None},
        "bad kind": {"kind": "Pod_1"},
        "no metadata": {"metadata": None},
        "bad name": {"metadata": {"name": "A_b"}},
        "bad label": {"metadata": {"labels": {"a b": "c d"}}},
        "label of a wrong type": {"metadata": {"labels": {"a": 1}}},
        "unknown in metadata": {"metadata": {"name": "x", "other": 1}},
    }.items():
        body = {key: value for key, value in (good | change).items() if value is not None}
        seen(name, api.post(f"{path}?dryRun=All&fieldValidation=Strict", widget(path, "b", template=body)))


def test_int_or_string(seen: Seen, api: Api, define: Define) -> None:
    """x-kubernetes-int-or-string takes both and nothing else"""
    path = define(
        {
            "port": {"x-kubernetes-int-or-string": True},
            "limited": {"x-kubernetes-int-or-string": True, "maximum": 10, "pattern": "^[a-z]+$"},
            "either": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        }
    )
    for name, value in {
        "integer": 1,
        "string": "80%",
        "number": 1.5,
        "boolean": True,
        "list": [],
        "null": None,
    }.items():
        seen(name, api.post(f"{path}?dryRun=All", widget(path, port=value)))
    seen("anyOf", api.post(f"{path}?dryRun=All", widget(path, either=[])))
    seen("too much", api.post(f"{path}?dryRun=All", widget(path, limited=11)))
    seen("not the pattern", api.post(f"{path}?dryRun=All", widget(path, limited="11")))


def test_defaults(seen: Seen, api: Api, define: Define) -> None:
    """Defaults fill what is absent, inside what is there"""
    inner = {"type": "object", "properties": {"a": STRING | {"default": "x"}, "b": STRING}}
    path = define(
        {
            "size": INTEGER | {"default": 3},
            "inner": inner,
            "made": inner | {"default": {"b": "y"}},
            "items": {"type": "array", "items": inner},
            "byName": {"type": "object", "additionalProperties": inner},
        }
    )
    full = {"inner": {}, "items": [{}, {"a": "z"}], "byName": {"one": {}}}
    seen("nothing given", api.post(path, widget(path)))
    seen("no spec", api.post(path, widget(path, "b") | {"spec": None}))
    seen("inside", api.post(path, widget(path, "c", **full)))
    seen("taken away", api.patch(f"{path}/c", {"spec": {"size": None, "inner": {"a": None}}}))
    seen("apply", api.patch(f"{path}/d?fieldManager=m", widget(path, "d", inner={"b": "q"}), APPLY))


def test_defaults_at_read(seen: Seen, api: Api, define: Define, group: str) -> None:
    """A default that comes later shows in objects that were stored before it, which stay as they are"""
    path = define({"size": INTEGER})
    before = api.post(path, widget(path)).json
    place = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/default"
    changed = api.patch(f"{CRDS}/widgets.{group}", [{"op": "add", "path": place, "value": 7}], JSON_PATCH)
    assert changed.status == 200
    after = api.until(f"{path}/a", lambda body: body["spec"])
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    seen("get", api.get(f"{path}/a"))
    seen("list", api.get(path), only=["items.spec"])
    seen("an update that says nothing of it", api.put(f"{path}/a", before), only=["spec", "metadata.generation"])


def test_null(seen: Seen, api: Api, define: Define) -> None:
    """null is kept where it is allowed, defaulted where it isn't, and refused where there is no default"""
    path = define(
        {
            "may": STRING | {"nullable": True},
            "mayDefault": STRING | {"nullable": True, "default": "x"},
            "default": STRING | {"default": "x"},
            "defaultNull": STRING | {"nullable": True, "default": None},
            "plain": STRING,
            "list": {"type": "array", "items": STRING},
            "byName": {"type": "object", "additionalProperties": STRING},
            "inner": {"type": "object", "nullable": True, "required": ["a"], "properties": {"a": STRING}},
        }
    )
    every = dict.fromkeys(("may", "mayDefault", "default", "defaultNull", "plain", "inner"))
    seen("everywhere", api.post(path, widget(path, **every)))
    seen("nothing given", api.post(path, widget(path, "b")))
    seen("an item", api.post(path, widget(path, "c", list=["x", None])))
    seen("a value", api.post(path, widget(path, "c", byName={"x": None})))
    seen("a list", api.post(path, widget(path, "c", list=None)))
    seen("required inside", api.post(path, widget(path, "d", inner={"a": None})))


def test_status(seen: Seen, api: Api, define: Define) -> None:
    """With the status subresource, status is written only through /status and the rest only beside it"""
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": INTEGER}},
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
        },
    }
    path = define({}, schema={"openAPIV3Schema": schema}, subresources={"status": {}})
    created = seen("create", api.post(path, widget(path, size=1) | {"status": {"ready": True}}))
    assert "status" not in created.json
    body = widget(path, size=2) | {"status": {"ready": True}}
    body["metadata"] |= {"labels": {"a": "b"}, "resourceVersion": created.json["metadata"]["resourceVersion"]}
    written = seen("update status", api.put(f"{path}/a/status", body))
    assert written.json["spec"] == {"size": 1} and written.json["status"] == {"ready": True}
    seen("get status", api.get(f"{path}/a/status"))
    seen("patch status", api.patch(f"{path}/a/status", {"status": {"ready": False}, "spec": {"size": 5}}))
    seen("patch the object", api.patch(f"{path}/a", {"status": {"ready": True}, "spec": {"size": 6}}))
    seen("stale", api.put(f"{path}/a/status", body))
    seen("a bad status", api.patch(f"{path}/a/status", {"status": {"ready": "yes"}}))
    seen("an unknown field", api.patch(f"{path}/a/status?fieldValidation=Strict", {"status": {"other": 1}}))
    seen("of nothing", api.patch(f"{path}/b/status", {"status": {"ready": True}}))
    seen("create at status", api.post(f"{path}/a/status", body))
    seen("delete at status", api.delete(f"{path}/a/status"))


def test_no_status(seen: Seen, api: Api, define: Define) -> None:
    """Without the status subresource, status is a field like any other"""
    status = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
    path = define({}, schema={"openAPIV3Schema": {"type": "object", "properties": {"status": status}}})
    seen("create", api.post(path, widget(path) | {"status": {"ready": True}}))
    seen("change", api.patch(f"{path}/a", {"status": {"ready": False}}), only=["status", "metadata.generation"])
    seen("the subresource", api.get(f"{path}/a/status"))
    seen("scale", api.get(f"{path}/a/scale"))
    seen("another", api.get(f"{path}/a/other"))


def test_generation(seen: Seen, api: Api, define: Define) -> None:
    """The generation grows when anything but metadata and status changes"""
    path = define({"size": INTEGER}, subresources={"status": {}})
    generation = ["metadata.generation"]
    seen("create", api.post(path, widget(path, size=1)), only=generation)
    seen("the same", api.put(f"{path}/a", widget(path, size=1)), only=generation)
    seen("labels", api.patch(f"{path}/a", {"metadata": {"labels": {"a": "b"}}}), only=generation)
    seen("spec", api.patch(f"{path}/a", {"spec": {"size": 2}}), only=generation)
    seen("asked for", api.patch(f"{path}/a", {"metadata": {"generation": 9}}), only=generation)
    seen(
        "given at creation",
        api.post(path, widget(path, "b") | {"metadata": {"name": "b", "generation": 5}}),
        only=generation,
    )
    finalizer = {"metadata": {"finalizers": ["conformance.example/wait"]}}
    seen("finalizers", api.patch(f"{path}/a", finalizer), only=generation)
    seen("deletion", api.delete(f"{path}/a"), only=["metadata.generation", "metadata.deletionGracePeriodSeconds"])
    seen("the last finalizer", api.patch(f"{path}/a", {"metadata": {"finalizers": None}}), only=generation)


def test_scale(seen: Seen, api: Api, define: Define) -> None:
    """The scale subresource reads and writes the replicas where the CRD says they are"""
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    status = {"type": "object", "properties": {"replicas": INTEGER, "selector": STRING}}
    spec = {"type": "object", "properties": {"replicas": INTEGER | {"minimum": 0, "maximum": 9}}}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    path = define({}, schema={"openAPIV3Schema": schema}, subresources={"scale": scale, "status": {}})
    api.post(path, widget(path))
    seen("no replicas", api.get(f"{path}/a/scale"))
    api.patch(f"{path}/a", {"spec": {"replicas": 2}})
    api.patch(f"{path}/a/status", {"status": {"replicas": 1, "selector": "app=x"}})
    got = seen("get", api.get(f"{path}/a/scale"))
    assert got.json["spec"] == {"replicas": 2} and got.json["status"] == {"replicas": 1, "selector": "app=x"}
    seen("patch", api.patch(f"{path}/a/scale", {"spec": {"replicas": 3}}))
    seen("the object", api.get(f"{path}/a"))
    body = api.get(f"{path}/a/scale").json
    seen("update", api.put(f"{path}/a/scale", body | {"spec": {"replicas": 4}}))
    seen("stale", api.put(f"{path}/a/scale", body | {"spec": {"replicas": 5}}))
    seen("too many", api.patch(f"{path}/a/scale", {"spec": {"replicas": 10}}))
    seen("negative", api.patch(f"{path}/a/scale", {"spec": {"replicas": -1}}))
    wrong = api.patch(f"{path}/a/scale", {"spec": {"replicas": "1"}})
    seen("of a wrong type", wrong, without=["message", "details.causes.message"])  # they repeat the whole Scale
    seen("another name", api.put(f"{path}/a/scale", {"metadata": {"name": "b"}, "spec": {"replicas": 1}}))
    seen("of nothing", api.get(f"{path}/b/scale"))


def test_identity(seen: Seen, api: Api, define: Define, group: str) -> None:
    """apiVersion and kind must be those of the path"""
    path = define({"size": INTEGER})
    body = widget(path)
    seen("another kind", api.post(path, body | {"kind": "Gadget"}))
    seen("no kind", api.post(path, {"metadata": {"name": "a"}}))
    seen("no apiVersion", api.post(path, {"kind": "Widget", "metadata": {"name": "a"}}))
    bare = {"kind": "Widget", "metadata": {"name": "a"}}
    seen("another version", api.post(path, bare | {"apiVersion": f"{group}/v2"}))
    seen("another group", api.post(path, body | {"apiVersion": "v1"}))
    seen("a bad name", api.post(path, widget(path, "A_b")))
    seen("no name", api.post(path, body | {"metadata": {}}))
    seen("metadata of a wrong type", api.post(path, body | {"metadata": {"name": "a", "labels": {"a": 1}}}))
    seen("no metadata", api.post(path, {"apiVersion": body["apiVersion"], "kind": "Widget"}))
    seen("a list", api.post(path, body | {"kind": "WidgetList", "items": []}))
    seen("a spec of a wrong type", api.post(path, body | {"spec": "x"}))
    api.post(path, bare | {"apiVersion": f"{group}/v1"})
    seen("a change of kind", api.patch(f"{path}/a", {"kind": "Gadget"}))
    seen("a change of version", api.patch(f"{path}/a", {"apiVersion": f"{group}/v2"}))
    seen("a change of name", api.patch(f"{path}/a", {"metadata": {"name": "b"}}))
    seen("a change of uid", api.patch(f"{path}/a", {"metadata": {"uid": "x"}}))

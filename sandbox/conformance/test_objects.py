"""Create, read, update: names, versions, labels, annotations, namespaces"""

from tests.api import MERGE, Api, config_map

from .observations import Seen


def test_create_and_get(seen: Seen, api: Api, maps: str) -> None:
    """What is created is what is read"""
    created = seen("create", api.post(maps, config_map("a", k="v")))
    read = seen("get", api.get(f"{maps}/a"))
    assert created.json == read.json
    seen("of nothing", api.get(f"{maps}/b"))
    seen("twice", api.post(maps, config_map("a")))


def test_names(seen: Seen, api: Api, maps: str) -> None:
    """Names follow RFC 1123 and are at most 253 characters"""
    seen("upper case", api.post(maps, config_map("A_b")))
    seen("none", api.post(maps, {"metadata": {}}))
    seen("253 characters", api.post(maps, config_map("a" * 253)))
    seen("254 characters", api.post(maps, config_map("a" * 254)))
    seen("a dot at the end", api.post(maps, config_map("a.")))
    seen("of a Service", api.post(maps.replace("configmaps", "services"), {"metadata": {"name": "1a"}, "spec": {}}))
    seen("of a Namespace", api.post("/api/v1/namespaces", {"metadata": {"name": "a.b"}}))


def test_generate_name(seen: Seen, api: Api, maps: str) -> None:
    """generateName adds five characters"""
    created = api.post(maps, {"metadata": {"generateName": "some-"}})
    name = created.json["metadata"]["name"]
    assert len(name) == 10 and name.startswith("some-")
    seen.alias("generated", name)
    seen("create", created)
    bad = api.post(maps, {"metadata": {"generateName": "Some-"}})
    seen.alias("bad", bad.json["details"]["name"])
    seen("a bad prefix", bad)


def test_generate_name_of_length(seen: Seen, api: Api, maps: str) -> None:
    """A long generateName is cut, and a name given beside it wins"""
    created = api.post(maps, {"metadata": {"generateName": "g" * 70}})
    assert created.status == 201 and len(created.json["metadata"]["name"]) == 63
    both = {"metadata": {"generateName": "some-", "name": "mine"}}
    seen("with a name", api.post(maps, both))
    seen("with a name, again", api.post(maps, both))


def test_server_owned_metadata(seen: Seen, api: Api, maps: str) -> None:
    """Fields that belong to the server are not taken from the client"""
    mine = {"uid": "mine", "generation": 7, "creationTimestamp": "2001-01-01T00:00:00Z", "selfLink": "/x"}
    created = api.post(maps, {"metadata": {"name": "a", **mine, "deletionTimestamp": "2001-01-01T00:00:00Z"}})
    seen("create", created)
    assert created.json["metadata"]["uid"] != "mine"
    assert not created.json["metadata"]["creationTimestamp"].startswith("2001")
    seen("with a version", api.post(maps, {"metadata": {"name": "b", "resourceVersion": "1"}}))


def test_labels(seen: Seen, api: Api, maps: str) -> None:
    """Keys and values of labels are checked one by one"""

    def labelled(**labels: str) -> dict[str, object]:
        return {"metadata": {"name": "a", "labels": labels}}

    for name, labels in {
        "blank in a value": {"a": "b c"},
        "value too long": {"a": "v" * 64},
        "key too long": {"k" * 64: "v"},
        "bad prefix": {"Example.com/a": "v"},
        "two slashes": {"a/b/c": "v"},
        "nothing after the slash": {"a/": "v"},
        "empty key": {"": "v"},
        "several": {"-a": "-b"},
    }.items():
        seen(name, api.post(maps, labelled(**labels)))
    seen("a number as a value", api.post(maps, {"metadata": {"name": "a", "labels": {"a": 1}}}))
    seen("good ones", api.post(maps, labelled(**{"example.com/A_b.c": "", "x": "Y_z.1"})))


def test_annotations(seen: Seen, api: Api, maps: str) -> None:
    """Annotations may hold any text up to 256 KiB in all; their keys are like those of labels"""

    def annotated(**annotations: str) -> dict[str, object]:
        return {"metadata": {"name": "a", "annotations": annotations}}

    seen("bad key", api.post(maps, annotated(**{"a b": "v"})))
    seen("upper case prefix", api.post(f"{maps}?dryRun=All", annotated(**{"Example.com/A": "v"})))
    seen("too long", api.post(f"{maps}?dryRun=All", annotated(a="v" * (256 * 1024))))
    long = api.post(f"{maps}?dryRun=All", annotated(a="v" * (256 * 1024 - 1)))
    assert long.status == 201


def test_owner_references(seen: Seen, api: Api, maps: str) -> None:
    """References to owners must be complete, and one of them at most controls"""

    def owned(*owners: dict[str, object]) -> dict[str, object]:
        return {"metadata": {"name": "a", "ownerReferences": owners}}

    whole = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u-1"}
    for missing in whole:
        rest = {key: value for key, value in whole.items() if key != missing}
        seen(f"without {missing}", api.post(maps, owned(rest)))
    two = api.post(maps, owned({**whole, "controller": True}, {**whole, "uid": "u-2", "controller": True}))
    seen("two controllers", two)
    seen("of an Event", api.post(maps, owned({**whole, "kind": "Event"})))


def test_update(seen: Seen, api: Api, maps: str) -> None:
    """An update replaces everything but the server's own fields"""
    api.post(maps, {**config_map("a", k="v"), "metadata": {"name": "a", "labels": {"l": "1"}}})
    before = api.get(f"{maps}/a").json
    after = seen("replaced", api.put(f"{maps}/a", config_map("a", other="w")))
    assert after.json["metadata"]["uid"] == before["metadata"]["uid"]
    assert after.json["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    assert "labels" not in after.json["metadata"]
    again = api.put(f"{maps}/a", config_map("a", other="w"))
    assert again.json == after.json, "an update that changes nothing writes nothing"
    seen("of nothing", api.put(f"{maps}/b", config_map("b")))


def test_conflict(seen: Seen, api: Api, maps: str) -> None:
    """A Conflict names the object and tells what to do"""
    created = api.post(maps, config_map("a")).json
    api.put(f"{maps}/a", config_map("a", k="1"))
    seen("an old version", api.put(f"{maps}/a", created))
    seen("an unreadable version", api.put(f"{maps}/a", _with(created, resourceVersion="x")))
    seen("another uid", api.put(f"{maps}/a", _with(created, resourceVersion="", uid="mine")), without=["message"])
    assert api.get(f"{maps}/a").json["data"] == {"k": "1"}


def _with(obj: dict[str, object], **metadata: str) -> dict[str, object]:
    assert isinstance(obj["metadata"], dict)
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


def test_update_of_nothing(seen: Seen, api: Api, maps: str) -> None:
    """PUT makes no new objects, save of the kinds that allow it"""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    body = {"metadata": {"name": "as.none.conformance.example"}, "spec": {}}
    seen("of a CRD", api.put(f"{path}/as.none.conformance.example", body))
    seen("of a Secret", api.put(f"{maps.replace('configmaps', 'secrets')}/a", {"metadata": {"name": "a"}}))
    lease = maps.replace("/api/v1", "/apis/coordination.k8s.io/v1").replace("configmaps", "leases")
    seen("of a Lease", api.put(f"{lease}/a", {"metadata": {"name": "a"}, "spec": {}}))
    events = maps.replace("configmaps", "events")
    about = {"involvedObject": {"kind": "ConfigMap", "namespace": maps.split("/")[4], "name": "a"}}
    seen("of an Event", api.put(f"{events}/a", {"metadata": {"name": "a"}, **about}))


def test_names_of_path_and_body(seen: Seen, api: Api, maps: str) -> None:
    """Path and body must agree on name and namespace"""
    api.post(maps, config_map("a"))
    seen("other name", api.put(f"{maps}/a", config_map("b")))
    seen("no name", api.put(f"{maps}/a", {"data": {"k": "v"}}))
    other = {"metadata": {"name": "a", "namespace": "other"}}
    seen("other namespace in create", api.post(maps, other))
    seen("other namespace in update", api.put(f"{maps}/a", other))
    seen("a namespace that is not there", api.post("/api/v1/namespaces/none-conformance/configmaps", config_map("a")))
    seen("no namespace in the path", api.post("/api/v1/configmaps", config_map("a")))
    seen("no namespace in the path, one in the body", api.post("/api/v1/configmaps", other))


def test_kind_of_path_and_body(seen: Seen, api: Api, maps: str) -> None:
    """Path and body must agree on apiVersion and kind"""
    for name, head in {
        "other kind": {"apiVersion": "v1", "kind": "Secret"},
        "unknown kind": {"apiVersion": "v1", "kind": "Nothing"},
        "other version": {"apiVersion": "v2", "kind": "ConfigMap"},
        "other group": {"apiVersion": "apps/v1", "kind": "ConfigMap"},
        "a version that is none": {"apiVersion": "a/b/c", "kind": "ConfigMap"},
        "a list": {"apiVersion": "v1", "kind": "ConfigMapList", "items": []},
    }.items():
        seen(name, api.post(maps, {**head, "metadata": {"name": "a"}}))
    seen("neither", api.post(maps, {"metadata": {"name": "a"}}))
    seen("update with other kind", api.put(f"{maps}/a", {"apiVersion": "v1", "kind": "Secret", "metadata": {}}))


def test_kind_of_a_group(seen: Seen, api: Api, namespace: str) -> None:
    """A Deployment's body must be a Deployment of apps/v1"""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    seen("old group", api.post(path, {"apiVersion": "extensions/v1beta1", "kind": "Deployment"}))
    seen("other kind of the group", api.post(path, {"apiVersion": "apps/v1", "kind": "StatefulSet"}))
    seen("core kind", api.post(path, {"apiVersion": "v1", "kind": "Pod"}))


def test_immutable(seen: Seen, api: Api, maps: str) -> None:
    """An immutable ConfigMap keeps its data, not its labels"""
    api.post(maps, {**config_map("a", k="v"), "immutable": True})
    seen("data", api.patch(f"{maps}/a", {"data": {"k": "w"}}))
    seen("immutable", api.patch(f"{maps}/a", {"immutable": False}, MERGE))
    seen("labels", api.patch(f"{maps}/a", {"metadata": {"labels": {"l": "1"}}}))
    seen("secret type", api.post(maps.replace("configmaps", "secrets"), {"metadata": {"name": "s"}, "type": "a/b"}))
    seen("other secret type", api.patch(f"{maps.replace('configmaps', 'secrets')}/s", {"type": "c/d"}))

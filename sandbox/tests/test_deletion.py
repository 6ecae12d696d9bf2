"""How objects go: at once, after their finalizers, after a grace, with a namespace or a CRD."""

from tests.api import CRDS, Api, config_map, custom_resource_definition


def test_at_once(api: Api, maps: str) -> None:
    uid = api.post(maps, config_map("a")).json["metadata"]["uid"]
    gone = api.delete(f"{maps}/a").json
    assert (gone["kind"], gone["status"]) == ("Status", "Success")
    assert gone["details"] == {"name": "a", "kind": "configmaps", "uid": uid}
    assert api.get(f"{maps}/a").status == 404


def test_finalizers_hold_it(api: Api, maps: str) -> None:
    api.post(maps, {"metadata": {"name": "a", "finalizers": ["x.io/f"]}})
    marked = api.delete(f"{maps}/a").json
    assert marked["metadata"]["deletionTimestamp"]
    assert api.get(f"{maps}/a").status == 200
    refused = api.patch(f"{maps}/a", {"metadata": {"finalizers": ["x.io/f", "x.io/g"]}})
    assert refused.causes[0] == ("metadata.finalizers", "FieldValueForbidden")
    assert api.patch(f"{maps}/a", {"metadata": {"finalizers": None}}).status == 200
    assert api.get(f"{maps}/a").status == 404


def test_finalizer_names_are_checked(api: Api, maps: str) -> None:
    refused = api.post(maps, {"metadata": {"name": "a", "finalizers": ["bad"]}})
    assert refused.causes == [("metadata.finalizers[0]", "FieldValueInvalid")]


def test_preconditions(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    assert api.delete(f"{maps}/a", {"preconditions": {"uid": "other"}}).status == 409
    assert api.delete(f"{maps}/a", {"preconditions": {"resourceVersion": "1"}}).status == 409
    assert api.delete(f"{maps}/a?dryRun=All").status == 200
    assert api.get(f"{maps}/a").status == 200


def test_propagation_sets_finalizers(api: Api, maps: str) -> None:
    for policy, finalizer in (("Foreground", "foregroundDeletion"), ("Orphan", "orphan")):
        api.post(maps, config_map(policy.lower()))
        marked = api.delete(f"{maps}/{policy.lower()}", {"propagationPolicy": policy})
        assert marked.json.get("metadata", {}).get("finalizers") == [finalizer]
    assert api.delete(f"{maps}/x", {"propagationPolicy": "Bad"}).causes == [
        ("propagationPolicy", "FieldValueNotSupported")
    ]


def test_collections(api: Api, maps: str) -> None:
    for name, label in (("a", "1"), ("b", "2"), ("c", "1")):
        api.post(maps, {"metadata": {"name": name, "labels": {"x": label}}})
    assert len(api.delete(f"{maps}?labelSelector=x%3D1").json["items"]) == 2
    assert [item["metadata"]["name"] for item in api.get(maps).json["items"] if item["metadata"]["name"] in "abc"] == [
        "b"
    ]


def test_pods_have_a_grace_once_a_node_has_them(api: Api, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    pod = {
        "metadata": {"name": "p", "finalizers": ["x.io/hold"]},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    pod["spec"]["nodeName"] = "elsewhere"
    api.post(pods, pod)
    assert api.delete(f"{pods}/p").json["metadata"]["deletionGracePeriodSeconds"] == 30
    assert api.delete(f"{pods}/p", {"gracePeriodSeconds": 5}).json["metadata"]["deletionGracePeriodSeconds"] == 5
    api.delete(f"{pods}/p", {"gracePeriodSeconds": 0})
    api.patch(f"{pods}/p", {"metadata": {"finalizers": None}})
    assert api.get(f"{pods}/p").status == 404


def test_nothing_new_in_a_namespace_on_its_way_out(api: Api, namespace: str, maps: str) -> None:
    api.post(maps, {"metadata": {"name": "held", "finalizers": ["x.io/f"]}})
    assert api.delete(f"/api/v1/namespaces/{namespace}").json["status"]["phase"] == "Terminating"
    refused = api.post(maps, config_map("late"))
    assert refused.status == 403
    assert refused.message == (
        f'configmaps "late" is forbidden: unable to create new content in namespace {namespace} '
        "because it is being terminated"
    )
    assert refused.causes == [("metadata.namespace", "NamespaceTerminating")]


def test_a_crd_takes_its_objects_along(api: Api, namespace: str) -> None:
    api.post(CRDS, custom_resource_definition("going.test", "boxes", "Box"))
    path = f"/apis/going.test/v1/namespaces/{namespace}/boxes"
    box = {"apiVersion": "going.test/v1", "kind": "Box", "metadata": {"name": "b", "finalizers": ["x.io/f"]}}
    assert api.post(path, box).status == 201
    with api.watch(f"{CRDS}?watch=1&fieldSelector=metadata.name%3Dboxes.going.test") as watch:
        watch.next()
        api.delete(f"{CRDS}/boxes.going.test")
        assert watch.next()["object"]["metadata"]["deletionTimestamp"]
        refused = api.post(path, {**box, "metadata": {"name": "c"}})
        assert refused.message.endswith("create not allowed while custom resource definition is terminating")
        with api.watch(f"{path}?watch=1") as objects:
            api.patch(f"{path}/b", {"metadata": {"finalizers": None}})
            assert [event["type"] for event in objects] == ["ADDED", "DELETED"]
        while watch.next()["type"] != "DELETED":
            pass
    assert api.get("/apis/going.test/v1").status == 404

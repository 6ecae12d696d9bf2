"""create, get, update: what the API server answers, word for word."""

import base64

from tests.api import Api, config_map


def test_it_works(api: Api, maps: str) -> None:
    created = api.post(maps, config_map("a", k="v"))
    assert created.status == 201
    metadata = created.json["metadata"]
    assert metadata["uid"] and metadata["resourceVersion"] and metadata["creationTimestamp"]
    assert api.get(f"{maps}/a").json == created.json


def test_generate_name(api: Api, maps: str) -> None:
    names = {api.post(maps, {"metadata": {"generateName": "a-"}}).json["metadata"]["name"] for _ in range(3)}
    assert len(names) == 3
    assert all(len(name) == 7 and name.startswith("a-") for name in names)


def test_a_name_is_taken_once(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    again = api.post(maps, config_map("a"))
    assert (again.status, again.json["reason"]) == (409, "AlreadyExists")
    assert again.message == 'configmaps "a" already exists'
    assert again.json["details"] == {"name": "a", "kind": "configmaps"}


def test_names_are_checked(api: Api, maps: str) -> None:
    refused = api.post(maps, config_map("A_b"))
    assert refused.status == 422
    assert refused.causes == [("metadata.name", "FieldValueInvalid")]
    assert refused.message.startswith(
        'ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC'
    )
    assert api.post(maps, {"metadata": {}}).causes == [("metadata.name", "FieldValueRequired")]
    assert api.post(maps, config_map("a" * 253)).status == 201
    assert api.post(maps, config_map("a" * 254)).status == 422


def test_a_namespace_must_exist(api: Api) -> None:
    refused = api.post("/api/v1/namespaces/nowhere/configmaps", config_map("a"))
    assert (refused.status, refused.message) == (404, 'namespaces "nowhere" not found')


def test_body_and_path_must_agree(api: Api, maps: str) -> None:
    assert api.post(maps, {**config_map("a"), "apiVersion": "v2"}).status == 400
    assert api.post(maps, {**config_map("a"), "metadata": {"name": "a", "namespace": "b"}}).message == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )
    api.post(maps, config_map("a"))
    assert api.put(f"{maps}/a", config_map("b")).message == (
        "the name of the object (b) does not match the name on the URL (a)"
    )


def test_bodies_that_cannot_be_read(api: Api, maps: str) -> None:
    assert api.post(maps, b'{"a"').status == 400
    assert api.post(maps, b"<a/>", content_type="text/html").status == 415
    assert api.get(maps, accept="text/html").status == 406
    assert api.post(maps, b"metadata: {name: y}", content_type="application/yaml").status == 201


def test_optimistic_conflict(api: Api, maps: str) -> None:
    first = api.post(maps, config_map("a", k="1")).json
    assert api.put(f"{maps}/a", {**first, "data": {"k": "2"}}).status == 200
    late = api.put(f"{maps}/a", {**first, "data": {"k": "3"}})
    assert (late.status, late.json["reason"]) == (409, "Conflict")
    assert late.message == (
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def test_an_update_that_changes_nothing_writes_nothing(api: Api, maps: str) -> None:
    first = api.post(maps, config_map("a", k="1")).json
    assert api.put(f"{maps}/a", first).json["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_dry_run(api: Api, maps: str) -> None:
    assert api.post(f"{maps}?dryRun=All", config_map("a")).status == 201
    assert api.get(f"{maps}/a").status == 404
    assert api.post(f"{maps}?dryRun=Some", config_map("a")).causes == [("dryRun", "FieldValueNotSupported")]


def test_generation_counts_the_spec(api: Api, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    # Paused, or the controller's annotation would count too, as it does for a real Deployment.
    made = api.post(path, {"metadata": {"name": "d"}, "spec": {**spec, "paused": True}}).json
    assert made["metadata"]["generation"] == 1
    assert api.patch(f"{path}/d", {"metadata": {"labels": {"x": "y"}}}).json["metadata"]["generation"] == 1
    assert api.patch(f"{path}/d", {"spec": {"replicas": 3}}).json["metadata"]["generation"] == 2
    status = api.patch(f"{path}/d/status", {"status": {"replicas": 3}, "spec": {"replicas": 9}})
    assert (status.json["metadata"]["generation"], status.json["spec"]["replicas"]) == (2, 3)
    assert api.patch(f"{path}/d", {"status": {"replicas": 7}}).json.get("status", {}).get("replicas") != 7


def test_built_in_defaults_and_rules(api: Api, namespace: str) -> None:
    core = f"/api/v1/namespaces/{namespace}"
    service = api.post(f"{core}/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}).json
    assert service["spec"]["clusterIP"].startswith("10.96.")
    assert service["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
    secret = api.post(f"{core}/secrets", {"metadata": {"name": "s"}, "stringData": {"a": "b"}}).json
    assert (secret["type"], base64.b64decode(secret["data"]["a"])) == ("Opaque", b"b")
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    assert api.post(f"{core}/pods", pod).json["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    frozen = api.patch(f"{core}/pods/p", {"spec": {"restartPolicy": "Never"}})
    assert frozen.causes == [("spec", "FieldValueForbidden")]


def test_a_selector_must_select_and_never_changes(api: Api, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    wrong = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "x"}}, "template": template}}
    assert api.post(path, wrong).causes == [("spec.template.metadata.labels", "FieldValueInvalid")]
    right = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}
    assert api.post(path, right).status == 201
    assert ("spec.selector", "FieldValueInvalid") in api.patch(
        f"{path}/d", {"spec": {"selector": {"matchLabels": {"c": "d"}}}}
    ).causes


def test_events_have_two_shapes(api: Api, namespace: str) -> None:
    about = {"kind": "Pod", "name": "p", "namespace": namespace}
    event = {"metadata": {"name": "e"}, "involvedObject": about, "reason": "R", "message": "m", "type": "Normal"}
    api.post(f"/api/v1/namespaces/{namespace}/events", event)
    other = api.get(f"/apis/events.k8s.io/v1/namespaces/{namespace}/events/e").json
    assert (other["note"], other["regarding"], other["apiVersion"]) == ("m", about, "events.k8s.io/v1")
    new = {"metadata": {"name": "f"}, "regarding": about, "reason": "R", "note": "n", "type": "Normal"}
    new |= {"eventTime": "2026-01-01T00:00:00.000000Z", "action": "Test"}
    new |= {"reportingController": "example.com/test", "reportingInstance": "test-1"}
    assert api.post(f"/apis/events.k8s.io/v1/namespaces/{namespace}/events", new).status == 201
    found = api.get(f"/api/v1/namespaces/{namespace}/events?fieldSelector=involvedObject.name=p").json["items"]
    assert [item["message"] for item in found] == ["m", "n"]


def test_paths_that_nothing_serves(api: Api, maps: str) -> None:
    assert api.get("/nothing").raw == b"404 page not found\n"
    assert api.get("/apis/nothing.io/v1").status == 404
    assert api.get(f"{maps}/a/nothing").status == 404
    assert api.put(maps, {}).json["reason"] == "MethodNotAllowed"

"""What is served: /api, /apis, aggregated discovery; CRDs come and go while the server runs."""

from tests.api import CRDS, TABLE, Api, custom_resource_definition

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


def _resources(api: Api, path: str) -> dict:
    return {resource["name"]: resource for resource in api.get(path).json["resources"]}


def test_groups(api: Api) -> None:
    assert api.get("/api").json["versions"] == ["v1"]
    groups = {group["name"]: group for group in api.get("/apis").json["groups"]}
    assert groups["apps"]["preferredVersion"] == {"groupVersion": "apps/v1", "version": "v1"}
    assert {"batch", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "policy", "autoscaling"} <= set(groups)
    assert api.get("/apis/apps").json["kind"] == "APIGroup"


def test_resources(api: Api) -> None:
    core = _resources(api, "/api/v1")
    assert core["pods"]["shortNames"] == ["po"]
    assert core["pods"]["namespaced"] and not core["nodes"]["namespaced"]
    assert core["serviceaccounts/token"]["group"] == "authentication.k8s.io"
    apps = _resources(api, "/apis/apps/v1")
    assert apps["deployments/scale"]["kind"] == "Scale"
    assert apps["deployments"]["verbs"] == [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ]


def test_aggregated(api: Api) -> None:
    answer = api.get("/apis", accept=AGGREGATED)
    assert answer.headers["content-type"] == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    groups = {item["metadata"]["name"]: item for item in answer.json["items"]}
    deployments = next(r for r in groups["apps"]["versions"][0]["resources"] if r["resource"] == "deployments")
    assert deployments["responseKind"] == {"group": "", "version": "", "kind": "Deployment"}
    assert {sub["subresource"] for sub in deployments["subresources"]} == {"status", "scale"}
    core = api.get("/api", accept=AGGREGATED).json["items"][0]["versions"][0]["resources"]
    assert "pods" in {resource["resource"] for resource in core}


def test_an_unchanged_document_is_not_sent_again(api: Api) -> None:
    tag = api.get("/apis", accept=AGGREGATED).headers["etag"]
    again = Api(api.kubeconfig, **{"If-None-Match": tag}).get("/apis", accept=AGGREGATED)
    assert (again.status, again.raw) == (304, b"")


def test_custom_resources_come_and_go(api: Api, namespace: str) -> None:
    assert api.get("/apis/shapes.test/v1").status == 404
    crd = custom_resource_definition("shapes.test", "boxes", "Box", subresources={"status": {}})
    crd["spec"]["names"] |= {"shortNames": ["bx"], "categories": ["all"]}
    old = {**crd["spec"]["versions"][0], "name": "v1beta1", "storage": False, "deprecated": True}
    crd["spec"]["versions"].append(old)
    created = api.post(CRDS, crd).json
    assert [(c["type"], c["status"]) for c in created["status"]["conditions"]] == [
        ("NamesAccepted", "True"),
        ("Established", "True"),
    ]
    boxes = _resources(api, "/apis/shapes.test/v1")
    assert boxes["boxes"]["shortNames"] == ["bx"]
    assert "boxes/status" in boxes
    versions = [v["version"] for v in api.get("/apis/shapes.test").json["versions"]]
    assert versions == ["v1", "v1beta1"]
    path = f"namespaces/{namespace}/boxes"
    box = {"apiVersion": "shapes.test/v1", "kind": "Box", "metadata": {"name": "b"}, "spec": {"n": 1}}
    assert api.post(f"/apis/shapes.test/v1/{path}", box).status == 201
    other = api.get(f"/apis/shapes.test/v1beta1/{path}/b")
    assert other.json["apiVersion"] == "shapes.test/v1beta1"
    assert other.headers["warning"] == '299 - "shapes.test/v1beta1 Box is deprecated; use shapes.test/v1 Box"'
    api.delete(f"{CRDS}/boxes.shapes.test")
    with api.watch(f"{CRDS}?watch=1&fieldSelector=metadata.name%3Dboxes.shapes.test&timeoutSeconds=5") as watch:
        for event in watch:
            if event["type"] == "DELETED":
                break
    assert api.get("/apis/shapes.test").status == 404
    assert api.get(f"/apis/shapes.test/v1/{path}", accept=TABLE).status == 404


def test_names_of_two_crds_may_not_clash(api: Api) -> None:
    api.post(CRDS, custom_resource_definition("clash.test", "boxes", "Box"))
    second = api.post(CRDS, custom_resource_definition("clash.test", "crates", "Box")).json
    conditions = {c["type"]: (c["status"], c["reason"]) for c in second["status"]["conditions"]}
    assert conditions == {"NamesAccepted": ("False", "ListKindConflict"), "Established": ("False", "NotAccepted")}
    for plural in ("boxes", "crates"):
        api.delete(f"{CRDS}/{plural}.clash.test")


def test_a_crd_keeps_its_name(api: Api) -> None:
    api.post(CRDS, custom_resource_definition("fixed.test", "boxes", "Box"))
    refused = api.patch(f"{CRDS}/boxes.fixed.test", {"spec": {"names": {"kind": "Other"}}})
    assert refused.causes == [("spec.names.kind", "FieldValueInvalid")]
    api.delete(f"{CRDS}/boxes.fixed.test")

"""OpenAPI documents: as kube-apiserver writes them, and changed only when what they describe changes."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import yaml

from sandbox.builtins import BUILTIN
from sandbox.crds import resources_of
from sandbox.resources import Resource
from sandbox.schema import document_path, openapi_hash, openapi_index, openapi_v2, openapi_v3

DATA = Path(__file__).parent / "data"
DOCUMENTS = sorted({document_path(resource) for resource in BUILTIN})
META = "io.k8s.apimachinery.pkg.apis.meta.v1."


def built_in(path: str) -> list[Resource]:
    return [resource for resource in BUILTIN if document_path(resource) == path]


def no_schema(_: Resource) -> None:
    raise AssertionError("no custom resource here")


def encoded(document: object) -> dict:
    return json.loads(msgspec.json.encode(document))


def oddity() -> tuple[list[Resource], dict]:
    """The resources of the odd CRD, and its schema."""
    crd = yaml.safe_load((DATA / "openapi_oddity.yaml").read_text())
    crd["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
    return resources_of(crd), crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def references(value: object) -> set[str]:
    if isinstance(value, dict):
        found = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return found.union(*(references(inner) for inner in value.values()))
    return set().union(*(references(inner) for inner in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("path", DOCUMENTS)
def test_documents_of_built_in_kinds_are_whole(path: str) -> None:
    document = encoded(openapi_v3(built_in(path), no_schema))
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert references(document) <= known
    operations = [
        operation["operationId"]
        for item in document["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    ]
    assert len(operations) == len(set(operations)), "operations must have names of their own"


def test_what_kubectl_looks_for() -> None:
    document = encoded(openapi_v3(built_in("apis/apps/v1"), no_schema))
    item = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    assert {"get", "put", "patch", "delete", "parameters"} == set(item)
    patch = item["patch"]
    assert {"dryRun", "fieldManager", "fieldValidation", "force"} == {
        parameter["name"] for parameter in patch["parameters"]
    }
    assert patch["operationId"] == "patchAppsV1NamespacedDeployment"
    assert patch["x-kubernetes-action"] == "patch"
    assert patch["x-kubernetes-group-version-kind"] == {"group": "apps", "version": "v1", "kind": "Deployment"}
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]
    spec = document["components"]["schemas"]["io.k8s.api.apps.v1.DeploymentSpec"]
    assert spec["properties"]["replicas"]["description"].startswith("Number of desired pods")
    kinds = document["components"]["schemas"][f"{META}DeleteOptions"]["x-kubernetes-group-version-kind"]
    assert {kind["group"] for kind in kinds} == {"", "apps"}


def test_subresources_have_paths() -> None:
    paths = encoded(openapi_v3(built_in("api/v1"), no_schema))["paths"]
    pod = "/api/v1/namespaces/{namespace}/pods/{name}"
    assert paths[f"{pod}/exec"]["post"]["x-kubernetes-action"] == "connect"
    assert paths[f"{pod}/exec"]["post"]["operationId"] == "connectCoreV1PostNamespacedPodExec"
    assert paths[f"{pod}/log"]["get"]["operationId"] == "readCoreV1NamespacedPodLog"
    evict = paths[f"{pod}/eviction"]["post"]
    assert evict["x-kubernetes-group-version-kind"] == {"group": "policy", "version": "v1", "kind": "Eviction"}
    assert evict["description"] == "create eviction of a Pod"
    assert paths["/api/v1/pods"]["get"]["operationId"] == "listCoreV1PodForAllNamespaces"
    assert "/api/v1/nodes/{name}/status" in paths
    assert "/api/v1/namespaces/{namespace}/nodes" not in paths


def test_a_crd_is_published_as_kube_apiserver_does() -> None:
    resources, schema = oddity()
    document = encoded(openapi_v3(resources, lambda _: schema))
    judged = json.loads((DATA / "openapi_oddity.json").read_text())
    schemas = document["components"]["schemas"]
    assert {name: schemas[name] for name in judged} == judged
    assert f"{META}ObjectMeta" in schemas
    assert document["info"] == {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
    path = document["paths"]["/apis/openapi.test/v1beta1/oddities/{name}"]
    assert path["patch"]["operationId"] == "patchOpenapiTestV1beta1Oddity"
    assert path["patch"]["tags"] == ["openapiTest_v1beta1"]
    assert "application/strategic-merge-patch+json" not in path["patch"]["requestBody"]["content"]


def test_a_crd_without_schema_takes_anything() -> None:
    resources, _ = oddity()
    schemas = encoded(openapi_v3(resources, lambda _: None))["components"]["schemas"]
    assert "properties" not in schemas["test.openapi.v1beta1.Oddity"]
    assert schemas["test.openapi.v1beta1.Oddity"]["type"] == "object"


def test_a_hash_changes_with_what_is_described() -> None:
    (resource,), _ = oddity()
    first = openapi_hash([resource], lambda _: "a")
    assert first == openapi_hash([replace(resource)], lambda _: "a")
    assert first != openapi_hash([resource], lambda _: "b")
    assert first != openapi_hash([replace(resource, status=False)], lambda _: "a")
    assert first != openapi_hash([resource, replace(resource, plural="others", kind="Other")], lambda _: "a")


def test_the_index_names_documents_by_their_hash() -> None:
    assert openapi_index({"apis/apps/v1": "AB"}) == {
        "paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=AB"}}
    }


def test_swagger_two() -> None:
    resources, schema = oddity()
    document = encoded(openapi_v2([*built_in("apis/apps/v1"), *resources], lambda _: schema))
    definitions = document["definitions"]
    assert references(document) <= {f"#/definitions/{name}" for name in definitions}
    odd = definitions["test.openapi.v1beta1.Oddity"]["properties"]["spec"]["properties"]
    assert "nullable" not in odd["nothing"]
    assert "oneOf" not in odd["list"]["items"]["properties"]["pair"]
    deployment = definitions["io.k8s.api.apps.v1.Deployment"]["properties"]
    assert deployment["spec"]["$ref"] == "#/definitions/io.k8s.api.apps.v1.DeploymentSpec"

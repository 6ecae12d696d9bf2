"""A definition that was deleted and comes back under its name is another one."""

from typing import Any

from tests.api import Api

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def crd(**properties: Any) -> dict[str, Any]:
    spec = {"type": "object", "properties": properties}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "agains.test.example.com"},
        "spec": {
            "group": "test.example.com",
            "scope": "Cluster",
            "names": {"plural": "agains", "kind": "Again", "singular": "again", "listKind": "AgainList"},
            "versions": [version],
        },
    }


def test_its_objects_are_held_to_its_own_schema(api: Api) -> None:
    thing = {"apiVersion": "test.example.com/v1", "kind": "Again", "metadata": {"name": "x"}, "spec": {"size": 3}}
    path = "/apis/test.example.com/v1/agains?dryRun=All&fieldValidation=Strict"
    for properties, status in (({"name": {"type": "string"}}, 400), ({"size": {"type": "integer"}}, 201)):
        assert api.post(CRDS, crd(**properties)).status == 201
        api.until(f"{CRDS}/agains.test.example.com", lambda found: "conditions" in found.get("status", {}))
        api.until("/apis/test.example.com/v1", lambda found: found["resources"])
        assert api.post(path, thing).status == status
        api.delete(f"{CRDS}/agains.test.example.com")
        api.until_gone(f"{CRDS}/agains.test.example.com")

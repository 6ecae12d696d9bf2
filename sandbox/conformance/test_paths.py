"""Paths and methods: what is not served, what a resource cannot do"""

from tests.api import MERGE, Api, config_map

from .observations import Seen


def test_unknown_paths(seen: Seen, api: Api, maps: str) -> None:
    """Paths that nothing serves are 404, in plain text or as a Status"""
    namespaced = maps.removesuffix("configmaps")
    for name, path in {
        "root": "/nothing",
        "resource of the core group": f"{namespaced}nothings",
        "object of it": f"{namespaced}nothings/a",
        "version of the core group": "/api/v2/pods",
        "group": "/apis/none.conformance.example/v1/things",
        "version of a group": "/apis/apps/v9/deployments",
        "resource of a group": "/apis/apps/v1/things",
        "object without its namespace": "/api/v1/configmaps/a",
        "cluster's resource in a namespace": f"{namespaced}nodes",
        "subresource of what has none": f"{maps}/a/status",
        "unknown subresource": f"{namespaced}pods/a/nothing",
        "below a subresource": "/apis/apps/v1/namespaces/default/deployments/a/scale/x",
        "group's document": "/apis/none.conformance.example",
        "version's document": "/apis/apps/v9",
        "core version's document": "/api/v2",
        "OpenAPI": "/openapi/v3/apis/none.conformance.example/v1",
    }.items():
        seen(name, api.get(path))


def test_slashes(seen: Seen, api: Api, maps: str) -> None:
    """A slash too much at the end"""
    api.post(maps, config_map("a"))
    seen("one object", api.get(f"{maps}/a/"), only=["kind", "metadata.name"])
    seen("a list", api.get(f"{maps}/"), only=["kind"])


def test_methods(seen: Seen, api: Api, maps: str) -> None:
    """405 where the path is served, but not for this method"""
    body = config_map("a")
    seen("POST to an object", api.post(f"{maps}/a", body))
    seen("PUT to a collection", api.put(maps, body))
    seen("PATCH of a collection", api.patch(maps, {}, MERGE))
    seen("POST without a namespace", api.post("/api/v1/configmaps", body))
    seen("DELETE of all namespaces' objects", api.delete("/api/v1/configmaps?dryRun=All"))
    seen("DELETE of all namespaces", api.delete("/api/v1/namespaces?dryRun=All"))
    seen("OPTIONS", api("OPTIONS", f"{maps}/a"))
    seen("POST to a status", api.post(maps.replace("configmaps", "pods") + "/a/status", {}))
    seen("DELETE of a scale", api.delete("/apis/apps/v1/namespaces/default/deployments/none-conformance/scale"))


def test_review_methods(seen: Seen, api: Api) -> None:
    """Reviews can only be created"""
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    seen("list", api.get(path))
    seen("get", api.get(f"{path}/a"))
    seen("delete", api.delete(path))


def test_head(seen: Seen, api: Api, maps: str) -> None:
    """HEAD answers as GET, without the body"""
    api.post(maps, config_map("a"))
    there = api("HEAD", f"{maps}/a")
    missing = api("HEAD", f"{maps}/b")
    seen.value("HEAD", [[answer.status, len(answer.raw)] for answer in (there, missing)])


def test_namespace_in_the_path(seen: Seen, api: Api) -> None:
    """Reading in a namespace that is not there finds nothing, and says no more"""
    seen("list", api.get("/api/v1/namespaces/none-conformance/configmaps"))
    seen("get", api.get("/api/v1/namespaces/none-conformance/configmaps/a"))
    seen("delete", api.delete("/api/v1/namespaces/none-conformance/configmaps/a"))
    seen("the namespace", api.get("/api/v1/namespaces/none-conformance"))

"""Bodies and media types: JSON, YAML, what cannot be read, what is not offered"""

from tests.api import Api, config_map

from .observations import Seen

JSON = "application/json"


def test_unreadable_json(seen: Seen, api: Api, maps: str) -> None:
    """A body that isn't JSON is refused with what was found and where"""
    for name, body in {
        "a list": b"[]",
        "a string": b'"text"',
        "null": b"null",
    }.items():
        seen(name, api("POST", f"{maps}?dryRun=All", body, JSON))


def test_no_body(seen: Seen, api: Api, maps: str) -> None:
    """A create, update or patch without a body"""
    api.post(maps, config_map("a"))
    seen("patch", api("PATCH", f"{maps}/a"))


def test_wrong_types(seen: Seen, api: Api, maps: str) -> None:
    """A field of the wrong type is named with the type that it should have"""
    seen("data is a list", api.post(maps, {"metadata": {"name": "a"}, "data": ["x"]}))
    seen("a number in data", api.post(maps, {"metadata": {"name": "a"}, "data": {"k": 1}}))
    seen("immutable is a string", api.post(maps, {"metadata": {"name": "a"}, "immutable": "yes"}))
    seen("metadata is a string", api.post(maps, {"metadata": "a"}))
    seen("name is a number", api.post(maps, {"metadata": {"name": 1}}))
    seen("base64", api.post(maps, {"metadata": {"name": "a"}, "binaryData": {"k": "a b"}}))
    apps = maps.replace("/api/v1", "/apis/apps/v1").replace("configmaps", "deployments")
    seen("replicas is a string", api.post(apps, {"metadata": {"name": "a"}, "spec": {"replicas": "3"}}))
    seen("replicas is a fraction", api.post(apps, {"metadata": {"name": "a"}, "spec": {"replicas": 1.5}}))
    containers = {"template": {"spec": {"containers": {"name": "a"}}}}
    seen("containers is an object", api.post(apps, {"metadata": {"name": "a"}, "spec": containers}))
    env = {"template": {"spec": {"containers": [{"name": "a", "env": [{"name": "E", "value": True}]}]}}}
    seen("a boolean as a variable's value", api.post(apps, {"metadata": {"name": "a"}, "spec": env}))


def test_kind_and_version_of_wrong_types(seen: Seen, api: Api, maps: str) -> None:
    """apiVersion and kind must be text"""
    seen("kind is a number", api.post(maps, {"kind": 1, "metadata": {"name": "a"}}))
    seen("apiVersion is an object", api.post(maps, {"apiVersion": {}, "metadata": {"name": "a"}}))


def test_yaml(seen: Seen, api: Api, maps: str) -> None:
    """Bodies may be YAML"""
    good = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  date: '2020-01-01'\n  k: v\n"
    seen("create", api("POST", maps, good, "application/yaml"))
    seen("update", api("PUT", f"{maps}/a", good.replace(b"k: v", b"k: w"), "application/yaml"))
    seen("a number", api("POST", maps, b"metadata: {name: b}\ndata: {k: 1}\n", "application/yaml"))
    seen("two documents", api("POST", maps, b"metadata: {name: c}\n---\nmetadata: {name: d}\n", "application/yaml"))
    seen("JSON as YAML", api("POST", maps, b'{"metadata": {"name": "e"}}', "application/yaml"))
    seen("unreadable", api("POST", maps, b"a: b: c\n", "application/yaml"), without=["message"])


def test_unsupported_content_types(seen: Seen, api: Api, maps: str) -> None:
    """415 names the media types that are understood"""
    good = b'{"metadata":{"name":"a"}}'
    seen("XML", api("POST", maps, good, "application/xml"))
    seen("plain text", api("POST", maps, good, "text/plain"))
    seen("a merge patch", api("POST", maps, good, "application/merge-patch+json"))
    seen("no type that can be read", api("POST", maps, good, "none"))
    seen("with parameters", api("POST", maps, good, "application/json; charset=utf-8"))
    seen("update", api("PUT", f"{maps}/a", good, "application/xml"))
    seen("delete options", api("DELETE", f"{maps}/a", b"{}", "application/xml"))


def test_accept(seen: Seen, api: Api, maps: str) -> None:
    """406 names the representations there are"""
    api.post(maps, config_map("a", k="v"))
    for name, accept in {
        "XML": "application/xml",
        "HTML": "text/html",
        "anything": "*/*",
        "any application": "application/*",
        "a list with a good one": "text/html, application/json;q=0.5",
        "a Table of another version": "application/json;as=Table;v=v2;g=meta.k8s.io",
        "an unknown shape": "application/json;as=Other;v=v1;g=meta.k8s.io",
        "a Table, else JSON": "application/json;as=Table;v=v9;g=meta.k8s.io,application/json",
        "pretty": "application/json;pretty=1",
    }.items():
        seen(name, api.get(f"{maps}/a", accept=accept))
    seen("of a list", api.get(maps, accept="text/html"))
    seen("of a watch", api.get(f"{maps}?watch=1&timeoutSeconds=1", accept="text/html"))
    seen("of a write", api("POST", maps, config_map("b"), accept="text/html"))
    assert api.get(f"{maps}/b").status == 404


def test_yaml_answers(seen: Seen, api: Api, maps: str) -> None:
    """Accept: application/yaml is answered in YAML"""
    api.post(maps, config_map("a", k="v"))
    answer = api.get(f"{maps}/a", accept="application/yaml")
    assert answer.headers["content-type"] == "application/yaml"
    lines = [
        line for line in answer.raw.decode().splitlines() if line.startswith(("api", "kind", "data", "  k", "  name:"))
    ]
    seen.value("one object", lines)
    seen.value("refused", api.get(f"{maps}/b", accept="application/yaml").raw.decode().splitlines())


def test_pretty(seen: Seen, api: Api, maps: str) -> None:
    """?pretty=true brings indented JSON"""
    api.post(maps, config_map("a", k="v"))
    seen.value("indented", api.get(f"{maps}/b?pretty=true").raw.decode().splitlines())
    seen.value("plain", api.get(f"{maps}/b").raw.decode())

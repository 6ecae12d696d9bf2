"""Lists: pages, versions, and options that do not go together"""

import base64
import json
from urllib.parse import quote

import pytest

from tests.api import CRDS, Api, config_map, custom_resource_definition

from .observations import Seen


@pytest.fixture
def five(api: Api, maps: str) -> str:
    """The path of five ConfigMaps with a label, and of kube-root-ca.crt without."""
    for name in "abcde":
        assert api.post(maps, {"metadata": {"name": name, "labels": {"l": "1"}}}).status == 201
    return maps


def test_list(seen: Seen, api: Api, five: str) -> None:
    """A list has a version; its items have no kind of their own"""
    seen("list", api.get(f"{five}?labelSelector=l"))
    seen("of nothing", api.get(f"{five}?labelSelector=none"))
    everywhere = api.get("/api/v1/configmaps?labelSelector=none-conformance")
    seen("all namespaces", everywhere)


def test_pages(seen: Seen, api: Api, five: str) -> None:
    """limit and continue bring everything once, all of one version"""
    first = seen("first", api.get(f"{five}?limit=2"), without=["items.data"]).json
    token = quote(first["metadata"]["continue"])
    second = seen("second", api.get(f"{five}?limit=2&continue={token}"), without=["items.data"]).json
    token = quote(second["metadata"]["continue"])
    last = seen("last", api.get(f"{five}?limit=2&continue={token}"), without=["items.data"]).json
    versions = {page["metadata"]["resourceVersion"] for page in (first, second, last)}
    assert len(versions) == 1
    listed = [item["metadata"]["name"] for page in (first, second, last) for item in page["items"]]
    assert listed == ["a", "b", "c", "d", "e", "kube-root-ca.crt"]
    exact = api.get(f"{five}?limit=6").json["metadata"]
    assert "continue" not in exact and "remainingItemCount" not in exact


def test_pages_with_selectors(seen: Seen, api: Api, five: str) -> None:
    """With a selector the remaining items are not counted"""
    page = seen("labels", api.get(f"{five}?limit=2&labelSelector=l"), only=["metadata", "items.metadata.name"])
    token = quote(page.json["metadata"]["continue"])
    rest = api.get(f"{five}?labelSelector=l&continue={token}")
    seen("the rest", rest, only=["metadata", "items.metadata.name"])
    seen(
        "fields", api.get(f"{five}?limit=2&fieldSelector=metadata.name!%3Da"), only=["metadata", "items.metadata.name"]
    )


def test_pages_while_things_change(seen: Seen, api: Api, five: str) -> None:
    """A page shows what there was when the list began"""
    first = api.get(f"{five}?limit=2&labelSelector=l").json
    api.delete(f"{five}/d")
    api.post(five, {"metadata": {"name": "c2", "labels": {"l": "1"}}})
    token = quote(first["metadata"]["continue"])
    seen("the rest", api.get(f"{five}?labelSelector=l&continue={token}"), only=["metadata", "items.metadata.name"])


def test_continue_tokens(seen: Seen, api: Api, five: str) -> None:
    """A token that isn't one of this list is refused"""

    def token(**fields: object) -> str:
        return quote(base64.urlsafe_b64encode(json.dumps(fields).encode()).rstrip(b"=").decode())

    good = api.get(f"{five}?limit=2").json["metadata"]
    for name, value in {
        "no base64": "x!",
        "other version": token(v="v9", rv=1, start="a"),
        "no version": token(v="meta.k8s.io/v1", start="a\0"),
        "no start": token(v="meta.k8s.io/v1", rv=1),
        "going up": token(v="meta.k8s.io/v1", rv=1, start="../../secrets/"),
        "empty": "",
    }.items():
        seen(name, api.get(f"{five}?limit=2&continue={value}"), without=["items", "metadata"])
    both = api.get(f"{five}?limit=2&resourceVersion={good['resourceVersion']}&continue={quote(good['continue'])}")
    seen("with a version", both)
    zero = api.get(f"{five}?limit=2&resourceVersion=0&continue={quote(good['continue'])}")
    seen("with version 0", zero, without=["items.data"])


def test_limits(seen: Seen, api: Api, five: str) -> None:
    """limit must be a number"""
    for value in ("x", "-1", "0", "1.5", ""):
        seen(
            value or "empty",
            api.get(f"{five}?limit={value}&labelSelector=l"),
            only=["items.metadata.name", "message", "code"],
        )


def test_version_rules(seen: Seen, api: Api, five: str) -> None:
    """resourceVersion and resourceVersionMatch must fit together"""
    for query in (
        "resourceVersion=x",
        "resourceVersion=-1",
        "resourceVersion=",
        "resourceVersionMatch=Exact",
        "resourceVersionMatch=NotOlderThan",
        "resourceVersion=0&resourceVersionMatch=Exact",
        "resourceVersion=0&resourceVersionMatch=NotOlderThan",
        "resourceVersion=1&resourceVersionMatch=exact",
        "resourceVersionMatch=Other",
        "resourceVersion=0",
        "sendInitialEvents=true",
        "resourceVersion=0&resourceVersionMatch=NotOlderThan&sendInitialEvents=true",
        "resourceVersionMatch=Exact&continue=abc",
        "resourceVersion=1&resourceVersionMatch=Exact&continue=abc",
        "timeoutSeconds=5",
        "timeoutSeconds=x",
        "allowWatchBookmarks=true",
        "watch=false",
        "watch=0",
    ):
        only = ["kind", "items.metadata.name", "message", "reason", "code", "details"]
        seen(query, api.get(f"{five}?labelSelector=l&{query}"), only=only)


def test_versions(seen: Seen, api: Api, five: str) -> None:
    """A list at least as new as a version, exactly at one, and from the future"""
    only = ["kind", "items.metadata.name", "message", "reason", "code", "details"]
    before = api.get(five).json["metadata"]["resourceVersion"]
    api.post(five, config_map("f"))
    after = api.get(five).json["metadata"]["resourceVersion"]
    query = f"{five}?resourceVersion={before}"
    seen("not older", api.get(f"{query}&resourceVersionMatch=NotOlderThan"), only=only)
    newest = api.get(f"{five}?resourceVersion={after}&resourceVersionMatch=Exact")
    seen("exactly the newest", newest, only=only)
    assert newest.json["metadata"]["resourceVersion"] == after
    future = int(after) + 1_000_000
    seen.alias("future", str(future))
    refused = api.get(f"{five}?resourceVersion={future}")
    assert refused.status == 504
    seen("from the future", refused, only=["reason", "code", "details.causes", "details.retryAfterSeconds"])


def test_exact_versions(seen: Seen, api: Api, five: str) -> None:
    """Exactly a former version brings what there was then"""
    before = api.get(five).json["metadata"]["resourceVersion"]
    api.post(five, config_map("f"))
    found = api.get(f"{five}?resourceVersion={before}&resourceVersionMatch=Exact")
    seen("before", found, only=["items.metadata.name", "reason", "code"])


def test_get_with_a_version(seen: Seen, api: Api, five: str) -> None:
    """A single object may be asked for with a version too"""
    seen("any", api.get(f"{five}/a?resourceVersion=0"))
    seen("unreadable", api.get(f"{five}/a?resourceVersion=x"))
    version = api.get(f"{five}/a").json["metadata"]["resourceVersion"]
    assert api.get(f"{five}/a?resourceVersion={version}").status == 200
    future = api.get(f"{five}/a?resourceVersion={int(version) + 1_000_000}")
    seen("from the future", future, only=["reason", "code", "details.causes", "details.retryAfterSeconds"])


def test_custom_lists(seen: Seen, api: Api, group: str, namespace: str) -> None:
    """Lists of custom resources: items with their kind, and pages"""
    assert api.post(CRDS, custom_resource_definition(group, "things", "Thing")).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    api.until(path, lambda _: True)
    seen("empty", api.get(path))
    for name in "abc":
        body = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": name}}
        assert api.post(path, body).status == 201
    page = seen("first", api.get(f"{path}?limit=2"))
    seen("second", api.get(f"{path}?limit=2&continue={quote(page.json['metadata']['continue'])}"))
    seen("a bad limit", api.get(f"{path}?limit=x"))
    seen("a bad version", api.get(f"{path}?resourceVersion=x"))
    seen("a bad selector", api.get(f"{path}?labelSelector=a%20b"))
    api.delete(f"{CRDS}/things.{group}")


def test_metadata_only(seen: Seen, api: Api, five: str) -> None:
    """PartialObjectMetadata leaves out all but metadata"""
    item = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    many = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    seen("one", api.get(f"{five}/a", accept=item))
    seen("list", api.get(f"{five}?labelSelector=l&limit=2", accept=many))
    seen("a list as one", api.get(f"{five}?labelSelector=l", accept=item))
    seen("one as a list", api.get(f"{five}/a", accept=many))
    seen("created", api("POST", five, config_map("z", k="v"), accept=item))
    seen("missing", api.get(f"{five}/none", accept=item))

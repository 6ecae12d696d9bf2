"""Requests, patches, selectors, discovery documents and error answers: values in, values out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube import catalog, discovery, errors, requests, transport
from kube.discovery import ResourceType
from kube.objects import apply_merge, merge_patch, parse_table
from kube.selectors import from_labels, from_selector

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
ROLES = ResourceType(
    group="rbac.authorization.k8s.io", version="v1", plural="clusterroles", kind="ClusterRole", namespaced=False
)


def test_paths() -> None:
    assert PODS.path() == "/api/v1/pods"
    assert PODS.path("shop", "web-0", "log") == "/api/v1/namespaces/shop/pods/web-0/log"
    assert ROLES.path("ignored", "system:node") == "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"
    with pytest.raises(errors.NotFound, match="system:node/x"):
        ROLES.path("ignored", "system:node/x")


def test_queries_are_written_as_go_reads_them() -> None:
    request = requests.watch_table(PODS, "shop", "7", 300)
    path, _, query = request.target.partition("?")
    assert path == "/api/v1/namespaces/shop/pods"
    assert query.split("&") == [
        "watch=true",
        "allowWatchBookmarks=true",
        "resourceVersion=7",
        "timeoutSeconds=300",
        "includeObject=Metadata",
    ]
    assert requests.list_objects(PODS, labels="a in (b,c)").target == "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29"


def test_a_delete_guards_against_namesakes() -> None:
    request = requests.delete(PODS, "a", "b", uid="u1", propagation="Foreground", dry_run=True)
    assert b'"preconditions":{"uid":"u1"}' in (request.body or b"")
    assert b'"propagationPolicy":"Foreground"' in (request.body or b"")
    assert b'"dryRun":["All"]' in (request.body or b"")


_json = st.recursive(
    st.integers() | st.text(max_size=3) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
_objects = st.dictionaries(st.text(max_size=3), _json, max_size=4)


@given(_objects, _objects)
def test_a_merge_patch_turns_one_into_the_other(old: dict, new: dict) -> None:
    assert apply_merge(old, merge_patch(old, new)) == new


@given(_objects)
def test_nothing_to_change_is_an_empty_patch(obj: dict) -> None:
    assert merge_patch(obj, obj) == {}


def test_selectors() -> None:
    assert from_labels({"b": "2", "a": "1"}) == "a=1,b=2"
    rules = [
        {"key": "x", "operator": "In", "values": ["1", "2"]},
        {"key": "y", "operator": "NotIn", "values": ["3"]},
        {"key": "z", "operator": "Exists"},
        {"key": "w", "operator": "DoesNotExist"},
    ]
    assert (
        from_selector({"matchLabels": {"app": "a"}, "matchExpressions": rules}) == "app=a,x in (1,2),y notin (3),z,!w"
    )
    assert from_selector(None) == ""


AGGREGATED = {
    "kind": "APIGroupDiscoveryList",
    "items": [
        {
            "metadata": {"name": "apps"},
            "versions": [
                {
                    "version": "v1",
                    "resources": [
                        {
                            "resource": "deployments",
                            "responseKind": {"kind": "Deployment"},
                            "scope": "Namespaced",
                            "verbs": ["get"],
                            "subresources": [{"subresource": "scale"}],
                        }
                    ],
                }
            ],
        },
        {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1", "freshness": "Stale"}]},
    ],
}


def test_one_group_that_is_down_does_not_hide_the_others() -> None:
    found = discovery.aggregated(AGGREGATED)
    assert found is not None
    assert [type_.plural for type_ in found.types] == ["deployments"]
    assert found.types[0].subresources == {"scale"}
    assert found.errors == ("metrics.k8s.io/v1beta1: its API server does not answer; what it served may be missing",)


def test_older_servers_list_types_one_by_one() -> None:
    assert discovery.aggregated({"kind": "APIGroupList"}) is None
    groups = {
        "groups": [
            {
                "name": "g",
                "versions": [{"version": "v1beta1"}, {"version": "v1"}],
                "preferredVersion": {"version": "v1"},
            }
        ]
    }
    assert discovery.group_versions(groups) == [("g", "v1"), ("g", "v1beta1")]
    resources = [{"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]}, {"name": "pods/log"}]
    (pods,) = discovery.resource_list("", "v1", {"resources": resources})
    assert (pods.kind, pods.subresources) == ("Pod", {"log"})


def test_a_plain_list_becomes_a_table() -> None:
    found = parse_table(
        {"kind": "PodList", "metadata": {"resourceVersion": "5"}, "items": [{"metadata": {"name": "a"}}]}
    )
    assert [column.name for column in found.columns] == ["Name", "Age"]
    assert found.rows[0].cells == ("a", None)


def test_a_proxys_page_is_not_shown_to_users() -> None:
    error = errors.from_answer(502, b"<html>secret</html>")
    assert isinstance(error, errors.ServerError)
    assert str(error) == "the API server answered 502"


def test_how_long_to_wait_is_kept() -> None:
    error = errors.from_answer(429, b"{}", "7")
    assert isinstance(error, errors.TooManyRequests)
    assert error.retry_after == 7


def test_a_schema_brings_what_it_refers_to() -> None:
    document = b"""{"components": {"schemas": {
      "x.Pod": {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}],
        "properties": {"a": {"$ref": "#/components/schemas/x.A"}}},
      "x.A": {"properties": {"self": {"$ref": "#/components/schemas/x.A"}, "b": {"$ref":"#/components/schemas/x.B"}}},
      "x.B": {"type": "string"}, "x.C": {"type": "string"}}}}"""
    found = catalog.pick_schema(document, PODS)
    assert found is not None
    assert sorted(found["components"]["schemas"]) == ["x.A", "x.B"]
    assert catalog.pick_schema(document, ROLES) is None


def test_a_schema_whose_address_just_changed() -> None:
    """kube-apiserver answers an old hash with 301; the index is read again."""
    index = b'{"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=%s"}}}'
    document = b"""{"components": {"schemas": {"x.Pod": {
      "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}], "type": "object"}}}}"""
    asked: list[str] = []

    def send(request: requests.ApiRequest) -> transport.Answer:
        asked.append("&".join(f"{name}={value}" for name, value in request.query))
        if request.path == "/openapi/v3":
            return transport.Answer(200, {}, index % (b"new" if len(asked) > 1 else b"old"))
        return transport.Answer(200, {}, document) if "hash=new" in asked[-1] else transport.Answer(301, {}, b"")

    found = catalog.SchemaCache(send).schema(PODS)
    assert found is not None and found["type"] == "object"
    assert asked == ["", "hash=old", "", "hash=new"]


@pytest.mark.parametrize(
    ("kind", "plural", "words"),
    [
        ("Pod", "pods", "Pods"),
        ("NetworkPolicy", "networkpolicies", "NetworkPolicies"),
        ("Endpoints", "endpoints", "Endpoints"),
        ("SampleDB", "sampledbs", "SampleDBs"),
        ("Person", "people", "Person"),
    ],
)
def test_a_kind_in_the_plural(kind: str, plural: str, words: str) -> None:
    assert ResourceType(group="", version="v1", plural=plural, kind=kind, namespaced=True).kinds == words


def test_a_kind_that_has_no_published_schema_yet_has_that_of_its_definition() -> None:
    lions = ResourceType(group="zoo.example", version="v1", plural="lions", kind="Lion", namespaced=True)
    definition = b"""{"spec": {"versions": [
      {"name": "v0"}, {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]}}"""
    answers = {
        "/openapi/v3": b'{"paths": {}}',
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lions.zoo.example": definition,
    }
    asked: list[str] = []

    def send(request: requests.ApiRequest) -> transport.Answer:
        asked.append(request.path)
        return transport.Answer(200, {}, answers[request.path])

    cache = catalog.SchemaCache(send)
    assert cache.schema(lions) == {"type": "object"}
    assert cache.schema(ROLES) is None
    assert len(asked) == 2, "what is built in has no definition to read, and the index was read a moment ago"

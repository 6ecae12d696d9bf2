"""What is kept of a change, and what never is. Pure."""

from typing import Any

import msgspec
import pytest

from console.audit import entries, scene
from kube.config import ClusterConfig
from kube.recording import RequestTarget, Write, target

HERE = ClusterConfig(name="here", host="http://127.0.0.1", user="ann", token=lambda: "", tls=None)
DOTS = "••••••"


def write(before: Any, after: Any, plural: str = "widgets", group: str = "example.com") -> Write:
    """A patch that was taken."""
    sides = ({"kind": "X", **side} for side in (before, after))
    old, new = map(msgspec.json.encode, sides)
    return Write(
        config=HERE,
        target=RequestTarget(group=group, version="v1", plural=plural, namespace="shop", name="w"),
        method="PATCH",
        content_type="",
        body=b"{}",
        answer=new,
        before=old,
    )


@pytest.mark.parametrize(
    "spec",
    [
        {"password": "hunter2"},
        {"adminPassword": "hunter2"},
        {"apiKey": "hunter2", "secret_key": "hunter2", "clientSecret": "hunter2"},
        {"credentials": {"user": "hunter2", "more": [{"deep": "hunter2"}]}},
        {"passwords": ["hunter2", "other"]},
        {"tokens": [{"id": "hunter2"}, {"id": "hunter2-b"}]},
        {"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]},
        {"args": ["--password=hunter2", "--verbose"], "command": ["redis-server", "--requirepass", "hunter2"]},
        {"url": "postgres://me:hunter2@db:5432/x"},
        {"header": "Bearer hunter2hunter2"},
        {"text": "password: hunter2"},
        {"pem": "-----BEGIN RSA PRIVATE KEY----- hunter2"},
        {"file": "first line\npassword = hunter2\n"},
        {"jwt": "eyJhbGciOi.eyJzdWIiOi.hunter2"},
        {"token": 4711, "pin": {"password": 4711}},
    ],
)
def test_credentials_are_not_kept(spec: dict[str, Any]) -> None:
    for old, new in (({}, {"spec": spec}), ({"spec": spec}, {}), ({"spec": spec}, {"spec": {"password": "changed"}})):
        diff, number = entries.diff_of(write(old, new))
        assert number, (old, new)
        assert "hunter2" not in str(diff), diff
        assert "4711" not in str(diff), diff


def test_what_is_no_credential_is_told() -> None:
    spec = {"passwordSecretRef": {"name": "login", "key": "pw"}, "tokenExpirySeconds": 3600, "author": "ann"}
    diff, _number = entries.diff_of(write({}, {"spec": spec}))
    assert {path: after for path, _before, after in diff} == {
        "spec.passwordSecretRef.name": "login",
        "spec.passwordSecretRef.key": "pw",
        "spec.tokenExpirySeconds": "3600",
        "spec.author": "ann",
    }


def test_operations_of_a_patch_on_what_is_not_known() -> None:
    body = [
        {"op": "replace", "path": "/data/x", "value": "aHVudGVyMg=="},
        {"op": "add", "path": "/data", "value": {"y": "aHVudGVyMg=="}},
        {"op": "add", "path": "/metadata/labels/a~1b", "value": "c"},
        {"op": "replace", "path": "/spec/containers/0/env/0/value", "value": "hunter2"},
    ]
    made = Write(
        config=HERE,
        target=RequestTarget(group="", version="v1", plural="secrets", namespace="shop", name="w"),
        method="PATCH",
        content_type="",
        body=msgspec.json.encode(body),
        reason="Forbidden",
    )
    diff, number = entries.diff_of(made)
    assert number == 4
    assert "aHVudGVyMg" not in str(diff)
    assert "hunter2" not in str(diff)
    assert diff[2] == ["metadata.labels[a/b]", "?", "c"]


def test_it_has_bounds() -> None:
    spec = {f"field-{number}": "x" * 5000 for number in range(500)}
    diff, number = entries.diff_of(write({}, {"spec": spec}))
    assert (number, len(diff)) == (500, entries.FIELDS)
    assert len(msgspec.json.encode(diff)) < 10_000
    deep: Any = {}
    for _ in range(300):
        deep = {"a" * 200: deep, "b": 1}
    diff, _number = entries.diff_of(write({}, {"spec": deep}))
    assert len(msgspec.json.encode(diff)) < 30_000


def test_lists_of_named_things_and_words_that_no_database_takes() -> None:
    old = {"spec": {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y:1"}]}}
    new = {"spec": {"containers": [{"name": "b", "image": "y:2"}, {"name": "a", "image": "x:1", "tty": True}]}}
    diff, _number = entries.diff_of(write(old, new))
    assert sorted(diff) == [
        ["spec.containers[name=a].tty", "", "true"],
        ["spec.containers[name=b].image", "y:1", "y:2"],
    ]
    diff, _number = entries.diff_of(write({}, {"data": {"a": "\0b"}}))
    assert "\0" not in str(diff[0])


def test_what_the_server_writes_by_itself_is_not_an_act() -> None:
    metadata = {"resourceVersion": "1", "generation": 1, "managedFields": [], "uid": "u"}
    old, new = (
        {"metadata": metadata},
        {"metadata": {**metadata, "resourceVersion": "2", "generation": 2}, "status": {"a": 1}},
    )
    assert entries.diff_of(write(old, new)) == ([], 0)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (
            "/api/v1/namespaces/shop",
            RequestTarget(group="", version="v1", plural="namespaces", namespace="", name="shop"),
        ),
        (
            "/api/v1/namespaces/shop/finalize",
            RequestTarget(
                group="", version="v1", plural="namespaces", namespace="", name="shop", subresource="finalize"
            ),
        ),
        ("/api/v1/namespaces/shop/pods", RequestTarget(group="", version="v1", plural="pods", namespace="shop")),
        (
            "/api/v1/namespaces/shop/pods/a%2Fb/log",
            RequestTarget(group="", version="v1", plural="pods", namespace="shop", name="a/b", subresource="log"),
        ),
        (
            "/apis/apps/v1/namespaces/shop/deployments/web/scale",
            RequestTarget(
                group="apps", version="v1", plural="deployments", namespace="shop", name="web", subresource="scale"
            ),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/a",
            RequestTarget(
                group="rbac.authorization.k8s.io", version="v1", plural="clusterroles", namespace="", name="a"
            ),
        ),
        ("/version", None),
        ("/openapi/v3", None),
    ],
)
def test_what_an_address_names(path: str, found: RequestTarget | None) -> None:
    assert target(path) == found


@pytest.mark.parametrize(
    ("ref", "found", "rest"),
    [
        (
            "core/v1/pods shop/web",
            RequestTarget(group="", version="v1", plural="pods", namespace="shop", name="web"),
            "",
        ),
        (
            "apps/v1/deployments shop/",
            RequestTarget(group="apps", version="v1", plural="deployments", namespace="shop"),
            "",
        ),
        (
            "core/v1/namespaces shop",
            RequestTarget(group="", version="v1", plural="namespaces", namespace="", name="shop"),
            "",
        ),
        (
            "core/v1/secrets shop/login key=a b",
            RequestTarget(group="", version="v1", plural="secrets", namespace="shop", name="login"),
            "key=a b",
        ),
        ("catalog shop/mine", None, "catalog shop/mine"),
        ("sync of shop/mine", None, "sync of shop/mine"),
    ],
)
def test_what_a_line_of_the_log_names(ref: str, found: RequestTarget | None, rest: str) -> None:
    assert scene.target_in_text(ref) == (found, rest)

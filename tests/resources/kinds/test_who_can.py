"""Permissions as granted by roles and bindings: subresources, names, wildcards, groups of kinds, and what can't be
read.
"""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.reader import read
from kube.types.cluster import Role
from resources.whocan import Question, ask, names_of
from tests.resources.kinds.test_pages import Make, make

__all__ = ["make"]
RBAC = "rbac.authorization.k8s.io"


def rule(verbs: str, groups: str, resources: str, names: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"verbs": verbs.split(), "apiGroups": groups.split(","), "resources": resources.split()}
    return {**found, "resourceNames": names.split()} if names else found


@pytest.mark.parametrize(
    ("rules", "question", "names"),
    [
        ([rule("get list", "", "pods")], Question("get", "", "pods"), ()),
        ([rule("get list", "", "pods")], Question("delete", "", "pods"), None),
        ([rule("get", "", "pods")], Question("get", "apps", "pods"), None),
        ([rule("*", "*", "*")], Question("create", "x.example", "things/scale"), ()),
        ([rule("get", "", "pods")], Question("get", "", "pods/log"), None),
        ([rule("get", "", "*/log")], Question("get", "", "pods/log"), ()),
        (
            [rule("get", "", "secrets", "a b"), rule("get", "", "secrets", "c")],
            Question("get", "", "secrets"),
            ("a", "b", "c"),
        ),
        ([rule("get", "", "secrets", "a"), rule("get", "", "secrets")], Question("get", "", "secrets"), ()),
        ([{"verbs": "get", "apiGroups": None, "resources": 3}, "x"], Question("get", "", "pods"), None),
    ],
)
def test_rules(rules: list[Any], question: Question, names: tuple[str, ...] | None) -> None:
    assert names_of(read({"rules": rules}, Role), question) == names


def test_who_can(browser: Client, client: ClusterClient, make: Make, namespace: str) -> None:
    make(
        f"{RBAC}/v1",
        "Role",
        "reader",
        rules=[{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]}],
    )
    reference = {"apiGroup": RBAC, "kind": "Role", "name": "reader"}
    subjects = [
        {"kind": "User", "apiGroup": RBAC, "name": "alice"},
        {"kind": "ServiceAccount", "name": "bot", "namespace": namespace},
    ]
    bound = make(f"{RBAC}/v1", "RoleBinding", "reads", roleRef=reference, subjects=subjects)
    found = ask(client, Question("get", "", "secrets", namespace))
    mine = {(way.subject, way.names, way.namespace) for way in found.ways if way.binding == "reads"}
    assert mine == {("alice", ("one",), namespace), ("bot", ("one",), namespace)}
    assert any(way.role == "cluster-admin" and not way.names for way in found.ways)
    assert not found.gaps
    page = browser.get("/resources/who-can/", {"verb": "get", "resource": "secrets", "namespace": namespace})
    text = page.content.decode()
    assert page.status_code == 200
    assert "user alice" in text
    assert f'href="{bound}"' in text
    assert "You have this permission, according to the API server." in text
    other = browser.get("/resources/who-can/", {"verb": "list", "resource": "secrets", "namespace": namespace})
    assert "user alice" not in other.content.decode()


def test_questions_that_are_none(browser: Client) -> None:
    assert browser.get("/resources/who-can/").status_code == 200
    answer = browser.get("/resources/who-can/", {"verb": "get", "resource": "<b>"})
    assert answer.status_code == 422
    assert "&lt;b&gt;" in answer.content.decode()


@pytest.mark.parametrize("query", [{"resource": "pods"}, {"kind": "pods"}, {"kind": "Pod"}, {"resource": "po"}])
def test_o17_the_kind_is_not_ignored(browser: Client, query: dict[str, str]) -> None:
    """O17: `kind` is `resource`, and both are as kubectl takes them; an unknown type is reported."""
    page = browser.get("/resources/who-can/", {"verb": "get", **query})
    assert page.status_code == 200
    assert page.context["page"].table is not None
    assert browser.get("/resources/who-can/", {"kind": "nothing-like-it"}).status_code == 422

"""What an operator asks for: said once, in plain words, the dangerous first."""

import time
from pathlib import Path
from typing import Any

import pytest

from operatorhub.bundle import permissions
from resources import yamltext


def csv(
    *cluster: dict[str, Any], namespaced: tuple[dict[str, Any], ...] = (), own: str = "", account: str = "op"
) -> dict[str, Any]:
    def permissions(rules: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
        return [{"serviceAccountName": account, "rules": list(rules)}] if rules else []

    owned = {"owned": [{"name": f"things.{own}", "kind": "Thing", "version": "v1"}]} if own else {}
    spec = {"clusterPermissions": permissions(cluster), "permissions": permissions(namespaced)}
    return {"spec": {"install": {"spec": spec}, "customresourcedefinitions": owned}}


def rule(verbs: str, resources: str, groups: str = "", names: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {
        "verbs": verbs.split(),
        "resources": resources.split(),
        "apiGroups": groups.split() or [""],
    }
    return {**found, "resourceNames": names.split()} if names else found


ALL = rule("*", "*", "*")
RBAC = "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (rule("get list watch create update patch delete", "secrets"), "Can read and write Secrets in all namespaces"),
        (rule("get", "secrets configmaps", names="a"), "Can read ConfigMaps and Secrets named a in all namespaces"),
        (rule("list", "nodes"), "Can read Nodes in the whole cluster"),
        (
            rule("*", "deployments statefulsets", "apps"),
            "Can perform any action on Deployments and StatefulSets in all namespaces",
        ),
        (rule("create patch", "events"), "Can create and change Events in all namespaces"),
        (rule("get", "pods/log"), "Can read Pods/log in all namespaces"),
        (
            rule("update", "things/finalizers", "example.org"),
            "Can change things/finalizers of example.org in the whole cluster",
        ),
        (
            rule("use", "securitycontextconstraints", "security.openshift.io", "restricted"),
            "Can use SecurityContextConstraints named restricted in the whole cluster",
        ),
        (ALL, "Can perform any action on all resource types of all API groups in the whole cluster"),
        ({"verbs": ["get"], "nonResourceURLs": ["/metrics"]}, "Can read the API server paths /metrics"),
    ],
)
def test_sentences(asked: dict[str, Any], words: str) -> None:
    assert words in [item.words for item in permissions.asked(csv(asked))]


def test_namespaced_ones_hold_where_it_watches() -> None:
    (item,) = permissions.asked(csv(namespaced=(rule("get", "pods"),)))
    assert item.words == "Can read Pods in the namespaces it watches"


@pytest.mark.parametrize(
    ("asked", "danger", "cause"),
    [
        (rule("get", "secrets"), "high", "secrets"),
        (rule("delete", "secrets"), "", ""),
        (rule("escalate", "clusterroles", RBAC), "critical", "escalate"),
        (rule("bind", "clusterroles", RBAC), "critical", "bind"),
        (rule("bind", "clusterroles", RBAC, "view"), "high", "bind"),
        (rule("*", "roles", RBAC), "critical", "escalate"),
        (rule("create", "rolebindings", RBAC), "high", "bindings"),
        (rule("impersonate", "users"), "critical", "impersonate"),
        (rule("create", "pods/exec"), "high", "exec"),
        (rule("get", "nodes/proxy"), "critical", "node-proxy"),
        (rule("create", "serviceaccounts/token"), "critical", "token"),
        (rule("patch", "customresourcedefinitions", "apiextensions.k8s.io"), "high", "crds"),
        (rule("get list", "customresourcedefinitions", "apiextensions.k8s.io"), "", ""),
        (rule("create", "validatingwebhookconfigurations", "admissionregistration.k8s.io"), "high", "webhooks"),
        (rule("get list watch", "*", "*"), "high", "read-everything"),
        (rule("update", "*", "apps"), "high", "every-resource"),
        (rule("get", "*", "apps"), "", ""),
        (rule("*", "*", "example.org"), "", ""),
        (rule("create delete", "pods services configmaps"), "", ""),
        (ALL, "critical", "everything"),
    ],
)
def test_dangers(asked: dict[str, Any], danger: str, cause: str) -> None:
    (item,) = permissions.asked(csv(asked, own="example.org"))
    assert (item.danger, item.cause) == (danger, cause)
    assert bool(item.why) == bool(danger)


def test_the_dangerous_part_of_a_rule_is_a_right_of_its_own_and_comes_first() -> None:
    found = permissions.asked(csv(rule("get list", "pods secrets services")))
    assert [item.resources for item in found] == [("secrets",), ("pods", "services")]


def test_a_group_that_is_null_is_the_core_group() -> None:
    """As OLM reads it: a bundle could hide with it what it asks for."""
    (right,) = permissions.asked(csv({"verbs": ["get"], "apiGroups": [None], "resources": ["secrets"]}))
    assert right.words == "Can read Secrets in all namespaces" and right.danger


def test_what_is_said_twice_is_said_once() -> None:
    found = permissions.asked(
        csv(
            rule("get", "pods"),
            rule("list", "pods"),
            rule("*", "services"),
            rule("get", "services", names="a"),
            namespaced=(rule("get", "pods"),),
        )
    )
    assert [(item.verbs, item.resources) for item in found] == [(("get", "list"), ("pods",)), (("*",), ("services",))]


def test_levels() -> None:
    assert permissions.level(permissions.asked(csv(ALL))) == "cluster-admin"
    assert permissions.level(permissions.asked(csv(namespaced=(ALL,)))) == "elevated"
    assert permissions.level(permissions.asked(csv(rule("get", "secrets")))) == "elevated"
    assert permissions.level(permissions.asked(csv(rule("get", "pods")))) == ""
    assert permissions.level(permissions.asked({})) == ""


def test_everything_includes_everything_else() -> None:
    assert len(permissions.asked(csv(rule("get", "secrets"), ALL, rule("escalate", "roles", RBAC)))) == 1


def test_what_an_update_adds_and_takes_away() -> None:
    old = csv(rule("get list", "pods secrets"), rule("*", "things", "example.org"))
    new = csv(rule("get list create", "pods"), rule("get", "things", "example.org"), account="renamed")
    added, removed = permissions.diff(old, new)
    assert [(item.verbs, item.resources) for item in added] == [(("create",), ("pods",))]
    assert [item.resources for item in removed] == [("secrets",), ("things",)]
    assert permissions.diff(old, csv(ALL))[1] == ()
    assert permissions.diff(csv(ALL), old)[0] == ()
    assert permissions.diff(old, old) == ((), ())


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"spec": None},
        {"spec": {"install": []}},
        {"spec": {"install": {"spec": {"permissions": "x"}}}},
        {
            "spec": {
                "install": {
                    "spec": {"permissions": [{"rules": [{"verbs": 3, "resources": None, "apiGroups": "x"}]}, None]}
                }
            }
        },
    ],
)
def test_odd_ones_are_no_error(odd: dict[str, Any]) -> None:
    assert permissions.asked(odd) == ()


def test_nothing_hides_in_length() -> None:
    many = " ".join(f"r{number}" for number in range(300))
    started = time.process_time()
    found = permissions.asked(csv(rule("get", many, many)))
    assert permissions.level(found) == "cluster-admin"
    assert time.process_time() - started < 1


def test_all_real_bundles(real_catalog: Path) -> None:
    levels: dict[str, int] = {}
    spent, bundles = 0.0, 0
    for file in sorted(real_catalog.glob("*/*/csv.yaml")):
        text = file.read_text()
        start = min((at for at in (text.find("\nspec:\n"), text.find("\nspec: ")) if at >= 0), default=0)
        found = yamltext.load(text[start:].split("\nstatus:")[0]) if start else yamltext.load(text)
        bundles += 1
        started = time.process_time()
        rights = permissions.asked(found)
        spent += time.process_time() - started
        level = permissions.level(rights)
        levels[level] = levels.get(level, 0) + 1
        ranks = [("critical", "high", "").index(right.danger) for right in rights]
        assert ranks == sorted(ranks), file
        assert all(right.words for right in rights)
        assert permissions.diff(found, found) == ((), ()), file
    assert bundles == 297
    assert levels["cluster-admin"] == 5
    assert levels["elevated"] > 250
    assert spent < 5

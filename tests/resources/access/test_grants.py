"""Bindings become people, groups and service accounts with their roles."""

from typing import Any

from resources import access
from resources.access import ACCOUNT, CUSTOM, GROUP, USER, Subject, level_of, members, without

RBAC = "rbac.authorization.k8s.io"


def binding(
    name: str, role: str, *subjects: dict[str, str], namespace: str = "shop", role_kind: str = "ClusterRole"
) -> dict[str, Any]:
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {
            "name": name,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            **({"namespace": namespace} if namespace else {}),
        },
        "roleRef": {"apiGroup": RBAC, "kind": role_kind, "name": role},
        "subjects": list(subjects),
    }


def user(name: str) -> dict[str, str]:
    return {"kind": "User", "apiGroup": RBAC, "name": name}


def group(name: str) -> dict[str, str]:
    return {"kind": "Group", "apiGroup": RBAC, "name": name}


def account(name: str, namespace: str = "") -> dict[str, str]:
    return {"kind": "ServiceAccount", "name": name, **({"namespace": namespace} if namespace else {})}


def test_people_come_first_then_groups_then_service_accounts() -> None:
    found = members([binding("all", "edit", account("ci"), group("devs"), user("zoe"), user("Anna"))])
    assert [member.subject for member in found] == [
        Subject(USER, "Anna"),
        Subject(USER, "zoe"),
        Subject(GROUP, "devs"),
        Subject(ACCOUNT, "ci", "shop"),
    ]


def test_several_bindings_of_somebody_are_one_row() -> None:
    found = members(
        [
            binding("cluster", "view", user("anna"), namespace=""),
            binding("reader", "view", user("anna")),
            binding("boss", "admin", user("anna"), user("anna")),
        ]
    )
    assert len(found) == 1
    assert [(grant.binding, grant.everywhere) for grant in found[0].grants] == [
        ("boss", False),
        ("reader", False),
        ("cluster", True),
    ]
    assert dict(found[0].marks) == {"view": "granted", "edit": "included", "admin": "granted", CUSTOM: ""}


def test_other_roles_are_custom_aggregated_ones_too() -> None:
    assert level_of("ClusterRole", "argocd-admin") == CUSTOM
    assert level_of("Role", "admin") == CUSTOM
    assert level_of("ClusterRole", "cluster-admin") == "admin"
    [member] = members([binding("apps", "argocd-aggregate-to-edit", user("anna"))])
    assert dict(member.marks) == {"view": "", "edit": "", "admin": "", CUSTOM: "granted"}


def test_a_service_account_by_its_name_as_a_user_is_the_account() -> None:
    name = "system:serviceaccount:ci:deployer"
    [member] = members([binding("a", "edit", user(name)), binding("b", "view", account("deployer", "ci"))])
    assert member.subject == Subject(ACCOUNT, "deployer", "ci")
    assert member.subject.user_name == name
    assert without(binding("a", "edit", user(name), user("anna")), member.subject) == [user("anna")]


def test_what_strangers_write_breaks_nothing() -> None:
    odd: list[Any] = [
        {"metadata": {"name": "odd", "namespace": "shop"}, "subjects": "none", "roleRef": None},
        {"metadata": {"name": "odder"}, "subjects": [None, {"kind": 3}, {"kind": "Robot", "name": "r"}, user("")]},
    ]
    assert members(odd) == ()


def test_the_control_planes_own_are_told_apart() -> None:
    found = members(
        [
            binding("nodes", "system:node", group("system:nodes"), namespace=""),
            binding("given", "view", group("system:authenticated")),
        ]
    )
    assert {member.subject.name: member.is_system for member in found} == {
        "system:nodes": True,
        "system:authenticated": False,
    }


def rule(verbs: str, group_: str, resources: str) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": [group_], "resources": resources.split()}


def test_a_role_is_told_by_its_rules() -> None:
    reader = {"rules": [rule("get list watch", "", "pods pods/log configmaps")]}
    assert access.role_sentences(reader) == access.level_sentences("view")
    editor = {
        "rules": [
            rule("create update delete", "apps", "deployments"),
            rule("get create", "argoproj.io", "argocds argocds/status"),
            rule("get", "", "pods secrets pods/log"),
            rule("create", "", "pods/exec"),
        ]
    }
    words = access.role_sentences(editor)
    assert set(access.level_sentences("edit")) < set(words)
    assert any("argocds" in sentence for sentence in words)
    assert access.role_sentences({"rules": [rule("use", "policy", "things")]})
    assert access.role_sentences({}) == ()

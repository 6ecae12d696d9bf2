"""Access: roles and bindings, reviews, refusals, impersonation"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.api import Answer, Api, config_map

from .observations import Seen

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"
Grant = Callable[..., None]

READ_MAPS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}


@pytest.fixture
def user(seen: Seen) -> str:
    """The name of a user without any permission yet."""
    name = f"user-{uuid4().hex[:8]}"
    seen.alias("user", name)
    return name


@pytest.fixture
def grant(api: Api, namespace: str, seen: Seen) -> Iterator[Grant]:
    """``grant(rules, subject)`` in the namespace; ``cluster=True`` everywhere.

    What is cluster-scoped goes afterwards.
    """
    made: list[str] = []

    def grant(rules: list[dict[str, Any]], *subjects: dict[str, str], cluster: bool = False) -> None:
        name = f"conformance-{uuid4().hex[:8]}"
        seen.alias("role", name)
        kind = "ClusterRole" if cluster else "Role"
        place = RBAC if cluster else f"{RBAC}/namespaces/{namespace}"
        role = api.post(f"{place}/{kind.lower()}s", {"metadata": {"name": name}, "rules": rules})
        binding = {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
            "subjects": list(subjects),
        }
        assert [role.status, api.post(f"{place}/{kind.lower()}bindings", binding).status] == [201, 201]
        if cluster:
            made.extend([f"{place}/clusterrolebindings/{name}", f"{place}/clusterroles/{name}"])

    yield grant
    for path in made:
        api.delete(path)


def person(name: str) -> dict[str, str]:
    return {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": name}


def allowed(api: Api, path: str, status: int = 200) -> Answer:
    """The answer once the rights have arrived: the real server learns of them a moment after they are written."""
    for _ in range(200):
        answer = api.get(path)
        if answer.status == status:
            return answer
    raise AssertionError(f"{path}: {answer.status} {answer.raw[:500]!r}")


def test_refusals(seen: Seen, api: Api, maps: str, namespace: str, user: str) -> None:
    """A refusal names the user, the verb, the resource and the namespace"""
    nobody = api.user(user)
    seen("get", nobody.get(f"{maps}/a"))
    seen("list", nobody.get(maps))
    seen("list everywhere", nobody.get("/api/v1/configmaps"))
    seen("watch", nobody.get(f"{maps}?watch=1"))
    seen("create", nobody.post(maps, config_map("a")))
    seen("update", nobody.put(f"{maps}/a", config_map("a")))
    seen("patch", nobody.patch(f"{maps}/a", {}))
    seen("delete", nobody.delete(f"{maps}/a"))
    seen("deletecollection", nobody.delete(maps))
    seen("a subresource", nobody.get(f"/api/v1/namespaces/{namespace}/pods/a/log"))
    seen("exec", nobody.post(f"/api/v1/namespaces/{namespace}/pods/a/exec?command=ls", None))
    seen("a group's resource", nobody.get(f"/apis/apps/v1/namespaces/{namespace}/deployments"))
    seen("scale", nobody.patch(f"/apis/apps/v1/namespaces/{namespace}/deployments/a/scale", {}))
    seen("a cluster's resource", nobody.get("/api/v1/nodes"))
    seen("one of them", nobody.get("/api/v1/nodes/a"))
    seen("a namespace", nobody.get(f"/api/v1/namespaces/{namespace}"))
    seen("namespaces", nobody.get("/api/v1/namespaces"))
    seen("create a namespace", nobody.post("/api/v1/namespaces", {"metadata": {"name": "a"}}))
    seen("a type that is not there", nobody.get("/apis/none.example/v1/things"))
    seen("a path", nobody.get("/metrics"))
    seen("in a namespace that is not there", nobody.get("/api/v1/namespaces/none-such/pods"))


def test_open_paths(seen: Seen, api: Api, user: str) -> None:
    """Every authenticated user can read the discovery documents and the version"""
    nobody = api.user(user, "system:authenticated")
    for path in (
        "/api",
        "/apis",
        "/api/v1",
        "/apis/apps/v1",
        "/version",
        "/healthz",
        "/livez",
        "/readyz",
    ):
        seen(path, nobody.get(path), only=["kind"])


def test_grants(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """A Role gives rights in its namespace only, a ClusterRole everywhere; rights add up"""
    me = api.user(user)
    api.post(maps, config_map("a", k="v"))
    grant([READ_MAPS], person(user))
    allowed(me, f"{maps}/a")
    seen("list", me.get(maps), only=["kind"])
    seen("not to watch", me.get(f"{maps}?watch=1"))
    seen("not elsewhere", me.get("/api/v1/namespaces/default/configmaps"))
    seen("not everywhere", me.get("/api/v1/configmaps"))
    seen("not to create", me.post(maps, config_map("b")))
    grant([{"apiGroups": ["*"], "resources": ["configmaps"], "verbs": ["*"]}], person(user))
    api_can = allowed(me, f"{maps}?resourceVersion=0")
    assert api_can.status == 200
    for _ in range(200):
        created = me.post(maps, config_map("b"))
        if created.status == 201:
            break
    seen("create", created)
    grant([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}], person(user), cluster=True)
    seen("nodes", allowed(me, "/api/v1/nodes"), only=["kind"])


def test_names_and_subresources(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """resourceNames, subresources and paths are granted one by one"""
    me = api.user(user)
    for name in ("a", "b"):
        api.post(maps, config_map(name))
    grant(
        [
            {
                "apiGroups": [""],
                "resources": ["configmaps"],
                "resourceNames": ["a"],
                "verbs": ["get", "list", "delete"],
            },
            {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        ],
        person(user),
    )
    allowed(me, f"{maps}/a")
    seen("another name", me.get(f"{maps}/b"))
    seen("list without a name", me.get(maps))
    seen("list of the name", me.get(f"{maps}?fieldSelector=metadata.name=a"), only=["kind", "items.metadata.name"])
    seen("the log of no Pod", me.get(f"/api/v1/namespaces/{namespace}/pods/none/log"))
    seen("the Pod", me.get(f"/api/v1/namespaces/{namespace}/pods/none"))
    grant([{"nonResourceURLs": ["/conformance/*"], "verbs": ["get"]}], person(user), cluster=True)
    seen("a path", allowed(me, "/conformance/x", 404))
    seen("another path", me.get("/other"))


def test_groups_and_accounts(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """Rights come by user, by group, and by ServiceAccount; every account is in the groups of its namespace"""
    api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "robot"}})
    grant([READ_MAPS], {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": f"{user}-group"})
    seen("by group", allowed(api.user(user, f"{user}-group"), maps), only=["kind"])
    seen("of another group", api.user(user, "others").get(maps))
    robot = api.user(f"system:serviceaccount:{namespace}:robot")
    seen("an account", robot.get(maps))
    grant([READ_MAPS], {"kind": "ServiceAccount", "name": "robot", "namespace": namespace})
    seen("the account", allowed(robot, maps), only=["kind"])
    every = {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": f"system:serviceaccounts:{namespace}"}
    grant([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}], every)
    other = api.user(f"system:serviceaccount:{namespace}:default")
    seen("all accounts of the namespace", allowed(other, f"/api/v1/namespaces/{namespace}/secrets"), only=["kind"])


def review(api: Api, kind: str, spec: dict[str, Any], namespace: str = "") -> Answer:
    where = f"{REVIEWS}/namespaces/{namespace}" if namespace else REVIEWS
    return api.post(f"{where}/{kind.lower()}s", {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec})


def test_reviews(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """Access reviews answer whether a user has a permission, and by which binding"""
    me = api.user(user)
    grant([READ_MAPS], person(user))
    allowed(me, maps)
    get = {"namespace": namespace, "verb": "get", "resource": "configmaps", "name": "a"}
    mine = "SelfSubjectAccessReview"
    seen("mine", review(me, mine, {"resourceAttributes": get}))
    seen("mine, not", review(me, mine, {"resourceAttributes": get | {"verb": "delete"}}))
    seen("mine, elsewhere", review(me, mine, {"resourceAttributes": get | {"namespace": "default"}}))
    seen("mine, a subresource", review(me, mine, {"resourceAttributes": get | {"subresource": "status"}}))
    # Two bindings allow it, and either may be named.
    version = {"nonResourceAttributes": {"path": "/version", "verb": "get"}}
    seen("mine, a path", review(me, mine, version), without=["status.reason"])
    seen("mine, nothing asked", review(me, mine, {}))
    both = {"resourceAttributes": get, "nonResourceAttributes": {"path": "/version", "verb": "get"}}
    seen("mine, two things asked", review(me, mine, both))
    seen("the admin's", review(api, mine, {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}))
    other = "SubjectAccessReview"
    seen("of a user", review(api, other, {"user": user, "resourceAttributes": get}))
    seen("of a group", review(api, other, {"groups": ["system:masters"], "resourceAttributes": get}))
    seen("of nobody", review(api, other, {"resourceAttributes": get}))
    seen("of a user, by that user", review(me, other, {"user": user, "resourceAttributes": get}))
    local = "LocalSubjectAccessReview"
    seen("local", review(api, local, {"user": user, "resourceAttributes": get}, namespace))
    wrong = {"user": user, "resourceAttributes": get | {"namespace": "default"}}
    seen("local, of another namespace", review(api, local, wrong, namespace))


def _rules(body: Any) -> list[str]:
    return sorted(str(sorted(rule.items())) for rule in body)


def test_rules_review(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """SelfSubjectRulesReview lists one's rules in a namespace"""
    me = api.user(user)
    grant([READ_MAPS], person(user))
    allowed(me, maps)
    answer = review(me, "SelfSubjectRulesReview", {"namespace": namespace})
    status = answer.json["status"]
    assert READ_MAPS in [{key: rule[key] for key in READ_MAPS} for rule in status["resourceRules"]]
    seen("the answer", answer, without=["status"])
    seen.value("rules", _rules(status["resourceRules"]))
    seen.value("paths", _rules(status["nonResourceRules"]))
    seen.value("incomplete", status["incomplete"])
    seen("without a namespace", review(me, "SelfSubjectRulesReview", {}))


def test_aggregation(seen: Seen, api: Api, maps: str, namespace: str, user: str) -> None:
    """A ClusterRole with an aggregationRule has the rules of those that its selector finds"""
    label = f"conformance.example/{user}"
    part, whole = f"{user}-part", f"{user}-whole"
    rule = {"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}
    try:
        created = api.post(f"{RBAC}/clusterroles", {"metadata": {"name": whole}, "aggregationRule": rule})
        seen("at first", created, only=["rules", "aggregationRule"])
        api.post(f"{RBAC}/clusterroles", {"metadata": {"name": part, "labels": {label: "true"}}, "rules": [READ_MAPS]})
        body = api.until(f"{RBAC}/clusterroles/{whole}", lambda body: body.get("rules"))
        seen.value("with its part", body["rules"])
        api.delete(f"{RBAC}/clusterroles/{part}")
        body = api.until(f"{RBAC}/clusterroles/{whole}", lambda body: not body.get("rules"))
        seen.value("without", body.get("rules"))
    finally:
        for name in (part, whole):
            api.delete(f"{RBAC}/clusterroles/{name}")


def test_escalation(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """A user can't grant permissions that they don't have"""
    me = api.user(user)
    rights = [
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["*"]},
        READ_MAPS,
    ]
    grant([rights[0] | {"verbs": ["create", "update", "get"]}, READ_MAPS], person(user))
    allowed(me, maps)
    roles, bindings = f"{RBAC}/namespaces/{namespace}/roles", f"{RBAC}/namespaces/{namespace}/rolebindings"
    seen("what one has", me.post(roles, {"metadata": {"name": "mine"}, "rules": [READ_MAPS]}))
    more = [{"apiGroups": [""], "resources": ["secrets", "pods"], "verbs": ["get", "list"]}]
    seen("more", me.post(roles, {"metadata": {"name": "more"}, "rules": more}))
    seen(
        "everything",
        me.post(
            roles, {"metadata": {"name": "all"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}
        ),
    )

    def bind(name: str, kind: str, role: str) -> dict[str, Any]:
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role}
        return {"metadata": {"name": name}, "roleRef": reference, "subjects": [person(user)]}

    seen("a binding to what one has", me.post(bindings, bind("mine", "Role", "mine")))
    seen("a binding to a Role that is not there", me.post(bindings, bind("none", "Role", "none")))
    refused = me.post(bindings, bind("admin", "ClusterRole", "cluster-admin"))
    seen("a binding to more", refused)
    assert refused.status == 403


def test_roles(seen: Seen, api: Api, namespace: str, user: str) -> None:
    """Rules and references that are refused; a binding keeps its role"""
    roles, bindings = f"{RBAC}/namespaces/{namespace}/roles", f"{RBAC}/namespaces/{namespace}/rolebindings"
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}
    seen(
        "no verbs", api.post(roles, {"metadata": {"name": "a"}, "rules": [{"apiGroups": [""], "resources": ["pods"]}]})
    )
    seen(
        "no groups", api.post(roles, {"metadata": {"name": "a"}, "rules": [{"verbs": ["get"], "resources": ["pods"]}]})
    )
    seen("no resources", api.post(roles, {"metadata": {"name": "a"}, "rules": [{"verbs": ["get"], "apiGroups": [""]}]}))
    paths = {"metadata": {"name": "a"}, "rules": [{"nonResourceURLs": ["/x"], "verbs": ["get"]}]}
    seen("paths in a Role", api.post(roles, paths))
    seen("a name with a colon", api.post(roles, {"metadata": {"name": "system:a"}, "rules": []}))
    seen("a name with a slash", api.post(roles, {"metadata": {"name": "a/b"}, "rules": []}))
    binding = {"metadata": {"name": "a"}, "roleRef": reference, "subjects": [person(user)]}
    seen("create", api.post(bindings, binding))
    seen("another role", api.patch(f"{bindings}/a", {"roleRef": {"name": "b"}}))
    for name, change in {
        "no role": {"roleRef": {}},
        "an unknown kind of role": {"roleRef": reference | {"kind": "Rule"}},
        "a subject without a name": {"subjects": [{"kind": "User"}]},
        "an unknown kind of subject": {"subjects": [person("x") | {"kind": "Person"}]},
        "an account without a namespace": {"subjects": [{"kind": "ServiceAccount", "name": "x"}]},
        "no subjects": {"subjects": []},
    }.items():
        seen(name, api.post(f"{bindings}?dryRun=All", binding | {"metadata": {"name": "b"}} | change))

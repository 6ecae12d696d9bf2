"""Who may do what: tokens, impersonation, RBAC, reviews."""

from tests.api import Api, config_map

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"


def _bind(api: Api, namespace: str, subject: dict, *verbs: str, resource: str = "configmaps") -> None:
    rule = {"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}
    path = f"{RBAC}/namespaces/{namespace}"
    assert api.post(f"{path}/roles", {"metadata": {"name": "r"}, "rules": [rule]}).status == 201
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}
    body = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [subject]}
    assert api.post(f"{path}/rolebindings", body).status == 201


def test_without_a_token(api: Api) -> None:
    nobody = Api(api.kubeconfig, token="")
    assert nobody.get("/api/v1/namespaces").status == 403
    assert Api(api.kubeconfig, token="wrong").get("/api").json["message"] == "Unauthorized"
    assert nobody.get("/readyz").raw == b"ok"
    assert nobody.get("/version").json["gitVersion"] == "v1.36.3+sandbox"


def test_a_stranger_may_look_at_discovery_only(api: Api, maps: str) -> None:
    stranger = api.user("stranger")
    assert stranger.get("/apis").status == 200
    refused = stranger.get(f"{maps}/a")
    namespace = maps.split("/")[4]
    assert (refused.status, refused.json["reason"]) == (403, "Forbidden")
    assert refused.message == (
        f'configmaps "a" is forbidden: User "stranger" cannot get resource "configmaps" in API group "" '
        f'in the namespace "{namespace}"'
    )
    assert stranger.get("/api/v1/nodes").message == (
        'nodes is forbidden: User "stranger" cannot list resource "nodes" in API group "" at the cluster scope'
    )
    assert stranger.get("/metrics").message == 'forbidden: User "stranger" cannot get path "/metrics"'


def test_a_role_binding_counts_in_its_namespace(api: Api, namespace: str, maps: str) -> None:
    _bind(api, namespace, {"kind": "User", "name": "dev"}, "get", "list")
    api.post(maps, config_map("a"))
    dev = api.user("dev")
    assert dev.get(f"{maps}/a").status == 200
    assert dev.delete(f"{maps}/a").status == 403
    assert dev.get("/api/v1/configmaps").status == 403
    assert dev.get(f"{maps}?watch=1").status == 403


def test_groups_and_well_known_roles(api: Api, namespace: str, maps: str) -> None:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    body = {"metadata": {"name": "v"}, "roleRef": reference, "subjects": [{"kind": "Group", "name": "viewers"}]}
    api.post(f"{RBAC}/namespaces/{namespace}/rolebindings", body)
    viewer = api.user("ann", "viewers")
    assert viewer.get(maps).status == 200
    assert viewer.get(f"/api/v1/namespaces/{namespace}/secrets").status == 403
    assert viewer.post(maps, config_map("a")).status == 403


def test_a_binding_cannot_change_its_role(api: Api, namespace: str) -> None:
    _bind(api, namespace, {"kind": "User", "name": "dev"}, "get")
    refused = api.patch(f"{RBAC}/namespaces/{namespace}/rolebindings/b", {"roleRef": {"name": "other"}})
    assert refused.causes == [("roleRef", "FieldValueInvalid")]


def test_service_account_tokens(api: Api, namespace: str, maps: str) -> None:
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.post(accounts, {"metadata": {"name": "robot"}})
    _bind(api, namespace, {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}, "create")
    asked = api.post(f"{accounts}/robot/token", {"spec": {"expirationSeconds": 600}})
    assert asked.status == 201
    robot = Api(api.kubeconfig, token=asked.json["status"]["token"])
    assert robot.post(maps, config_map("a")).status == 201
    assert robot.get(maps).status == 403
    who = robot.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}).json["status"]["userInfo"]
    assert who["username"] == f"system:serviceaccount:{namespace}:robot"
    assert f"system:serviceaccounts:{namespace}" in who["groups"]
    api.delete(f"{accounts}/robot")
    assert robot.get(maps).status == 401
    short = api.post(f"{accounts}/robot/token", {"spec": {"expirationSeconds": 5}})
    assert short.status == 404


def test_a_forged_token_is_nobodys(api: Api, namespace: str, maps: str) -> None:
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.post(accounts, {"metadata": {"name": "robot"}})
    token = api.post(f"{accounts}/robot/token", {"spec": {}}).json["status"]["token"]
    head, body, signature = token.split(".")
    forged = f"{head}.{body[:-4]}AAAA.{signature}"
    assert Api(api.kubeconfig, token=forged).get(maps).status == 401


def test_impersonation_needs_permission(api: Api, namespace: str, maps: str) -> None:
    dev = api.user("dev")
    dev.headers["Impersonate-User"] = "dev"
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.post(accounts, {"metadata": {"name": "robot"}})
    token = api.post(f"{accounts}/robot/token", {"spec": {}}).json["status"]["token"]
    robot = Api(api.kubeconfig, token=token, **{"Impersonate-User": "admin"})
    refused = robot.get(maps)
    assert refused.message == (
        f'configmaps is forbidden: User "system:serviceaccount:{namespace}:robot" cannot impersonate-on:user-info:list '
        f'resource "configmaps" in API group "" in the namespace "{namespace}"'
    )


def test_access_reviews(api: Api, namespace: str) -> None:
    _bind(api, namespace, {"kind": "User", "name": "dev"}, "get")
    asked = {"verb": "get", "resource": "configmaps", "namespace": namespace}
    mine = api.user("dev").post(f"{REVIEWS}/selfsubjectaccessreviews", {"spec": {"resourceAttributes": asked}})
    assert mine.status == 201
    assert mine.json["status"] == {
        "allowed": True,
        "reason": f'RBAC: allowed by RoleBinding "b/{namespace}" of Role "r" to User "dev"',
    }
    asked["verb"] = "delete"
    other = api.post(f"{REVIEWS}/subjectaccessreviews", {"spec": {"user": "dev", "resourceAttributes": asked}})
    assert other.json["status"] == {"allowed": False}
    rules = api.user("dev").post(f"{REVIEWS}/selfsubjectrulesreviews", {"spec": {"namespace": namespace}})
    assert {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]} in rules.json["status"]["resourceRules"]
    assert api.post(f"{REVIEWS}/selfsubjectaccessreviews", {"spec": {}}).status == 422


def test_token_reviews(api: Api) -> None:
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    assert api.post(path, {"spec": {"token": api.token}}).json["status"]["authenticated"] is True
    assert "authenticated" not in api.post(path, {"spec": {"token": "x"}}).json["status"]

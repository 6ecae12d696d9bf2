"""Who is asking: impersonation, bad tokens, anonymous requests"""

from tests.api import Api

from .observations import Seen
from .test_access import Grant, grant, user

__all__ = ["grant", "user"]  # fixtures


def test_impersonation(seen: Seen, api: Api, maps: str, namespace: str, user: str, grant: Grant) -> None:
    """Acting as another user needs the permission to impersonate: the user, each group"""
    users = {"apiGroups": [""], "resources": ["users"], "resourceNames": [f"{user}-b"], "verbs": ["impersonate"]}
    api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "robot"}})
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts/robot/token", request).json["status"]["token"]
    robot = api.bearer(token)
    seen("a user", robot.user(f"{user}-b").get(maps))
    seen("a group", robot.user(f"{user}-b", "system:masters").get(maps))
    seen("an account", robot.user(f"system:serviceaccount:{namespace}:default").get(maps))
    grant([users], {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}, cluster=True)
    who = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    for _ in range(200):
        answer = robot.user(f"{user}-b").post(who, body)
        if answer.status == 201:
            break
    seen("granted", answer)
    seen("the group is not", robot.user(f"{user}-b", "system:masters").get(maps))
    seen("another user is not", robot.user(f"{user}-c").get(maps))
    lonely = api._with(headers={"Impersonate-Group": "system:masters"})
    seen("a group without a user", lonely.get(maps))
    seen("the admin as an account", api.user(f"system:serviceaccount:{namespace}:robot").post(who, body))
    seen("the admin as a user", api.user(user).post(who, body))


def test_nobody(seen: Seen, api: Api, maps: str) -> None:
    """An invalid token is answered 401; without one, the request is anonymous"""
    seen("a bad token", api.bearer("nonsense").get(maps))
    seen("a bad JWT", api.bearer("eyJhbGciOiJSUzI1NiJ9.e30.c2ln").get(maps))
    seen("a bad token at the version", api.bearer("nonsense").get("/version"))
    nobody = api.bearer("")
    seen("no token", nobody.get(maps))
    for path in ("/version", "/healthz", "/livez", "/readyz"):
        seen(f"no token at {path}", nobody.get(path), only=["major"])
    seen("no token at discovery", nobody.get("/apis"))
    seen("no token at OpenAPI", nobody.get("/openapi/v3"))

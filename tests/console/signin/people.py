"""Three people of a real API server: one who may do everything, one with a Role in one namespace, and one with no
rights at all.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from django.test import Client

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound

#: What the clerk may do in the namespace of his own.
RULES = [
    {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"],
    },
    {"apiGroups": [""], "resources": ["pods", "events"], "verbs": ["get", "list", "watch"]},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Tokens, by TokenRequest.

    `here`: the namespace where the clerk has permissions; `mark`: a word in the names and values of all created
    objects, but in no user's name; `desk`: the namespace of the three.
    """

    desk: str
    here: str
    mark: str
    boss: str
    clerk: str
    stranger: str

    def name(self, who: str) -> str:
        return f"system:serviceaccount:{self.desk}:{who}"


def token(client: ClusterClient, namespace: str, name: str, seconds: int = 3600) -> str:
    path = f"/api/v1/namespaces/{quote(namespace)}/serviceaccounts/{quote(name)}/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
    sent = client.raw("POST", path, body=json.dumps(body).encode(), content_type="application/json")
    return str(json.loads(sent)["status"]["token"])


def expired(good: str) -> str:
    """The same token, as it would look if it had expired; its signature does not fit either."""
    head, claims, signature = good.split(".")
    payload = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    payload["exp"] = 1_000_000_000
    return f"{head}.{base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip('=')}.{signature}"


@contextmanager
def people(client: ClusterClient) -> Iterator[People]:
    """Made by the admin `client`, and taken away again. One ConfigMap is in each of two namespaces."""
    mark = f"zq{uuid4().hex[:8]}"
    desk, here, other = f"desk-{uuid4().hex[:6]}", f"{mark}-here", f"{mark}-other"

    def make(version: str, plural: str, kind: str, name: str, namespace: str = "", **more: Any) -> None:
        group = version.rpartition("/")[0]
        obj = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}
        client.create(client.find(group, version.rpartition("/")[2], plural), obj, namespace)

    rbac, api = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    for namespace in (desk, here, other):
        make("v1", "namespaces", "Namespace", namespace)
    for name in ("boss", "clerk", "stranger"):
        make("v1", "serviceaccounts", "ServiceAccount", name, desk)

    def subject(name: str) -> list[dict[str, str]]:
        return [{"kind": "ServiceAccount", "namespace": desk, "name": name}]

    def role(kind: str, name: str) -> dict[str, str]:
        return {"apiGroup": api, "kind": kind, "name": name}

    make(
        rbac,
        "clusterrolebindings",
        "ClusterRoleBinding",
        f"{mark}-boss",
        subjects=subject("boss"),
        roleRef=role("ClusterRole", "cluster-admin"),
    )
    make(rbac, "roles", "Role", f"{mark}-clerk", here, rules=RULES)
    make(
        rbac,
        "rolebindings",
        "RoleBinding",
        f"{mark}-clerk",
        here,
        subjects=subject("clerk"),
        roleRef=role("Role", f"{mark}-clerk"),
    )
    make("v1", "configmaps", "ConfigMap", f"{mark}-mine", here, data={"value": f"{mark}-one"})
    make("v1", "configmaps", "ConfigMap", f"{mark}-theirs", other, data={"value": f"{mark}-two"})
    make("v1", "secrets", "Secret", f"{mark}-secret", here, stringData={"password": f"{mark}-password"})
    try:
        yield People(
            desk=desk,
            here=here,
            mark=mark,
            boss=token(client, desk, "boss"),
            clerk=token(client, desk, "clerk"),
            stranger=token(client, desk, "stranger"),
        )
    finally:
        with suppress(KubeError):
            client.delete(client.find(api, "v1", "clusterrolebindings"), f"{mark}-boss")
        for namespace in (desk, here, other):
            with suppress(KubeError):
                client.delete(client.find("", "v1", "namespaces"), namespace)


def browser_of(**more: Any) -> Client:
    """A browser on the console's own machine, not signed in."""
    return Client(headers={"host": "localhost"}, **more)


def signed_in(token: str) -> Client:
    """A browser that has just signed in."""
    browser = browser_of()
    answer = browser.post("/sign-in/", {"token": token})
    assert answer.status_code == 302, answer.content
    return browser


def act_as(browser: Client, user: str, groups: str = "") -> None:
    """From now on this browser acts as that one."""
    answer = browser.post("/view-as/", {"user": user, "groups": groups})
    assert answer.status_code == 302, answer.content


@contextmanager
def deputy(admin: ClusterClient, staff: People, rules: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The name and the token of a user with only the impersonation permissions of `rules`."""
    name, rbac = f"{staff.mark}-deputy-{uuid4().hex[:6]}", "rbac.authorization.k8s.io"
    accounts = admin.find("", "v1", "serviceaccounts")
    roles, bindings = (admin.find(rbac, "v1", plural) for plural in ("clusterroles", "clusterrolebindings"))
    meta = {"metadata": {"name": name}}
    admin.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", **meta}, staff.desk)
    admin.create(roles, {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "rules": rules, **meta})
    subject = {"kind": "ServiceAccount", "namespace": staff.desk, "name": name}
    ref = {"apiGroup": rbac, "kind": "ClusterRole", "name": name}
    admin.create(
        bindings,
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRoleBinding", "subjects": [subject], "roleRef": ref, **meta},
    )
    try:
        yield name, token(admin, staff.desk, name)
    finally:
        for type_, namespace in ((bindings, ""), (roles, ""), (accounts, staff.desk)):
            with suppress(NotFound):
                admin.delete(type_, name, namespace)

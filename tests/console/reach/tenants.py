"""People of a real API server with one namespace or two: a RoleBinding of `view`, `edit` or `admin` in each, and no
right besides.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from kube.client import ClusterClient
from kube.errors import KubeError
from tests.console.signin.people import token

RBAC = "rbac.authorization.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenants:
    """`own`, `second`: the namespaces of theirs; `foreign`: another's.

    `mark`: in the names of all objects that were made. Tokens by the role; `two` may
    edit in both, `guest` belongs to another namespace and may view `own`.
    """

    own: str
    second: str
    foreign: str
    mark: str
    tokens: dict[str, str]

    def name(self, who: str) -> str:
        return f"system:serviceaccount:{self.foreign if who == 'guest' else self.own}:{who}"


@contextmanager
def tenants(client: ClusterClient) -> Iterator[Tenants]:
    mark = f"zt{uuid4().hex[:6]}"
    own, second, foreign = (f"{mark}-{item}" for item in ("here", "second", "foreign"))

    def make(version: str, plural: str, kind: str, name: str, namespace: str = "", **more: Any) -> None:
        group, _slash, served = version.rpartition("/")
        obj = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}
        client.create(client.find(group, served, plural), obj, namespace)

    def bind(who: str, role: str, namespace: str, home: str = "") -> None:
        make(
            f"{RBAC}/v1",
            "rolebindings",
            "RoleBinding",
            f"{mark}-{who}",
            namespace,
            subjects=[{"kind": "ServiceAccount", "namespace": home or own, "name": who}],
            roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        )

    for namespace in (own, second, foreign):
        make("v1", "namespaces", "Namespace", namespace)
    for who, role in (("view", "view"), ("edit", "edit"), ("admin", "admin"), ("two", "edit")):
        make("v1", "serviceaccounts", "ServiceAccount", who, own)
        bind(who, role, own)
    bind("two", "edit", second)
    make("v1", "serviceaccounts", "ServiceAccount", "guest", foreign)
    bind("guest", "view", own, foreign)
    for namespace, name in ((own, "mine"), (second, "also"), (foreign, "theirs")):
        make("v1", "configmaps", "ConfigMap", f"{mark}-{name}", namespace, data={"value": f"{mark}-{name}-value"})
    make("v1", "secrets", "Secret", f"{mark}-secret", own, stringData={"password": f"{mark}-password"})
    make(
        "v1",
        "pods",
        "Pod",
        f"{mark}-pod",
        own,
        spec={"containers": [{"name": "main", "image": "busybox", "command": ["sleep", "3600"]}]},
    )
    people = {who: token(client, own, who) for who in ("view", "edit", "admin", "two")}
    try:
        yield Tenants(
            own=own,
            second=second,
            foreign=foreign,
            mark=mark,
            tokens={**people, "guest": token(client, foreign, "guest")},
        )
    finally:
        for namespace in (own, second, foreign):
            with suppress(KubeError):
                client.delete(client.find("", "v1", "namespaces"), namespace)

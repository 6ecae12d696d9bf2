"""S14: open connections close when their permission is revoked, though the session continues."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from typing import Any
from uuid import uuid4

import pytest

from console.asgi import Console
from console.signin import clients
from console.signin.models import Session
from console.web import access
from console.web.access import Permission, until_lost
from kube.client import ClusterClient
from kube.errors import KubeError, Unreachable
from resources.forward import tunnels
from resources.forward.targets import ForwardTarget
from tests.console.signin import test_open_connections
from tests.console.signin.people import People, signed_in, token
from tests.console.signin.test_open_connections import connected
from tests.eventually import reached, until

pytestmark = pytest.mark.django_db(transaction=True)
server = test_open_connections.server

RBAC = "rbac.authorization.k8s.io"
RULES = [
    {"apiGroups": [""], "resources": ["configmaps", "pods"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
    {"apiGroups": [""], "resources": ["pods/exec", "pods/portforward"], "verbs": ["get", "create"]},
]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "RECHECK_SECONDS", 0.4)
    monkeypatch.setattr(access, "_review", access._review.__wrapped__)


@pytest.fixture
def guest(admin: ClusterClient, staff: People) -> Iterator[tuple[str, str]]:
    """(name, token) of a user with RULES in staff.here by the RoleBinding `name`, where the Pod `name` runs."""
    name = f"guest-{uuid4().hex[:6]}"
    meta = {"metadata": {"name": name}}
    roles, bindings = admin.find(RBAC, "v1", "roles"), admin.find(RBAC, "v1", "rolebindings")
    accounts, pods = admin.find("", "v1", "serviceaccounts"), admin.find("", "v1", "pods")
    admin.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", **meta}, staff.desk)
    admin.create(roles, {"apiVersion": f"{RBAC}/v1", "kind": "Role", "rules": RULES, **meta}, staff.here)
    subject = {"kind": "ServiceAccount", "namespace": staff.desk, "name": name}
    ref = {"apiGroup": RBAC, "kind": "Role", "name": name}
    binding = {"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "subjects": [subject], "roleRef": ref, **meta}
    admin.create(bindings, binding, staff.here)
    container = {"name": "web", "image": "operator-console.dev/sampledb-engine:7"}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}, **meta}
    admin.create(pods, pod, staff.here)
    until(lambda: (admin.get(pods, name, staff.here).get("status") or {}).get("phase") == "Running", "running")
    yield name, token(admin, staff.desk, name)
    for type_, namespace in ((pods, staff.here), (bindings, staff.here), (roles, staff.here), (accounts, staff.desk)):
        with suppress(KubeError):
            admin.delete(type_, name, namespace)


async def test_s14_everything_open_ends_when_a_role_binding_goes(
    server: Console, staff: People, admin: ClusterClient, guest: tuple[str, str]
) -> None:
    name, their_token = guest
    browser = await asyncio.to_thread(signed_in, their_token)
    other = await asyncio.to_thread(signed_in, staff.boss)
    watch = f"/api/resources/core/v1/configmaps/?watch=1&namespace={staff.here}"
    pod = f"/resources/core/v1/pods/{staff.here}/{name}"
    rows = await asyncio.to_thread(lambda: list(Session.objects.order_by("began_at")))
    client = await asyncio.to_thread(clients.client_of, rows[0].key)
    tunnel = await asyncio.to_thread(
        tunnels.open_tunnel, client, ForwardTarget("Pod", staff.here, name), 6379, listen=False
    )
    bindings = admin.find(RBAC, "v1", "rolebindings")
    async with AsyncExitStack() as stack:
        kinds = {watch: "http", f"{pod}/logs/follow/": "http", f"{pod}/terminal/socket/": "websocket"}
        opened = [
            await stack.enter_async_context(connected(server, path, browser, kind)) for path, kind in kinds.items()
        ]
        followed = await stack.enter_async_context(connected(server, f"{pod}/logs/follow-all/", browser))
        stays = await stack.enter_async_context(connected(server, watch, other))
        for connection in (*opened, followed, stays):
            await connection.until(lambda connection=connection: connection.sent, 30)
        # Asked again while it is held: nothing ends.
        await asyncio.sleep(1)
        for connection in (*opened, followed, stays):
            assert not connection.over, connection.body.decode(errors="replace")
        assert tunnels.by_token(tunnel.token) is tunnel
        await asyncio.to_thread(admin.delete, bindings, name, staff.here)
        for connection in opened:
            await connection.until(lambda connection=connection: connection.over, 20)
        await followed.until(lambda: b"permission" in followed.body, 20)
        assert b"event: error" in opened[0].body and b"permission" in opened[1].body
        frames = [message.get("bytes") or b"" for message in opened[2].sent]
        assert any(frame.startswith(b"\x03") and b"permission" in frame for frame in frames)
        await reached(lambda: tunnels.by_token(tunnel.token) is None)
        assert not stays.over
    assert await asyncio.to_thread(Session.objects.count) == 2, "the session itself goes on"


async def test_s14_an_api_server_that_does_not_answer_ends_nothing() -> None:
    asked: list[str] = []

    class Silent:
        who = "somebody"

        def find(self, *_path: str) -> Any:
            asked.append("find")
            raise Unreachable("no answer")

    client: Any = Silent()
    watch = asyncio.create_task(
        until_lost(Permission(client=client, verbs=("watch",), plural="pods", namespace="shop"))
    )
    await reached(lambda: len(asked) >= 3)
    assert not watch.done()
    watch.cancel()

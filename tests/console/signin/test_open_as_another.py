"""What stays open as another, or by a program's token, shows what that one may read, and ends with it."""

import asyncio
from typing import Any

import pytest

from console.asgi import Console
from console.signin import bearer, clients
from console.signin.models import Impersonation, Session
from console.web.clusters import console_client
from kube.client import ClusterClient
from resources.forward import tunnels
from resources.forward.targets import ForwardTarget
from tests.console.signin.people import People, act_as, browser_of, deputy, signed_in
from tests.console.signin.test_open_connections import connected, server, topic_of

__all__ = ["server"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("way", ["token", "local"])
async def test_what_is_open_as_another_shows_what_that_one_may_read_and_ends_with_stop(
    server: Console, staff: People, admin: ClusterClient, settings: Any, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(clients, "EXPIRY_SECONDS", 0.2)
    settings.SIGN_IN = way
    browser = await asyncio.to_thread(signed_in, staff.boss) if way == "token" else browser_of()
    own = f"/stream?topic={topic_of(admin, f'{staff.mark}-other')}"
    watch = "/api/resources/core/v1/configmaps/?watch=1&namespace={}"
    async with connected(server, own, browser) as before:
        await before.until(lambda: before.status == 200)
        await asyncio.to_thread(act_as, browser, staff.name("clerk"))
        mark = (await asyncio.to_thread(Impersonation.objects.get)).key[:16]
        async with connected(server, own, browser) as refused:
            await refused.until(lambda: refused.status)
            assert refused.status == 403
        async with connected(server, watch.format(f"{staff.mark}-other"), browser) as refused:
            await refused.until(lambda: refused.over)
            assert refused.status == 403 and f"{staff.mark}-theirs".encode() not in refused.body
        async with connected(server, own, browser, headers=[(b"x-console-who", b"")]) as stale:
            await stale.until(lambda: stale.status)
            assert stale.status == 401
        async with (
            connected(
                server, own.replace("other", "here"), browser, headers=[(b"x-console-who", mark.encode())]
            ) as stream,
            connected(server, watch.format(staff.here), browser) as followed,
        ):
            await stream.until(lambda: stream.status == 200)
            await followed.until(lambda: f"{staff.mark}-mine".encode() in followed.body)
            await asyncio.to_thread(browser.post, "/view-as/stop/")
            await stream.until(lambda: stream.over)
            await followed.until(lambda: followed.over)
            assert b"event: ended" in stream.body
        # What was open as oneself, in another tab, is oneself's still.
        assert not before.over


def test_a_port_forward_belongs_to_the_impersonation_in_which_it_was_opened(
    staff: People, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.SIGN_IN = "local"
    monkeypatch.setattr(tunnels, "pod_and_port", lambda *_all: ("x", 80))
    browser = browser_of()
    act_as(browser, staff.name("clerk"))
    opened = tunnels.open_tunnel(
        clients.client_of(Impersonation.objects.get().key), ForwardTarget("Pod", staff.here, "x"), 8080
    )
    try:
        assert tunnels.owned(opened)
        assert str(opened.local) in browser.get("/resources/forwards/").content.decode()
        assert not tunnels.tunnels(console_client())
        browser.post("/view-as/stop/")
        assert tunnels.by_token(opened.token) is None and not tunnels.owned(opened)
    finally:
        tunnels._close(opened.id)


async def test_a_program_watches_with_its_token_for_as_long_as_it_is_good(
    server: Console, staff: People, admin: ClusterClient, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bearer, "SECONDS", 0.2)
    watch = f"/api/resources/core/v1/configmaps/?watch=1&namespace={staff.here}"

    def brought(sent: str) -> list[tuple[bytes, bytes]]:
        return [(b"authorization", f"Bearer {sent}".encode())]

    async with connected(server, watch, headers=brought(staff.clerk)) as mine:
        await mine.until(lambda: f"{staff.mark}-mine".encode() in mine.body)
        for sent, status in ((staff.stranger, 403), ("nonsense", 401)):
            async with connected(server, watch, headers=brought(sent)) as other:
                await other.until(lambda other=other: other.over)
                assert other.status == status and f"{staff.mark}-mine".encode() not in other.body
        assert not mine.over
        monkeypatch.setattr(bearer, "still", lambda _request: False)
        await mine.until(lambda: mine.over)
    settings.SIGN_IN = "local"
    async with connected(server, watch, headers=brought(staff.clerk)) as refused:
        await refused.until(lambda: refused.over)
        assert refused.status == 400 and b"SIGN_IN=local" in refused.body


async def test_what_is_open_as_another_is_closed_when_the_right_is_withdrawn(
    server: Console, staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "EXPIRY_SECONDS", 0.2)
    monkeypatch.setattr(clients, "REVOCATION_SECONDS", 0.2)
    rules = [{"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["impersonate"]}]
    made = deputy(admin, staff, rules)
    name, mine = await asyncio.to_thread(made.__enter__)
    try:
        browser = await asyncio.to_thread(signed_in, mine)
        await asyncio.to_thread(act_as, browser, staff.name("clerk"))
        async with connected(server, f"/stream?topic={topic_of(admin, staff.here)}", browser) as stream:
            await stream.until(lambda: stream.status == 200)
            bindings = admin.find("rbac.authorization.k8s.io", "v1", "clusterrolebindings")
            await asyncio.to_thread(admin.delete, bindings, name)
            await stream.until(lambda: stream.over)
        assert (await asyncio.to_thread(Impersonation.objects.get)).withdrawn
        assert await asyncio.to_thread(Session.objects.exists)
    finally:
        await asyncio.to_thread(made.__exit__, None, None, None)

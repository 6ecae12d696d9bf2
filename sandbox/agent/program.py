"""``python -m sandbox node``: all parts of one node, until a signal or the end of its parent process."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable

from ..context import Context
from ..errors import ApiError
from ..listener import Listener, listen
from ..runtime.node import Node
from ..tls import tls_context
from .access import ServerAccess, read
from .kubeletapi import KubeletApi
from .provisioner import Provisioner
from .registration import Registration
from .remote import Remote
from .settings import NodeSettings

log = logging.getLogger("sandbox.node")

#: Not the sandbox's, nor the one that simulated Pods of the same cluster have.
_NETWORK = "10.245"
_AGAIN_SECONDS = 2.0


def _context(given: NodeSettings, access: ServerAccess, cluster: Remote) -> Context:
    authority = given.data / "ca.crt"
    authority.write_text(access.authority, encoding="utf-8")
    return Context(
        data_dir=given.data,
        api_url=access.server,
        admin_kubeconfig=given.kubeconfig,
        images=given.images,
        catalogs=(),
        pod_token=cluster.pod_token,
        authority=authority,
    )


def server_tls(given: NodeSettings) -> ssl.SSLContext:
    """Clients have to show a certificate of the authority."""
    tls = tls_context(purpose=ssl.Purpose.CLIENT_AUTH, authority_file=str(given.authority))
    tls.load_cert_chain(given.certificate, given.key)
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.set_alpn_protocols(["http/1.1"])
    return tls


async def keep(work: Callable[[], Awaitable[None]], name: str) -> None:
    """Begins again what failed."""
    while True:
        try:
            await work()
        except ApiError as problem:
            log.warning("%s: %s; trying again", name, problem)
        except Exception:
            log.exception("%s failed; starting it again", name)
        await asyncio.sleep(_AGAIN_SECONDS)


async def follow(node: Node) -> None:
    """Runs the node's Pods until cancelled.

    Processes that an earlier agent left are ended once, when the API server has listed the Pods.
    """

    started = False

    async def pods() -> None:
        nonlocal started
        if not started:
            node.start()
            started = True
        await node.follow()

    await keep(pods, "pods")


async def run(given: NodeSettings, stop: asyncio.Event) -> int:
    """The node, until ``stop``; the exit code."""
    given.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        access = read(given.kubeconfig, given.data)
        listener = listen(given.port)
    except (OSError, KeyError, ValueError) as problem:
        log.error("the node cannot start: %s", problem)
        return 1
    port = int(listener.getsockname()[1])
    cluster = Remote(access, only={"pods": f"spec.nodeName={given.name}"})
    node = Node(cluster, _context(given, access, cluster), given.name, _NETWORK)
    server = Listener(KubeletApi(node), listener, server_tls(given), plain=False)
    registration, provisioner = Registration(cluster, given.name, port), Provisioner(cluster, given.data)

    jobs = [
        asyncio.create_task(server.run()),
        asyncio.create_task(keep(registration.run, "registration")),
        asyncio.create_task(keep(provisioner.run, "provisioner")),
        asyncio.create_task(follow(node)),
    ]
    log.info("node %s: https://127.0.0.1:%d", given.name, port)
    await stop.wait()
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
    await node.close()
    await server.close()
    cluster.close()
    return 0

"""How requests reach the API server: urllib3 for verbs that answer at once, aiohttp for what stays open.

The only module that opens connections. Both send the same `ApiRequest`, with the same TLS, token and identity headers. A watch has a
connection of its own (HTTP/1.1): one HTTP/2 connection with many watches was seen to starve all but five of them.
"""

import asyncio
import asyncio.sslproto
import socket
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import urllib3
from multidict import CIMultiDict
from urllib3.util import Timeout
from yarl import URL

from kube import warnings
from kube.config import ClusterConfig
from kube.errors import KubeError, Unreachable, from_answer
from kube.requests import ApiRequest

USER_AGENT = "operator-console/0.1"
CONNECT_SECONDS = 5.0
READ_SECONDS = 35.0
# A watch that brings not even a bookmark for so long is taken for dead (servers send one about every minute).
SILENCE_SECONDS = 150.0
# How often, and for which Retry-After, a read waits and asks again; longer ones are for people to decide.
PATIENT_TIMES = 2
PATIENT_SECONDS = ("1", "2")
# asyncio keeps a buffer of this size for every TLS connection: 16 KB instead of 256 makes 200 idle watches 14 MB instead of 63.
asyncio.sslproto.SSLProtocol.max_size = 16 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def _headers(config: ClusterConfig, request: ApiRequest) -> list[tuple[str, str]]:
    headers = [("User-Agent", USER_AGENT), ("Accept", request.accept), *config.headers, *request.headers]
    if not _is_local(config.host):
        headers.append(("Accept-Encoding", "gzip"))
    if request.content_type:
        headers.append(("Content-Type", request.content_type))
    if token := config.token():
        headers.append(("Authorization", f"Bearer {token}"))
    return headers


def _is_local(host: str) -> bool:
    return urlsplit(host).hostname in ("127.0.0.1", "localhost", "::1")


def unreachable(config: ClusterConfig, error: BaseException) -> Unreachable:
    """One sentence: which server, what went wrong, what to do."""
    text, advice = str(error) or type(error).__name__, "Check that the cluster runs and that this machine can reach it"
    chain = _chain(error)
    for kinds, words, what_to_do in _CAUSES:
        if found := next((cause for cause in chain if isinstance(cause, kinds)), None):
            text, advice = words.format(getattr(found, "verify_message", "")), what_to_do
            break
    return Unreachable(f"The API server at {config.host} does not answer: {text}. {advice}.")


# The most telling first: urllib3 counts a refused connection among its timeouts.
_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, str], ...] = (
    (
        ssl.SSLCertVerificationError,
        "its certificate is not trusted ({})",
        "Check certificate-authority-data and server in the kubeconfig",
    ),
    (ConnectionRefusedError, "connection refused", "Start the cluster, or correct the server in the kubeconfig"),
    (socket.gaierror, "its name is unknown", "Correct the server in the kubeconfig, or check your DNS"),
    (
        (TimeoutError, urllib3.exceptions.TimeoutError),
        "it took too long",
        "Check the network between here and the cluster",
    ),
    (ssl.SSLError, "it does not speak TLS as expected", "Check the server's address in the kubeconfig"),
)


def _chain(error: BaseException) -> list[BaseException]:
    """The error and what led to it: Python's own links, and the attributes in which urllib3 and aiohttp keep theirs."""
    chain: list[BaseException] = []
    open_: list[object] = [error]
    while open_:
        cause = open_.pop()
        if isinstance(cause, BaseException) and cause not in chain:
            chain.append(cause)
            open_ += [
                cause.__cause__,
                cause.__context__,
                getattr(cause, "reason", None),
                getattr(cause, "os_error", None),
            ]
    return chain


class SyncTransport:
    """Safe across threads; connections are kept and shared."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        options: dict[str, Any] = {"maxsize": 16, "block": False}
        if config.tls is not None:
            options["ssl_context"] = config.tls
            if config.tls.verify_mode == ssl.CERT_NONE:
                # The kubeconfig says insecure-skip-tls-verify: its owner knows, a warning at each request adds nothing.
                urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
            if config.server_name:
                options |= {"server_hostname": config.server_name, "assert_hostname": config.server_name}
        if config.proxy:
            self._pool: urllib3.PoolManager = urllib3.ProxyManager(config.proxy, **options)
        else:
            self._pool = urllib3.PoolManager(**options)

    def send(self, request: ApiRequest, *, read_seconds: float = READ_SECONDS) -> Answer:
        """Raises the KubeError of an answer of 400 and above, or Unreachable. A read on a dead kept connection is sent once more.

        A server that wants a moment ("storage is (re)initializing", behind a new CRD) gets it, as from client-go: reads wait for a short Retry-After.
        """
        for _again in range(PATIENT_TIMES):
            response = self._once(request, read_seconds)
            wait = response.headers.get("retry-after", "")
            if response.status not in (429, 503) or not request.safe or wait not in PATIENT_SECONDS:
                break
            time.sleep(int(wait))
        else:
            response = self._once(request, read_seconds)
        headers = {name.lower(): value for name, value in response.headers.items()}
        if not request.safe:
            warnings.tell(response.headers.getlist("Warning"))
        if response.status >= 400:
            raise from_answer(response.status, response.data, headers.get("retry-after", ""), request.ref)
        return Answer(response.status, headers, response.data)

    def _once(self, request: ApiRequest, read_seconds: float) -> urllib3.BaseHTTPResponse:
        url = f"{self.config.host}{request.target}"
        for last in (False, True):
            try:
                return self._pool.request(
                    request.method,
                    url,
                    body=request.body,
                    headers=urllib3.HTTPHeaderDict(_headers(self.config, request)),
                    timeout=Timeout(connect=CONNECT_SECONDS, read=read_seconds),
                    retries=False,
                    redirect=False,
                )
            except urllib3.exceptions.ProtocolError as error:
                if last or not request.safe:
                    raise unreachable(self.config, error) from error
            except (urllib3.exceptions.HTTPError, OSError) as error:
                raise unreachable(self.config, error) from error
        raise AssertionError("the last try returns or raises")


class AsyncTransport:
    """Belongs to the event loop on which it was made. Close it, or use it as `async with`."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        connector = aiohttp.TCPConnector(limit=0, ssl=config.tls if config.tls is not None else True)
        self._session = aiohttp.ClientSession(connector=connector, auto_decompress=True)

    async def __aenter__(self) -> "AsyncTransport":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._session.close()

    async def _options(self, request: ApiRequest) -> dict[str, Any]:
        # In a thread: the token may come from a plugin that takes its time.
        headers = await asyncio.to_thread(_headers, self.config, request)
        options: dict[str, Any] = {"headers": CIMultiDict(headers)}
        if self.config.server_name and self.config.tls is not None:
            options["server_hostname"] = self.config.server_name
        if self.config.proxy:
            options["proxy"] = self.config.proxy
        return options

    def _url(self, request: ApiRequest) -> URL:
        return URL(f"{self.config.host}{request.target}", encoded=True)

    @asynccontextmanager
    async def open(
        self, request: ApiRequest, *, silence: float = SILENCE_SECONDS
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer while it still comes. Raises like SyncTransport.send; `silence` seconds without a byte end it."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=silence)
        try:
            async with self._session.request(
                request.method, self._url(request), data=request.body, timeout=timeout, **await self._options(request)
            ) as response:
                if response.status >= 400:
                    retry_after = response.headers.get("Retry-After", "")
                    raise from_answer(response.status, await response.read(), retry_after, request.ref)
                yield response
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise unreachable(self.config, error) from error

    async def send(self, request: ApiRequest) -> Answer:
        """The whole answer."""
        async with self.open(request, silence=READ_SECONDS) as response:
            body = await response.read()
            return Answer(response.status, {name.lower(): value for name, value in response.headers.items()}, body)

    async def websocket(self, request: ApiRequest, protocols: tuple[str, ...]) -> aiohttp.ClientWebSocketResponse:
        """An open WebSocket; the caller closes it. Refusals keep the API server's words."""
        try:
            socket_: aiohttp.ClientWebSocketResponse = await self._session.ws_connect(
                self._url(request),
                protocols=protocols,
                max_msg_size=0,
                timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
                **await self._options(request),
            )
            return socket_
        except aiohttp.WSServerHandshakeError as error:
            raise await self._refusal(request, error) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise unreachable(self.config, error) from error

    async def _refusal(self, request: ApiRequest, error: aiohttp.WSServerHandshakeError) -> KubeError:
        """aiohttp drops the body of a refused handshake: the same request without an upgrade is answered with the Status."""
        try:
            await self.send(request)
        except KubeError as told:
            if told.code == error.status:
                return told
        return from_answer(error.status, b"", object_ref=request.ref)

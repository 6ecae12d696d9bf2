"""How requests reach the API server: urllib3 for verbs that answer at once, aiohttp for what stays open.

The only module that opens connections. Both send the same `ApiRequest`, with the same TLS, token and identity headers.
A watch has a connection of its own (HTTP/1.1): one HTTP/2 connection with many watches was seen to starve all but five
of them.
"""

import asyncio
import asyncio.sslproto
import socket
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import aiohttp
import urllib3
from aiohttp_socks import ProxyConnector, ProxyError
from multidict import CIMultiDict
from urllib3.contrib.socks import SOCKSProxyManager
from urllib3.util import Timeout
from yarl import URL

from kube import limits, proxies, recording, silence
from kube.answers import invalid
from kube.config import ClusterConfig
from kube.errors import InvalidAnswer, KubeError, Unauthorized, Unreachable, from_answer
from kube.renewal import Signed, signed, signed_again
from kube.requests import ApiRequest
from kube.silence import unreachable

CONNECT_SECONDS = 5.0
READ_SECONDS = 35.0
# What stays open and brings no byte for so long is taken for dead, unless the caller knows better.
SILENCE_SECONDS = 150.0
# A connection whose other end vanished without a word is noticed within half a minute: idle by probes, busy by what
# stays unacknowledged.
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (
            ("TCP_KEEPIDLE", 12),
            ("TCP_KEEPINTVL", 4),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 24_000),
        )
        if hasattr(socket, name)  # not every system has all of them
    ),
]
_DEFAULT_OPTIONS = urllib3.connection.HTTPConnection.default_socket_options
# How often, and for which Retry-After, a read waits and asks again; longer ones are for people to decide.
PATIENT_TIMES = 2
PATIENT_SECONDS = ("1", "2")
# No answer, or no whole one.
_BROKEN = (aiohttp.ClientError, TimeoutError, OSError, ProxyError)
_CHUNK = 1024 * 1024
# 301: a document of OpenAPI has another address now (kube/catalog.py). 304: it is the one that is known.
_EXPECTED = frozenset({301, 304})
# asyncio keeps a buffer of this size for every TLS connection: 16 KB instead of 256 makes 200 idle watches 14 MB
# instead of 63.
asyncio.sslproto.SSLProtocol.max_size = 16 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class SyncTransport:
    """Safe across threads; connections are kept and shared."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self._pool = _pool(config.current())

    def _pool_of(self, now: ClusterConfig) -> urllib3.PoolManager:
        """Connections made with other certificates are used no more; those under way end as they began."""
        pool = self._pool
        if pool.made_for != _way(now):
            pool = self._pool = _pool(now)
        return pool.connections

    def send(self, request: ApiRequest, *, read_seconds: float = READ_SECONDS) -> Answer:
        """Raises the KubeError of an answer of 400 and above, or Unreachable.

        A read on a dead kept connection is sent once more.

        A server that wants a moment ("storage is (re)initializing", behind a new CRD) gets it, as from client-go: reads
        wait for a short Retry-After.
        """
        try:
            with recording.traced_call(request) as call, silence.asking(self.config.current().host):
                answer = self._answered(call.request, read_seconds)
                call.status = answer.status
        except KubeError as error:
            recording.record(self.config, request, b"", error)
            raise
        recording.record(self.config, request, answer.body)
        return answer

    def _answered(self, request: ApiRequest, read_seconds: float) -> Answer:
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
            recording.add_warnings(response.headers.getlist("Warning"))
        if response.status >= 400:
            raise from_answer(response.status, response.body, headers.get("retry-after", ""), request.ref)
        return _judged(Answer(response.status, headers, response.body), request)

    def _once(self, request: ApiRequest, read_seconds: float) -> "_Response":
        """With credentials that were renewed meanwhile once more."""
        used = signed(self.config, request)
        try:
            response = self._sent(used, request, read_seconds)
        except Unreachable as error:
            if (anew := signed_again(self.config, request, used, error)) is None:
                raise
            return self._sent(anew, request, read_seconds)
        if response.status == 401 and (anew := signed_again(self.config, request, used)) is not None:
            return self._sent(anew, request, read_seconds)
        return response

    def _sent(self, to: Signed, request: ApiRequest, read_seconds: float) -> "_Response":
        """A read on a dead kept connection once more."""
        for last in (False, True):
            try:
                response = self._pool_of(to.config).request(
                    request.method,
                    f"{to.config.host}{request.target}",
                    body=request.body,
                    headers=urllib3.HTTPHeaderDict(to.headers),
                    timeout=Timeout(connect=CONNECT_SECONDS, read=read_seconds),
                    retries=False,
                    redirect=False,
                    preload_content=False,
                )
                return _Response(response.status, response.headers, _body(response, request))
            except urllib3.exceptions.ProtocolError as error:
                if last or not request.safe:
                    raise unreachable(to.config, error) from error
            except (urllib3.exceptions.HTTPError, OSError) as error:
                raise unreachable(to.config, error) from error
        raise AssertionError("the last try returns or raises")


class _Response(NamedTuple):
    """`headers` as they came: some come several times."""

    status: int
    headers: urllib3.HTTPHeaderDict
    body: bytes


def _body(response: urllib3.BaseHTTPResponse, request: ApiRequest) -> bytes:
    """All of it, as long as it is within its limits of bytes and time.

    Its connection is kept only where it was read to its end.
    """
    pieces: list[bytes] = []
    size, until = 0, time.monotonic() + limits.API_ANSWER_SECONDS.value
    # read1 returns what has come: read would wait for a whole chunk of an answer that trickles.
    while piece := response.read1(_CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > limits.API_ANSWER.value or time.monotonic() > until:
            response.close()
            raise _endless(request)
    response.release_conn()
    return b"".join(pieces)


def _endless(request: ApiRequest) -> InvalidAnswer:
    """Of what is larger, or takes longer, than any answer of an API server."""
    most, seconds = limits.API_ANSWER.value // 2**20, limits.API_ANSWER_SECONDS.value
    return invalid(b"", f"the answer is larger than {most} MiB, or takes longer than {seconds} seconds", request.ref)


def _judged(answer: Answer, request: ApiRequest) -> Answer:
    """An HTML page, or a redirect to one, isn't an answer of an API server.

    Answers of Pods and Services by the API server's proxy are not checked.
    """
    if "/proxy/" in request.target:
        return answer
    if 300 <= answer.status < 400 and answer.status not in _EXPECTED:
        raise invalid(b"", "it leads to another address", request.ref)
    if answer.headers.get("content-type", "").startswith("text/html"):
        raise invalid(b"<html", "", request.ref)
    return answer


class _Way(NamedTuple):
    """What connections are made by."""

    tls: ssl.SSLContext | None
    server_name: str
    proxy: str


class _Pool(NamedTuple):
    made_for: _Way
    connections: urllib3.PoolManager


def _way(config: ClusterConfig) -> _Way:
    return _Way(config.tls, config.server_name, config.proxy)


def _pool(config: ClusterConfig) -> _Pool:
    options: dict[str, Any] = {"maxsize": 16, "block": False, "socket_options": [*_DEFAULT_OPTIONS, *_KEEPALIVE]}
    if config.tls is not None:
        options["ssl_context"] = config.tls
        if config.tls.verify_mode == ssl.CERT_NONE:
            # The kubeconfig says insecure-skip-tls-verify: its owner knows, a warning at each request adds nothing.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        if config.server_name:
            # No assert_hostname: urllib3 then turns off check_hostname of the context, which watches use too.
            options["server_hostname"] = config.server_name
    if config.proxy:
        return _Pool(_way(config), _proxy_manager(config.proxy, options))
    return _Pool(_way(config), urllib3.PoolManager(**options))


def _proxy_manager(proxy: str, options: dict[str, Any]) -> urllib3.PoolManager:
    """Names are looked up by the proxy, as Go does it: hence socks5h."""
    if proxies.is_socks(proxy):
        return SOCKSProxyManager(proxy.replace("socks5://", "socks5h://", 1), **options)
    headers = proxies.authorization(proxy)
    return urllib3.ProxyManager(proxies.without_credentials(proxy), proxy_headers=headers, **options)


class AsyncTransport:
    """Belongs to the event loop on which it was made. Close it, or use it as `async with`."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        # Certificates and proxies are given with each request: connections made by others are used no more.
        connector = aiohttp.TCPConnector(limit=0, socket_factory=_kept_alive)
        self._session = aiohttp.ClientSession(connector=connector, auto_decompress=True)
        #: SOCKS is a connector's affair: a session for each such proxy, by its address.
        self._socks: dict[str, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> "AsyncTransport":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        for session in (self._session, *self._socks.values()):
            await session.close()

    def _session_for(self, proxy: str) -> aiohttp.ClientSession:
        if not proxies.is_socks(proxy):
            return self._session
        if proxy not in self._socks:
            # Names are looked up by the proxy, as Go does it. python-socks knows the scheme socks5 only.
            connector = ProxyConnector.from_url(proxy.replace("socks5h://", "socks5://", 1), rdns=True, limit=0)
            self._socks[proxy] = aiohttp.ClientSession(connector=connector, auto_decompress=True)
        return self._socks[proxy]

    async def _signed(self, request: ApiRequest) -> Signed:
        # In a thread: the token may come from a plugin that takes its time.
        return await asyncio.to_thread(signed, self.config, request)

    async def _again(self, request: ApiRequest, used: Signed, error: KubeError | None = None) -> Signed | None:
        return await asyncio.to_thread(signed_again, self.config, request, used, error)

    @asynccontextmanager
    async def open(
        self, request: ApiRequest, *, silence: float = SILENCE_SECONDS
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer while it still comes. Raises like SyncTransport.send; `silence` seconds without a byte end it."""
        with recording.traced_call(request) as call:
            used, response = await self._begun(call.request, silence)
            call.status = response.status
        try:
            async with response:
                if response.status >= 400:
                    retry_after = response.headers.get("Retry-After", "")
                    raise from_answer(response.status, await _whole(response, request), retry_after, request.ref)
                yield response
        except _BROKEN as error:
            raise unreachable(used.config, error) from error

    async def _begun(self, request: ApiRequest, silence: float) -> tuple[Signed, aiohttp.ClientResponse]:
        """With credentials that were renewed meanwhile once more."""
        used = await self._signed(request)
        try:
            response = await self._sent(used, request, silence)
        except Unreachable as error:
            if (anew := await self._again(request, used, error)) is None:
                raise
            response = await self._sent(anew, request, silence)
        if response.status == 401 and (anew := await self._again(request, used)) is not None:
            response.close()
            response = await self._sent(anew, request, silence)
        return used, response

    async def _sent(self, to: Signed, request: ApiRequest, silence: float) -> aiohttp.ClientResponse:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=silence)
        try:
            return await self._session_for(to.config.proxy).request(
                request.method,
                _url(to, request),
                data=request.body,
                timeout=timeout,
                allow_redirects=False,
                **_options(to),
            )
        except _BROKEN as error:
            raise unreachable(to.config, error) from error

    async def send(self, request: ApiRequest) -> Answer:
        """The whole answer."""
        async with self.open(request, silence=READ_SECONDS) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return _judged(Answer(response.status, headers, await _whole(response, request)), request)

    async def websocket(self, request: ApiRequest, protocols: tuple[str, ...]) -> aiohttp.ClientWebSocketResponse:
        """An open WebSocket; the caller closes it. Refusals keep the API server's words."""
        with recording.traced_call(request) as call:
            opened = await self._opened(call.request, protocols)
            call.status = 101
        return opened

    async def _opened(self, request: ApiRequest, protocols: tuple[str, ...]) -> aiohttp.ClientWebSocketResponse:
        used = await self._signed(request)
        try:
            return await self._upgraded(used, request, protocols)
        except Unauthorized:
            if (anew := await self._again(request, used)) is None:
                raise
        except Unreachable as error:
            if (anew := await self._again(request, used, error)) is None:
                raise
        return await self._upgraded(anew, request, protocols)

    async def _upgraded(
        self, to: Signed, request: ApiRequest, protocols: tuple[str, ...]
    ) -> aiohttp.ClientWebSocketResponse:
        try:
            opened: aiohttp.ClientWebSocketResponse = await self._session_for(to.config.proxy).ws_connect(
                _url(to, request),
                protocols=protocols,
                max_msg_size=limits.API_MESSAGE.value,
                timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
                **_options(to),
            )
            return opened
        except aiohttp.WSServerHandshakeError as error:
            raise await self._refusal(request, error) from error
        except _BROKEN as error:
            raise unreachable(to.config, error) from error

    async def _refusal(self, request: ApiRequest, error: aiohttp.WSServerHandshakeError) -> KubeError:
        """aiohttp drops the body of a refused handshake: the same request without an upgrade is answered with the
        Status.
        """
        try:
            await self.send(request)
        except KubeError as told:
            if told.code == error.status:
                return told
        return from_answer(error.status, b"", object_ref=request.ref)


async def _whole(response: aiohttp.ClientResponse, request: ApiRequest) -> bytes:
    """The same as _body."""
    pieces: list[bytes] = []
    size, until = 0, time.monotonic() + limits.API_ANSWER_SECONDS.value
    async for piece in response.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > limits.API_ANSWER.value or time.monotonic() > until:
            response.close()
            raise _endless(request)
    return b"".join(pieces)


def _kept_alive(address: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _name, _address = address
    found = socket.socket(family, kind, protocol)
    for option in _KEEPALIVE:
        found.setsockopt(*option)
    return found


def _options(to: Signed) -> dict[str, Any]:
    tls = to.config.tls
    options: dict[str, Any] = {"headers": CIMultiDict(to.headers), "ssl": tls if tls is not None else True}
    if to.config.server_name and tls is not None:
        options["server_hostname"] = to.config.server_name
    if to.config.proxy and not proxies.is_socks(to.config.proxy):
        options["proxy"] = to.config.proxy
    return options


def _url(to: Signed, request: ApiRequest) -> URL:
    return URL(f"{to.config.host}{request.target}", encoded=True)

"""API servers that don't answer: for how long, and why.

The times are known to the whole process, so that a page can tell without a timeout of its own.
"""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import socks
import urllib3
from aiohttp_socks import ProxyError

from kube.config import ClusterConfig
from kube.errors import InvalidAnswer, Unreachable

_lock = threading.Lock()
_waiting: dict[str, int] = {}
# host → time.monotonic() of the first question since the last answer.
_since: dict[str, float] = {}


@contextmanager
def asking(host: str) -> Iterator[None]:
    """Around one request.

    Every answer ends the silence, errors of the server and pages of a proxy too; a request without one does not.
    """
    with _lock:
        _waiting[host] = _waiting.get(host, 0) + 1
        _since.setdefault(host, time.monotonic())
    answered = True
    try:
        yield
    except Unreachable as error:
        answered = isinstance(error, InvalidAnswer)
        raise
    finally:
        with _lock:
            _waiting[host] -= 1
            if answered and _waiting[host]:
                _since[host] = time.monotonic()
            elif answered:
                _since.pop(host, None)


def seconds(host: str) -> float:
    """Since the first question after the last answer; 0.0 where the last question was answered."""
    with _lock:
        return time.monotonic() - _since[host] if host in _since else 0.0


def waited_seconds(host: str) -> float:
    """The same, but 0.0 while no request waits for an answer."""
    return seconds(host) if _waiting.get(host) else 0.0


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
_PROXY_ERRORS = (urllib3.exceptions.ProxyError, aiohttp.ClientHttpProxyError, aiohttp.ClientProxyConnectionError)
_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, str], ...] = (
    (
        ssl.SSLCertVerificationError,
        "its certificate is not trusted ({})",
        "Check certificate-authority-data and server in the kubeconfig",
    ),
    (
        (*_PROXY_ERRORS, ProxyError, socks.ProxyError),
        "the proxy does not let the request through",
        "Check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY, with the user and password of the proxy",
    ),
    (ConnectionRefusedError, "connection refused", "Start the cluster, or correct the server in the kubeconfig"),
    (socket.gaierror, "its name is unknown", "Correct the server in the kubeconfig, or check your DNS"),
    (
        (TimeoutError, urllib3.exceptions.TimeoutError),
        "it took too long",
        "Check the network between here and the cluster",
    ),
    (ssl.SSLError, "it does not speak TLS as expected", "Check the server's address in the kubeconfig"),
    # Often without a text of its own, for which aiohttp shows an object of Python.
    (ConnectionError, "it closed the connection", "Check that the cluster runs and that this machine can reach it"),
)
_UNSEEN = (ssl.SSLCertVerificationError, ConnectionRefusedError, socket.gaierror)


def unseen(error: BaseException) -> bool:
    """The server can't have read the request: there was no connection, or none that is trusted."""
    return any(isinstance(cause, _UNSEEN) for cause in _chain(error))


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

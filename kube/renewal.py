"""Credentials that change while the console runs: certificates, authorities, a rewritten kubeconfig
(docs/decisions/0016).

What a client holds stays the same object; the address and the certificates in it are asked for at each request
(ClusterConfig.current, signed()).
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from kube.config import ClusterConfig, load
from kube.credentials import marks
from kube.errors import InvalidConfig, KubeError
from kube.requests import ApiRequest
from kube.silence import unseen

log = logging.getLogger(__name__)
USER_AGENT = "operator-console/0.1"
# How often an unusable configuration is read again: a file that it names can appear, or the other half of a pair.
_RETRY_SECONDS = 1.0


def following(kubeconfig: str | None = None, context: str | None = None, *, anonymous: bool = False) -> ClusterConfig:
    """As load(), and up to date from then on.

    Another `current-context` in the file changes nothing: the first one stays.
    """
    first = load(kubeconfig, context, anonymous=anonymous)
    return Renewal(first, lambda: load(kubeconfig, first.context or None, anonymous=anonymous)).config


class Renewal:
    """Reads again when one of the files has changed. Safe across threads.

    `config` follows. Another cluster or another person is not a renewal: then, and when the files can't be used, the
    last good one stays, and the log says why, once.
    """

    def __init__(self, first: ClusterConfig, read: Callable[[], ClusterConfig]) -> None:
        self._first = self._latest = first
        self._read = read
        # Nothing: the files may have changed since `first` was read, so they are read once more.
        self._seen: tuple[object, ...] = ()
        self._complaint = ""
        # When to read again what could not be used, though it did not change; None while there is no need.
        self._again: float | None = None
        self._lock = threading.Lock()
        self.config = replace(
            first,
            token=lambda: self._now().token(),
            refused=lambda: self._latest.refused(),
            renewed=self._renewed,
        )

    def _renewed(self, config: ClusterConfig) -> ClusterConfig:
        """`config` can be derived from ours, for a signed-in user: its headers and token stay."""
        now = self._now().current()
        return replace(
            config,
            host=now.host,
            tls=now.tls,
            server_name=now.server_name,
            proxy=now.proxy,
            headers=now.headers if config.headers == self._first.headers else config.headers,
        )

    def _now(self) -> ClusterConfig:
        if self._is_old():
            with self._lock:
                if self._is_old():
                    self._look()
        return self._latest

    def _is_old(self) -> bool:
        return marks(self._latest.files) != self._seen or (self._again is not None and time.monotonic() > self._again)

    def _look(self) -> None:
        files, before = self._latest.files, self._seen
        # Taken before reading, so that what changes meanwhile is read at the next request; set after it, so that no
        # thread continues with the old.
        seen, again = marks(files), None
        try:
            new = self._read()
            if _who(new) == _who(self._first):
                if before or self._complaint:
                    log.info("the credentials of %s on %s were read again", self._first.user, self._first.name)
                self._latest, self._complaint = new, ""
                seen = seen if new.files == files else ()
            else:
                self._complain(
                    f"context {self._first.context!r} names another cluster or user now; "
                    f"this console stays with {self._first.user!r} on {self._first.name!r} until it is restarted"
                )
        except InvalidConfig as error:
            again = time.monotonic() + _RETRY_SECONDS
            self._complain(f"{error}. The credentials read before stay in use until it is fixed")
        self._seen, self._again = seen, again

    def _complain(self, text: str) -> None:
        if text != self._complaint:
            log.warning("%s", text)
        self._complaint = text


def _who(config: ClusterConfig) -> tuple[object, ...]:
    """A password is not part of it, whom one acts as is."""
    acting = [pair for pair in config.headers if pair[0].startswith("Impersonate-")]
    return (config.name, config.user, acting)


class Signed(NamedTuple):
    """Where a request goes and as whom, at this moment. Equal ones are the same to the server."""

    config: ClusterConfig
    headers: list[tuple[str, str]]


def signed(config: ClusterConfig, request: ApiRequest) -> Signed:
    """Address, certificates and token as they are now. A plugin that makes the token may take its time.

    Raises InvalidConfig when there is none.
    """
    try:
        token = config.token()
    except OSError as error:
        raise InvalidConfig(f"the token of {config.user!r} can't be read: {error}") from error
    now = config.current()
    headers = [("User-Agent", USER_AGENT), ("Accept", request.accept), *now.headers, *request.headers]
    if not _is_local(now.host):
        headers.append(("Accept-Encoding", "gzip"))
    if request.content_type:
        headers.append(("Content-Type", request.content_type))
    if token:
        headers.append(("Authorization", f"Bearer {token}"))
    return Signed(now, headers)


def signed_again(
    config: ClusterConfig, request: ApiRequest, used: Signed, error: KubeError | None = None
) -> Signed | None:
    """The request with renewed credentials, if it failed because of the old ones; else None.

    Without an `error` the server answered 401: it has done nothing. With one, only what it can't have seen is sent
    again, or a read.
    """
    if error is None:
        config.refused()
    elif not request.safe and not unseen(error):
        return None
    anew = signed(config, request)
    return anew if anew != used else None


def _is_local(host: str) -> bool:
    return urlsplit(host).hostname in ("127.0.0.1", "localhost", "::1")

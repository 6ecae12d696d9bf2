"""Address, certificates and token of a request, read for each one: they may have been renewed since the last."""

from typing import NamedTuple
from urllib.parse import urlsplit

from kube.config import ClusterConfig
from kube.errors import InvalidConfig, KubeError
from kube.requests import ApiRequest
from kube.silence import unseen

USER_AGENT = "operator-console/0.1"


class Signed(NamedTuple):
    """Where a request goes and as whom, at this moment. Equal ones are the same to the server."""

    config: ClusterConfig
    headers: list[tuple[str, str]]


def signed(config: ClusterConfig, request: ApiRequest) -> Signed:
    """Takes its time where a plugin makes the token. Raises InvalidConfig when that fails."""
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


def again(config: ClusterConfig, request: ApiRequest, used: Signed, error: KubeError | None = None) -> Signed | None:
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

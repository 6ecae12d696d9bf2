"""The configuration of a signed-in user: the address and TLS settings of another configuration, without its
credentials.
"""

from collections.abc import Callable
from dataclasses import replace

from kube.config import ClusterConfig


def person(
    way: ClusterConfig,
    user: str,
    token: str | Callable[[], str],
    session: str = "",
    refused: Callable[[], None] = lambda: None,
) -> ClusterConfig:
    """`way`: of load(anonymous=True), which has no certificate, plugin, password or impersonation.

    `token`: if callable, it is called at each
    request; `refused` is called at each 401.
    """
    if way.user or way.headers or way.session or way.token():
        raise ValueError("a user's configuration is made from an anonymous one")
    return replace(way, user=user, token=token if callable(token) else lambda: token, session=session, refused=refused)


def acting(whose: ClusterConfig, user: str, groups: tuple[str, ...], session: str) -> ClusterConfig:
    """Impersonation, as kubectl's --as and --as-group: the credentials of `whose` with Impersonate headers.

    `session`: the impersonation's own.

    Raises ValueError for a configuration that acts as another already, and for names that can't stand in a header.
    """
    if whose.by or any(name.lower().startswith("impersonate-") for name, _value in whose.headers):
        raise ValueError("an impersonated user can't impersonate another user")
    if not session or not all(sendable(name) for name in (user, *groups)):
        raise ValueError("an impersonation has a session of its own, and names that can stand in a header")
    headers = (("Impersonate-User", user), *(("Impersonate-Group", group) for group in groups))
    return replace(whose, user=user, by=whose.user, session=session, headers=(*whose.headers, *headers))


def sendable(name: str) -> bool:
    """Whether a name arrives in a header as it is: visible ASCII, and no blanks around it (RFC 9110, 5.5)."""
    return bool(name) and name.isascii() and name.isprintable() and name == name.strip()

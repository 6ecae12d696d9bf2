"""A configuration that is one person's: the way of another to the same server, and nothing of that one's credentials."""

from collections.abc import Callable
from dataclasses import replace

from kube.config import ClusterConfig


def person(
    way: ClusterConfig, user: str, token: str, session: str = "", refused: Callable[[], None] = lambda: None
) -> ClusterConfig:
    """`way`: of load(nobody=True), so that no certificate, plugin, password or impersonation can come along. `refused` is called at each 401."""
    if way.user or way.headers or way.session or way.token():
        raise ValueError("a person's configuration is made of one that is nobody's")
    return replace(way, user=user, token=lambda: token, session=session, refused=refused)

"""The key by which the nodes of one instance authenticate each other: requests without it can't change the membership.

It is made once, by a Pipe task of the plan deploy, and comes in a variable. Without the variable every request is
accepted.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping

from . import place

#: The file that becomes a Secret; its name is the Secret's key.
FILE = "cluster.key"


def headers(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a node sends with each message to another one."""
    key = environment.get("GALERA_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def known(given: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a message with these headers comes from one of the instance."""
    wanted = headers(environment).get("Authorization")
    return wanted is None or hmac.compare_digest(given.get("Authorization", "").encode(), wanted.encode())


def make() -> int:
    """The role ``key``: copies the key in /kept to /made, so that running nodes stay authenticated, or makes a new
    one.
    """
    present = place.folder("/kept") / FILE
    key = present.read_text(encoding="utf-8") if present.exists() else secrets.token_urlsafe(32)
    file = place.folder("/made") / FILE
    file.touch(mode=0o600)
    file.write_text(key, encoding="utf-8")
    return 0

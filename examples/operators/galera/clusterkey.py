"""What the nodes of one instance know each other by: whoever has not the key is no node, and decides nothing about
who is one.

It is made once, by a Pipe task of the plan deploy, and comes in a variable. Without the variable everybody is believed.
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
    """The role ``key``: a new one into /made, or the one that is in /kept, so that nodes which run are still
    believed.
    """
    kept = place.folder("/kept") / FILE
    found = kept.read_text(encoding="utf-8") if kept.exists() else secrets.token_urlsafe(32)
    file = place.folder("/made") / FILE
    file.touch(mode=0o600)
    file.write_text(found, encoding="utf-8")
    return 0

"""What /readyz and /metrics ask of Redis, outside of an event loop."""

from typing import Any

import msgspec

from resources.changes.heartbeats import HubState
from resources.changes.server import _sync, key


def hub_states() -> list[HubState]:
    """All living hubs and what they say of themselves, by id. Raises RedisError."""
    members: Any = _sync().smembers(key("hubs"))
    ids = sorted(member.decode() for member in members)
    texts: Any = _sync().mget([key("hub", id_) for id_ in ids]) if ids else []
    return [msgspec.json.decode(text, type=HubState) for text in texts if text]


def is_full() -> bool:
    """Whether Redis refuses to remember more. Raises RedisError."""
    found: Any = _sync().info("memory")
    limit = int(found.get("maxmemory") or 0)
    return 0 < limit < int(found.get("used_memory") or 0)

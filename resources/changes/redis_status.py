"""What /readyz and /metrics ask of Redis, outside of an event loop."""

from typing import Any

import msgspec

from resources.changes.heartbeats import HubState
from resources.changes.server import has_no_room, hubs_of, key, sync


def hub_states(cluster: str = "") -> list[HubState]:
    """All living hubs of a cluster ('' is the default one) and what they say of themselves, by id.

    Raises RedisError.
    """
    members: Any = sync().smembers(hubs_of(cluster))
    ids = sorted(member.decode() for member in members)
    texts: Any = sync().mget([key("hub", id_) for id_ in ids]) if ids else []
    return [msgspec.json.decode(text, type=HubState) for text in texts if text]


def living_hubs() -> list[str]:
    """Their ids. Raises RedisError."""
    return [state.id for state in hub_states()]


def is_full() -> bool:
    """Whether Redis refuses to remember more. Raises RedisError."""
    found: Any = sync().info("memory")
    return has_no_room(found)

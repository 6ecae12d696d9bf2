"""Redis streams between hubs, which watch the cluster, and web processes, which show it; the only code that uses Redis.

Downstream: a hub claims a topic and appends updates to the topic's stream, which brokers of web processes read. The
last hub to claim a topic owns it: appends of others are refused, so a hub that was stopped for a while can't write
stale updates after newer ones. Upstream: interest, a sorted set of topics with an expiry that open connections renew.
Hubs keep a heartbeat and, for each topic, the last resourceVersion written, so that another hub can resume from it. All
times are of Redis' own clock.

Ids are those of Redis streams: milliseconds and a number. One browser follows several streams over one connection, and
ids of different streams may be equal, so reading resumes one millisecond early. Delivery is at least once; consumers
are idempotent. Streams are bounded in number and in bytes; entries are numbered for each topic, so a reader notices one
that was dropped before it was read. The epoch identifies Redis' memory: positions of another epoch are unknown and
are answered with `resync`. It changes with a flush and with a restart.
"""

from redis.exceptions import OutOfMemoryError, RedisError

from resources.changes.change import ROW_BYTES, Change, Kind, StreamEntry, Topic, milliseconds, order
from resources.changes.connection import ping, position
from resources.changes.heartbeats import HUB_SECONDS, INTEREST_SECONDS, Census, HubState, living_hubs
from resources.changes.streams import KEEP_BYTES, KEEP_CHANGES, KEEP_SECONDS, VERSION_SECONDS, ChangeLog, Lost

__all__ = [
    "HUB_SECONDS",
    "INTEREST_SECONDS",
    "KEEP_BYTES",
    "KEEP_CHANGES",
    "KEEP_SECONDS",
    "ROW_BYTES",
    "VERSION_SECONDS",
    "Census",
    "Change",
    "ChangeLog",
    "HubState",
    "Kind",
    "Lost",
    "OutOfMemoryError",
    "RedisError",
    "StreamEntry",
    "Topic",
    "living_hubs",
    "milliseconds",
    "order",
    "ping",
    "position",
]

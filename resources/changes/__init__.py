"""The pipe between who watches the cluster and who shows it: Redis streams, and nothing else speaks to Redis.

Downstream: a hub claims a topic and appends what it saw to the topic's stream, browsers' brokers follow. Who has
claimed last is the owner: another's append is refused, so a hub that was stopped for a while can't write old things
after newer ones. Upstream: interest, a sorted set of topics with an expiry that open connections renew. Hubs keep a
heartbeat and, for each topic, the last resourceVersion written, so that another hub can go on from there. All times are
of Redis' own clock.

Ids are those of Redis streams: milliseconds and a number. One browser follows several streams over one connection, and
ids of different streams may be equal, so reading resumes one millisecond early: a change may come twice, and never not
at all. Consumers don't mind. Streams are bounded in number and in bytes; entries are numbered for each topic, so a
reader sees when one was dropped before it came. The epoch names Redis' memory: positions of another epoch are unknown,
and are answered with `resync`. It changes with a flush and with a restart.
"""

from redis.exceptions import OutOfMemoryError, RedisError

from resources.changes.asked import living_hubs
from resources.changes.change import ROW_BYTES, Change, Entry, Kind, milliseconds, order
from resources.changes.heartbeats import HUB_SECONDS, INTEREST_SECONDS, Census, HubState
from resources.changes.log import ChangeLog
from resources.changes.server import ping, position
from resources.changes.topic import Topic
from resources.changes.topics import KEEP_BYTES, KEEP_CHANGES, KEEP_SECONDS, VERSION_SECONDS, Lost

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
    "Entry",
    "HubState",
    "Kind",
    "Lost",
    "OutOfMemoryError",
    "RedisError",
    "Topic",
    "living_hubs",
    "milliseconds",
    "order",
    "ping",
    "position",
]

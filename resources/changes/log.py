"""ChangeLog: streams, interest and heartbeats, for the two ends of the pipe."""

from resources.changes.heartbeats import Heartbeats
from resources.changes.streams import Streams
from resources.changes.topics import Topics


class ChangeLog(Topics, Streams, Heartbeats):
    """All of it over one pool of async connections; belongs to one event loop."""

"""What the cluster serves: the type behind a topic, and the types that the console always needs."""

import asyncio
from collections.abc import Callable

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, Unreachable
from resources.changes import Topic

_TYPES_SECONDS = 10.0
_RETRY_SECONDS = 3.0
ALWAYS = (
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("core", "namespaces"),
    ("operators.coreos.com", "catalogsources"),
    ("operators.coreos.com", "subscriptions"),
    ("operators.coreos.com", "installplans"),
    ("operators.coreos.com", "clusterserviceversions"),
)


class Served:
    """`always`: topics of ALWAYS that the cluster serves; `problem`: why that can't be read, '' if it can.

    Belongs to one event loop.
    """

    def __init__(self, client: ClusterClient, changed: Callable[[], None]) -> None:
        self.always: frozenset[Topic] = frozenset()
        self.problem = ""
        self._client = client
        self._changed = changed
        self._found: dict[Topic, ResourceType] = {}
        self._finding = asyncio.Lock()

    async def run(self) -> None:
        """Looks every few seconds. Beside the heartbeat, since an API server may take seconds not to answer."""
        while True:
            try:
                types = await asyncio.to_thread(self._client.types)
            except KubeError as error:
                # That it does not answer is the probe's to say, and to take back.
                self.problem = "" if isinstance(error, Unreachable) else str(error)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            self.problem = ""
            preferred = {(type_.group_or_core, type_.plural): type_ for type_ in reversed(types)}
            always = frozenset(self._topic(preferred[key]) for key in ALWAYS if key in preferred)
            if always != self.always:
                self.always = always
                self._changed()
            await asyncio.sleep(_TYPES_SECONDS)

    def _topic(self, type_: ResourceType) -> Topic:
        return Topic(cluster=self._client.name, group=type_.group_or_core, version=type_.version, plural=type_.plural)

    async def find(self, topic: Topic, refresh: bool) -> ResourceType:
        """The topic's type, cached unless `refresh`. Raises KubeError."""
        found = self._found.get(topic)
        if found is not None and not refresh:
            return found
        if refresh:
            self._client.forget_types()
        # One at a time: a server that does not answer would hold all threads, which whatever else needs one would wait
        # for.
        async with self._finding:
            found = await asyncio.to_thread(self._client.find, topic.group, topic.version, topic.plural)
        self._found[topic] = found
        return found

    def forget(self, topic: Topic) -> None:
        """Drops the cached type of a topic that has no subscribers any more."""
        self._found.pop(topic, None)

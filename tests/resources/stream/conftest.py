"""The real application on a real Redis and the embedded cluster."""

from collections.abc import AsyncIterator

import pytest
import redis

from kube.client import ClusterClient
from resources.changes import ChangeLog, Topic
from resources.stream.broker import Broker
from resources.views.stream import StreamApp
from tests.resources.stream.browser import render


@pytest.fixture
async def app(pipe: redis.Redis) -> AsyncIterator[StreamApp]:
    broker = Broker(render)
    found = StreamApp(broker)
    yield found
    await broker.stop()
    await found.stop()


@pytest.fixture
async def log(pipe: redis.Redis) -> AsyncIterator[ChangeLog]:
    found = ChangeLog()
    yield found
    await found.close()


@pytest.fixture
def topic(client: ClusterClient) -> Topic:
    return Topic(cluster=client.name, group="core", version="v1", plural="configmaps", namespace="default")

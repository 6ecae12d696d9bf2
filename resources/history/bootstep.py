"""The recorder inside a Celery worker, beside the hub and for the same reasons (resources/watch/bootstep.py)."""

import asyncio
import os
import socket
import time
from typing import Any

from django.conf import settings

from console.web.clusters import console_client
from resources.history.recorder import Recorder
from resources.watch.bootstep import WatchStep


class HistoryStep(WatchStep):
    """In every worker that consumes `watch`; a lease says which of them writes."""

    thread_name = "history"

    def include_if(self, parent: Any) -> bool:
        return super().include_if(parent) and bool(settings.HISTORY_KINDS)

    async def _work(self) -> None:
        client = await asyncio.to_thread(console_client)
        await Recorder(client, f"{socket.gethostname()}-{os.getpid()}-{int(time.time())}").run()

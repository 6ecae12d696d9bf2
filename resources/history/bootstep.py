"""The recorders inside a Celery worker, beside the hubs and for the same reasons (resources/watch/bootstep.py)."""

import asyncio
from typing import Any

from django.conf import settings

from console.web import clusters
from console.web.clusters import Offered
from resources.history.recorder import Recorder
from resources.watch.bootstep import WatchStep, worker_id


class HistoryStep(WatchStep):
    """In every worker that consumes `watch`; a lease for each cluster says which of them writes."""

    thread_name = "history"

    def include_if(self, parent: Any) -> bool:
        return super().include_if(parent) and bool(settings.HISTORY_KINDS)

    async def _work(self, place: Offered) -> None:
        client = await asyncio.to_thread(clusters.client_of, place)
        await Recorder(client, worker_id(place)).run()

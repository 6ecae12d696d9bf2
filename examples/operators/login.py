"""How kopf reaches the API server: as our own requests do (examples/operators/access.py)."""

from __future__ import annotations

import asyncio
from typing import Any

import kopf

from examples.operators.access import process_access

#: kopf asks again at once when the API server refuses what it was given.
_REFUSED_SECONDS = 5.0


async def login(**_: Any) -> kopf.AiohttpSession:
    """A session that reads its token again for each request; importing the official client would cost 40 MB."""
    access = process_access()
    if access.authorization.is_refused:
        await asyncio.sleep(_REFUSED_SECONDS)
    return kopf.AiohttpSession(
        server=access.server, default_namespace=access.namespace or None, aiohttp_session=access.session()
    )

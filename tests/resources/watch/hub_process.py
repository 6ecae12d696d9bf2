"""A hub in a process of its own, without Celery around it: `python -m tests.resources.watch.hub_process ID`, with
the tests' environment.
"""

import asyncio
import signal
import sys

import django

django.setup()

from console.web.clusters import console_client  # noqa: E402  after Django is set up
from resources.watch.hub import WatchHub  # noqa: E402

if __name__ == "__main__":
    # Ignored where the tests were begun in the background of a shell.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.run(WatchHub(console_client(), sys.argv[1]).run())

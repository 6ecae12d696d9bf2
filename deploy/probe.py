"""`python -IS deploy/probe.py URL`: ends with 0 when a GET of URL is answered 200, else with 1 and what was answered.
`python -IS deploy/probe.py FILE`: ends with 0 when FILE was touched in the last minute (ALIVE_FILE of a worker).

For probes run inside a Pod whose web server listens on loopback only. Standard library only and nothing of the console,
so that it takes tens of milliseconds.
"""

import http.client
import os
import sys
import time
from urllib.parse import urlsplit

AGE_SECONDS = 60


def file(path: str) -> int:
    try:
        age = time.time() - os.stat(path).st_mtime
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror}\n")
        return 1
    if age > AGE_SECONDS:
        sys.stderr.write(f"{path} was touched {age:.0f} s ago, more than {AGE_SECONDS}\n")
        return 1
    return 0


def page(url: str) -> int:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=8)
    try:
        connection.request(
            "GET", f"{place.path}?{place.query}", headers={"Host": "localhost", "X-Forwarded-Proto": "https"}
        )
        answer = connection.getresponse()
        text = answer.read(2000).decode("utf-8", "replace")
    except OSError as error:
        sys.stderr.write(f"{url}: {error}\n")
        return 1
    if answer.status != 200:
        sys.stderr.write(f"{url}: {answer.status} {text}\n")
        return 1
    return 0


if __name__ == "__main__":
    asked = sys.argv[1]
    sys.exit(page(asked) if asked.startswith("http") else file(asked))

"""`python -IS deploy/probe.py URL`: ends with 0 when a GET of URL is answered 200, else with 1 and what was answered.

For probes run inside a Pod whose web server listens on loopback only. Standard library only and nothing of the console, so that it takes
tens of milliseconds.
"""

import http.client
import sys
from urllib.parse import urlsplit


def main(url: str) -> int:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=8)
    try:
        connection.request("GET", place.path, headers={"Host": "localhost", "X-Forwarded-Proto": "https"})
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
    sys.exit(main(sys.argv[1]))

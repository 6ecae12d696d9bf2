"""From the click on Install to a ClusterServiceVersion that has Succeeded, through the console's own form, on the
embedded cluster.
"""

import http.cookiejar
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from bench.console import Running, wait
from bench.figures import Figure, figure

PACKAGE = "olm/samples-catalog/sampledb"
GROUP = "/apis/operators.coreos.com/v1alpha1"


class _Form:
    """A browser without a screen: the form's token and cookie, and the form sent with them."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/operatorhub/{PACKAGE}/install/"
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def get(self) -> str:
        with self.opener.open(self.url, timeout=30) as answer:
            return str(answer.read().decode())

    def post(self, choices: dict[str, str]) -> None:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get())
        assert token is not None
        data = urllib.parse.urlencode({**choices, "csrfmiddlewaretoken": token[1]}).encode()
        with self.opener.open(urllib.request.Request(self.url, data, {"Referer": self.url}), timeout=30) as answer:
            if "/subscriptions/" not in answer.url:
                raise SystemExit(f"bench: the install was refused: {answer.url}")


def succeeded(running: Running, times: int = 5) -> list[Figure]:
    """Each in a namespace of its own, which is deleted afterwards; and what drawing the form costs."""
    seconds = [_once(running, f"bench-install-{number}") for number in range(times + 1)][1:]
    form, drawn = _Form(running.url), []
    for _ in range(10):
        started = time.perf_counter()
        form.get()
        drawn.append((time.perf_counter() - started) * 1000)
    return [
        figure("install: from Install to CSV Succeeded, sandbox", "s", seconds),
        figure("install: the form, server time", "ms", drawn[1:]),
    ]


def _once(running: Running, namespace: str) -> float:
    form = _Form(running.url)
    choices = {"mode": "OwnNamespace", "install_namespace": "+", "new_namespace": namespace, "approval": "Automatic"}
    form.get()
    started = time.monotonic()
    form.post(choices)
    wait(lambda: _phase(running, namespace) == "Succeeded", 120, f"an installed operator in {namespace}")
    took = time.monotonic() - started
    for plural in ("subscriptions", "clusterserviceversions"):
        for name in _names(running, f"{GROUP}/namespaces/{namespace}/{plural}"):
            running.cluster("DELETE", f"{GROUP}/namespaces/{namespace}/{plural}/{name}")
    running.cluster("DELETE", f"/api/v1/namespaces/{namespace}")
    return took


def _items(running: Running, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = running.cluster("GET", path).get("items") or []
    return found


def _names(running: Running, path: str) -> list[str]:
    return [str(item["metadata"]["name"]) for item in _items(running, path)]


def _phase(running: Running, namespace: str) -> str:
    csvs = _items(running, f"{GROUP}/namespaces/{namespace}/clusterserviceversions")
    return next((str((csv.get("status") or {}).get("phase") or "") for csv in csvs), "")

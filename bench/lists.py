"""What lists cost: 10,000 custom resources with a status each (or as many as --objects says), in two namespaces."""

import time
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import Browser

from bench.browser import cold_load
from bench.console import Running, wait
from bench.figures import Figure, figure

GROUP, PLURAL = "lists.bench.example.com", "widgets"
_ANY = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_COLUMNS = [
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]
_DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _ANY, "status": _ANY}}},
                "additionalPrinterColumns": _COLUMNS,
            }
        ],
    },
}
_PHASES = ("Failed",) * 5 + ("Creating",) * 5 + ("Ready",) * 90


def widget(number: int) -> dict:
    """About 1.2 KB, as small custom resources are."""
    phase = _PHASES[number % 100]
    status = "True" if phase == "Ready" else "False"
    condition = {"type": "Ready", "status": status, "reason": phase, "message": f"it is {phase.lower()} since today"}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {
            "name": f"widget-{number:06}",
            "labels": {"app.kubernetes.io/name": f"app-{number % 7}", "tier": ("web", "db")[number % 2]},
        },
        "spec": {"size": number % 13, "image": f"registry.example.com/team/widget:{number % 20}", "notes": "x" * 600},
        "status": {"phase": phase, "conditions": [condition]},
    }


def fill(running: Running, objects: int) -> None:
    """The kind, its two namespaces and so many objects in them; once: another part of the same run finds them there."""
    if served(running):
        return
    running.cluster("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _DEFINITION)
    for namespace in ("bench-a", "bench-b"):
        running.cluster("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    wait(lambda: served(running), 30, "the kind")

    def create(number: int) -> None:
        namespace = ("bench-b", "bench-a")[number % 10 > 0]
        running.cluster("POST", f"/apis/{GROUP}/v1/namespaces/{namespace}/{PLURAL}", widget(number))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(create, range(objects)))


def served(running: Running) -> bool:
    try:
        return bool(running.cluster("GET", f"/apis/{GROUP}/v1/{PLURAL}"))
    except OSError:
        return False


def _milliseconds(url: str, **query: str) -> float:
    """One answer as htmx asks for it, all of it."""
    asked = urllib.parse.urlencode({"namespace": "-", **query})
    request = urllib.request.Request(f"{url}?{asked}", headers={"HX-Request": "true"})
    started = time.perf_counter()
    with urllib.request.urlopen(request, timeout=120) as answer:
        answer.read()
    return (time.perf_counter() - started) * 1000


def measure(running: Running, browser: Browser, objects: int = 10_000, times: int = 5) -> list[Figure]:
    fill(running, objects)
    url = f"{running.url}/resources/{GROUP}/v1/{PLURAL}/"
    name = f"list of {objects:,}"
    # Before anything: nothing of the list is kept yet.
    first = _milliseconds(url, q="widget-0042")
    loads = [cold_load(browser, f"{url}?namespace=-", "#rows tr") for _ in range(times + 1)][1:]
    words = ("w", "wi", "9", "99", "999", "0042", "1", "12", "123", "no such")
    found: dict[str, list[float]] = {
        "filter by text over all": [_milliseconds(url, q=word) for word in words * times],
        "next page": [_milliseconds(url, page=str(page)) for page in range(2, 12)],
        "page in the middle": [_milliseconds(url, page=str(objects // 100 + number)) for number in range(times)],
        "sort": [_milliseconds(url, sort=key) for key in ("=Size", "-=Size", "=Age", "state", "-name") * times],
        "states counted": [_milliseconds(url, part="states") for _ in range(times * 2)],
        "filter by state": [_milliseconds(url, state=state) for state in ("Degraded", "Ready") * times],
    }
    peers = ("OKD 6,500-8,400; Headlamp 6,900", "OKD 3,800; Headlamp 8,200")
    return [
        figure(f"{name}: cold, until rows are visible", "ms", [load.milliseconds for load in loads], "500", peers[0]),
        figure(f"{name}: over the wire", "kB", [load.kilobytes for load in loads], "250", peers[1]),
        figure(f"{name}: requests", "", [float(load.requests) for load in loads]),
        figure(f"{name}: first filter of all, nothing kept", "ms", [first], "1000"),
        *(
            figure(f"{name}: {what}", "ms", samples, {"next page": "100"}.get(what, "1000"))
            for what, samples in found.items()
        ),
    ]

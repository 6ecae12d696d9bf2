"""What the two heaviest pages cost, cold, in Chromium: the catalog with 268 packages and the form of Argo CD's
ArgoCD.
"""

import re
import time
import urllib.request
from pathlib import Path

import yaml
from playwright.sync_api import Browser

from bench.browser import Load, cold_load
from bench.console import CATALOG, Running, wait
from bench.figures import Figure, figure

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _figures(name: str, loads: list[Load], peer: tuple[str, str, str]) -> list[Figure]:
    return [
        figure(f"{name}: cold, until visible", "ms", [load.milliseconds for load in loads], "500", peer[0]),
        figure(f"{name}: server, first byte", "ms", [load.server_milliseconds for load in loads]),
        figure(f"{name}: over the wire", "kB", [load.kilobytes for load in loads], "300", peer[1]),
        figure(f"{name}: requests", "", [float(load.requests) for load in loads], "", peer[2]),
        figure(f"{name}: elements", "", [float(load.elements) for load in loads]),
    ]


def _get(url: str, cookie: str = "") -> str:
    asked = urllib.request.Request(url, headers={"Cookie": cookie} if cookie else {})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return str(answer.read().decode())


def indexed(running: Running, packages: int) -> float:
    """Seconds until the catalog page offers at least `packages` of them."""
    return wait(lambda: indexed_by(running.url) >= packages, 180, f"an index of {packages} packages")


def indexed_by(url: str, cookie: str = "") -> int:
    """How many packages the catalog page offers now, to the session of that cookie."""
    return max(map(int, re.findall(r'data-total="(\d+)"', _get(f"{url}/operatorhub/", cookie))), default=0)


def catalog(running: Running, browser: Browser, times: int = 5) -> list[Figure]:
    loads = [cold_load(browser, f"{running.url}/operatorhub/", "[data-tile]") for _ in range(times + 1)][1:]
    found = _figures("catalog, 268 packages", loads, ("OKD 13,100", "OKD 4,900", "OKD 135"))
    samples = []
    for word in ("a", "ar", "arg", "argo", "argocd", "d", "da", "dat", "data", "databas", "databse") * 5:
        request = urllib.request.Request(f"{running.url}/operatorhub/?q={word}", headers={"HX-Request": "true"})
        started = time.perf_counter()
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()
        samples.append((time.perf_counter() - started) * 1000)
    return [*found, figure("catalog: one keystroke of search, over HTTP", "ms", samples, "50")]


def argocd_form(running: Running, browser: Browser, times: int = 5) -> list[Figure]:
    """The CRD alone is enough for the form; no operator is installed."""
    path = next(Path(CATALOG / "argocd-operator" / "0.18.0" / "crds").glob("*argocds*"))
    crd = yaml.load(path.read_text(), Loader=_LOADER)
    running.cluster("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    url = f"{running.url}/resources/argoproj.io/v1beta1/argocds/new/?namespace=default"
    wait(lambda: _answers(url), 20, "the ArgoCD form")
    loads = [cold_load(browser, url, "form [name]:not([type=hidden])") for _ in range(times + 1)][1:]
    return _figures("form of ArgoCD, 846 KB schema", loads, ("OKD 11,000", "OKD 4,200", ""))


def _answers(url: str) -> bool:
    try:
        return bool(_get(url))
    except OSError:
        return False

"""A cluster of which one part fails, as add-ons and very large clusters make it: what else there is stays usable."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

from console.web import clusters
from kube.client import ClusterClient
from kube.config import load
from tests.clusters.front import front_of, kubeconfig
from tests.clusters.shapes import _DEFINITIONS, _create, _create_when_served, _definition
from tests.clusters.test_ways import PAGES, embedded

__all__ = ["embedded"]
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

_PLAIN = b"service unavailable\n"
_KIND = "/resources/things.example.com/v1/widgets"
_EDITORS = (
    "/resources/core/v1/configmaps/new/?namespace=default",
    "/resources/core/v1/configmaps/new-yaml/?namespace=default",
    "/resources/core/v1/configmaps/default/kube-root-ca.crt/edit/?view=form",
    "/resources/core/v1/configmaps/default/kube-root-ca.crt/yaml/",
)
_CUSTOM = (f"{_KIND}/new/?namespace=default", f"{_KIND}/default/one/", f"{_KIND}/default/one/edit/?view=form")
_MORE = (*_EDITORS, *_CUSTOM, "/resources/core/v1/nodes/", "/?part=pods", "/resources/core/v1/pods/?sort=cpu")
#: What fails, by a pattern of the path, and the answer. The Metrics API and OpenAPI are served by other servers
#: (metrics-server, aggregated ones), and are the first that don't keep up.
FAILING = {
    "metrics": {r"^/apis/metrics\.k8s\.io/": (503, _PLAIN)},
    "OpenAPI": {r"^/openapi/v3$": (503, _PLAIN)},
    "a document of OpenAPI": {r"^/openapi/v3/": (504, _PLAIN)},
    "OpenAPI refused": {r"^/openapi/v3": (403, b'{"kind":"Status","code":403,"reason":"Forbidden"}')},
    "OpenAPI is a page": {r"^/openapi/v3": (200, b"<html>Sign in</html>")},
}


@pytest.fixture(scope="module")
def with_widget(embedded: Path) -> Path:
    """With an object of a custom kind."""
    admin = ClusterClient(load(str(embedded)))
    definition = _definition("things.example.com", "Widget")
    size = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = size
    _create(admin, _DEFINITIONS, [definition])
    _create_when_served(admin, definition, {"metadata": {"name": "one"}, "spec": {"size": 1}}, "default")
    return embedded


@contextmanager
def _failing(cluster: Path, folder: Path, broken: dict[str, tuple[int, bytes]]) -> Iterator[Client]:
    front = front_of(cluster)
    front.broken = broken
    with front.running(), pytest.MonkeyPatch.context() as patch:
        server = {"server": f"http://127.0.0.1:{front.port}"}
        path = kubeconfig(folder / "config", cluster=server, user={"token": "t"})
        for name, empty in (("_clients", {}), ("_endpoints", {}), ("_offered", None)):
            patch.setattr(clusters, name, empty)
        with override_settings(KUBECONFIG=str(path)):
            yield Client()


def _read(browser: Client, address: str) -> tuple[int, str]:
    answer: Any = browser.get(address)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, content.decode(errors="replace")


@pytest.mark.parametrize("part", FAILING)
def test_all_other_pages_answer(part: str, with_widget: Path, tmp_path: Path, redis_server: str) -> None:
    with _failing(with_widget, tmp_path, FAILING[part]) as browser:
        pages = {address: _read(browser, address) for address in (*PAGES, *_MORE)}
    assert {address: status for address, (status, _page) in pages.items() if status != 200} == {}
    without = [address for address in _EDITORS if "your input can&#x27;t be checked" in pages[address][1]]
    assert without == ([] if part == "metrics" else list(_EDITORS))
    # The definition of a custom kind has its schema.
    form = pages[f"{_KIND}/new/?namespace=default"][1]
    assert "can&#x27;t be checked" not in form and "Size" in form


def test_an_object_is_changed_without_a_schema(with_widget: Path, tmp_path: Path, redis_server: str) -> None:
    """By the text; what the API server says of it is shown as ever."""
    admin = ClusterClient(load(str(with_widget)))
    maps = admin.find("", "v1", "configmaps")
    with _failing(with_widget, tmp_path, FAILING["OpenAPI"]) as browser:
        for value in ("one", "two"):
            metadata = "metadata: {name: plain, namespace: default}"
            text = f"apiVersion: v1\nkind: ConfigMap\n{metadata}\ndata:\n  a: {value}\n"
            if value == "one":
                answer = browser.post("/resources/core/v1/configmaps/new-yaml/?namespace=default", {"text": text})
            else:
                opened = _read(browser, "/resources/core/v1/configmaps/default/plain/yaml/")[1]
                original = opened.partition('name="~original" value="')[2].partition('"')[0].replace("&quot;", '"')
                address = "/resources/core/v1/configmaps/default/plain/yaml/"
                answer = browser.post(address, {"text": text, "~original": original})
            assert answer.status_code == 303, answer.content.decode()[:2000]
            assert admin.get(maps, "plain", "default")["data"] == {"a": value}

"""Traces of a real web process and a real worker, sent to a collector of the test's own: who is whose child, and
that nothing secret is in them.
"""

import base64
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from console.processes.parts import free_port
from kube.client import ClusterClient
from kube.config import load
from tests import processes
from tests.eventually import until

WORDS = "words-of-a-search"
VALUE = "value-of-a-secret"
TOKEN = "token-of-a-header"
BAGGAGE = "text-of-a-stranger"
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector:
    """OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request"""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf"
                collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                """Logs nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def spans(self) -> list[Span]:
        found: list[Span] = []
        for body in tuple(self.bodies):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                assert attributes_of(resource.resource)["service.name"] == "operator-console"
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found

    def wait(self, wanted: Callable[[Span], bool], seconds: float = 60) -> Span:
        return until(lambda: [span for span in self.spans() if wanted(span)], "the span", seconds=seconds)[0]


def attributes_of(thing: Any) -> dict[str, str | int]:
    return {pair.key: pair.value.string_value or pair.value.int_value for pair in thing.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    found = Collector()
    thread = threading.Thread(target=found.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.server.shutdown()
        found.server.server_close()
        thread.join(10)


@pytest.fixture(scope="module")
def console(
    cluster_kubeconfig: Path, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Collector]]:
    """Web and worker on the embedded cluster."""
    folder = tmp_path_factory.mktemp("traced")
    settings = {
        "DATA_DIR": str(folder),
        "REDIS_PREFIX": "traced",
        "DATABASE_URL": f"sqlite:///{folder}/console.sqlite3",
    }
    subprocess.run(
        [sys.executable, "manage.py", "prepare", "--verbosity", "0"],
        cwd=processes.ROOT,
        env={**os.environ, **settings},
        check=True,
    )
    with ExitStack() as stack:
        collector = stack.enter_context(collecting())
        settings |= {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        stack.enter_context(
            processes.running(
                processes.worker_command("traced"),
                folder / "worker.log",
                lambda: (folder / "worker.log").exists(),
                **settings,
            )
        )
        stack.enter_context(
            processes.running(
                processes.web_command(port),
                folder / "web.log",
                lambda: processes.answers(f"{url}/healthz"),
                120,
                **settings,
            )
        )
        yield url, collector
        logs = (folder / "web.log").read_text() + (folder / "worker.log").read_text()
        assert "Traceback" not in logs and "opentelemetry" not in logs, logs


def ask(url: str, number: str, **more: str) -> int:
    headers = {"X-Request-Id": number, "Accept": "text/html", **more}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.status


def numbered(number: str, name: str) -> Callable[[Span], bool]:
    return lambda span: attributes_of(span).get("console.request_id") == number and span.name.startswith(name)


def test_requests_to_the_api_server_are_children_of_the_page_that_needs_them(console: tuple[str, Collector]) -> None:
    url, collector = console
    told_by_proxy = f"00-{TRACE}-{CALLER}-01"
    assert (
        ask(f"{url}/resources/core/v1/configmaps/?namespace=default", "number-of-a-page", traceparent=told_by_proxy)
        == 200
    )
    page = collector.wait(numbered("number-of-a-page", "GET /resources/"))
    assert (page.kind, page.trace_id.hex(), page.parent_span_id.hex()) == (Span.SPAN_KIND_SERVER, TRACE, CALLER)
    assert attributes_of(page)["http.response.status_code"] == 200 and "configmaps" not in page.name
    call = collector.wait(lambda span: numbered("number-of-a-page", "GET configmaps")(span))
    assert (call.kind, call.trace_id) == (Span.SPAN_KIND_CLIENT, page.trace_id)
    assert call.parent_span_id == page.span_id
    assert attributes_of(call)["url.path"] == "/api/v1/namespaces/default/configmaps"
    assert page.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano <= page.end_time_unix_nano


def test_a_task_is_the_child_of_the_page_that_asked_for_it(console: tuple[str, Collector]) -> None:
    url, collector = console
    assert ask(f"{url}/operatorhub/", "number-of-the-catalog") == 200
    page = collector.wait(numbered("number-of-the-catalog", "GET /operatorhub/"))
    task = collector.wait(numbered("number-of-the-catalog", "run operatorhub.tasks.refresh_catalogs"))
    assert (task.kind, task.trace_id, task.parent_span_id) == (Span.SPAN_KIND_CONSUMER, page.trace_id, page.span_id)
    call = collector.wait(lambda span: span.parent_span_id == task.span_id)
    assert (call.kind, call.trace_id) == (Span.SPAN_KIND_CLIENT, page.trace_id)


def test_what_fails_says_so_without_words(console: tuple[str, Collector]) -> None:
    url, collector = console
    with pytest.raises(urllib.error.HTTPError):
        ask(f"{url}/resources/core/v1/configmaps/default/{WORDS}/", "number-of-nothing")
    call = collector.wait(lambda span: numbered("number-of-nothing", "GET configmaps")(span) and span.status.code == 2)
    assert attributes_of(call) | {"console.request_id": ""} == {
        "console.request_id": "",
        "error.type": "NotFound",
        "http.request.method": "GET",
        "http.response.status_code": 404,
        "url.path": f"/api/v1/namespaces/default/configmaps/{WORDS}",
    }
    assert call.status.message == "" and not call.events


def test_no_secret_token_or_query_is_in_a_span(console: tuple[str, Collector], cluster_kubeconfig: Path) -> None:
    url, collector = console
    client = ClusterClient(load(str(cluster_kubeconfig)))
    secrets = client.find("", "v1", "secrets")
    client.create(secrets, {"metadata": {"name": "traced", "namespace": "default"}, "stringData": {"password": VALUE}})
    words = f"{WORDS}-asked"
    try:
        for number, path in enumerate(
            (
                f"/resources/core/v1/secrets/?namespace=default&q={words}&labels={words}",
                "/resources/core/v1/secrets/default/traced/",
                "/resources/core/v1/secrets/default/traced/?tab=yaml",
                f"/search/?q={words}",
                f"/operatorhub/?q={words}",
                f"/{words}/?token={words}",
            )
        ):
            headers = {
                "Authorization": f"Bearer {TOKEN}",
                "Cookie": f"console_session_9000={TOKEN}; one={TOKEN}",
                "Baggage": f"one={BAGGAGE}",
                "Tracestate": f"one={BAGGAGE}",
                "User-Agent": BAGGAGE,
                "Referer": f"{url}/?q={words}",
            }
            try:
                ask(f"{url}{path}", f"number-{number}-asked", **headers)
            except urllib.error.HTTPError as error:
                assert error.code in (401, 404), path
            collector.wait(numbered(f"number-{number}-asked", "GET"))
    finally:
        client.delete(secrets, "traced", "default")
    everything = b"".join(collector.bodies)
    own = load(str(cluster_kubeconfig)).token() or "the kubeconfig has none"
    for secret in (words, VALUE, TOKEN, BAGGAGE, own, base64.b64encode(VALUE.encode()).decode()):
        assert secret.encode() not in everything, secret
    assert b"/api/v1/namespaces/default/secrets/traced" in everything


def test_nothing_of_it_is_imported_where_no_collector_is_named(tmp_path: Path) -> None:
    program = (
        "import sys, console.asgi, console.celery; from django.conf import settings; from kube import recording;"
        "print(any(name.startswith('opentelemetry') and found for name, found in sys.modules.items()),"
        " recording._tracing, any('traces' in name for name in settings.MIDDLEWARE))"
    )
    environment = {**os.environ, "DATA_DIR": str(tmp_path)}
    environment.pop("OTEL_EXPORTER_OTLP_ENDPOINT", None)
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=processes.ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False None False"


def test_a_collector_that_is_away_stops_nobody(tmp_path: Path, cluster_kubeconfig: Path, redis_server: str) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {
        "DATA_DIR": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    with processes.running(
        processes.web_command(port), tmp_path / "web.log", lambda: processes.answers(f"{url}/healthz"), 120, **settings
    ) as web:
        assert ask(f"{url}/healthz", "number-of-a-probe") == 200
        began = time.monotonic()
        web.terminate()
        web.wait(30)
        assert time.monotonic() - began < 15

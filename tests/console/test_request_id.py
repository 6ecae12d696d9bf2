"""The request ID: taken from the proxy if harmless, in each log line, the response, error pages, and the tasks that the
request starts.
"""

import json
import logging
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import pytest
from celery.signals import task_postrun, task_prerun
from django.test import Client

from console import request_id
from console.celery import app
from console.processes.parts import free_port
from console.web.logs import JsonLine
from tests import processes

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: away
clusters: [{name: away, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: me, user: {token: hello}}]
contexts: [{name: away, context: {cluster: away, user: me}}]
"""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A real web process whose cluster does not answer: its address, and its log as JSON."""
    folder = tmp_path_factory.mktemp("numbered")
    (folder / "kubeconfig").write_text(KUBECONFIG)
    port = free_port()
    command = processes.web_command(port)
    settings = {"DATA_DIR": str(folder), "KUBECONFIG": str(folder / "kubeconfig"), "LOG_FORMAT": "json"}
    url = f"http://127.0.0.1:{port}"
    with processes.running(command, folder / "web.log", lambda: processes.answers(f"{url}/healthz"), 120, **settings):
        yield url, folder / "web.log"


def ask(url: str, number: str = "", accept: str = "text/html") -> tuple[int, str, str]:
    """Status, the answer's number, its text."""
    headers = {"Accept": accept, **({"X-Request-Id": number} if number else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status, answer.headers["X-Request-Id"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["X-Request-Id"], error.read().decode()


def test_an_error_says_the_number_that_its_lines_in_the_log_have(console: tuple[str, Path]) -> None:
    url, log = console
    status, number, page = ask(f"{url}/resources/core/v1/pods/", "proxy-0123.abc")
    assert (status, number) == (503, "proxy-0123.abc")
    assert "<code>proxy-0123.abc</code>" in page
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    matching = [line for line in lines if line.get("request_id") == number]
    assert [line["logger"] for line in matching] == ["console.errors", "django.request"], lines
    assert matching[0]["message"].startswith("GET /resources/core/v1/pods/:")


def test_a_number_that_could_do_harm_is_not_taken_over(console: tuple[str, Path]) -> None:
    url, log = console
    for bad in ("zqshort", "x" * 65, 'quoted"number', "<b>number</b>"):
        _status, number, page = ask(f"{url}/resources/core/v1/services/", bad)
        assert re.fullmatch(r"[0-9a-f]{32}", number)
        assert f"<code>{number}</code>" in page and bad not in page
        assert number in log.read_text()


def test_two_numbers_are_none() -> None:
    """A request with two IDs, of a proxy and of the client before it, gets a new one."""
    headers = [(b"x-request-id", b"first-number"), (b"X-Request-ID", b"second-number"), (b"host", b"localhost")]
    number, scope = request_id.scoped({"type": "http", "headers": headers})
    assert re.fullmatch(r"[0-9a-f]{32}", number)
    assert scope["headers"] == [(b"host", b"localhost"), (b"x-request-id", number.encode())]


def test_after_a_request_nothing_has_its_number() -> None:
    answer = Client(headers={"host": "localhost"}).get("/healthz", headers={"x-request-id": "number-of-this"})
    assert answer["X-Request-Id"] == "number-of-this"
    assert request_id.current() == ""


def test_a_line_outside_of_requests_has_none() -> None:
    record = logging.makeLogRecord({"name": "here", "msg": "hello"})
    assert request_id.mark(record) and "request_id" not in json.loads(JsonLine().format(record))
    with request_id.numbered("number-of-this"):
        request_id.mark(record)
    assert json.loads(JsonLine().format(record)) == {
        "time": ANY,
        "level": ANY,
        "logger": "here",
        "message": "hello",
        "request_id": "number-of-this",
    }


def test_a_task_has_the_number_of_the_request_that_asked_for_it(redis_server: str) -> None:
    """Through a real Redis, and taken out again as a worker does."""
    with request_id.numbered("number-of-this"), app.connection_for_write() as connection:
        app.send_task("operatorhub.tasks.go_on", args=["nothing"], queue="numbered", connection=connection)
        message = connection.SimpleQueue("numbered").get(timeout=10)
    message.ack()
    assert message.headers["console_request_id"] == "number-of-this"
    app.loader.import_default_modules()
    task = app.tasks["operatorhub.tasks.go_on"]
    for headers, number in ((message.headers, "number-of-this"), ({}, "the-id-of-the-task")):
        task.push_request(**headers)
        try:
            task_prerun.send(task, task_id="the-id-of-the-task", task=task)
            assert request_id.current() == number
            task_postrun.send(task, task_id="the-id-of-the-task", task=task)
            assert request_id.current() == ""
        finally:
            task.pop_request()

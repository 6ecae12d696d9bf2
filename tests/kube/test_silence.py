"""O16: an API server that hangs is known to hang, and discovery alone holds up no page."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from aiohttp import ClientConnectorError
from aiohttp.client_reqrep import ConnectionKey

from kube import catalog, silence
from kube.catalog import TypeCatalog
from kube.config import ClusterConfig
from kube.errors import InvalidAnswer, NotFound, Unreachable
from kube.requests import ApiRequest
from kube.transport import Answer
from tests.eventually import until

CORE = {
    "kind": "APIResourceList",
    "resources": [{"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]}],
}


@pytest.fixture(autouse=True)
def _nobody_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(silence, "_waiting", {})
    monkeypatch.setattr(silence, "_since", {})
    yield


def test_o16_silence_lasts_from_the_first_question_to_the_next_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert silence.seconds("a") == 0
    with pytest.raises(Unreachable), silence.asking("a"):
        time.sleep(0.05)
        assert silence.waited_seconds("a") >= 0.05
        raise Unreachable("no answer")
    # A timeout doesn't count as an answer; nor does another server's answer.
    with silence.asking("b"):
        pass
    assert silence.seconds("a") >= 0.05 and silence.seconds("b") == 0
    assert silence.waited_seconds("a") == 0, "nobody waits any more"
    # An error of the server is one, and so is a page of a proxy: nothing hangs.
    for answer in (NotFound("no"), InvalidAnswer("a page")):
        monkeypatch.setitem(silence._since, "a", 0.0)
        with pytest.raises(type(answer)), silence.asking("a"):
            raise answer
        assert silence.seconds("a") == 0


def answer_of(request: ApiRequest) -> Answer:
    documents: dict[str, Any] = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": CORE,
        "/apis": {"kind": "APIGroupList", "groups": []},
    }
    return Answer(200, {}, json.dumps(documents[request.path]).encode())


def test_o16_pages_go_on_with_what_was_served_while_the_server_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page was 503, or waited for one that asked, whenever discovery took more than ten seconds."""
    hangs, go_on, asked = threading.Event(), threading.Event(), []

    def send(request: ApiRequest) -> Answer:
        asked.append(request.path)
        if hangs.is_set():
            go_on.wait(20)
            raise Unreachable("timed out")
        return answer_of(request)

    found = TypeCatalog(send)
    assert found.find("", "v1", "pods").kind == "Pod"
    hangs.set()
    found.forget()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(found.find, "", "v1", "pods")
        until(lambda: len(asked) >= 4, seconds=10)
        # While one waits for the server, the others don't.
        assert found.find("", "v1", "pods").kind == "Pod"
        go_on.set()
        assert first.result(10).kind == "Pod"
    # No second request at once; and a type that was never served isn't made up.
    count = len(asked)
    assert found.find("", "v1", "pods").kind == "Pod" and len(asked) == count
    with pytest.raises(Unreachable):
        found.find("", "v1", "nonsense")
    # What it said too long ago counts no more.
    monkeypatch.setattr(catalog, "_STALE_SECONDS", 0.0)
    with pytest.raises(Unreachable):
        found.find("", "v1", "pods")


def test_a_connection_that_is_closed_early() -> None:
    """A server that is being started again: the proxy in front of it accepts, then closes during the handshake.
    aiohttp's own words are 'Cannot connect to host … ssl:<ssl.SSLContext object at 0x…> [None]'.
    """
    key = ConnectionKey("10.0.0.1", 6443, True, True, None, None, None, None)
    error = ClientConnectorError(key, ConnectionResetError())
    config = ClusterConfig(name="here", host="https://10.0.0.1:6443", user="", token=lambda: "", tls=None)
    assert str(silence.unreachable(config, error)) == (
        "The API server at https://10.0.0.1:6443 does not answer: it closed the connection. "
        "Check that the cluster runs and that this machine can reach it."
    )

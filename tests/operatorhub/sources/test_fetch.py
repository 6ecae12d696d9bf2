"""Catalogs behind addresses: of every packing, too large, evil, and of web servers that have moods."""

import contextlib
import io
import socket
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kube import limits
from operatorhub.sources import archive, fetch, web
from operatorhub.sources.drafts import SourceError
from tests import registry

FBC = b"schema: olm.package\nname: a\n"
Answers = dict[str, tuple[int, dict[str, str], bytes]]


@pytest.fixture
def server(settings: Any) -> Iterator[tuple[str, Answers, list[Any]]]:
    """The address of a web server, what it answers by path, and what it was asked."""
    settings.LOCAL_ONLY = True
    answers: Answers = {}
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            pass

        def do_GET(self) -> None:
            asked.append((self.path, dict(self.headers)))
            status, headers, body = answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{found.server_port}", answers, asked
    found.shutdown()
    found.server_close()
    thread.join()


def zipped(files: dict[str, bytes], link: str = "") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
        if link:
            member = zipfile.ZipInfo(link)
            member.external_attr = 0o120777 << 16
            packed.writestr(member, "/etc/passwd")
    return sink.getvalue()


def tarred(files: dict[str, bytes], mode: str) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode=mode) as packed:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    return sink.getvalue()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PACKINGS: list[tuple[str, Callable[[dict[str, bytes]], bytes]]] = [
    ("tar", lambda files: tarred(files, "w")),
    ("tar.gz", lambda files: tarred(files, "w:gz")),
    ("tar.bz2", lambda files: tarred(files, "w:bz2")),
    ("tar.xz", lambda files: tarred(files, "w:xz")),
    ("zip", zipped),
]


@pytest.mark.parametrize(("name", "pack"), PACKINGS, ids=[name for name, _pack in PACKINGS])
def test_every_packing(server: Any, tmp_path: Path, name: str, pack: Callable[[dict[str, bytes]], bytes]) -> None:
    url, answers, _asked = server
    evil = {
        "catalog-1.0/a/catalog.yaml": FBC,
        "../up.yaml": b"x",
        "/abs/../../up.yaml": b"x",
        "catalog-1.0/../../up.yaml": b"x",
    }
    answers["/download?id=7"] = (200, {}, pack(evil))
    found = fetch.fetch(f"{url}/download?id=7", tmp_path)
    assert files(found.parent if found.name == "a" else found) in (
        {"a/catalog.yaml": FBC},
        {"catalog.yaml": FBC, "content/a/catalog.yaml": FBC},
    )
    assert not list(tmp_path.glob("up.yaml")) and not list(tmp_path.parent.glob("up.yaml"))


@pytest.mark.parametrize(("body", "name"), [(FBC, "catalog.yaml"), (b'{"schema": "olm.package"}', "catalog.json")])
def test_a_single_file(server: Any, tmp_path: Path, body: bytes, name: str) -> None:
    url, answers, _asked = server
    answers["/raw"] = (200, {}, body)
    assert files(fetch.fetch(f"{url}/raw", tmp_path)) == {name: body}


def test_a_link_in_a_zip_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(zipped({"a.yaml": FBC}, link="evil"))
    assert files(fetch.unpacked(path, tmp_path)) == {"a.yaml": FBC}


@pytest.mark.parametrize(
    ("status", "headers", "body", "words"),
    [
        (404, {}, b"", "returned 404: nothing was found"),
        (401, {}, b"", "requires sign-in"),
        (429, {"Retry-After": "9"}, b"", "Wait 9 seconds"),
        (503, {}, b"", "503 Service Unavailable"),
        (200, {}, b"", "The file is empty"),
        (200, {}, b"<!doctype html><p>hello", "web page"),
        (200, {}, b"\0\1\2", "neither a catalog nor an archive"),
        (200, {}, b"\x1f\x8bbroken", "archive is damaged"),
        (200, {}, b"PK\x03\x04broken", "archive is damaged"),
        (302, {"Location": "ftp://example.com/x"}, b"", "isn't a web address"),
        (302, {"Location": "http://169.254.169.254/latest"}, b"", "doesn't read from"),
        (302, {"Location": "/"}, b"", "more than 5 times"),
    ],
)
def test_moods(server: Any, tmp_path: Path, status: int, headers: dict[str, str], body: bytes, words: str) -> None:
    url, answers, _asked = server
    answers["/"] = (status, headers, body)
    with pytest.raises(SourceError, match=words):
        fetch.fetch(url, tmp_path)


def test_an_address_that_trickles_ends(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, all of them never."""
    settings.LOCAL_ONLY = True
    monkeypatch.setattr(limits, "FETCHED_SECONDS", replace(limits.FETCHED_SECONDS, value=1))
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while not ended.wait(0.05):
                    self.wfile.write(b"a")
                    self.wfile.flush()

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        began = time.monotonic()
        with pytest.raises(SourceError, match="second"):
            fetch.fetch(f"http://127.0.0.1:{found.server_port}/", tmp_path)
        assert time.monotonic() - began < 10
    finally:
        ended.set()
        found.shutdown()
        found.server_close()
        thread.join()


def test_limits(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url, answers, _asked = server
    answers["/"] = (200, {}, b"x" * 3_000_000)
    monkeypatch.setattr(limits, "FETCHED", replace(limits.FETCHED, value=2 * 2**20))
    with pytest.raises(SourceError, match="more than 2 MiB"):
        fetch.fetch(url, tmp_path)
    bomb = tmp_path / "bomb"
    bomb.write_bytes(zipped({"a.yaml": b"\0" * 5_000_000}))
    with pytest.raises(SourceError, match="larger than the console accepts"):
        archive.unpack(bomb, tmp_path / "out", archive.Budget(1_000_000))
    bomb.write_bytes(registry.layer({"a.yaml": b"\0" * 5_000_000}))
    with pytest.raises(SourceError, match="unpacks to a huge amount"):
        archive.unpack(bomb, tmp_path / "out", archive.Budget(stream=1_000_000))
    bomb.write_bytes(registry.layer(dict.fromkeys(map(str, range(50)), b"")))
    with pytest.raises(SourceError, match="more files"):
        archive.unpack(bomb, tmp_path / "out", archive.Budget(files=10))


def test_passwords_are_sent_and_never_shown(server: Any, tmp_path: Path) -> None:
    url, answers, asked = server
    answers["/a?token=geheim"] = (200, {}, FBC)
    secret = url.replace("http://", "http://me:geheim@")
    fetch.fetch(f"{secret}/a?token=geheim", tmp_path)
    assert asked[0][1]["Authorization"] == web.basic("me", "geheim")
    assert "geheim" not in asked[0][1]["Host"]
    with pytest.raises(SourceError) as caught:
        fetch.fetch(f"{secret}/b?token=geheim", tmp_path)
    assert "geheim" not in str(caught.value) and "/b" in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "169.254.1.1",
        "224.0.0.1",
        "2130706433",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "[2002:7f00:1::]",
    ],
)
def test_the_consoles_own_machine_is_not_read_from(settings: Any, tmp_path: Path, host: str) -> None:
    settings.LOCAL_ONLY = False
    with pytest.raises(SourceError, match=r"doesn't read from|is unknown"):
        fetch.fetch(f"http://{host}:1/x", tmp_path)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "gopher://x/", "http://", "x", "http://[x", "http://a:b:c/"])
def test_what_is_no_address(tmp_path: Path, address: str) -> None:
    with pytest.raises(SourceError, match="isn't a web address"):
        fetch.fetch(address, tmp_path)


def test_s15_the_dns_is_asked_once_and_its_answer_is_connected_to(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name may lead to another address each time (DNS rebinding): what was judged is what is connected to."""
    settings.LOCAL_ONLY = False
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolve(host: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(host)
        return real("192.0.2.1" if asked.count("rebound.example") < 2 else "169.254.169.254", *args, **kwargs)

    connected: list[Any] = []

    def connect(address: Any, *_args: Any, **_kwargs: Any) -> Any:
        connected.append(address[0])
        raise OSError("nobody there")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)
    with pytest.raises(SourceError):
        fetch.fetch("http://rebound.example:1/x", tmp_path)
    assert connected == ["192.0.2.1"] and asked.count("rebound.example") == 1


def test_nobody_there(settings: Any, tmp_path: Path) -> None:
    settings.LOCAL_ONLY = True
    with pytest.raises(SourceError, match="isn't responding"):
        fetch.fetch("http://127.0.0.1:1/x", tmp_path)

"""How other users are affected while an attacker exceeds the limits of kube/limits.py: `python -m bench.attacks`.

A console as `make run` starts it; each attack runs for some seconds from four threads, or from 200 slow connections,
while one person asks for a page and another for /healthz, again and again. Prints a table: how the attack was answered,
how long a page and /healthz took, and the memory of the web process.
"""

import argparse
import io
import re
import socket
import statistics
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urlsplit

import psutil

from bench.console import console
from bench.expensive import web
from kube import limits

SECONDS = 10.0
THREADS = 4
SLOW_CONNECTIONS = 200
PAGE = "/resources/core/v1/namespaces/"


class Attacker:
    """An HTTP client with its own session, and the CSRF token that forms need."""

    def __init__(self, url: str) -> None:
        self.url, self.place = url, (urlsplit(url).hostname, urlsplit(url).port)
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        page = self._opener.open(f"{url}/resources/import/", timeout=60).read().decode()
        found = re.search(r'name="csrf-token" content="([^"]+)"', page)
        self._token = found[1] if found else ""

    def post(self, path: str, body: bytes, kind: str) -> str:
        """The status of the answer."""
        headers = {"Content-Type": kind, "X-CSRFToken": self._token, "Origin": self.url}
        try:
            with self._opener.open(urllib.request.Request(f"{self.url}{path}", body, headers), timeout=120) as answer:
                answer.read()
                return str(answer.status)
        except urllib.error.HTTPError as refused:
            refused.read()
            return str(refused.code)
        except (urllib.error.URLError, OSError):
            return "closed"

    def form(self, path: str, **fields: str) -> str:
        return self.post(path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def raw(self, data: bytes) -> str:
        """The status of what a socket is answered."""
        with socket.create_connection(self.place, 60) as connection:
            try:
                connection.sendall(data)
                status_line = connection.recv(100).split()
            except OSError:
                return "closed"
            return status_line[1].decode() if len(status_line) > 1 else "closed"

    @contextmanager
    def slow(self, head: bytes) -> Iterator[None]:
        """So many connections that send `head` and then a byte a second."""
        over = threading.Event()
        with ExitStack() as open_:
            connections = [
                open_.enter_context(socket.create_connection(self.place, 60)) for _number in range(SLOW_CONNECTIONS)
            ]
            for connection in connections:
                connection.sendall(head)

            def trickle() -> None:
                while not over.wait(1.0):
                    for item in connections:
                        try:
                            item.sendall(b"x")
                        except OSError:
                            continue

            sending = threading.Thread(target=trickle, daemon=True)
            sending.start()
            yield
            over.set()
            sending.join()


def zeros() -> bytes:
    """A form with a zip of 600 KB that would be 600 MB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"{number}.yaml", bytes(100 * 2**20))
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.zip"\r\n\r\n'
    return head + packed.getvalue() + b"\r\n--b--\r\n"


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
_POST = b"POST /resources/import/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


def attacks() -> dict[str, Callable[[Attacker], str]]:
    """What is done again and again; the status that it is answered with."""
    large, zipped = bytes(limits.REQUEST_BODY_BYTES.value + 1), zeros()
    within = bytes(limits.REQUEST_BODY_BYTES.value)
    fields = "&".join(f"f{number}=" for number in range(limits.FORM_FIELDS.value + 1)).encode()
    header = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * limits.REQUEST_HEADER_BYTES.value * 2
    url_encoded = "application/x-www-form-urlencoded"
    deep_json = b"[" * 2**20
    return {
        "headers of 128 KiB": lambda item: item.raw(header + b"\r\n\r\n"),
        "bodies of 16 MiB and a byte": lambda item: item.post("/resources/import/", large, url_encoded),
        "bodies of 16 MiB": lambda item: item.post("/resources/import/", within, "application/octet-stream"),
        "forms of 200,001 fields": lambda item: item.post("/resources/import/", fields, url_encoded),
        "YAML of 40,000 levels": lambda item: item.form("/resources/import/", text="[" * 40_000, **{"~check": "1"}),
        "YAML of 10^9 aliases": lambda item: item.form("/resources/import/", text=ALIASES, **{"~check": "1"}),
        "JSON of 1,000,000 levels": lambda item: item.post(
            "/api/resources/core/v1/configmaps/default/", deep_json, "application/json"
        ),
        "a zip of 600 KB that is 600 MB": lambda item: item.post(
            "/operatorhub/run/", zipped, "multipart/form-data; boundary=b"
        ),
    }


SLOW = {
    "200 connections, headers by the byte": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "200 connections, bodies by the byte": _POST + b"Content-Length: 1000000\r\n\r\n",
}


@dataclass(slots=True, kw_only=True)
class Others:
    """What people who do nothing wrong notice."""

    url: str
    process: psutil.Process
    pages: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    wrong: int = 0
    most: float = 0.0

    def ask(self, path: str, took: list[float], over: threading.Event) -> None:
        while not over.is_set():
            before = time.monotonic()
            try:
                with urllib.request.urlopen(f"{self.url}{path}", timeout=120) as answer:
                    answer.read()
            except (urllib.error.URLError, OSError):
                self.wrong += 1
            took.append(time.monotonic() - before)
            self.most = max(self.most, self.process.memory_info().rss / 2**20)
            time.sleep(0.05)

    @contextmanager
    def looking(self) -> Iterator[None]:
        over = threading.Event()
        asking = [
            threading.Thread(target=self.ask, args=(PAGE, self.pages, over), daemon=True),
            threading.Thread(target=self.ask, args=("/healthz", self.health, over), daemon=True),
        ]
        for thread in asking:
            thread.start()
        yield
        over.set()
        for thread in asking:
            thread.join()


def shown(name: str, answers: Counter[str], others: Others) -> str:
    """A row of the table in docs/security.md."""
    answer_counts = ", ".join(f"{status} × {number}" for status, number in answers.most_common())
    ms = [round(1000 * item) for item in (statistics.median(others.pages), max(others.pages), max(others.health))]
    return (
        f"| {name} | {answer_counts} | {ms[0]} ms | {ms[1]} ms | {ms[2]} ms | {others.most:.0f} MiB | {others.wrong} |"
    )


def from_threads(attackers: list[Attacker], attack: Callable[[Attacker], str], seconds: float) -> Counter[str]:
    """How the attack was answered, as often as it came to its end in that time."""
    answers: Counter[str] = Counter()
    until = time.monotonic() + seconds

    def repeat(attacker: Attacker) -> None:
        while time.monotonic() < until:
            answers[attack(attacker)] += 1

    threads = [threading.Thread(target=repeat, args=(attacker,)) for attacker in attackers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m bench.attacks", description=__doc__)
    arguments.add_argument("--seconds", type=float, default=SECONDS, help="how long each attack goes on")
    seconds = arguments.parse_args().seconds
    print("| Attack | Responses | Page, median | Page, longest | /healthz, longest | Memory, peak | Not answered |")
    print("|---|---|---|---|---|---|---|")
    with console() as running:
        process = web(running)
        attackers = [Attacker(running.url) for _number in range(THREADS)]
        calm = Others(url=running.url, process=process)
        with calm.looking():
            time.sleep(seconds)
        print(shown("none", Counter(), calm), flush=True)
        for name, attack in attacks().items():
            others = Others(url=running.url, process=process)
            with others.looking():
                answers = from_threads(attackers, attack, seconds)
            print(shown(name, answers, others), flush=True)
        for name, head in SLOW.items():
            others = Others(url=running.url, process=process)
            with others.looking(), attackers[0].slow(head):
                time.sleep(seconds)
            print(shown(name, Counter({"held": SLOW_CONNECTIONS}), others), flush=True)
        time.sleep(seconds)
        print(f"Memory afterwards: {process.memory_info().rss / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()

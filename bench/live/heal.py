"""Part `heal`: how long after each fault until a browser is live again.

A real Chromium shows a list; five of its objects are changed ten times a second all the while, directly at the API
server. From the end of the fault (the program that was away answers again, the network is whole, the process runs, the
flush is done) until all five rows show a change made after it, and what is changed then arrives within a second (a
page that only listed again is not live yet). The page isn't reloaded. The worker reaches the API server through a
relay, which is cut in two ways: silent for 10 s (packets lost), and broken for 10 s (connections refused).
"""

import contextlib
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as PageTimeout

from bench.console import wait
from bench.events import GROUP, PLURAL
from bench.figures import Figure, figure
from bench.live import marks
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import Helper, helping
from bench.live.programs import Programs, answers, started

_NAMESPACE = "faults"
_ROWS, _RUNS, _AWAY, _PATIENCE = 5, 2, 10.0, 60.0
# Milliseconds since 1970 at the frame in which every row shows a change made after `moment`; false until then.
_LIVE = """(moment) => {
  const rows = [...document.querySelectorAll('#rows tr[id^=row-]')];
  const words = rows.map((row) => row.textContent.match(/mark-(\\d+)/)?.[1] ?? 0);
  const all = words.length === ROWS && words.every((word) => Number(word) > moment);
  return all && performance.timeOrigin + performance.now();
}""".replace("ROWS", str(_ROWS))


class Writer(threading.Thread):
    """Changes all rows ten times a second; the words say when, in milliseconds since 1970.

    Errors are the faults' business.
    """

    def __init__(self, kubeconfig: Path, names: list[str]) -> None:
        super().__init__(daemon=True)
        self._kubeconfig, self._names, self.ending = kubeconfig, names, threading.Event()

    def run(self) -> None:
        api = Api(self._kubeconfig)
        while not self.ending.wait(0.1):
            with contextlib.suppress(OSError):
                for name in self._names:
                    marks.mark(api, name, f"mark-{time.time_ns() // 10**6}", _NAMESPACE)


def measure(cluster: Cluster, browser: Browser) -> list[Figure]:
    names = marks.make(cluster.kubeconfig, _ROWS, _NAMESPACE)
    host = urlsplit(Api(cluster.kubeconfig).config.host)
    writer = _Writing(cluster, names)
    with (
        started(cluster.kubeconfig, workers=False) as programs,
        helping("relay", host=host.hostname, port=host.port) as relay,
        writer,
    ):
        kubeconfig = _through(cluster.kubeconfig, relay.receive()["port"], programs.folder / "relayed")
        programs.worker("relayed", KUBECONFIG=str(kubeconfig), BEAT_IN_WORKER="1").start()
        programs.wait_ready()
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        page = context.new_page()
        page.goto(f"{programs.url}/resources/{GROUP}/v1/{PLURAL}/?namespace={_NAMESPACE}")
        figures = []
        for name, fault in _faults(cluster, programs, relay).items():
            samples = []
            for _ in range(_RUNS):
                page.wait_for_function(_LIVE, arg=time.time() * 1000, timeout=60000)
                time.sleep(2)
                fault()
                samples.append(_until_live(page, time.time() * 1000))
            print(f"  {name}: {', '.join(f'{sample:.2f} s' for sample in samples)}", flush=True)
            figures.append(figure(f"live again after: {name}", "s", samples, "10"))
        context.close()
    return figures


def _until_live(page: Page, ended: float) -> float:
    """Seconds. A page that is not live within `_PATIENCE` counts with that, and is loaded again."""
    live = ended
    try:
        while True:
            live = float(page.wait_for_function(_LIVE, arg=live, timeout=_PATIENCE * 1000).json_value())
            again = float(page.wait_for_function(_LIVE, arg=live, timeout=_PATIENCE * 1000).json_value())
            if again - live < 1000:
                return (live - ended) / 1000
            live = again - 1
    except PageTimeout:
        print(f"  not live within {_PATIENCE:.0f} s; the page is loaded again", flush=True)
        page.reload()
        return _PATIENCE


class _Writing(contextlib.AbstractContextManager):
    def __init__(self, cluster: Cluster, names: list[str]) -> None:
        self._writer = Writer(cluster.kubeconfig, names)

    def __enter__(self) -> None:
        self._writer.start()

    def __exit__(self, *_: object) -> None:
        self._writer.ending.set()
        self._writer.join(10)


def _faults(cluster: Cluster, programs: Programs, relay: Helper) -> dict[str, Callable[[], None]]:
    """Each returns when the fault has ended."""

    def redis() -> None:
        programs["redis"].end()
        time.sleep(1)
        programs.start("redis")

    def api() -> None:
        cluster.stop_api()
        time.sleep(1)
        cluster.start_api()
        # A real one says that it is ready some time before it serves custom resources.
        wait(lambda: _takes(cluster.kubeconfig), 120, "a write that the API server takes")

    def web() -> None:
        programs["web"].kill()
        programs["web"].start()
        wait(lambda: answers(f"{programs.url}/readyz"), 60, "the web process")

    def worker() -> None:
        programs["relayed"].kill()
        time.sleep(1)
        programs["relayed"].start()

    def stopped() -> None:
        programs["relayed"].signal(signal.SIGSTOP)
        time.sleep(_AWAY)
        programs["relayed"].signal(signal.SIGCONT)

    def cut(how: str) -> Callable[[], None]:
        def away() -> None:
            relay.ask(how)
            time.sleep(_AWAY)
            relay.ask("open")

        return away

    return {
        "Redis restarted": redis,
        "Redis flushed": programs.flush_redis,
        "API server killed and restarted": api,
        "web process killed and restarted": web,
        "the only worker killed and started anew": worker,
        "worker stopped for 10 s (SIGSTOP)": stopped,
        "worker's network silent for 10 s": cut("silent"),
        "worker's network refused for 10 s": cut("refuse"),
    }


def _takes(kubeconfig: Path) -> bool:
    try:
        marks.mark(Api(kubeconfig), "row-00000", f"mark-{time.time_ns() // 10**6}", _NAMESPACE)
    except OSError:
        return False
    return True


def _through(kubeconfig: Path, port: int, path: Path) -> Path:
    """The same kubeconfig with the relay's port."""
    config = yaml.safe_load(kubeconfig.read_text())
    for cluster in config["clusters"]:
        cluster["cluster"]["server"] = f"https://127.0.0.1:{port}"
    path.write_text(yaml.safe_dump(config))
    return path

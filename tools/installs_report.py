#!/usr/bin/env python3
"""`make test-installs DATA=DIR`: install each package of a folder through the JSON API, as a script would, and see
what the console says on the way.

Starts the console on an embedded cluster of its own. Of each package: POST …/install/ into a namespace of its own, poll
the state until it is done or has stayed failed, approve what asks, uninstall with everything that it brought. Packages
with a kind in common never run side by side.

    installed     done in the end
    refused       a clear answer before the install, or failed in the end with a cause
    false alarm   done later, though the install's state or the list of operators said failed, or that it can't be done
    unexplained   anything else: neither done nor failed in time, or failed without a cause

Writes every state that it saw to .data/test-installs/latest.json. Exit 1 when there is a false alarm or an unexplained
end.
"""

import argparse
import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from console.processes.parts import free_port  # noqa: E402
from console.processes.supervisor import die_with_parent  # noqa: E402

DATA = ROOT / ".data" / "test-installs"
POLL_SECONDS = 1.0
#: What has failed is watched for so much longer: a state that turns out well after that was a false alarm.
WATCHED_SECONDS = 60.0
#: OLM itself gives up after five minutes and starts over.
LIMIT_SECONDS = 420.0
#: Waits between attempts while the console or its cluster does not answer: about three minutes, in which a killed part
#: is back.
BUSY_SECONDS = (2.0, 5.0, 10.0, 20.0, 30.0, 30.0, 30.0, 30.0, 30.0)
#: Warnings before the install by which it can't succeed.
IMPOSSIBLE = frozenset({"required"})
#: Set by Ctrl-C: what is under way is removed, and the rest not begun.
STOPPED = threading.Event()
INSTALLED, REFUSED, FALSE_ALARM, UNEXPLAINED = "installed", "refused with a reason", "false alarms", "unexplained"


class NoAnswer(Exception):
    """The console gave no answer, or not the one that was expected. `again`: the same request may be sent once more."""

    def __init__(self, words: str, *, again: bool = False) -> None:
        super().__init__(words)
        self.again = again


@dataclass(frozen=True, slots=True)
class ApiResponse:
    status: int
    body: Any


class ConsoleApi:
    """The JSON API, a connection for each request. `retries`: each request that had to be sent again, and why."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.retries: list[str] = []

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> ApiResponse:
        """Retries a 503, which says that the cluster is busy, and a connection error, as a script would.

        Raises NoAnswer.

        What changes something is only sent again when it can't have arrived.
        """
        for wait in BUSY_SECONDS:
            try:
                answer = self.ask_once(method, path, body)
            except NoAnswer as error:
                if not error.again:
                    raise
                why = str(error)
            else:
                if answer.status != 503:
                    return answer
                why = f"{method} {path}: 503 {json.dumps(answer.body)[:200]}"
            self.retries.append(why)
            time.sleep(wait)
        return self.ask_once(method, path, body)

    def ask_once(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> ApiResponse:
        """Raises NoAnswer."""
        token = "a" * 32
        headers = {
            "Content-Type": "application/json",
            "X-CSRFToken": token,
            "Cookie": f"console_csrf_{self.port}={token}",
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, json.dumps(body or {}) if method != "GET" else None, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            again = method == "GET" or isinstance(error, ConnectionRefusedError)
            raise NoAnswer(f"{method} {path}: {type(error).__name__}: {error}", again=again) from error
        finally:
            connection.close()
        try:
            return ApiResponse(answer.status, json.loads(text or "null"))
        except ValueError as error:
            raise NoAnswer(f"{method} {path}: {answer.status}, not JSON: {text[:200]}") from error

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        if answer.status != 200:
            raise NoAnswer(f"GET {path}: {answer.status} {json.dumps(answer.body)[:300]}")
        return answer.body


@dataclass(frozen=True, slots=True)
class InstallablePackage:
    """`kinds`: CRDs that it brings or needs."""

    namespace: str
    catalog: str
    name: str
    kinds: frozenset[str]

    @property
    def path(self) -> str:
        return f"/api/operatorhub/packages/{self.namespace}/{self.catalog}/{quote(self.name)}/"


@dataclass(kw_only=True)
class Report:
    """`states`: (seconds since the install, where it was shown, the state) at each change; `reason`: why it was
    refused, or what is unexplained.
    """

    package: str
    outcome: str = UNEXPLAINED
    reason: str = ""
    seconds: float = 0.0
    states: list[tuple[float, str, str]] = field(default_factory=list)
    left: str = ""

    def saw(self, start: float, where: str, what: str) -> None:
        if next((state for _at, place, state in reversed(self.states) if place == where), "") != what:
            self.states.append((round(time.monotonic() - start, 1), where, what))

    @property
    def alarms(self) -> list[str]:
        return [f"{where}: {what}" for _at, where, what in self.states if what.startswith(("failed", "impossible"))]


def try_install(api: ConsoleApi, package: InstallablePackage) -> Report:
    """Install one package, record the states that the console shows, remove it."""
    report, start = Report(package=package.name), time.monotonic()
    namespace = f"try-{package.name}"[:63].rstrip("-.").replace(".", "-")
    try:
        answer = api.ask("POST", f"{package.path}install/", {"namespace": namespace})
        if answer.status != 201:
            report.reason = _refusal(answer)
            report.outcome = REFUSED if report.reason else UNEXPLAINED
            report.saw(start, "install", f"{answer.status} {report.reason}")
            return report
        warned = [warning["words"] for warning in answer.body["warnings"] if warning["key"] in IMPOSSIBLE]
        for words in warned:
            report.saw(start, "warning", f"impossible: {words}")
        _follow(api, report, (namespace, answer.body["subscription"]), start)
        if report.outcome == UNEXPLAINED and warned:
            report.outcome, report.reason = REFUSED, warned[0]
    except NoAnswer as error:
        report.reason = str(error)
    finally:
        report.seconds = round(time.monotonic() - start, 1)
        try:
            remove(api, namespace)
        except (NoAnswer, KeyError) as error:
            report.left = str(error)
    return report


def _refusal(answer: ApiResponse) -> str:
    body = answer.body if isinstance(answer.body, dict) else {}
    problem = body.get("problem") or body
    if answer.status in (409, 422) and body.get("errors"):
        return "; ".join(body["errors"].values())
    return " ".join(filter(None, (problem.get("title"), problem.get("detail")))) if answer.status < 500 else ""


def _follow(api: ConsoleApi, report: Report, place: tuple[str, str], start: float) -> None:
    failed_at = 0.0
    while time.monotonic() - start < LIMIT_SECONDS and not STOPPED.is_set():
        found = api.get(f"/api/operatorhub/installs/{place[0]}/{place[1]}/")
        state, trouble = found["state"], found["trouble"]
        report.saw(start, "install", f"{state}: {trouble['key']}: {trouble['words']}" if trouble else state)
        for stage in found["stages"]:
            if stage["state"] == "failed":
                report.saw(start, f"stage {stage['key']}", f"failed: {stage['words']}")
        rows = api.get(f"/api/operatorhub/operators/?{urlencode({'namespace': place[0]})}")["operators"]
        for row in rows:
            if row["subscription"] == place[1]:
                report.saw(start, "list", f"{row['state']}: {row['word']} {row['reason']}".strip())
        if state == "done":
            report.outcome = FALSE_ALARM if report.alarms else INSTALLED
            report.reason = "; ".join(report.alarms)
            return
        if state == "asks" and found["plan"]:
            api.ask("POST", f"/api/operatorhub/installplans/{place[0]}/{found['plan']}/approve/")
        if state != "failed":
            failed_at = 0.0
        elif trouble and trouble["words"]:
            failed_at = failed_at or time.monotonic()
            if time.monotonic() - failed_at > WATCHED_SECONDS:
                report.outcome, report.reason = REFUSED, f"{trouble['words']} {trouble['raw']}".strip()
                return
        time.sleep(POLL_SECONDS)
    report.reason = f"after {LIMIT_SECONDS:.0f} s: {report.states[-1][2] if report.states else 'nothing'}"


def remove(api: ConsoleApi, namespace: str) -> None:
    """Every operator of the namespace with all that it brought, what has not become one, and the namespace."""
    for row in api.get(f"/api/operatorhub/operators/?{urlencode({'namespace': namespace})}")["operators"]:
        if not row["csv"] or row["namespace"] != namespace or row["runs_in"]:
            continue
        path = f"/api/operatorhub/operators/{namespace}/{quote(row['csv'])}/uninstall/"
        preview = api.ask("GET", path)
        if preview.status != 200:
            continue
        wanted = {
            "instances": [operand["crd"] for operand in preview.body["operands"]],
            "leftovers": [leftover["key"] for leftover in preview.body["leftovers"] if leftover["offered"]],
        }
        run = api.ask("POST", path, wanted)
        until = time.monotonic() + 120
        while run.status in (200, 202) and run.body["run"] == "running" and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            run = api.ask("POST", f"/api/operatorhub/removals/{run.body['key']}/")
    for plural in ("subscriptions", "clusterserviceversions"):
        kind = f"/api/resources/operators.coreos.com/v1alpha1/{plural}/"
        listed = api.ask("GET", f"{kind}?{urlencode({'namespace': namespace})}")
        for row in listed.body["items"] if listed.status == 200 else []:
            api.ask("DELETE", f"{kind}{namespace}/{quote(row['metadata']['name'])}/")
    api.ask("DELETE", f"/api/resources/core/v1/namespaces/-/{namespace}/")


class Queue:
    """Packages that wait, so handed out that no two with a kind in common are tried at once."""

    def __init__(self, waiting: list[InstallablePackage]) -> None:
        self._waiting = list(waiting)
        self._busy: Counter[str] = Counter()
        self._changed = threading.Condition()

    def __iter__(self) -> Iterator[InstallablePackage]:
        while (package := self._next()) is not None:
            try:
                yield package
            finally:
                with self._changed:
                    self._busy.subtract(package.kinds)
                    self._changed.notify_all()

    def _next(self) -> InstallablePackage | None:
        with self._changed:
            while self._waiting and not STOPPED.is_set():
                for package in self._waiting:
                    if not any(self._busy[kind] > 0 for kind in package.kinds):
                        self._waiting.remove(package)
                        self._busy.update(package.kinds)
                        return package
                self._changed.wait(POLL_SECONDS)
        return None


def packages(api: ConsoleApi, folder: Path, only: list[str]) -> list[InstallablePackage]:
    """Those of the folder that the catalog page has, once the catalogs are read."""
    wanted = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    until = time.monotonic() + 300
    while time.monotonic() < until:
        answer = api.ask("GET", "/api/operatorhub/packages/?shown=10000")
        found = [row for row in (answer.body or {}).get("entries", []) if row["catalog"] != "samples-catalog"]
        if answer.status == 200 and len(found) >= len(wanted):
            break
        time.sleep(POLL_SECONDS)
    else:
        say(f"{len(found)} of {len(wanted)} folders are packages of the catalog")
    chosen = [row for row in found if not only or row["name"] in only]
    with ThreadPoolExecutor(4) as threads:
        _until_read(api, found[-1])
        return list(threads.map(lambda row: _package(api, row), chosen))


def _until_read(api: ConsoleApi, row: Mapping[str, Any], seconds: float = 180) -> None:
    """Dependencies are known as soon as the console's worker has read the folder's bundles."""
    path = f"/api/operatorhub/packages/{row['namespace']}/{row['catalog']}/{quote(row['name'])}/"
    version = api.get(path)["channels"][0]["csv"]
    until = time.monotonic() + seconds
    while api.ask("GET", f"{path}versions/{quote(version)}/").status != 200:
        if time.monotonic() > until:
            raise SystemExit(f"the worker has not read the bundles; {DATA / 'console.log'} says why")
        time.sleep(POLL_SECONDS)


def _package(api: ConsoleApi, row: Mapping[str, Any]) -> InstallablePackage:
    package = InstallablePackage(row["namespace"], row["catalog"], row["name"], frozenset())
    about = api.get(package.path)["description"] or {}
    kinds = (*about.get("apis", ()), *about.get("required", ()))
    return InstallablePackage(
        package.namespace,
        package.catalog,
        package.name,
        frozenset(f"{kind['plural']}.{kind['group']}" for kind in kinds),
    )


@contextlib.contextmanager
def console(folder: Path) -> Iterator[ConsoleApi]:
    """The console on an embedded cluster with the folder as a catalog, as `make run` starts them."""
    shutil.rmtree(DATA / "run", ignore_errors=True)
    DATA.mkdir(parents=True, exist_ok=True)
    api = ConsoleApi(free_port())
    command = [sys.executable, "-m", "console.processes", "--port", str(api.port), "--data", str(DATA / "run")]
    with (DATA / "console.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--catalog", str(folder)],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            env={**os.environ, "SIGN_IN": "local"},
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        try:
            _until_ready(api, process)
            yield api
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _until_ready(api: ConsoleApi, process: "subprocess.Popen[bytes]", seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(NoAnswer):
            if api.ask_once("GET", "/readyz").status == 200:
                return
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"the console did not come up; {DATA / 'console.log'} says why")


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder with a folder for each package")
    parser.add_argument("--jobs", type=int, default=3, help="packages side by side")
    parser.add_argument("--most", type=int, default=0, help="every n-th package, so that there are at most so many")
    parser.add_argument("--only", action="append", default=[], help="only this package; may be given again")
    given = parser.parse_args()
    if not given.folder.is_dir():
        raise SystemExit(f"DATA={given.folder}: there is no such folder; name one with a folder for each package")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: STOPPED.set())
    started = time.monotonic()
    reports: list[Report] = []
    with console(given.folder.resolve()) as api:
        found = packages(api, given.folder, given.only)
        step = -(-len(found) // given.most) if given.most else 1
        queue, lock = Queue(found[::step]), threading.Lock()
        total = len(found[::step])
        say(f"{total} packages, {given.jobs} side by side; ready after {time.monotonic() - started:.0f} s")

        def work(_number: int) -> None:
            for package in queue:
                report = try_install(api, package)
                with lock:
                    reports.append(report)
                    say(_line(len(reports), total, report))
                    _write(reports)

        with ThreadPoolExecutor(given.jobs) as threads:
            list(threads.map(work, range(given.jobs)))
    return closing(reports, time.monotonic() - started, api.retries)


def _line(number: int, total: int, report: Report) -> str:
    left = f" · left: {report.left}" if report.left else ""
    return f"{number:>3}/{total} {report.package}: {report.outcome}, {report.seconds:.0f} s {report.reason[:300]}{left}"


def _write(reports: list[Report]) -> None:
    (DATA / "latest.json").write_text(json.dumps([asdict(report) for report in reports], indent=1))


def closing(reports: list[Report], seconds: float, retries: Sequence[str] = ()) -> int:
    """The last lines, and the exit code. `retries`: why requests had to be sent again."""
    counts = Counter(report.outcome for report in reports)
    outcomes = (INSTALLED, REFUSED, FALSE_ALARM, UNEXPLAINED)
    say(f"test-installs: {len(reports)} packages in {seconds:.0f} s; {len(retries)} requests sent again")
    for why, count in Counter(retries).most_common(5):
        say(f"  {count} × {why}")
    say(", ".join(f"{counts[outcome]} {outcome}" for outcome in outcomes))
    return 1 if counts[FALSE_ALARM] or counts[UNEXPLAINED] or not reports else 0


if __name__ == "__main__":
    sys.exit(main())

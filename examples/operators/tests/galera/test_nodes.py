"""Real nodes: what was answered is never lost, and who comes and goes is not noticed by clients."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from examples.operators.tests.galera.nodes import Nodes, running


class Client(threading.Thread):
    """Writes a number at one node and reads it at another, without end; nothing is tried twice."""

    def __init__(self, nodes: Nodes, *numbers: int):
        super().__init__(daemon=True)
        self.nodes, self.numbers, self.ended = nodes, numbers, threading.Event()
        self.requests, self.longest, self.problems = 0, 0.0, []

    def run(self) -> None:
        count = 0
        while not self.ended.is_set():
            count += 1
            for method, value in (("PUT", str(count)), ("GET", None)):
                self.requests += 1
                begin = time.monotonic()
                number = self.numbers[self.requests % len(self.numbers)]
                status, text = self.nodes.ask(number, method, "/keys/load", value)
                self.longest = max(self.longest, time.monotonic() - begin)
                if status != 200 or (value is None and text != str(count)):
                    self.problems.append((method, count, number, status, text[:200]))

    def end(self) -> None:
        self.ended.set()
        self.join(60)


def test_scaling_is_not_noticed_by_a_client(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        client = Client(nodes, 0, 1, 2)
        client.start()
        nodes.start(3, 4)
        assert nodes.members(1) == [f"g-node-{number}" for number in range(5)]
        before = client.requests
        nodes.until(lambda: client.requests > before + 20, "the client does not go on")
        nodes.stop(4)
        nodes.stop(3)
        nodes.until(lambda: nodes.members(2) == [f"g-node-{number}" for number in range(3)], "they are still members")
        client.end()
        print(f"{client.requests} requests, the longest {client.longest * 1000:.0f} ms")
        assert client.problems == []
        assert client.requests > 40


def test_nothing_is_lost_when_all_first_nodes_are_replaced_one_by_one(tmp_path: Path) -> None:
    """Each entry moves on: written with members 0 to 2, read when 1 and 2 have gone and 3 to 6 have come."""
    with running(tmp_path, 0, 1, 2) as nodes:
        for number in range(30):
            assert nodes.put(number % 3, f"k{number}", f"v{number}") == 200
        assert nodes.ask(0, "DELETE", "/keys/k7")[0] == 200
        nodes.start(3, 4, 5, 6)
        for number in (1, 2):
            nodes.stop(number)
        nodes.until(lambda: len(nodes.members(6)) == 5, "they are still members")
        found = json.loads(nodes.get(6, "/keys")[1])
        assert found == {f"k{number}": f"v{number}" for number in range(30) if number != 7}
        assert nodes.get(5, "/keys/k7")[0] == 404


def test_one_node_may_die_and_come_back(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        assert nodes.put(0, "a", "1") == 200
        nodes.kill(0)  # the keeper of the membership: reads and writes work without it
        assert nodes.put(1, "a", "2") == 200
        assert nodes.get(2, "/keys/a") == (200, "2")
        nodes.start(0)
        assert nodes.get(0, "/keys/a") == (200, "2")
        assert nodes.members(0) == ["g-node-0", "g-node-1", "g-node-2"]


@pytest.mark.timeout(200)
def test_without_a_majority_nothing_is_promised(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        assert nodes.put(0, "a", "1") == 200
        nodes.kill(1)
        nodes.kill(2)
        status, text = nodes.ask(0, "PUT", "/keys/a", "2")
        assert (status, text) == (503, "1 of 3 nodes answered, 2 are needed\n")
        nodes.start(1)
        assert nodes.put(1, "a", "3") == 200
        assert nodes.get(0, "/keys/a") == (200, "3")


def test_a_node_that_lost_its_disk_gets_everything_again(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        for number in range(10):
            assert nodes.put(1, f"k{number}", "x") == 200
        for lost in (0, 2):  # the keeper itself finds the others
            nodes.kill(lost)
            for path in (tmp_path / str(lost)).iterdir():
                path.unlink()
            nodes.start(lost)
            assert json.loads(nodes.get(lost, "/status")[1])["keys"] == 10
        assert nodes.members(0) == ["g-node-0", "g-node-1", "g-node-2"]


def test_a_full_disk_is_said_and_nothing_that_was_promised_is_lost(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk's: writing fails in the same place."""
    with running(tmp_path, 0, 1, 2) as nodes:
        assert nodes.put(0, "a", "1") == 200
        nodes.limit(1, 150)
        assert nodes.put(0, "b", "x" * 300) == 200, "two of three are a majority"
        nodes.limit(2, 500)
        status, text = nodes.ask(0, "PUT", "/keys/b", "y" * 300)
        assert status == 503
        assert "1 of 3 nodes answered, 2 are needed; " in text
        for full in ("g-node-1", "g-node-2"):
            assert f"{full}: its disk takes nothing more: No space left on device" in text
        assert nodes.get(1, "/keys/a") == (200, "1")
        for number in (1, 2):
            nodes.limit(number, -1)
        assert nodes.put(1, "b", "z" * 300) == 200
        for number in (0, 1, 2):
            nodes.kill(number)
        nodes.start(0, 1)
        assert nodes.get(1, "/keys/a") == (200, "1")
        assert nodes.get(1, "/keys/b") == (200, "z" * 300)


def test_a_backup_without_room_says_so(tmp_path: Path) -> None:
    with running(tmp_path, 0) as nodes:
        for number in range(20):
            assert nodes.put(0, f"k{number}", "x" * 100) == 200
        folder = tmp_path / "backup"
        folder.mkdir()
        limits = (
            "import resource as r, runpy; r.setrlimit(r.RLIMIT_FSIZE, (1000, 1000));"
            " runpy.run_module('examples.operators.galera', run_name='__main__')"
        )
        service = {"G_SERVICE_HOST": "127.0.0.1", "G_SERVICE_PORT": str(nodes.ports[0])}
        command = [sys.executable, "-c", limits, "backup"]
        done = subprocess.run(
            command,
            env=nodes.environment(0, SANDBOX_MOUNT__BACKUP=str(folder), **service),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1, done.stderr
        assert "could not write 20 keys to the volume of backups: File too large" in done.stderr
        assert [*folder.iterdir()] == []


def test_everything_may_stop_and_start_again(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        assert nodes.put(0, "a", "1") == 200
        for number in (0, 1, 2):
            nodes.kill(number)
        (tmp_path / "1" / "entries.jsonl").open("a").write('["a", [9, "half')
        nodes.start(0)
        nodes.start(1)
        assert nodes.get(1, "/keys/a") == (200, "1")


def test_a_member_that_was_left_behind_is_taken_out(tmp_path: Path) -> None:
    with running(tmp_path, 0, 1, 2) as nodes:
        nodes.kill(2)
        assert nodes.ask(1, "POST", "/members", '{"count": 2}')[0] == 421
        status, text = nodes.ask(0, "POST", "/members", '{"count": 2}')
        assert (status, json.loads(text)) == (200, {"members": ["g-node-0", "g-node-1"]})
        nodes.until(lambda: nodes.members(1) == ["g-node-0", "g-node-1"], "node 1 does not know")


def test_what_a_client_may_not_ask(tmp_path: Path) -> None:
    with running(tmp_path, 0) as nodes:
        for path in ("/peer", "/join", "/leave", "/members"):
            for key in ("", "abd", "abcd"):
                found = nodes.ask(0, "POST", path, '{"count": 0}', key)
                assert found == (403, "only a node of this instance may ask this\n")
        assert nodes.ask(0, "PUT", "/keys/a", "1", "")[0] == 200
        assert nodes.get(0, "/keys/nothing") == (404, "there is no such key\n")
        assert nodes.put(0, "large", "x" * (1 << 20) + "x") == 413


def test_a_node_measures_what_clients_ask_of_it(tmp_path: Path) -> None:
    """At /metrics, and in the file that the autopilot reads; questions about itself do not count."""
    (tmp_path / "0-report").mkdir()
    with running(tmp_path, 0) as nodes:
        assert nodes.put(0, "a", "1") == 200
        assert nodes.get(0, "/keys/a")[1] == "1"
        assert nodes.get(0, "/status")[0] == 200
        status, text = nodes.get(0, "/metrics")
        found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert status == 200
        assert found['galera_requests_total{node="g-node-0"}'] == "2"
        assert found['galera_request_failures_total{node="g-node-0"}'] == "0"
        assert (found['galera_members{node="g-node-0"}'], found['galera_keys{node="g-node-0"}']) == ("1", "1")
        assert float(found['galera_request_seconds_total{node="g-node-0"}']) > 0

        def report() -> dict[str, float]:
            file = tmp_path / "0-report" / "report.json"
            return dict(json.loads(file.read_text())) if file.exists() else {}

        beat = nodes.until(lambda: report().get("beat"), "it reports nothing")
        later = nodes.until(lambda: report().get("beat", 0) > beat + 1 and report(), "it has stopped reporting")
        assert (later["requests"], later["failed"]) == (2, 0)
        assert later["memory"] > 10 << 20

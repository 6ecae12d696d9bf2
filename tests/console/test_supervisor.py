"""The supervisor with small real programs: prefixes, restarts, and nothing left behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from console.processes import __main__ as main
from console.processes import supervisor
from console.processes.__main__ import arguments, check_sharing, listen
from console.processes.parts import Options, environment, free_port, parts, socket_path
from console.processes.supervisor import Program, Supervisor
from tests.eventually import reached, until

ROOT = Path(__file__).resolve().parent.parent.parent
# Ignores SIGTERM and has a child of its own: the worst that a part can be.
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("pids", __import__("os").getpid(), child.pid, flush=True)
time.sleep(60)
"""


def pids(text: str) -> list[int]:
    return [int(word) for line in text.splitlines() if "pids" in line for word in line.split("pids")[1].split()]


async def test_output_has_the_name_of_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor(
        [Program(name="web", command=(sys.executable, "-c", "print('hello', flush=True); import time; time.sleep(60)"))]
    )
    running = asyncio.create_task(supervisor.run())
    seen: list[str] = []
    await reached(lambda: seen.append(capsys.readouterr().out) or any("hello" in text for text in seen))
    supervisor.stop()
    await running
    assert any(line.startswith("web     | hello") for line in "".join(seen).splitlines())


async def test_a_part_that_dies_is_started_again(capsys: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor(
        [Program(name="beat", command=(sys.executable, "-c", "raise SystemExit(3)"))], back_off=0.01
    )
    running = asyncio.create_task(supervisor.run())
    await reached(lambda: supervisor.restarts.get("beat", 0) >= 2)
    supervisor.stop()
    await running
    assert "beat ended with code 3" in capsys.readouterr().out


async def test_a_stubborn_part_and_its_child_are_killed(capsys: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor([Program(name="worker", command=(sys.executable, "-c", STUBBORN), stop_seconds=0.3)])
    running = asyncio.create_task(supervisor.run())
    text: list[str] = []
    await reached(lambda: text.append(capsys.readouterr().out) or len(pids("".join(text))) == 2)
    supervisor.stop()
    await running
    await reached(
        lambda: (
            not any(
                psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
                for pid in pids("".join(text))
            )
        )
    )
    assert "worker did not end within" in capsys.readouterr().out


async def test_a_program_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor([Program(name="redis", command=("/does/not/exist",))], back_off=0.01)
    running = asyncio.create_task(supervisor.run())
    await reached(lambda: supervisor.restarts.get("redis", 0) >= 1)
    supervisor.stop()
    await running
    assert "can't be started" in capsys.readouterr().out


HANGS = """
import http.server, os, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503); self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer)
print("pids", os.getpid(), flush=True)
server.serve_forever()
"""


async def test_s13_a_web_server_that_hangs_is_started_anew(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only death was seen: a stopped process was waited for without end. What the answer says does not count."""
    port = free_port()
    monkeypatch.setattr(Supervisor, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(supervisor, "ANSWER_SECONDS", 1.0)
    ask, answers = supervisor.http_check(port), list[bool]()

    async def check() -> bool:
        answers.append(await ask())
        return answers[-1]

    part = Program(name="web", command=(sys.executable, "-c", HANGS, str(port)), is_alive=check)
    keeper = Supervisor([part], back_off=0.01)
    running = asyncio.create_task(keeper.run())
    text: list[str] = []
    await reached(lambda: text.append(capsys.readouterr().out) or pids("".join(text)), 30)
    await reached(lambda: True in answers, seconds=30)
    os.kill(pids("".join(text))[0], signal.SIGSTOP)
    await reached(lambda: text.append(capsys.readouterr().out) or len(pids("".join(text))) > 1, 60)
    assert keeper.restarts["web"] and "web does not answer any more" in "".join(text)
    keeper.stop()
    await running


async def test_s13_every_part_is_asked_whether_it_lives(tmp_path: Path) -> None:
    assert [part.name for part in parts(Options(port=9000, data=tmp_path)) if part.is_alive is None] == []
    assert [
        part.name for part in parts(Options(port=9000, data=tmp_path, web=2, listener=7)) if part.is_alive is None
    ] == []
    file = tmp_path / "worker.alive"
    check = supervisor.file_check(file)
    assert not await check()
    file.touch()
    assert await check()
    os.utime(file, (time.time() - supervisor.FILE_AGE_SECONDS - 1,) * 2)
    assert not await check()
    assert not await supervisor.kubeconfig_check(tmp_path / "kubeconfig")()


def test_a_port_that_says_the_request_again_is_not_ready() -> None:
    """As does a socket that Linux connected to itself, while no process listens on that port yet."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def echo() -> None:
            with server.accept()[0] as client:
                client.sendall(client.recv(65536))

        thread = threading.Thread(target=echo, daemon=True)
        thread.start()
        assert main.readiness(server.getsockname()[1]) == {}
        thread.join(10)


async def test_s13_a_redis_that_answers_lives(redis_server: str) -> None:
    assert await supervisor.redis_check(Path(redis_server.removeprefix("unix://")))()
    assert not await supervisor.redis_check(Path("/nowhere"))()


async def test_s13_a_worker_that_waits_for_redis_is_not_killed(redis_server: str, tmp_path: Path) -> None:
    """It touches no file meanwhile."""
    file = tmp_path / "worker.alive"
    file.touch()
    os.utime(file, (1, 1))
    assert await supervisor.worker_check(file, "unix:///nowhere")()
    assert await supervisor.worker_check(file, f"redis://127.0.0.1:{free_port()}/0")()
    assert not await supervisor.worker_check(file, redis_server)()
    file.touch()
    assert await supervisor.worker_check(file, redis_server)()


async def test_s13_the_embedded_cluster_answers_its_check(
    request: pytest.FixtureRequest, cluster_kubeconfig: Path
) -> None:
    if request.config.getoption("--kubeconfig"):
        pytest.skip("the supervisor starts no real cluster, so it asks none whether it lives")
    assert await supervisor.kubeconfig_check(cluster_kubeconfig)()


async def test_s13_a_program_that_starts_slowly_is_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Supervisor, "CHECK_SECONDS", 0.01)
    asked: list[int] = []

    async def never() -> bool:
        asked.append(1)
        return False

    supervisor = Supervisor(
        [Program(name="web", command=(sys.executable, "-c", "import time; time.sleep(60)"), is_alive=never)]
    )
    running = asyncio.create_task(supervisor.run())
    await reached(lambda: len(asked) > 10)
    assert supervisor.restarts == {}
    supervisor.stop()
    await running


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        """import asyncio, sys
from console.processes.supervisor import Program, Supervisor

CHILD = "import os, time; print('pids', os.getpid(), flush=True); time.sleep(60)"
program = Program(name="web", command=(sys.executable, "-c", CHILD))
asyncio.run(Supervisor([program]).run())
"""
    )
    process = subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    (child,) = pids(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    until(lambda: not psutil.pid_exists(child), seconds=5)


def command(*arguments: str, data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "console.processes", "--data", str(data), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--port", "nine"), "PORT=nine is not a port"),
        (("--port", "70000"), "PORT=70000 is not a port"),
        (("--kubeconfig", "/no/such/file"), "KUBECONFIG=/no/such/file: there is no such file"),
        (("--catalog", "/no/such/folder"), "CATALOG=/no/such/folder: there is no such folder"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    result = command(*arguments, data=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_taken_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = command("--port", str(port), data=tmp_path)
    assert result.returncode == 2
    assert f"port {port} is taken" in result.stderr
    assert "make run PORT=" in result.stderr


def test_another_cluster_needs_no_sandbox(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text("{}")
    names = [part.name for part in parts(Options(port=9000, data=tmp_path, kubeconfig=str(kubeconfig)))]
    assert "sandbox" not in names
    assert {"web", "worker"} <= set(names)
    assert environment(Options(port=9000, data=tmp_path, kubeconfig=str(kubeconfig)), "redis://x")["KUBECONFIG"] == str(
        kubeconfig
    )


def test_s7_no_forwarded_address_is_believed_unless_a_setting_names_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any program of this machine could make up who it is, and so have all tries of all addresses."""
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    trusted = environment(Options(port=9000, data=tmp_path), "redis://x")["FORWARDED_ALLOW_IPS"]
    assert "127.0.0.1" not in ProxyHeadersMiddleware(lambda *_: None, trusted).trusted_hosts
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    trusted = environment(Options(port=9000, data=tmp_path), "redis://x")["FORWARDED_ALLOW_IPS"]
    assert "127.0.0.1" in ProxyHeadersMiddleware(lambda *_: None, trusted).trusted_hosts


def test_the_socket_moves_when_the_path_is_too_long(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90) / ("e" * 60)
    path = socket_path(deep)
    assert len(os.fsencode(path)) <= 100
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.parent.rmdir()


def test_several_web_processes_share_a_socket_and_have_a_port_each(tmp_path: Path) -> None:
    options = Options(port=9000, data=tmp_path, web=3, listener=7)
    found = [part for part in parts(options) if part.name.startswith("web")]
    assert [(part.name, part.command[-1], part.pass_fds) for part in found] == [
        ("web-1", "9001", (7,)),
        ("web-2", "9002", (7,)),
        ("web-3", "9003", (7,)),
    ]
    alone = [part for part in parts(Options(port=9000, data=tmp_path)) if part.name.startswith("web")]
    assert [(part.name, part.pass_fds) for part in alone] == [("web", ())]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--web", "0"], "WEB=0 is not a number of web processes: use 1 to 16"),
        (["--web", "many"], "WEB=many is not a number"),
        (["--port", "65535", "--web", "2"], "leaves no ports above it for 2 web processes"),
    ],
)
def test_a_number_of_web_processes_that_cannot_be_is_refused(
    given: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments(given)
    assert words in capsys.readouterr().err


def test_a_port_of_one_web_process_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = other.getsockname()[1]
        with pytest.raises(SystemExit):
            listen(Options(port=taken - 1, data=tmp_path, web=2))
    assert f"port {taken} is taken by another program" in capsys.readouterr().err


async def test_a_part_inherits_what_is_shared(capsys: pytest.CaptureFixture[str]) -> None:
    """The socket stays open while the part that accepts its connections restarts: new connections wait."""
    program = """
import socket, sys
shared = socket.socket(fileno=int(sys.argv[1]))
shared.setblocking(True)
shared.accept()[0].sendall(b"here")
"""
    with socket.create_server(("127.0.0.1", 0)) as shared:
        command = (sys.executable, "-c", program, str(shared.fileno()))
        supervisor = Supervisor([Program(name="web-1", command=command, pass_fds=(shared.fileno(),))], back_off=0.01)
        running = asyncio.create_task(supervisor.run())
        for _ in range(3):
            # Each answer ends the process: the next is given by another.
            reader, writer = await asyncio.open_connection(*shared.getsockname())
            assert await asyncio.wait_for(reader.read(), 20) == b"here"
            writer.close()
        supervisor.stop()
        await running


@pytest.mark.parametrize("sign_in", ["token", "oidc", "OIDC,token"])
def test_s1_the_embedded_cluster_is_refused_where_people_sign_in(
    sign_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SHARE_EMBEDDED_CLUSTER", raising=False)
    monkeypatch.setenv("SIGN_IN", sign_in)
    with pytest.raises(SystemExit) as ended:
        check_sharing(Options(port=9000, data=tmp_path))
    assert ended.value.code == 2
    text = capsys.readouterr().err
    assert all(words in text for words in ("SIGN_IN", "KUBECONFIG", "SHARE_EMBEDDED_CLUSTER=1", "docs/deploy.md"))
    check_sharing(Options(port=9000, data=tmp_path, kubeconfig="somewhere"))
    monkeypatch.setenv("SHARE_EMBEDDED_CLUSTER", "1")
    check_sharing(Options(port=9000, data=tmp_path))
    # The demo server has no password, and Pods share the loopback with it.
    monkeypatch.setattr(main, "redis_binary", lambda: None)
    monkeypatch.delenv("REDIS_URL", raising=False)
    with pytest.raises(SystemExit):
        check_sharing(Options(port=9000, data=tmp_path))


def test_s1_a_file_may_say_that_people_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sign-in").write_text("token\n")
    monkeypatch.delenv("SIGN_IN", raising=False)
    monkeypatch.delenv("SHARE_EMBEDDED_CLUSTER", raising=False)
    check_sharing(Options(port=9000, data=tmp_path))
    monkeypatch.setenv("SIGN_IN_FILE", str(tmp_path / "sign-in"))
    with pytest.raises(SystemExit):
        check_sharing(Options(port=9000, data=tmp_path))
    assert "SHARE_EMBEDDED_CLUSTER" in capsys.readouterr().err

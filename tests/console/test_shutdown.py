"""Shutdown of a web process: /readyz fails first, then streams close; pending requests complete."""

import http.client
import json
import signal
import time
from pathlib import Path

from console.processes.parts import free_port
from kube.config import load
from tests import processes


def test_it_says_so_first_ends_streams_and_lets_requests_end(
    cluster_kubeconfig: Path, redis_server: str, tmp_path: Path
) -> None:
    port = free_port()
    url, command = f"http://127.0.0.1:{port}", processes.web_command(port)
    settings = {"DATA_DIR": str(tmp_path), "DRAIN_SECONDS": "3"}
    with processes.running(
        command, tmp_path / "web.log", lambda: processes.answers(f"{url}/healthz"), 120, **settings
    ) as web:
        assert probe(port)["ready"]
        stream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        stream.request("GET", f"/stream?topic={load(str(cluster_kubeconfig)).name}/core/v1/configmaps/default")
        events = stream.getresponse()
        assert events.status == 200 and events.readline() == b"retry: 1500\n"
        # Under way: half of a request has arrived.
        half = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        half.putrequest("POST", "/settings/")
        half.putheader("Content-Length", "8")
        half.endheaders(b"half")
        began = time.monotonic()
        web.send_signal(signal.SIGTERM)
        while (readiness := probe(port))["ready"]:
            assert time.monotonic() - began < 2.5
        # New requests are still taken, for those who have not heard of it.
        assert "told to end" in readiness["parts"]["process"]["message"]
        assert time.monotonic() - began < 2.9 and web.poll() is None
        while events.readline():
            pass
        assert time.monotonic() - began > 2.5, "streams end after everybody could hear of it"
        half.send(b"half")
        # Without its CSRF token it is refused, by a whole page.
        answer = half.getresponse()
        assert answer.status == 403 and b"</html>" in answer.read()
        web.wait(15)
        stream.close()
        half.close()
        assert "Traceback" not in (tmp_path / "web.log").read_text()


def probe(port: int) -> dict:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/readyz?only=database", headers={"Connection": "close"})
    return json.loads(connection.getresponse().read())

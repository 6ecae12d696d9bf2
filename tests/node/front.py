"""nginx in the node, in place of an Ingress controller: TLS, the two paths of deploy/components/ingress, and each
request to the address of a Service, so that kube-proxy chooses the Pod. It tries nothing twice: failures are logged.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from console.processes.parts import free_port
from tests.deploy.nginx import program
from tests.node.relays import relayed
from tools.realnode.node import RealNode

_CONFIGURATION = """
daemon off;
user root;
pid {folder}/nginx.pid;
error_log {folder}/errors.log warn;
events {{ worker_connections 1024; }}
http {{
    log_format each '$status $msec $request_time "$request"';
    access_log {folder}/requests.log each;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    proxy_next_upstream off;
    proxy_read_timeout 1h;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-For $remote_addr;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        location /dex {{ proxy_pass http://{dex}:5556; }}
        location / {{ proxy_pass http://{console}:9000; }}
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class Front:
    """`folder`: its configuration and logs."""

    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    def requests(self) -> list[tuple[int, str]]:
        """Status and request line of each request that has ended."""
        lines = (self.folder / "requests.log").read_text().splitlines()
        return [(int(line.split()[0]), line.split('"')[1]) for line in lines]

    def errors(self) -> list[str]:
        """What went wrong between it and a Service."""
        return [line for line in (self.folder / "errors.log").read_text().splitlines() if "upstream" in line]


@contextmanager
def front(node: RealNode, folder: Path, *, console: str, dex: str) -> Iterator[Front]:
    """`console`, `dex`: the addresses of the Services."""
    folder.mkdir()
    found = Front(free_port(), folder)
    certificate, key = node.layout.authority.issue("front", "front", hosts=("localhost", "console.example.com"))
    values = {"folder": folder, "port": found.port, "certificate": certificate, "key": key}
    (folder / "nginx.conf").write_text(_CONFIGURATION.format(**values, console=console, dex=dex))
    command = [*node.machine.enter, program(), "-c", str(folder / "nginx.conf")]
    with relayed(node.machine.pid, str(found.port)), subprocess.Popen(command) as nginx:
        try:
            yield found
        finally:
            nginx.terminate()

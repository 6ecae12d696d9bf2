"""The Pods of deploy/ as processes of this machine: the manifests' own commands, settings and probes, without
containers.

Each runs in a mount namespace of its own where /run is a tmpfs with a ServiceAccount's token and authority, as the
kubelet mounts them, so the console finds its cluster as it does in a Pod. Mounted folders (/secrets, /data) are folders
of the test's; nothing else of its environment is passed on.
"""

import base64
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import yaml

from console.processes.parts import free_port, redis_binary
from console.processes.supervisor import die_with_parent
from tests import processes
from tests.api import Api
from tests.deploy.manifests import ROOT, Object, named
from tests.eventually import until

ACCOUNT = "/run/secrets/kubernetes.io/serviceaccount"


def needs_mounts() -> None:
    """Skips where this machine gives no mount namespace."""
    done = subprocess.run([*unshare(), "mount", "-t", "tmpfs", "tmpfs", "/run"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"needs a mount namespace: {done.stderr.decode().strip()}")


def unshare() -> list[str]:
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]


@dataclass(frozen=True, slots=True)
class Node:
    """Where Pods run: the folder of what is mounted into them, the cluster, and what other host names stand for
    here.
    """

    folder: Path
    api: Api
    namespace: str
    port: int = field(default_factory=free_port)

    def token(self, account: str) -> str:
        answer = self.api.post(
            f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}},
        )
        assert answer.status == 201, answer.raw
        return str(answer.json["status"]["token"])

    def _authority(self) -> bytes:
        cluster = yaml.safe_load(self.api.kubeconfig.read_text())["clusters"][0]["cluster"]
        if data := cluster.get("certificate-authority-data"):
            return base64.b64decode(data)
        return Path(cluster["certificate-authority"]).read_bytes()

    def environment(self, found: list[Object], container: Object, name: str) -> dict[str, str]:
        """The container's settings, with the mounted folders where they are here."""
        values = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "KUBERNETES_SERVICE_HOST": str(urlsplit(f"//{self.api.host}").hostname),
            "KUBERNETES_SERVICE_PORT": str(urlsplit(f"//{self.api.host}").port),
        }
        for item in container.get("envFrom", []):
            values |= next(
                obj["data"]
                for obj in found
                if obj["kind"] == "ConfigMap" and obj["metadata"]["name"] == item["configMapRef"]["name"]
            )
        for item in container.get("env", []):
            values[item["name"]] = item.get("value", self.namespace)
        for mounted in ("/secrets", "/registries"):
            values = {key: value.replace(mounted, f"{self.folder}{mounted}", 1) for key, value in values.items()}
        if "ALIVE_FILE" in values:
            values["ALIVE_FILE"] = str(self.folder / "alive")
        if values.get("DATA_DIR") == "/data":
            # The volume of the Pod: it is there, empty, before the program starts.
            data = self.folder / f"{name}-data"
            data.mkdir(exist_ok=True)
            values["DATA_DIR"] = str(data)
        return values

    def command(self, found: list[Object], pod: Object, container: Object, words: list[str], name: str) -> list[str]:
        """`words` run as that container's process."""
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        script = ["set -e", "mount -t tmpfs tmpfs /run", f"mkdir -p {ACCOUNT}"]
        if pod["spec"].get("automountServiceAccountToken"):
            (folder / "token").write_text(self.token(pod["spec"]["serviceAccountName"]))
            (folder / "ca.crt").write_bytes(self._authority())
            script.append(f"cp {shlex.quote(str(folder))}/token {shlex.quote(str(folder))}/ca.crt {ACCOUNT}/")
        words = [word.replace("9000", str(self.port)).replace("/tmp/", f"{self.folder}/") for word in words]
        values = [f"{key}={value}" for key, value in self.environment(found, container, name).items()]
        script.append(f"exec env -i {shlex.join([*values, *words])}")
        (folder / "start.sh").write_text("\n".join(script))
        return [*unshare(), "sh", str(folder / "start.sh")]

    def job(
        self, found: list[Object], kind: str, name: str, container: int = 0, init: bool = False
    ) -> "subprocess.Popen[str]":
        """A Job's (or an init) container, started."""
        pod = named(found, kind, name)["spec"]["template"]
        item = pod["spec"]["initContainers" if init else "containers"][container]
        return subprocess.Popen(
            self.command(found, pod, item, item["args"], f"{name}-{os.urandom(3).hex()}"),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=die_with_parent,
        )

    @contextmanager
    def running(self, found: list[Object], name: str) -> Iterator["Pod"]:
        """A Deployment's only Pod, once its startup probe succeeds."""
        obj = named(found, "Deployment", name)
        template = obj["spec"]["template"]
        container = template["spec"]["containers"][0]
        log = self.folder / f"{name}.log"
        command = self.command(found, template, container, container["args"], name)
        with processes.running(command, log, lambda: True) as process:
            pod = Pod(node=self, found=found, template=template, container=container, process=process, log=log)
            if "startupProbe" in container:
                pod.wait("startupProbe")
            yield pod


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    node: Node
    found: list[Object]
    template: Object
    container: Object
    process: "subprocess.Popen[bytes]"
    log: Path

    def probe(self, name: str) -> "subprocess.CompletedProcess[str]":
        """Run a probe's command once, as the kubelet would."""
        words: list[Any] = self.container[name]["exec"]["command"]
        command = self.node.command(self.found, self.template, self.container, words, f"{self.container['name']}-probe")
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)

    def wait(self, name: str, seconds: float = 120) -> None:
        def passes() -> bool:
            assert self.process.poll() is None, self.log.read_text()[-4000:]
            return self.probe(name).returncode == 0

        until(passes, f"{name} (log: {self.log})", seconds=seconds)

    def memory(self) -> float:
        """Resident MiB of it and what it started."""
        family = psutil.Process(self.process.pid)
        return float(sum(child.memory_info().rss for child in [family, *family.children(recursive=True)]) / 2**20)

    def terminate(self) -> int:
        """SIGTERM, and its exit code within the time that the Pod is given."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(self.template["spec"].get("terminationGracePeriodSeconds", 30))


@contextmanager
def postgres(folder: Path, password: str) -> Iterator[int]:
    """PostgreSQL as its image has it: a user and database `console`, over TCP with a password. Yields the port."""
    port = free_port()
    with processes.postgres(folder, port=port) as socket:
        name = f"{socket}&port={port}".replace("postgres://console@/postgres", "postgresql://console@/postgres")
        with psycopg.connect(name, autocommit=True) as connection:
            connection.execute(f"ALTER USER console PASSWORD '{password}'")
            connection.execute("CREATE DATABASE console OWNER console")
        yield port


@contextmanager
def redis(folder: Path, password: str) -> Iterator[int]:
    """Redis with a password, over TCP. Yields the port."""
    binary, port = redis_binary(), free_port()
    if binary is None:
        pytest.skip("needs a Redis server")
    command = [
        binary,
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--requirepass",
        password,
        "--save",
        "",
        "--dir",
        str(folder),
    ]

    def ready() -> bool:
        return "eady to accept connections" in log.read_text() if log.exists() else False

    log = folder / "redis.log"
    with processes.running(command, log, ready):
        yield port

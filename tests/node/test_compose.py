"""docker-compose.yml in Podman containers, against the node's API server: sign-in, an object, and what is kept when it
is taken down and brought up again.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import yaml
from playwright.sync_api import Page, expect

from console.processes.parts import free_port
from tests.eventually import until
from tests.node.relays import relayed
from tools.realcluster.build import Programs
from tools.realnode.__main__ import print_progress
from tools.realnode.images import ROOT, Builder, console_images, node_images
from tools.realnode.node import RealNode, running

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not (shutil.which("podman") and shutil.which("podman-compose")),
        reason="needs Podman (Debian: apt-get install podman podman-compose netavark aardvark-dns)",
    ),
]
#: Names of networks are resolved by aardvark-dns. Limits below this machine's: raising one needs CAP_SYS_RESOURCE.
_PODMAN = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
_STORAGE = """[storage]
driver = "overlay"
graphroot = "{folder}/root"
runroot = "{folder}/run"
"""


@dataclass(frozen=True, slots=True)
class Containers:
    """Podman in the node's namespaces, with files of its own."""

    node: RealNode
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def run(self, *command: str) -> str:
        """What it prints; fails with what it says."""
        values = {
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
            "SECRET_KEY": "k" * 60,
            "POSTGRES_PASSWORD": "pg-secret",
            "REDIS_PASSWORD": "redis-secret",
            "KUBECONFIG": str(self.folder / "kubeconfig"),
            "PORT": str(self.port),
            "SIGN_IN": "token",
        }
        environment = [f"{name}={value}" for name, value in values.items()]
        done = self.node.machine.run("env", *environment, *command, seconds=900)
        assert done.returncode == 0, f"{command}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
        return done.stdout

    def compose(self, *arguments: str) -> None:
        self.run("podman-compose", "-p", "console", "-f", str(ROOT / "docker-compose.yml"), *arguments)

    def start(self) -> None:
        """Returns when all that the console needs is reached."""
        self.compose("up", "-d")
        until(self._is_ready, "the console in containers", seconds=300, not_yet=(URLError, ConnectionError))

    def _is_ready(self) -> bool:
        with urlopen(f"{self.url}/readyz", timeout=10) as answer:
            return b'"ready": false' not in answer.read()


@pytest.fixture
def containers(programs: Programs, tmp_path: Path) -> Iterator[Containers]:
    builder = Builder(print_progress)
    archives = builder.build(console_images())
    with running(tmp_path / "node", programs, builder.build(node_images(programs)), print_progress) as node:
        found = Containers(node, tmp_path / "podman", free_port())
        found.folder.mkdir()
        (found.folder / "containers.conf").write_text(_PODMAN.format(folder=found.folder))
        (found.folder / "storage.conf").write_text(_STORAGE.format(folder=found.folder))
        # Containers reach the API server at the address that Pods have for it. Their user is 10001.
        config = re.sub(r"https://127\.0\.0\.1:\d+", "https://10.96.0.1:443", node.kubeconfig.read_text())
        (found.folder / "kubeconfig").write_text(config)
        (found.folder / "kubeconfig").chmod(0o644)
        for archive in archives.values():
            found.run("podman", "load", "--quiet", "--input", str(archive))
        with relayed(node.machine.pid, str(found.port)):
            yield found
            found.compose("down")
    shutil.rmtree(found.folder)


def test_what_users_left_is_kept(containers: Containers, page: Page) -> None:
    kubectl = containers.node.kubectl
    kubectl("create", "serviceaccount", "anna")
    kubectl("create", "clusterrolebinding", "anna", "--clusterrole=cluster-admin", "--serviceaccount=default:anna")
    containers.start()
    # As docker compose does it; podman-compose 1.0.3 puts a shell before it, which the images don't have.
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    for name in ("web", "worker", "redis", "postgres"):
        form, *command = services[name]["healthcheck"]["test"]
        assert form == "CMD"
        containers.run("podman", "exec", f"console_{name}_1", *command)
    page.goto(f"{containers.url}/resources/core/v1/configmaps/new/?namespace=default")
    page.get_by_label("Token").fill(kubectl("create", "token", "anna").strip())
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label(re.compile(r"^\s*Name\b")).first.fill("paint")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/paint/$"))
    assert kubectl("get", "configmap", "paint", "-o", "name") == "configmap/paint\n"
    page.get_by_role("button", name="Favorite").click()
    expect(page.get_by_role("button", name="Favorite")).to_have_attribute("aria-pressed", "true")

    containers.compose("down")
    containers.start()
    # The session too: the page asks for no token.
    page.reload()
    expect(page.get_by_role("button", name="Favorite")).to_have_attribute("aria-pressed", "true")
    items = page.request.get(f"{containers.url}/api/audit/?verb=create&namespace=default").json()["items"]
    assert [(item["user"], item["name"]) for item in items] == [("system:serviceaccount:default:anna", "paint")]

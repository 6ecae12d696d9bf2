"""K14: with the packages of the image, and no others, everything starts that the manifests start.

The environment is made by the image's own `uv sync` and deploy/slim.py, on its Python where this machine has it.
"""

import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from console.processes.parts import free_port, redis_binary
from tests import processes
from tests.deploy.manifests import ROOT
from tests.image_python import IMAGE_GROUPS, image_python, image_version, install

pytestmark = pytest.mark.timeout(600)
PRODUCT = ("untrusted", "kube", "structural", "resources", "operatorhub", "console")
IMPORT_ALL = """
import importlib, pkgutil, sys
import django
django.setup()
failed = []
for name in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        # `make run` alone starts the demo's Redis.
        if module.name.rpartition(".")[2] in ("__main__", "demo_redis"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            failed.append(f"{module.name}: {error}")
print("\\n".join(failed))
"""
#: A credential plugin, and an OpenID Connect token that has run out: what is used of the Kubernetes client.
PLUGINS = """
import base64, http.server, json, os, sys, threading
from pathlib import Path
from kube.credentials import _exec, _provider

class Issuer(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        here = f"http://127.0.0.1:{self.server.server_port}"
        found = {"token_endpoint": here, "id_token": "new", "access_token": "a", "token_type": "bearer"}
        self.wfile.write(json.dumps(found).encode())
    do_GET = do_POST = answer

server = http.server.HTTPServer(("127.0.0.1", 0), Issuer)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
def part(data):
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")
old = f"{part({})}.{part({'exp': 1})}.x"
config = {"client-id": "i", "client-secret": "s", "refresh-token": "r", "id-token": old}
config["idp-issuer-url"] = f"http://127.0.0.1:{server.server_port}"
print(_provider({"auth-provider": {"name": "oidc", "config": config}}, {"server": "https://127.0.0.1:1"})["token"])
version = "client.authentication.k8s.io/v1"
answer = {"apiVersion": version, "kind": "ExecCredential", "status": {"token": "of the plugin"}}
program = f"import json; print(json.dumps({answer}))"
plugin = {"apiVersion": version, "command": sys.executable, "args": ["-c", program], "interactiveMode": "Never"}
print(_exec(plugin, {"server": "https://127.0.0.1:1"}, Path("."))["token"])
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the programs of an environment as the image has it."""
    folder = tmp_path_factory.mktemp("image") / "venv"
    python = image_python()
    if python is None:
        warnings.warn(f"no Python {image_version()} here: the image's packages are tried on this one", stacklevel=1)
    install(python or Path(sys.executable), folder, *IMAGE_GROUPS)
    if shutil.which("strip"):
        slim = [str(folder / "bin/python"), str(ROOT / "deploy/slim.py"), "packages", str(folder), "celery", "uvicorn"]
        subprocess.run(slim, check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def settings(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of the image's containers, with a Redis and no cluster."""
    data = tmp_path_factory.mktemp("data")
    values = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "DJANGO_SETTINGS_MODULE": "console.settings",
        "DATA_DIR": str(data),
        "KUBECONFIG": str(data / "no-kubeconfig"),
        "LOCAL_ONLY": "1",
        "DATABASE_URL": f"sqlite:///{data}/image.sqlite3",
        "REDIS_URL": "",
        "ALIVE_FILE": str(data / "alive"),
    }
    if redis_binary():
        with processes.redis(data / "redis.sock"):
            yield {**values, "REDIS_URL": f"unix://{data}/redis.sock"}
        return
    port, log = free_port(), data / "redis.log"
    command = [sys.executable, "-m", "console.processes.demo_redis", str(port)]
    with processes.running(command, log, lambda: "fakeredis" in log.read_text()):
        yield {**values, "REDIS_URL": f"redis://127.0.0.1:{port}/0"}


def command(programs: Path, manifest: str, kind: str, **replaced: str) -> list[str]:
    """What the container of this manifest runs, with words that name places replaced."""
    documents = yaml.safe_load_all((ROOT / "deploy/base" / manifest).read_text())
    workload = next(document for document in documents if document["kind"] == kind)
    words = workload["spec"]["template"]["spec"]["containers"][0]["args"]
    program, *rest = [replaced.get(word, word) for word in words]
    return [str(programs / program), *rest]


def run(settings: dict[str, str], *words: str) -> str:
    """What the program prints; it must end well."""
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def migrated(programs: Path, settings: dict[str, str]) -> None:
    run(settings, *command(programs, "migrate.yaml", "Job"))


def test_the_image_has_no_package_of_the_development_environment(programs: Path) -> None:
    assert (programs / "celery").exists()
    assert not {"pytest", "mypy", "ruff"} & {path.name for path in programs.iterdir()}


def test_every_module_is_imported(programs: Path, settings: dict[str, str]) -> None:
    # Without a collector console/__init__.py keeps OpenTelemetry out.
    traced = {**settings, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert run(traced, str(programs / "python"), "-c", IMPORT_ALL, *PRODUCT).strip() == ""


def test_kubeconfigs_with_plugins_are_read(programs: Path, settings: dict[str, str]) -> None:
    assert run(settings, str(programs / "python"), "-W", "ignore", "-c", PLUGINS).split("\n")[:2] == [
        "new",
        "of the plugin",
    ]


def test_commands_that_end(programs: Path, settings: dict[str, str], migrated: None) -> None:
    run(settings, str(programs / "python"), "manage.py", "check")
    run(settings, str(programs / "python"), "manage.py", "migrate", "--check")
    report = run(settings, str(programs / "celery"), "-A", "console.celery", "report")
    assert "transport:redis" in report


def test_the_worker_starts_and_reaches_redis(
    programs: Path, settings: dict[str, str], migrated: None, tmp_path: Path
) -> None:
    alive = Path(settings["ALIVE_FILE"])
    words = command(programs, "worker.yaml", "Deployment")
    with processes.running(words, tmp_path / "worker.log", alive.exists, 90, **settings):
        pass


def test_beat_starts(programs: Path, settings: dict[str, str], migrated: None, tmp_path: Path) -> None:
    schedule = tmp_path / "beat"
    words = command(programs, "beat.yaml", "Deployment", **{"/tmp/beat": str(schedule)})
    ready = lasts(lambda: any(tmp_path.glob("beat*")))
    with processes.running(words, tmp_path / "log" / "beat.log", ready, 60, **settings):
        pass


def test_the_pages_are_served(programs: Path, settings: dict[str, str], migrated: None, tmp_path: Path) -> None:
    port = str(free_port())
    words = command(programs, "web.yaml", "Deployment", **{"9000": port})
    ready = f"http://127.0.0.1:{port}/healthz"
    with processes.running(words, tmp_path / "web.log", lambda: processes.answers(ready), 90, **settings):
        # The first page imports and compiles most of the product, on a busy machine for longer than a page may take.
        assert processes.answers(f"http://127.0.0.1:{port}/settings/", seconds=60)


def lasts(ready: Callable[[], bool], seconds: float = 1.0) -> Callable[[], bool]:
    """True once `ready` has held for so long: a program that is about to fail may be ready for a moment."""
    since: list[float] = []

    def held() -> bool:
        if not ready():
            since.clear()
            return False
        since.append(time.monotonic())
        return since[-1] - since[0] >= seconds

    return held

"""docker-compose.yml, read by the library that `docker compose config` reads it with (tools/compose), and held to
what the manifests say.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import ROOT, named, objects

VALUES = {
    "SECRET_KEY": "k" * 60,
    "POSTGRES_PASSWORD": "pg-secret",
    "REDIS_PASSWORD": "redis-secret",
    "KUBECONFIG": "/somewhere/config",
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that reads a compose file: Docker's own where it has Compose, else its library, built by Go."""
    if (
        shutil.which("docker")
        and not subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode
    ):
        return ["docker", "compose", "-f", "{}", "config"]
    if shutil.which("go") is None:
        pytest.skip("needs Docker Compose, or Go to build its library")
    program = tmp_path_factory.mktemp("compose") / "compose"
    done = subprocess.run(
        ["go", "build", "-o", str(program), "."],
        cwd=ROOT / "tools/compose",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [str(program), "{}"]


def config(reader: list[str], file: Path, **values: str) -> "subprocess.CompletedProcess[str]":
    environment = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    command = [word.replace("{}", str(file)) for word in reader]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**environment, **values})


@pytest.mark.timeout(500)
def test_compose_takes_the_file(reader: list[str]) -> None:
    done = config(reader, ROOT / "docker-compose.yml", **VALUES)
    assert done.returncode == 0, done.stderr
    services: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    assert set(services) == {"migrate", "web", "worker", "beat", "redis", "postgres"}
    (port,) = services["web"]["ports"]
    assert (port["host_ip"], str(port["published"]), port["target"]) == ("127.0.0.1", "9000", 9000)
    assert services["worker"]["environment"]["DATABASE_URL"] == "postgres://console:pg-secret@postgres:5432/console"
    assert services["worker"]["environment"]["ALIVE_FILE"] == services["worker"]["healthcheck"]["test"][-1]
    for name, service in services.items():
        assert "healthcheck" in service or name in ("migrate", "beat"), name
        assert not service["image"].endswith(":latest")
        if name not in ("redis", "postgres"):
            assert service["read_only"] and service["cap_drop"] == ["ALL"]
            mounted = {volume["target"]: volume["source"] for volume in service["volumes"]}
            assert mounted["/kube/config"] == "/somewhere/config"


@pytest.mark.timeout(500)
def test_a_missing_secret_and_a_misspelt_key_are_named(reader: list[str], tmp_path: Path) -> None:
    done = config(reader, ROOT / "docker-compose.yml", **{**VALUES, "SECRET_KEY": ""})
    assert done.returncode != 0 and "set SECRET_KEY to a long random value" in done.stderr
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text((ROOT / "docker-compose.yml").read_text().replace("healthcheck:", "helthcheck:", 1))
    done = config(reader, wrong, **VALUES)
    assert done.returncode != 0 and "helthcheck" in done.stderr


def test_compose_and_the_manifests_say_the_same() -> None:
    """Images, and the words that start each program (but for the address that web listens on, and the name of a
    worker among several).
    """
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    found = objects("tutorial")
    for name, kind, obj in (
        ("postgres", "StatefulSet", "console-postgres"),
        ("redis", "Deployment", "console-redis"),
        ("beat", "Deployment", "console-beat"),
        ("worker", "Deployment", "console-worker"),
    ):
        container = named(found, kind, obj)["spec"]["template"]["spec"]["containers"][0]
        assert services[name]["image"].removeprefix("docker.io/library/") == container["image"].removeprefix(
            "docker.io/library/"
        )
        if name in ("worker", "beat"):
            words = [word for word in container["args"] if word not in ("-n", "worker@%h")]
            assert services[name]["command"] == words
    (start,) = re.findall(r"^CMD (.+)$", (ROOT / "deploy/Containerfile").read_text(), re.MULTILINE)
    web = named(found, "Deployment", "console")["spec"]["template"]["spec"]["containers"][0]["args"]
    assert shlex.join(json.loads(start)).replace("0.0.0.0", "127.0.0.1") == shlex.join(web)

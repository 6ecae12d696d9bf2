"""K8: the sample operators can be brought to another cluster: every image is the registry's, and something builds
it.
"""

import json
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tools import samples_catalog
from tools.samples_catalog import ROOT

REGISTRY = "registry.example.com:5000/samples"
CONTAINERFILE = ROOT / "examples/operators/Containerfile"
#: A variable that has the value of an argument.
VARIABLE = re.compile(r"ENV (\w+)=\$\{(\w+)\}")
OURS = re.compile(r"(?<![\w./-])operator-console\.dev/[a-z-]+:\w")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("samples")
    samples_catalog.write(REGISTRY, made)
    return made


def test_k8_the_catalog_names_images_of_the_registry_only(folder: Path) -> None:
    blobs = [json.loads(line) for line in (folder / "configs/catalog.json").read_text().splitlines()]
    assert {blob["name"] for blob in blobs if blob["schema"] == "olm.package"} >= {"sampledb", "galera", "memcached"}
    found = "".join(path.read_text() for path in (folder / "packages").rglob("*") if path.is_file())
    assert not OURS.search(found)
    assert f"{REGISTRY}/sampledb-engine:valkey-8.0" in found
    # Groups and labels of the same domain stay.
    assert "samples.operator-console.dev" in found


def test_k8_every_image_is_built_and_pushed(folder: Path) -> None:
    script = (folder / "images.sh").read_text()
    text = "".join(path.read_text() for path in (folder / "packages").rglob("*.yaml"))
    named = set(re.findall(rf"{re.escape(REGISTRY)}/[a-z-]+:[\w.-]+", text))
    built, pushed = (set(re.findall(pattern, script)) for pattern in (r"-t (\S+)", r"podman push (\S+)"))
    assert built == pushed == named | {f"{REGISTRY}/samples-catalog:1.0.0"}
    stages = set(
        re.findall(r"^FROM \S+ AS (\S+)", (ROOT / "examples/operators/Containerfile").read_text(), re.MULTILINE)
    )
    assert set(re.findall(r"--target (\S+)", script)) <= stages
    operators = {path.parent.name for path in (ROOT / "examples" / "operators").glob("*/operator.py")}
    assert set(re.findall(r"OPERATOR=(\S+)", script)) <= operators
    assert subprocess.run(["sh", "-n", str(folder / "images.sh")], check=False).returncode == 0


def test_k8_the_catalog_source_serves_its_image(folder: Path) -> None:
    source = yaml.safe_load((folder / "catalogsource.yaml").read_text())
    assert source["spec"]["image"] == f"{REGISTRY}/samples-catalog:1.0.0"
    assert source["spec"]["grpcPodConfig"] == {"securityContextConfig": "restricted"}


def test_k8_operators_name_the_registry_too(tmp_path: Path) -> None:
    """What operators start beside themselves: the step of examples/operators/Containerfile that changes their
    sources.
    """
    step = next(
        line.removeprefix("RUN ")
        for line in (ROOT / "examples/operators/Containerfile").read_text().splitlines()
        if line.startswith("RUN grep")
    )
    copy = tmp_path / "examples" / "operators"
    for path in (ROOT / "examples" / "operators").rglob("*"):
        if path.is_file() and path.suffix in (".py", ".yaml"):
            (copy / path.relative_to(ROOT / "examples" / "operators")).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(ROOT / "examples" / "operators")).write_text(path.read_text())
    subprocess.run(["bash", "-c", step], cwd=tmp_path, env={"IMAGES": REGISTRY, "PATH": "/usr/bin:/bin"}, check=True)
    text = "".join(path.read_text() for path in copy.rglob("*") if path.is_file())
    assert not re.search(r"(?<![\w.-])operator-console\.dev/[a-z-]+:[^ ]", text)
    assert f'"{REGISTRY}/sampledb-engine:' in text
    assert "galera.operator-console.dev/instance: {{" in text


def test_an_argument_of_a_build_is_used_before_it_becomes_a_variable() -> None:
    """buildah 1.28 compares a step by its text: it took ENV's layer of the first operator for all others."""
    lines = [line for line in CONTAINERFILE.read_text().splitlines() if line and not line.startswith("#")]
    found = [(before, *each.groups()) for before, line in pairwise(lines) if (each := VARIABLE.fullmatch(line))]
    assert {name for _, name, _ in found} == {"OPERATOR", "PROGRAM"}
    for before, name, argument in found:
        assert argument == name
        assert before.startswith("COPY --from=") and f"${name}" in before

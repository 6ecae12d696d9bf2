"""K9: `make run-real` says what it does, builds side by side, and looks at its port before it builds."""

import base64
import json
import socket
import subprocess
import sys
import threading
import tomllib
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.runtime import confinement
from tools.realcluster import build, catalog, nodes, page
from tools.realcluster.build import BuildFailed, Module

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `go` that compiles nothing; its folder. `wait` beside it holds a build up, `broken` lets it fail."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "go"
    program.write_text(f"""#!/bin/sh
[ "$1" = build ] || exit 0
echo "go: downloading example.com v1" >&2
echo example.com/one >&2; echo example.com/two >&2
touch {folder}/begun-$(basename $PWD)
[ ! -e {folder}/broken ] || {{ echo "two.go:1: no" >&2; exit 1; }}
while [ -e {folder}/wait ]; do sleep 0.02; done
while [ "$1" != -o ]; do shift; done
touch "$2"
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("REALCLUSTER_CACHE", str(tmp_path / "cache"))
    modules = tmp_path / "modules"
    for name in ("a", "b"):
        (modules / name).mkdir(parents=True)
        for file in ("go.mod", "go.sum", "tools.go"):
            (modules / name / file).touch()
    monkeypatch.setattr(build, "MODULES", modules)
    return folder


MODULES = (
    Module(name="a", programs={"first": "example.com/first"}),
    Module(name="b", programs={"second": "example.com/second"}),
)


def test_k9_modules_are_built_side_by_side(go: Path) -> None:
    """Both have begun before either ends."""
    (go / "wait").touch()
    lines: list[str] = []
    building = threading.Thread(target=build.build, args=(lines.append, MODULES))
    building.start()
    for name in ("a", "b"):
        while not (go / f"begun-{name}").exists():
            assert building.is_alive(), lines
    (go / "wait").unlink()
    building.join(30)
    assert {module.name for module in MODULES if (build.cache() / module.key()).is_dir()} == {"a", "b"}
    assert any("40" in line and "busy" in line for line in lines)


def test_k9_a_long_build_says_how_far_it_is() -> None:
    messages: list[str] = []
    has_message = threading.Event()

    def say(text: str) -> None:
        messages.append(text)
        has_message.set()

    with build._Progress("kube-apiserver", say, seconds=0.01) as progress:
        for line in ("go: downloading example.com v1\n", "k8s.io/api\n", "k8s.io/client-go\n"):
            progress.count(line)
        has_message.clear()
        assert has_message.wait(10)
    assert "kube-apiserver: 2 packages" in messages[-1]


def test_a_build_that_fails_ends_the_others(go: Path) -> None:
    (go / "broken").touch()
    with pytest.raises(BuildFailed, match=r"two\.go:1: no"):
        build.build(lambda _text: None, MODULES)
    assert not build._RUNNING


@pytest.mark.parametrize("port", ["taken", "nine", "0", "70000"])
def test_k9_the_port_is_looked_at_before_the_build(port: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        given = str(taken.getsockname()[1]) if port == "taken" else port
        command = [
            sys.executable,
            "-m",
            "tools.realcluster",
            "--free-port",
            given,
            "--data",
            str(tmp_path),
            "--",
            "true",
        ]
        # An empty cache and no Go: it would fail at the build.
        values = {"PATH": "/nowhere", "REALCLUSTER_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(command, cwd=ROOT, env=values, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert given in done.stdout and "building" not in done.stdout


def test_k9_argo_cd_comes_with_its_own_module(tmp_path: Path) -> None:
    """Without ../shared there is one catalog more, with the bundle of the operator that is built."""
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    csv = {"kind": "ClusterServiceVersion", "metadata": {"name": "argocd-operator.v0.18.0"}}
    text = "kind: ClusterServiceVersion\nmetadata: {name: argocd-operator.v0.18.0}\n"
    text += "spec: {version: 0.18.0, displayName: Argo CD}\n"
    (manifests / "argocd-operator.clusterserviceversion.yaml").write_text(text)
    (manifests / "argoproj.io_argocds.yaml").write_text("""
kind: CustomResourceDefinition
spec: {group: argoproj.io, names: {kind: ArgoCD}, versions: [{name: v1alpha1}, {name: v1beta1}]}
""")
    folder = catalog.argocd_package(manifests, tmp_path / "made")
    assert catalog.about(folder)["name"] == "community-catalog"
    package, channel, bundle = catalog.package_blobs(folder)
    assert (package["name"], package["defaultChannel"]) == ("argocd-operator", channel["name"])
    assert channel["entries"] == [{"name": csv["metadata"]["name"]}]
    versions = [prop["value"]["version"] for prop in bundle["properties"] if prop["type"] == "olm.gvk"]
    assert versions == ["v1alpha1", "v1beta1"]


def test_s1_a_confined_pod_sees_what_starts_its_program(tmp_path: Path) -> None:
    """Of this repository it sees the operators' packages and the files that the image map names: nothing else can be
    its module.
    """
    (tmp_path / "argocd-operator").touch()
    layout = SimpleNamespace(data=tmp_path)
    path = nodes.images(layout, build.Programs({"argocd": tmp_path}))  # type: ignore[arg-type]
    commands = [image["command"] for image in tomllib.loads(path.read_text())["image"]]
    seen = confinement.programs([tuple(command) for command in commands])
    assert any("argocd-operator" in word for command in commands for word in command)
    for command in commands:
        files = [Path(word) for word in command if word.startswith("/")]
        if "-m" in command:
            files.append(ROOT / command[command.index("-m") + 1].split(".")[0])
        missing = [file for file in files if not any(file.is_relative_to(folder) for folder in seen)]
        assert not missing, f"{command} can't be started in a Pod"


def test_a_pod_of_a_known_image_is_sent_to_its_node() -> None:
    """What the API server's webhook gets for a Pod; what the Pod tolerates already stays."""
    server = page._Server(("127.0.0.1", 0), page._Page)
    server.mark = "runs"
    serving = threading.Thread(target=server.handle_request)
    serving.start()
    pod = {"spec": {"tolerations": [{"key": "other"}]}}
    body = json.dumps({"request": {"uid": "u-1", "object": pod}}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", body, timeout=10) as answer:
        response = json.load(answer)["response"]
    serving.join()
    server.server_close()
    assert (response["uid"], response["allowed"], response["patchType"]) == ("u-1", True, "JSONPatch")
    assert json.loads(base64.b64decode(response["patch"])) == [
        {"op": "add", "path": "/spec/nodeSelector", "value": {"runs": "programs"}},
        {"op": "add", "path": "/spec/tolerations", "value": [{"key": "other"}, {"key": "runs", "operator": "Exists"}]},
    ]


def test_an_api_server_of_another_version_has_the_checksums_of_its_own(
    go: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KUBERNETES=1.37: found before the usual one, and built with its version's file."""
    monkeypatch.setattr(build, "MODULES", ROOT / "tools/realcluster/modules")
    another, *usual = build.modules_of("1.37")
    assert tuple(usual) == build.ALL
    assert set(another.programs) == {"kube-apiserver"} and "gitMinor=37" in another.symbols
    assert another.key() != next(module for module in usual if module.name == "kubernetes").key()
    (go / "go").write_text('#!/bin/sh\necho "$GOFLAGS"\n')
    assert "-mod=readonly" in build._go(another, "list") and "-modfile=v1.37.mod" in build._go(another, "list")
    older, *_ = build.modules_of("1.31")
    assert set(older.programs) == {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}


def test_olm_of_another_version_has_the_checksums_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """OLM_VERSION=0.45: the same programs and files, in the usual one's place."""
    ours = next(module for module in build.modules_of("", "0.45") if module.name == "olm")
    usual = next(module for module in build.ALL if module.name == "olm")
    assert ours.versions == "v0.45.mod" and ours.key() != usual.key()
    assert (ours.programs, ours.files) == (usual.programs, usual.files)
    with pytest.raises(BuildFailed, match=r"no v0\.1\.mod"):
        build.modules_of("", "0.1")


def test_a_version_without_a_module_is_emulated(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ALL", MODULES)
    monkeypatch.setattr(build, "modules_of", lambda minor, olm: MODULES)
    for minor, flags in (("1.33", ("--emulated-version=kube=1.33",)), ("1.36", ()), ("", ())):
        monkeypatch.setenv("KUBERNETES", minor)
        assert build.build(lambda line: None).version_flags == flags


def test_a_module_is_built_of_copies_of_others_with_changed_files(
    go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder = tmp_path / "source", build.MODULES / "a"
    for path, text in ((source / "dns/all.go", "two hundred"), (source / "mux.go", "same")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "other/dns").mkdir(parents=True)
    (folder / "other/dns/all.go").write_text("none")
    module = Module(name="a", programs={"first": "example.com/first"}, patches={"example.com/other": "other"})
    unpatched = Module(name="a", programs=module.programs)
    # `go list` says where the other module is; `go mod edit` is noted.
    (go / "go").write_text(f"""#!/bin/sh
[ "$1" != list ] || echo {source}
[ "$2" != edit ] || echo "$3" >> "$4"
[ "$1" != build ] || {{ echo "$GOFLAGS" > {tmp_path}/flags; cp -r "${{GOFLAGS##*=}}" {tmp_path}/go.mod
    cp -r "$(dirname "${{GOFLAGS##*=}}")/other" {tmp_path}/other; while [ "$1" != -o ]; do shift; done; touch "$2"; }}
""")
    build.build(lambda _text: None, (module,))
    assert (tmp_path / "other/dns/all.go").read_text() == "none"
    assert (tmp_path / "other/mux.go").read_text() == "same"
    assert (tmp_path / "go.mod").read_text().startswith("-replace=example.com/other=")
    assert (source / "dns/all.go").read_text() == "two hundred"
    assert module.key() != unpatched.key()
    before = module.key()
    (folder / "other/dns/all.go").write_text("one")
    assert module.key() != before

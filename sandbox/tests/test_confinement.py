"""S1: what a program in a Pod of the embedded cluster sees of the machine.

Each way of confining that works here is tried.
"""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.errors import NotFound
from sandbox.runtime import confinement
from sandbox.runtime.confinement import UNCONFINED, Confinement, Shelter
from sandbox.runtime.container import Container
from sandbox.runtime.environment import ROOT, is_loader_variable
from sandbox.runtime.mounts import MountError, Mounts
from sandbox.runtime.place import PodPlace, environment_of
from sandbox.tests.test_kubectl_pods import POD
from tests.kubectl import Kubectl

WAYS = confinement.candidates([])


@pytest.fixture(params=WAYS, ids=lambda way: way.description)
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Confinement:
    found: Confinement = request.param
    if problem := confinement.probe(tmp_path, found):
        pytest.skip(f"not on this machine: {problem}")
    return found


def shelter(data: Path, way: Confinement, namespace: str = "a") -> Shelter:
    folder = data / "pods" / namespace
    folder.mkdir(parents=True, exist_ok=True)
    way.own(folder, namespace)
    return Shelter(folder=folder, namespace=namespace)


def start(way: Confinement, command: list[str], where: Shelter, **variables: str) -> "subprocess.Popen[str]":
    with way.launch(command, {"PATH": os.defpath, **variables}, where) as launch:
        return subprocess.Popen(
            launch.command,
            env=launch.environment,
            pass_fds=launch.descriptors,
            cwd=where.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def output(way: Confinement, script: str, where: Shelter, **variables: str) -> str:
    with start(way, ["sh", "-c", script], where, **variables) as process:
        return process.communicate(timeout=60)[0]


def test_s1_the_umask_takes_no_way_away(way: Confinement, tmp_path: Path) -> None:
    """The sandbox's own umask closes the folders that it creates to other users; where bubblewrap worked without it,
    it still does.
    """
    if not way.bubblewrap:
        pytest.skip("without bubblewrap every folder above counts")
    before = os.umask(0o077)
    try:
        assert confinement.probe(tmp_path / "data", way) == ""
    finally:
        os.umask(before)


def test_s1_a_pod_reads_nothing_of_the_data_folder(way: Confinement, tmp_path: Path) -> None:
    """SECRET_KEY, the administrator's kubeconfig, another namespace's Pod and its volumes."""
    mine, other = shelter(tmp_path, way), shelter(tmp_path, way, "b")
    secrets = [tmp_path / "secret_key", tmp_path / "kubeconfig", other.folder / "value"]
    for path in secrets:
        path.write_text("hidden words")
        path.chmod(0o600)
    way_uid = way.uid("b")
    if way_uid is not None:
        os.chown(secrets[-1], way_uid, way_uid)
    for path in secrets:
        assert "hidden words" not in output(way, f"cat {path}; cat {path.parent}/*", mine)
    (mine.folder / "own").write_text("own words")
    assert "own words" in output(way, "cat own; touch made", mine)
    assert (mine.folder / "made").exists()


def test_s1_a_pod_reads_no_environment_of_others(way: Confinement, tmp_path: Path) -> None:
    """Of a neighbour in another namespace, and of the console's own processes."""
    with start(way, ["sleep", "60"], shelter(tmp_path, way, "b"), SECRET="hidden words") as neighbour:
        try:
            found = output(way, "cat /proc/[0-9]*/environ", shelter(tmp_path, way), OWN="own words")
        finally:
            neighbour.kill()
    assert "own words" in found and "hidden words" not in found
    assert f"DATA_DIR={os.environ['DATA_DIR']}" not in found


def test_s1_a_pod_ends_when_it_is_told_to(way: Confinement, tmp_path: Path) -> None:
    """SIGTERM reaches the program itself, which may take its time; a kill takes everything with it."""
    script = "trap 'echo ends; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    with start(way, ["sh", "-c", script], shelter(tmp_path, way)) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        way.terminate(process.pid)
        assert process.communicate(timeout=30)[0] == "ends\n"
    assert process.returncode == 7


def test_s1_our_python_and_operators_run(way: Confinement, tmp_path: Path) -> None:
    where = shelter(tmp_path, way)
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    with start(
        way, [sys.executable, "-c", "import kopf, examples.operators.sampledb.engine"], where, **environment
    ) as process:
        assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 0


def test_every_package_of_ours_that_operators_import_is_there_for_them() -> None:
    """Without one of them an operator ends at its start, and only where Pods are confined."""
    found = set()
    tests = ROOT / "examples" / "operators" / "tests"
    for path in set((ROOT / "examples").rglob("*.py")) - set(tests.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(str(node.module).partition(".")[0])
            elif isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
    ours = {name for name in found if (ROOT / name / "__init__.py").exists()}
    assert "examples" in ours and ours <= set(confinement._PACKAGES)


def test_s1_a_program_that_is_not_there_is_an_error(way: Confinement, tmp_path: Path) -> None:
    where = shelter(tmp_path, way)
    for program in ("no-such-program", "/usr/bin/no-such-program"):
        with pytest.raises(FileNotFoundError):
            start(way, [program], where)


def test_s1_where_nothing_confines_pods_still_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = confinement.choose(tmp_path, [Confinement(bubblewrap="/bin/false")])
    assert found == UNCONFINED
    assert any(record.levelname == "WARNING" and "unconfined" in record.message for record in caplog.records)
    assert output(found, "echo runs", shelter(tmp_path, found)) == "runs\n"


LOADERS = ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS"]
LOADERS += ["BASH_ENV", "PERL5OPT", "RUBYOPT", "GLIBC_TUNABLES", "JAVA_TOOL_OPTIONS", "SANDBOX_POD_UID"]


def place(folder: Path) -> PodPlace:
    return PodPlace(
        folder=folder / "pods/1",
        data_dir=folder,
        api_url="http://127.0.0.1:1",
        authority=folder / "tls.crt",
        token=lambda: "token",
        services=lambda namespace: {},
        namespace="a",
    )


class Objects:
    """A cluster with these objects, by resource."""

    def __init__(self, **objects: dict[str, object]):
        self._objects = objects

    def get(self, resource: str, name: str, namespace: str = "") -> object:
        if name not in self._objects.get(resource, {}):
            raise NotFound(resource, name)
        return self._objects[resource][name]


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("how", ["env", "envFrom"])
def test_s1_a_spec_sets_no_variable_that_loads_code(name: str, how: str, tmp_path: Path) -> None:
    assert is_loader_variable(name)
    spec: dict[str, object] = {
        "name": "c",
        "env": [{"name": name, "value": "evil"}, {"name": "GREETING", "value": "hello"}],
    }
    if how == "envFrom":
        spec = {"name": "c", "envFrom": [{"configMapRef": {"name": "m"}}]}
    cluster = Objects(configmaps={"m": {"data": {name: "evil", "GREETING": "hello"}}})
    container = Container(spec=spec, kind="main", program=("true",), logs=tmp_path)
    pod = {"metadata": {"name": "p", "namespace": "a", "uid": "1"}, "spec": {"containers": [spec]}}
    found = environment_of(cluster, pod, container, place(tmp_path))  # type: ignore[arg-type]
    assert found.get(name) != "evil" and found["GREETING"] == "hello"
    assert container.refused_variables == (name,)


@pytest.mark.parametrize("source", ["hostPath", "persistentVolume", "another's"])
def test_s1_a_pod_mounts_no_folder_of_the_machine(source: str, tmp_path: Path) -> None:
    """By hostPath, by a PersistentVolume of a host's path, or by a claim that names another claim's volume."""
    volume: dict[str, object] = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    if source == "hostPath":
        volume = {"name": "v", "hostPath": {"path": "/etc"}}
    claim = {"metadata": {"name": "c", "namespace": "a", "uid": "1"}, "spec": {"volumeName": "pv"}}
    spec: dict[str, object] = {"claimRef": {"uid": "1"}, "hostPath": {"path": "/etc"}}
    if source == "another's":
        spec = {"claimRef": {"uid": "2"}, "hostPath": {"path": str(tmp_path / "volumes/pv")}}
    cluster = Objects(
        persistentvolumeclaims={"c": claim}, persistentvolumes={"pv": {"metadata": {"name": "pv"}, "spec": spec}}
    )
    mounts = Mounts(cluster, place(tmp_path), lambda: "token")  # type: ignore[arg-type]
    pod = {"metadata": {"name": "p", "namespace": "a", "uid": "1"}, "spec": {"volumes": [volume]}}
    with pytest.raises(MountError):
        mounts.prepare(pod)


@pytest.mark.parametrize("path", ["../../..", "link"])
def test_s1_a_sub_path_stays_in_its_volume(path: str, tmp_path: Path) -> None:
    (tmp_path / "volume").mkdir()
    (tmp_path / "volume/link").symlink_to("/")
    found = place(tmp_path)
    found.volumes = {"v": tmp_path / "volume"}
    spec = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/data", "subPath": path}]}
    pod = {"metadata": {"name": "p", "namespace": "a", "uid": "1"}, "spec": {"containers": [spec]}}
    with pytest.raises(Exception, match="subPath"):
        environment_of(Objects(), pod, Container(spec=spec, kind="main", program=("true",), logs=tmp_path), found)  # type: ignore[arg-type]


def test_s1_a_sub_path_belongs_to_the_pod(way: Confinement, tmp_path: Path) -> None:
    """A sub path that the volume doesn't have yet is made by the sandbox, for the namespace's user, whatever the
    umask is.
    """
    found = replace(place(tmp_path), confinement=way, volumes={"v": tmp_path / "volumes/v"})
    found.volumes["v"].mkdir(parents=True)
    way.own(found.volumes["v"], "a")
    spec = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/data", "subPath": "one/two"}]}
    pod = {"metadata": {"name": "p", "namespace": "a", "uid": "1"}, "spec": {"containers": [spec]}}
    container = Container(spec=spec, kind="main", program=("true",), logs=tmp_path)
    before = os.umask(0o077)
    try:
        environment = environment_of(Objects(), pod, container, found)  # type: ignore[arg-type]
        where = found.shelter(container, pod)
    finally:
        os.umask(before)
    target = tmp_path / "volumes/v/one/two"
    assert str(target) in environment.values()
    assert output(way, f"touch {target}/made && echo made", where) == "made\n"


@pytest.fixture(scope="module")
def confined() -> Iterator[None]:
    if not WAYS:
        pytest.skip("no way of confining on this machine")
    yield


def test_s1_exec_in_a_pod_reaches_nothing_else(k: Kubectl, kubeconfig: Path, confined: SimpleNamespace) -> None:
    """The whole way: kubectl exec beside a running program, on a cluster whose Pods are confined."""
    log = (kubeconfig.parent / "sandbox.log").read_text()
    if "Pods are confined by" not in log:
        pytest.skip(log)
    k("apply", "-f", "-", stdin=POD)
    k("wait", "pod/engine", "--for=condition=Ready", "--timeout=60s")
    for path in (kubeconfig, kubeconfig.parent / "cluster.db", f"/proc/{os.getpid()}/environ"):
        assert "o such file" in k("exec", "engine", "--", "cat", str(path), fails=True)
    assert k("exec", "engine", "--", "sh", "-c", f"ls {kubeconfig.parent}").strip() == "pods"
    # The Pod's own account still works: the operators live on it.
    assert "tokenFile:" in k("exec", "engine", "--", "sh", "-c", 'cat "$KUBECONFIG"')
    before = time.monotonic()
    k("delete", "pod", "engine")
    assert time.monotonic() - before < 20

"""The conformance suite speaks plain HTTP and kubectl to the cluster of --kubeconfig, or to a sandbox of its own.

Each check is compared with recorded/ (see observations.py). `--record` overwrites it, from a real cluster only. Known
differences of the sandbox, and of other versions of Kubernetes, stand in differences.toml with their reasons. Every run
leaves its results for docs/conformance.md (report.py).
"""

import json
import shutil
import tomllib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import processes
from tests.api import CRDS, Api, custom_resource_definition
from tests.kubectl import Kubectl

from .observations import Seen
from .olm import PACKAGES, Olm, catalog_of
from .report import RESULTS, Cluster

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def differences(cluster: Cluster) -> dict[str, dict[str, str]]:
    """Test → check → why it differs."""
    found: dict[str, dict[str, str]] = {}
    for entry in tomllib.loads((HERE / "differences.toml").read_text()).get("difference", []):
        if cluster.minor in entry.get("kubernetes", ["sandbox"]):
            found.setdefault(entry["test"], {}).update(dict.fromkeys(entry["checks"], entry["reason"]))
    return found


def record_of(module: str) -> dict[str, Any]:
    """Test → check → observation of a module's tests."""
    path = HERE / "recorded" / f"{module}.json"
    return json.loads(path.read_text()) if path.exists() else {}


@pytest.fixture(scope="session")
def kubeconfig(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if given := request.config.getoption("--kubeconfig"):
        yield Path(given).expanduser().resolve()
        return
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages", PACKAGES):
        yield data / "kubeconfig"


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, kubeconfig: Path) -> Cluster:
    """Which cluster this is."""
    answer = Api(kubeconfig).get("/version").json
    version, minor = answer["gitVersion"], f"1.{answer.get('emulationMinor', answer['minor'])}"
    found = Cluster(version, "sandbox" if "sandbox" in version else minor)
    assert not (request.config.getoption("--record") and found.sandbox), "--record needs a real cluster"
    return found


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Api:
    """The admin."""
    return Api(kubeconfig)


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    """A new namespace with its default ServiceAccount; it is deleted in the background afterwards."""
    name = f"conformance-{uuid4().hex[:8]}"
    assert api.post("/api/v1/namespaces", {"metadata": {"name": name}}).status == 201
    api.until(f"/api/v1/namespaces/{name}/serviceaccounts/default", bool)
    api.until(f"/api/v1/namespaces/{name}/configmaps/kube-root-ca.crt", bool)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def maps(namespace: str) -> str:
    """The path of ConfigMaps in the new namespace. There is one already: kube-root-ca.crt."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


@pytest.fixture
def group() -> str:
    """An API group that no other test has."""
    return f"g{uuid4().hex[:8]}.conformance.example"


@pytest.fixture
def define(api: Api, namespace: str, group: str) -> Iterator[Callable[..., str]]:
    """``define({"size": {"type": "integer"}})`` serves Widgets whose spec has these fields; returns their path in
    the namespace.

    Further arguments are the CRD version's own, such as ``subresources``.
    """
    crd = custom_resource_definition(group, "widgets", "Widget")
    path = f"/apis/{group}/v1/namespaces/{namespace}/widgets"

    def define(fields: dict[str, Any], **version: Any) -> str:
        given = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
        crd["spec"]["versions"][0] |= {"schema": {"openAPIV3Schema": given}, **version}
        created = api.post(CRDS, crd)
        assert created.status == 201, created.raw
        api.until(path, bool)
        return path

    yield define
    api.delete(f"{CRDS}/{crd['metadata']['name']}")


@pytest.fixture
def k(kubeconfig: Path, namespace: str, tmp_path: Path) -> Kubectl:
    """kubectl in the new namespace."""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("needs kubectl on PATH")
    return Kubectl(program, kubeconfig, namespace, tmp_path)


@pytest.fixture(scope="session")
def catalog(api: Api) -> str:
    """The catalog of sandbox/conformance/packages; without it, the test is skipped."""
    return catalog_of(api)


@pytest.fixture
def olm(api: Api, namespace: str, catalog: str, seen: Seen) -> Olm:
    """OLM in the new namespace."""
    return Olm(api, namespace, catalog).known_to(seen)


@pytest.fixture
def seen(request: pytest.FixtureRequest, cluster: Cluster) -> Seen:
    """Compares answers with the recorded ones; the test fails at its end when one differs."""
    recording = request.config.getoption("--record")
    recorded = None if recording else record_of(_module(request.node)).get(_name(request.node), {})
    excused = differences(cluster).get(f"{_module(request.node)}::{_name(request.node)}", {})
    if "*" in excused:
        pytest.skip(excused["*"])
    # OLM says it, in versions that are older and newer than the recorded one.
    aliases = {cluster.version.removeprefix("v").partition("+")[0]: "<kubernetes>"}
    for fixture, placeholder in (("namespace", "<namespace>"), ("group", "<group>")):
        if fixture in request.fixturenames:
            aliases[request.getfixturevalue(fixture)] = placeholder
    return Seen(recorded, excused, aliases)


def _module(item: pytest.Item) -> str:
    return item.path.stem


def _name(item: pytest.Item) -> str:
    return item.name


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """After the test's own assertions: its checks against the record; then both into the results."""
    seen = pyfuncitem.funcargs.get("seen")
    cluster = pyfuncitem.funcargs.get("cluster")
    if not isinstance(seen, Seen) or not isinstance(cluster, Cluster):
        return (yield)
    failed = "failed"
    try:
        result = yield
        if wrong := seen.mismatches():
            pytest.fail("\n\n".join(wrong), pytrace=False)
        failed = ""
        return result
    finally:
        _save(pyfuncitem, cluster, seen, failed)


def _title(docstring: str) -> str:
    """Its first paragraph on one line."""
    return " ".join(docstring.strip().partition("\n\n")[0].split())


def _save(item: pytest.Function, cluster: Cluster, seen: Seen, failed: str) -> None:
    module = item.module
    path = RESULTS / cluster.word / f"{_module(item)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    results = json.loads(path.read_text()) if path.exists() else {}
    results.setdefault("area", _title(module.__doc__ or _module(item)))
    results["version"] = cluster.version
    results.setdefault("tests", {})[_name(item)] = {
        "behaviour": _title(item.function.__doc__ or _name(item)),
        "outcome": failed or "passed",
        "checks": len(seen.observed),
        "different": {name: seen.excused.get(name, "") for name in seen.different},
    }
    path.write_text(json.dumps(results, indent=1))
    if item.config.getoption("--record") and not failed:
        record = record_of(_module(item))
        record[_name(item)] = seen.observed
        target = HERE / "recorded" / f"{_module(item)}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

"""A sandbox of its own as the cluster, and beside it an agent that runs Pods of its node `local`."""

import socket
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.agent.access import read
from sandbox.agent.remote import Remote
from sandbox.tests.agent.kubelet import Kubelet
from tests import processes
from tests.api import Api
from tools.realcluster.certificates import Authority

NODE = "/api/v1/nodes/local"


@pytest.fixture(scope="package")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of a running sandbox without other tests, which would expect a single node."""
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data):
        yield data / "kubeconfig"


@pytest.fixture(scope="package")
def api(kubeconfig: Path) -> Api:
    """The admin."""
    return Api(kubeconfig)


@pytest.fixture(scope="package")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The agent's folder."""
    return tmp_path_factory.mktemp("agent")


@pytest.fixture(scope="package")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Of the kubelet's certificate and its client's."""
    made = Authority(tmp_path_factory.mktemp("pki"))
    made.issue("kubelet", "kubelet", hosts=("127.0.0.1",))
    made.issue("client", "kube-apiserver")
    return made


@pytest.fixture(scope="package")
def kubelet(kubeconfig: Path, api: Api, data: Path, authority: Authority) -> Iterator[Kubelet]:
    """The kubelet's API of a running agent whose Node is ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    pki, root = authority.folder, processes.ROOT
    command = [sys.executable, "-m", "sandbox", "node", "--kubeconfig", str(kubeconfig), "--name", "local"]
    command += ["--data", str(data), "--images", str(root / "examples/operators/images.toml"), "--port", str(port)]
    command += ["--tls-cert", str(pki / "kubelet.crt"), "--tls-key", str(pki / "kubelet.key")]
    command += ["--client-ca", str(pki / "ca.crt")]
    tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
    tls.load_cert_chain(pki / "client.crt", pki / "client.key")
    with processes.running(command, data / "agent.log", lambda: api.get(NODE).status == 200):
        yield Kubelet(port, tls)


@pytest.fixture
def remote(kubeconfig: Path, tmp_path: Path) -> Iterator[Remote]:
    """The verbs over HTTP."""
    found = Remote(read(kubeconfig, tmp_path))
    yield found
    found.close()

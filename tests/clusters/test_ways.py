"""The ways to clusters of others: what a kubeconfig says of address, certificates, proxy and user, with pages, watches
and commands in a Pod.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client, override_settings

from console.web import clusters
from kube import channels, requests
from kube.client import ClusterClient
from kube.config import load
from kube.transport import AsyncTransport
from kube.watch import watch
from tests import processes
from tests.clusters.front import Front, front_of, kubeconfig, server_tls
from tests.eventually import until
from tests.kube.test_proxies import proxy
from tests.plain_certificates import PlainAuthority, strict_by_default
from tools.realcluster.certificates import Authority

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

#: What is only a name in a certificate, or at a proxy.
NAMED = "api.cluster.invalid"
PAGES = (
    "/",
    "/?part=cluster",
    "/resources/",
    "/resources/core/v1/pods/?namespace=default",
    "/resources/core/v1/pods/default/main/",
    "/resources/core/v1/pods/default/main/logs/",
    "/resources/core/v1/configmaps/default/kube-root-ca.crt/yaml/",
    "/resources/core/v1/configmaps/new/?namespace=default",
    "/resources/search/?q=main",
    "/resources/events/",
    "/namespaces/",
    "/clusters/",
    "/operatorhub/",
    "/operators/",
    "/api/resources/core/v1/pods/",
)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of a cluster with a Pod that runs."""
    data = tmp_path_factory.mktemp("ways")
    with processes.sandbox(data, options=("--no-olm",)):
        client = ClusterClient(load(str(data / "kubeconfig")))
        pods = client.find("", "v1", "pods")
        container = {"name": "main", "image": "operator-console.dev/kudo-waiter:1"}
        client.create(pods, {"metadata": {"name": "main"}, "spec": {"containers": [container]}}, "default")
        until(lambda: client.get(pods, "main", "default")["status"].get("phase") == "Running", "a running Pod")
        yield data / "kubeconfig"


class Way:
    """A front, and the kubeconfig that leads to it. `admin`: the one without a front."""

    def __init__(self, front: Front, config: Path) -> None:
        self.front, self.config, self.admin = front, config, config


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


@contextmanager
def _eks(front: Front, folder: Path) -> Iterator[Way]:
    """An authority without key usage, a certificate without an Authority Key Identifier, and a plugin whose tokens
    end after some seconds. https://docs.aws.amazon.com/eks/latest/userguide/create-kubeconfig.html
    """
    authority = PlainAuthority(folder)
    front.tls, front.until = server_tls(authority.issue()), lambda token, _name: token_end(token)
    with front.running():
        cluster = {
            "server": f"https://127.0.0.1:{front.port}",
            "certificate-authority-data": _encoded(authority.certificate),
        }
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user={"exec": plugin(folder, seconds=20)}))


def plugin(folder: Path, seconds: int) -> dict[str, Any]:
    """As `aws eks get-token`: its tokens end after so many seconds. It notes each of its runs."""
    program = folder / "get-token"
    program.write_text(
        "#!/bin/sh\n"
        f'echo "$1 $AWS_PROFILE" >> {folder}/runs\n'
        f"end=$(($(date +%s) + {seconds}))\n"
        'printf \'{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": '
        '{"token": "k8s-aws-v1.%s", "expirationTimestamp": "%s"}}\' '
        '"$end" "$(date -u -d @$end +%Y-%m-%dT%H:%M:%SZ)"\n'
    )
    program.chmod(0o755)
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./get-token",
        "args": ["get-token"],
        "env": [{"name": "AWS_PROFILE", "value": "team"}],
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": False,
    }


def token_end(token: str) -> float:
    """Of a token of the plugin; 0 for others."""
    head, _dot, end = token.partition(".")
    return float(end) if head == "k8s-aws-v1" and end.isdigit() else 0.0


@contextmanager
def _certificate(front: Front, folder: Path) -> Iterator[Way]:
    """A user by certificate, all in the kubeconfig itself, as kubeadm and k3s write it."""
    authority = Authority(folder)
    front.tls = server_tls(authority.issue("server", "server", hosts=("127.0.0.1",)), authority.certificate)
    front.until = lambda _token, name: float("inf") if name == "me" else 0.0
    certificate, key = authority.issue("me", "me")
    user = {"client-certificate-data": _encoded(certificate), "client-key-data": _encoded(key)}
    with front.running():
        cluster = {
            "server": f"https://127.0.0.1:{front.port}/",
            "certificate-authority-data": _encoded(authority.certificate),
        }
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user=user))


@contextmanager
def _insecure(front: Front, folder: Path) -> Iterator[Way]:
    """A certificate of an unknown authority, for another host."""
    front.tls = server_tls(PlainAuthority(folder).issue("elsewhere"))
    with front.running():
        cluster = {"server": f"https://127.0.0.1:{front.port}", "insecure-skip-tls-verify": True}
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user={"token": "t"}))


@contextmanager
def _server_name(front: Front, folder: Path) -> Iterator[Way]:
    """By a tunnel, whose address isn't in the certificate."""
    authority = Authority(folder)
    front.tls = server_tls(authority.issue("server", "server", hosts=(NAMED,)))
    with front.running():
        cluster = {
            "server": f"https://127.0.0.1:{front.port}",
            "certificate-authority": "ca.crt",
            "tls-server-name": NAMED,
        }
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user={"token": "t"}))


@contextmanager
def _path(front: Front, folder: Path) -> Iterator[Way]:
    """As Rancher's: one server for many clusters, each at a path."""
    authority = Authority(folder)
    front.tls = server_tls(authority.issue("server", "server", hosts=("127.0.0.1",)))
    front.prefix = "/k8s/clusters/c-m-xyz12345"
    with front.running():
        cluster = {
            "server": f"https://127.0.0.1:{front.port}{front.prefix}",
            "certificate-authority-data": _encoded(authority.certificate),
        }
        user = {"token": "kubeconfig-u-abc:xyz"}
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user=user))


@contextmanager
def _proxy(front: Front, folder: Path) -> Iterator[Way]:
    """By a company's proxy, which alone knows the name."""
    authority = Authority(folder)
    front.tls = server_tls(authority.issue("server", "server", hosts=(NAMED,)))
    with proxy("http") as tunnel, front.running():
        cluster = {
            "server": f"https://{NAMED}:{front.port}",
            "certificate-authority": "ca.crt",
            "proxy-url": f"http://anna:pass%3Aword@127.0.0.1:{tunnel.port}",
        }
        yield Way(front, kubeconfig(folder / "config", cluster=cluster, user={"token": "t"}))
        assert set(tunnel.names) == {NAMED}


WAYS = {
    "EKS": _eks,
    "certificate": _certificate,
    "insecure": _insecure,
    "tls-server-name": _server_name,
    "path": _path,
    "proxy-url": _proxy,
}


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest, embedded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        # As Python 3.13 checks certificates.
        stack.enter_context(strict_by_default(patch))
        yield stack.enter_context(WAYS[request.param](front_of(embedded), tmp_path_factory.mktemp("way")))


@pytest.fixture
def browser(way: Way, redis_server: str) -> Iterator[Client]:
    """Of a console that has this way alone."""
    with override_settings(KUBECONFIG=str(way.config)), pytest.MonkeyPatch.context() as patch:
        for name, empty in (("_clients", {}), ("_endpoints", {}), ("_offered", None)):
            patch.setattr(clusters, name, empty)
        yield Client()


def test_every_main_page_answers(way: Way, browser: Client) -> None:
    def status(address: str) -> int:
        answer: Any = browser.get(address)
        if answer.streaming:
            b"".join(answer.streaming_content)
        return int(answer.status_code)

    found = {address: status(address) for address in PAGES}
    assert set(found.values()) == {200}, found
    assert set(way.front.answered) == {0}, "nothing was refused on the way"


def test_what_is_written_arrives(way: Way, browser: Client) -> None:
    name = f"w-{uuid4().hex[:6]}"
    answer = browser.post("/namespaces/", {"name": name})
    assert answer.status_code == 302, answer.content[:500]
    assert name.encode() in browser.get("/namespaces/").content


async def _until_event(transport: AsyncTransport, client: ClusterClient) -> None:
    maps = await asyncio.to_thread(client.find, "", "v1", "configmaps")
    name = f"w-{uuid4().hex[:6]}"
    bursts: AsyncIterator[Any] = watch(transport, requests.watch_table(maps, "default", "", 60, "Metadata"))
    await asyncio.to_thread(client.create, maps, {"metadata": {"name": name}}, "default")
    async for burst in bursts:
        if any(name in str(event.document()) for event in burst):
            return


async def test_a_watch_and_a_command_in_a_pod(way: Way) -> None:
    config = load(str(way.config))
    client = ClusterClient(config)
    async with asyncio.timeout(30), AsyncTransport(config) as transport:
        await _until_event(transport, client)
        async with await transport.websocket(
            requests.exec_("main", "default", "main", ("echo", "here")), channels.EXEC
        ) as channel:
            output = b""
            async for message in channel:
                output += bytes(message.data)
        assert b"here" in output

"""A kubeconfig of a user who can read in one namespace and nowhere else, as companies hand it out: the console, its
worker included, has no other identity.
"""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client, override_settings

from bench.console import console
from console.reach.discovery import clear_caches
from console.web import clusters
from kube.client import ClusterClient
from kube.config import load
from tests import processes
from tests.clusters.front import kubeconfig
from tests.clusters.test_eks import Site, Stream
from tests.console.reach.test_walk import _faults
from tests.console.signin.addresses import OPEN, addresses
from tests.console.signin.people import token

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

MARK = "team"
HOME, OTHER = f"{MARK}-here", f"{MARK}-other"
#: As kubectl create role reader --verb=get,list,watch --resource=… -n team-here.
_RULES = [
    {
        "apiGroups": ["", "apps", "batch", "networking.k8s.io"],
        "resources": ["*"],
        "verbs": ["get", "list", "watch"],
    },
    {"apiGroups": ["example.com"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
]


def populate(admin: ClusterClient) -> str:
    """The token of the reader."""

    def make(group: str, plural: str, obj: dict[str, Any], namespace: str = "") -> None:
        admin.create(admin.find(group, "", plural), obj, namespace)

    for namespace in (HOME, OTHER):
        make("", "namespaces", {"metadata": {"name": namespace}})
        make("", "configmaps", {"metadata": {"name": f"{MARK}-mine"}, "data": {"value": namespace}}, namespace)
        make("", "secrets", {"metadata": {"name": f"{MARK}-secret"}, "stringData": {"password": "p"}}, namespace)
    make("", "serviceaccounts", {"metadata": {"name": "reader"}}, OTHER)
    make("rbac.authorization.k8s.io", "roles", {"metadata": {"name": "reader"}, "rules": _RULES}, HOME)
    subject = {"kind": "ServiceAccount", "namespace": OTHER, "name": "reader"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    binding = {"metadata": {"name": "reader"}, "subjects": [subject], "roleRef": role}
    make("rbac.authorization.k8s.io", "rolebindings", binding, HOME)
    return token(admin, OTHER, "reader")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of kubeconfigs: `kubeconfig` of the administrator, `reader`; `named` has the context's namespace."""
    data = tmp_path_factory.mktemp("reader")
    with processes.sandbox(data, options=("--no-olm",)):
        admin = ClusterClient(load(str(data / "kubeconfig")))
        good = populate(admin)
        server = yaml.safe_load((data / "kubeconfig").read_text())["clusters"][0]["cluster"]
        kubeconfig(data / "reader", cluster=server, user={"token": good})
        document = yaml.safe_load((data / "reader").read_text())
        document["contexts"][0]["context"]["namespace"] = HOME
        (data / "named").write_text(yaml.safe_dump(document))
        yield data


@pytest.fixture
def browser(cluster: Path, redis_server: str) -> Iterator[Client]:
    """Of a console with the reader's kubeconfig, whose context names no namespace."""
    with of_console(cluster / "reader") as found:
        yield found


@contextmanager
def of_console(kubeconfig: Path) -> Iterator[Client]:
    with override_settings(KUBECONFIG=str(kubeconfig)), pytest.MonkeyPatch.context() as patch:
        for name, empty in (("_clients", {}), ("_endpoints", {}), ("_offered", None)):
            patch.setattr(clusters, name, empty)
        clear_caches()
        yield Client()


def _read(browser: Client, address: str) -> tuple[int, str]:
    answer: Any = browser.get(address)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, html.unescape(content.decode(errors="replace"))


@pytest.mark.parametrize("address", ["/resources/core/v1/pods/", "/resources/events/"])
def test_before_a_namespace_is_known_each_list_asks_for_one(browser: Client, address: str) -> None:
    status, page = _read(browser, address)
    assert status == 403 and "You don't have permission to list all namespaces. Pick one of yours." in page
    form = page.partition('<label for="refused-namespace">')[0].rpartition("<form")[2]
    assert 'action="/namespaces/pick/"' in form and f'name="next" value="{address}"' in form
    answer = browser.post("/namespaces/pick/", {"namespace": HOME, "next": address})
    assert answer.status_code == 303 and answer.headers["Location"] == f"{address}?namespace={HOME}"
    assert _read(browser, answer.headers["Location"])[0] == 200
    # It is known from now on: the whole list is of this namespace.
    status, page = _read(browser, f"{address}?namespace=-")
    assert status == 200 and "refused-namespace" not in page


def test_what_is_of_the_whole_cluster_asks_for_no_namespace(browser: Client) -> None:
    status, page = _read(browser, "/resources/core/v1/nodes/")
    assert status == 403 and "refused-namespace" not in page and "kubectl create clusterrole" in page


def test_the_namespace_of_the_context_is_known_from_the_start(cluster: Path, redis_server: str) -> None:
    with of_console(cluster / "named") as browser:
        for address in ("/", "/resources/core/v1/configmaps/?namespace=-", "/resources/events/?namespace=-"):
            status, page = _read(browser, address)
            assert status == 200 and HOME in page, address
        assert f"{MARK}-mine" in _read(browser, "/resources/core/v1/configmaps/?namespace=-")[1]


def test_every_link_of_the_navigation_leads_somewhere(browser: Client) -> None:
    """Also the first time, before a namespace is known."""
    for known in (False, True):
        if known:
            browser.post("/namespaces/pick/", {"namespace": HOME, "next": "/"})
            _read(browser, f"/resources/core/v1/configmaps/?namespace={HOME}")
        navigation = _read(browser, "/")[1].partition("<nav")[2].partition("</nav>")[0]
        links = set(re.findall(r'href="(/[^"#]*)"', navigation))
        assert len(links) > (20 if known else 8), links
        for link in links:
            status, page = _read(browser, link)
            assert status == 200 or "refused-namespace" in page, (link, status)


def test_every_page_answers_and_names_what_is_missing(browser: Client, cluster: Path) -> None:
    admin = ClusterClient(load(str(cluster / "kubeconfig")))
    # By the address they were sent: a namespace that is opened is remembered.
    assert _read(browser, f"/resources/core/v1/configmaps/?namespace={HOME}")[0] == 200
    faults: list[str] = []
    for address in (address for address in addresses(MARK) if address not in OPEN):
        status, text = _read(browser, address)
        faults += _faults(admin, address, status, text.replace('\\"', '"'))
    assert not faults, "\n".join(faults)


def test_a_page_is_live_with_a_worker_that_is_the_reader_too(cluster: Path, tmp_path: Path) -> None:
    admin = ClusterClient(load(str(cluster / "kubeconfig")))
    with console(tmp_path / "console", kubeconfig=cluster / "reader") as running:
        site = Site(running.url, tmp_path, admin, HOME)
        assert site.read(f"/resources/core/v1/configmaps/?namespace={HOME}")[0] == 200
        stream = Stream(site)
        try:
            stream.follows(site)
        finally:
            stream.close()

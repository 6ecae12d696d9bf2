"""Whether OLM is there; and a release manifest from its text to its objects and away again."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.datastructures import MultiValueDict

from kube.client import ClusterClient
from kube.config import load
from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound
from operatorhub import olm
from operatorhub.bootstrap import apply, manifest, state
from operatorhub.bootstrap.manifest import ManifestProblem
from operatorhub.models import Run
from tests import processes
from tests.conftest import ROOT
from tests.environment import FOLDER
from tests.eventually import until

pytestmark = pytest.mark.django_db
RELEASE = Path(__file__).with_name("release.yaml").read_text()


@pytest.fixture
def _cleaned(client: ClusterClient) -> Iterator[None]:
    """What the small release made is deleted, however far it came."""
    yield
    run = Run.objects.filter(kind=apply.KIND).first()
    if run is not None:
        apply.remove(client, apply.removable(client, run), lambda ref, outcome: None)
        spaces = client.find("", "v1", "namespaces")
        until(lambda: _gone(client, spaces, "hub-release"))


def _gone(client: ClusterClient, type_, name: str) -> bool:  # type: ignore[no-untyped-def]
    try:
        client.get(type_, name)
    except NotFound:
        return True
    return False


def test_the_order_is_that_in_which_they_can_be_applied() -> None:
    kinds = [item["kind"] for item in manifest.read([("a", RELEASE)])]
    assert kinds == [
        "Namespace",
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Boot",
        "ConfigMap",
    ]


def test_the_same_object_twice_counts_once() -> None:
    assert len(manifest.read([("a", RELEASE), ("b", RELEASE)])) == 7


def test_what_its_accounts_may_is_told_with_the_danger() -> None:
    found = manifest.rights(manifest.read([("a", RELEASE)]))
    assert {item.service_account for item in found} == {"hub-release-account"}
    assert any(item.danger for item in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "contains no objects"),
        ("just words", "not a Kubernetes object"),
        ("a: [", "x.yaml"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "metadata.name"),
        ("apiVersion: v1\nkind: List\nitems: [1]\n", "not a Kubernetes object"),
    ],
)
def test_what_is_no_manifest_is_said(text: str, words: str) -> None:
    with pytest.raises(ManifestProblem, match=words):
        manifest.read([("x.yaml", text)])


def test_files_and_addresses_that_are_no_use() -> None:
    for urls, words in (("", "address"), ("\n".join(f"https://example.invalid/{n}" for n in range(9)), "9 addresses")):
        (error,) = manifest.ManifestForm({"urls": urls}).errors["urls"]
        assert words in str(error)
    for content, words in ((b"\xff\xfe\x00", "UTF-8"), (b"<!DOCTYPE html>", "web page")):
        files: Any = MultiValueDict({"files": [SimpleUploadedFile("olm.yaml", content)]})
        form = manifest.ManifestForm({"urls": "https://example.invalid/"}, files)
        assert form.is_valid()
        with pytest.raises(ManifestProblem, match=words):
            manifest.read_texts(form)


def test_a_file_of_any_name_keeps_addresses_from_being_read() -> None:
    """Without the permission to name addresses, a file in another field would have been enough to have them read."""
    files: Any = MultiValueDict({"other": [SimpleUploadedFile("olm.yaml", b"")]})
    form = manifest.ManifestForm({"urls": "https://example.invalid/"}, files)
    assert form.is_valid()
    assert manifest.read_texts(form) == []


@pytest.fixture
def mirror(settings) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """A server with the release at /release.yaml and nothing else."""
    settings.LOCAL_ONLY = True

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/release.yaml"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(RELEASE.encode() if found else b"no")

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_address_is_read_and_one_that_answers_nothing_is_said(client: ClusterClient, mirror: str) -> None:
    answer = Client().post("/operatorhub/olm/", {"urls": f"{mirror}/release.yaml\n"})
    assert answer.status_code == 302
    refused = Client().post("/operatorhub/olm/", {"urls": f"{mirror}/nothing.yaml"})
    assert refused.status_code == 422
    page = refused.content.decode()
    assert f"{mirror}/nothing.yaml returned 404" in page


def test_a_manifest_is_shown_tried_applied_and_taken_away(client: ClusterClient, _cleaned: None) -> None:
    run = apply.begin(client, manifest.read([("release.yaml", RELEASE)]), "release.yaml")
    web, page = Client(), f"/operatorhub/olm/{run.key}/"
    shown = web.get(page).content.decode()
    assert 'data-state="draft"' in shown
    assert "hub-release-account" in shown
    tried = web.post(page, {"dry_run": "1"}).content.decode()
    assert 'data-outcome="ok"' in tried
    assert 'data-outcome="waits"' in tried
    assert _gone(client, client.find("", "v1", "namespaces"), "hub-release")

    until(lambda: 'data-state="done"' in web.post(page, {}).content.decode())
    made = apply.results(apply.find(client, run.key))
    assert {item.outcome for item in made} == {"created"}
    assert client.get(client.find("release.operator-console.dev", "v1", "boots"), "first", "hub-release")

    listed = web.get(f"{page}manifest/remove/").content.decode()
    assert listed.count('name="target"') == 7
    # The kind is not ticked: all objects of it would go.
    targets = apply.removable(client, apply.find(client, run.key))
    assert [target.kind for target in targets if target.keeps] == ["CustomResourceDefinition"]
    removed = web.post(f"{page}manifest/remove/", {"target": [target.token for target in targets]}).content.decode()
    assert removed.count('data-outcome="removed"') == 7


def test_what_is_refused_is_said_and_tried_again(client: ClusterClient, _cleaned: None) -> None:
    broken = RELEASE.replace("verbs: [watch, list, get]", "verbs: []")
    run = apply.begin(client, manifest.read([("release.yaml", broken)]), "release.yaml")
    web, page = Client(), f"/operatorhub/olm/{run.key}/"
    until(lambda: 'data-state="failed"' in web.post(page, {}).content.decode())
    refused = [result for result in apply.results(apply.find(client, run.key)) if result.outcome == "refused"]
    assert [item.kind for item in refused] == ["ClusterRole"]
    assert "verbs" in refused[0].message
    assert "Retry refused objects" in web.get(page).content.decode()


def test_an_upload_leads_to_its_preview_and_a_bad_one_back(client: ClusterClient) -> None:
    sent = {"urls": "https://example.invalid/", "files": [SimpleUploadedFile("release.yaml", RELEASE.encode())]}
    answer = Client().post("/operatorhub/olm/", sent)
    assert answer.status_code == 302
    assert Client().get(answer["Location"]).status_code == 200
    bad = Client().post("/operatorhub/olm/", {"urls": "", "files": [SimpleUploadedFile("a.yaml", b"words")]})
    assert bad.status_code == 422
    assert Client().get("/operatorhub/olm/0123456789/").status_code == 404


def test_a_cluster_with_olm_says_how_it_is(client: ClusterClient) -> None:
    found = state.read_state(client)
    assert found.served
    assert any(line.name in ("CatalogSource", "CatalogSources") for line in found.lines)
    page = Client().get("/operatorhub/olm/").content.decode()
    assert 'data-state="absent"' not in page
    assert 'type="file"' not in page


class Cluster:
    """What a cluster answers about OLM. `deployments` None: they can't be listed."""

    def __init__(self, packages: bool = False, stale: bool = False, deployments: list[str] | None = None) -> None:
        groups = [(olm.GROUP, olm.SUBSCRIPTIONS), ("apps", "deployments")]
        groups += [(olm.PACKAGES_GROUP, "packagemanifests")] if packages else []
        self._types = tuple(
            ResourceType(group=group, version="v1", plural=plural, kind=plural, namespaced=True)
            for group, plural in groups
        )
        self._deployments = deployments
        self.discovery_errors = (f"{olm.PACKAGES_GROUP}/v1: its API server does not answer",) if stale else ()

    def types(self) -> tuple[ResourceType, ...]:
        return self._types

    def forget_types(self) -> None:
        """Nothing changes here."""

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        found = next((type_ for type_ in self._types if (type_.group, type_.plural) == (group, plural)), None)
        if found is None:
            raise NotFound(f"{plural}.{group} is not served")
        return found

    def get(self, type_: ResourceType, name: str, namespace: str = "") -> dict[str, object]:
        raise NotFound(f"{name} isn't there")

    def list(self, type_: ResourceType, *, fields: str = "", **_: object) -> SimpleNamespace:
        if type_.plural != "deployments":
            return SimpleNamespace(items=[])
        if self._deployments is None:
            raise Forbidden("deployments is forbidden")
        name = fields.removeprefix("metadata.name=")
        made = {"metadata": {"name": name, "namespace": "olm"}, "spec": {"replicas": 1}}
        return SimpleNamespace(items=[made] if name in self._deployments else [])


@pytest.mark.parametrize(
    ("cluster", "served", "outside"),
    [
        (Cluster(packages=True, deployments=["olm-operator", "catalog-operator"]), True, False),
        (Cluster(packages=True, deployments=[]), True, True),  # a hosted control plane; the embedded cluster
        (Cluster(packages=True, deployments=None), True, False),  # a reader who can't list Deployments
        (Cluster(deployments=["catalog-operator"]), True, False),  # its package server isn't there yet
        (Cluster(packages=True, stale=True, deployments=["olm-operator"]), True, False),  # or is down
        (Cluster(deployments=[]), False, False),  # leftover definitions
        (Cluster(packages=True, stale=True, deployments=[]), False, False),  # with a leftover APIService
    ],
)
def test_k4_olm_is_what_answers(cluster: Cluster, served: bool, outside: bool) -> None:
    """K4: kinds without anything that does OLM's work aren't OLM; a missing Deployment doesn't make a cluster ours."""
    assert olm.served(cluster) is served  # type: ignore[arg-type]
    found = state.read_state(cluster)  # type: ignore[arg-type]
    assert (found.served, found.outside) == (served, outside)
    assert found.healthy is False or served


def test_a_cluster_without_olm_gets_it(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--kubeconfig"):
        pytest.skip("needs a cluster without OLM: the embedded one can be started so")
    data = FOLDER / "bare"
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages", options=("--no-olm",)):
        bare = ClusterClient(load(str(data / "kubeconfig"), None))
        monkeypatch.setattr("console.web.request.console_client", lambda: bare)
        web = Client()
        assert not olm.served(bare)
        page = web.get("/operatorhub/olm/").content.decode()
        assert re.search(r'id="olm-title"\s+data-state="absent"', page)
        assert manifest.URLS[0] in page
        assert "Install OLM" in web.get("/operatorhub/").content.decode()
        crds = (ROOT / "sandbox" / "olm" / "crds.yaml").read_text()
        sent = {
            "files": [
                SimpleUploadedFile(name, text.encode()) for name, text in (("crds.yaml", crds), ("olm.yaml", PROGRAM))
            ]
        }
        preview = web.post("/operatorhub/olm/", sent)["Location"]
        until(lambda: 'data-state="done"' in web.post(preview, {}).content.decode())
        until(lambda: any(line.words.endswith("READY") for line in state.read_state(bare).lines))
        assert re.search(r'id="olm-title"\s+data-state="healthy"', web.get("/operatorhub/olm/").content.decode())


PROGRAM = """
apiVersion: v1
kind: Namespace
metadata: {name: olm}
---
apiVersion: v1
kind: Namespace
metadata: {name: operators}
""" + "".join(
    f"""---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: olm}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: {name}, image: "example.com/olm:v0.46.0"}}]}}
"""
    for name in ("olm-operator", "catalog-operator", "packageserver")
)

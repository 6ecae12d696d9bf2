"""The shape of deploy/ on this machine: every program as its manifest starts it, on PostgreSQL and a Redis with a
password, as a ServiceAccount.

Walked once with the tutorial's rights and once with the least: secrets made in the cluster, tables migrated by two at
once, ready, a list, an operator installed, an instance of it, a live event, and an end in good order.
"""

import base64
import contextlib
import http.client
import json
import os
import re
import secrets
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.api import Api
from tests.deploy import pods
from tests.deploy.manifests import Object, objects
from tests.deploy.test_manifests import PATHS
from tests.eventually import until
from tests.forms import dom

pytestmark = pytest.mark.timeout(420)
RBAC = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
SLOW = 120.0


class Person:
    """A user's browser without scripts."""

    def __init__(self, port: int) -> None:
        self.base, self.jar = f"http://127.0.0.1:{port}", CookieJar()
        self.open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar)).open

    def get(self, path: str, **query: str) -> tuple[int, str]:
        return self._answer(urllib.request.Request(f"{self.base}{path}?{urllib.parse.urlencode(query)}"))

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        token = next(item.value or "" for item in self.jar if item.name.startswith("console_csrf"))
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        return self._answer(urllib.request.Request(f"{self.base}{path}", data, {"Origin": self.base}))

    def _answer(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self.open(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


@contextmanager
def place(api: Api, found: list[Object], namespace: str) -> Iterator[None]:
    """The overlay's namespace, accounts and rights, really made; and taken away with all that the walk made."""
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).status == 201
    made = []
    try:
        for obj in sorted((item for item in found if item["kind"] in RBAC), key=lambda item: "Binding" in item["kind"]):
            where = PATHS[obj["kind"]].format(obj["metadata"].get("namespace", ""))
            answer = api.post(where, obj)
            assert answer.status == 201, answer.raw
            made.append(f"{where}/{obj['metadata']['name']}")
        yield
    finally:
        for path in reversed(made):
            api.delete(path)
        api.delete(f"/api/v1/namespaces/{namespace}")


@pytest.mark.parametrize("overlay", ["tutorial", "least-privilege"])
def test_the_shape_of_deploy_works(overlay: str, cluster_kubeconfig: Path) -> None:
    pods.needs_mounts()
    api, namespace = Api(cluster_kubeconfig), f"okd-style-{secrets.token_hex(3)}"
    found = objects(overlay, namespace)
    with ExitStack() as stack:
        # Not tmp_path: PostgreSQL runs as the user nobody: root's folders are closed to it.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="console-deploy-")))
        os.chmod(folder, 0o711)
        stack.enter_context(place(api, found, namespace))
        node = pods.Node(folder, api, namespace)
        secret = make_secrets(node, found)
        stack.enter_context(mounted(folder, secret))
        migrate(node, found)
        web, worker = (stack.enter_context(node.running(found, name)) for name in ("console", "console-worker"))
        beat = stack.enter_context(node.running(found, "console-beat"))
        web.wait("readinessProbe")
        for pod in (web, worker):
            done = pod.probe("livenessProbe")
            assert done.returncode == 0, done.stdout + done.stderr
        person = Person(node.port)
        # A Pod is ready when its database is; all of it a moment later.
        until(lambda: json.loads(person.get("/readyz")[1])["ready"], "ready")
        state = json.loads(person.get("/readyz")[1])
        assert set(state["parts"]) == {"database", "redis", "cluster", "worker"}
        assert "process_resident_memory_bytes" in person.get("/metrics")[1]
        stream = live(person, api, namespace, node.port)
        stack.callback(stream.close)
        # Before the install: a kind that is taken away meanwhile would be missing.
        walk(person, namespace, allowed=overlay == "tutorial")
        install(person, api, f"{namespace}-db")
        refused(person, namespace, allowed=overlay == "tutorial")
        for pod in (web, worker, beat):
            limit = pod.container["resources"]["limits"]["memory"]
            assert pod.memory() < int(limit.removesuffix("Mi"))
            assert pod.process.poll() is None, pod.log.read_text()[-4000:]
        # The stream is still open: it is ended, not waited for. uvicorn ends by the signal once all is closed.
        assert web.terminate() in (0, -15)
        assert worker.terminate() == 0
        assert beat.terminate() == 0
        for pod in (web, worker, beat):
            assert "Traceback" not in pod.log.read_text(), pod.log.read_text()[-6000:]


def make_secrets(node: pods.Node, found: list[Object]) -> dict[str, str]:
    """By the Job, as an account that may create Secrets and read none; a second run leaves them alone."""
    for sentence in ("made the Secret", "is there already and stays as it is"):
        job = node.job(found, "Job", "console-secrets")
        output = job.communicate(timeout=90)[0]
        assert job.returncode == 0 and sentence in output, output
    read = node.api.bearer(node.token("console-setup")).get(
        f"/api/v1/namespaces/{node.namespace}/secrets/console-secrets"
    )
    assert read.status == 403
    data = node.api.get(f"/api/v1/namespaces/{node.namespace}/secrets/console-secrets").json["data"]
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


@contextmanager
def mounted(folder: Path, secret: dict[str, str]) -> Iterator[None]:
    """PostgreSQL and Redis with these passwords, and the Secret as files; only the Services' names stand for what
    listens here.
    """
    with (
        pods.postgres(folder / "pg", secret["POSTGRES_PASSWORD"]) as database,
        pods.redis(folder, secret["REDIS_PASSWORD"]) as broker,
    ):
        assert "@console-postgres:5432/" in secret["DATABASE_URL"]
        assert "@console-redis:6379/" in secret["REDIS_URL"]
        here = {
            **secret,
            "DATABASE_URL": secret["DATABASE_URL"].replace("console-postgres:5432", f"127.0.0.1:{database}"),
            "REDIS_URL": secret["REDIS_URL"].replace("console-redis:6379", f"127.0.0.1:{broker}"),
        }
        (folder / "secrets").mkdir()
        for key, value in here.items():
            (folder / "secrets" / key).write_text(value)
        yield


def migrate(node: pods.Node, found: list[Object]) -> None:
    """Two migrate at once while a Pod's init container waits: all three end well."""
    waits = node.job(found, "Deployment", "console", init=True)
    jobs = [node.job(found, "Job", "console-migrate") for _ in range(2)]
    for job in (*jobs, waits):
        output = job.communicate(timeout=150)[0]
        assert job.returncode == 0, output
    applied = [node.job(found, "Job", "console-migrate").communicate(timeout=90)[0]]
    assert "No migrations to apply" in applied[0], applied


def live(person: Person, api: Api, namespace: str, port: int) -> http.client.HTTPConnection:
    """A list of ConfigMaps, and new ones that arrive live. Returns the open stream."""
    status, page = person.get("/resources/core/v1/configmaps/", namespace=namespace)
    assert status == 200, page[:2000]
    (topic,) = re.findall(r'data-live-rows="([^"]+)"', page)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SLOW)
    connection.request(
        "GET", f"/stream?{urllib.parse.urlencode({'topic': unescape(topic)})}", headers={"Host": "localhost"}
    )
    answer = connection.getresponse()
    assert answer.status == 200
    seen, maps = threading.Event(), f"/api/v1/namespaces/{namespace}/configmaps"

    def make() -> None:
        # Objects made before the hub's first list aren't events of the stream.
        for number in range(int(SLOW)):
            api.post(maps, {"metadata": {"name": f"arrives-by-itself-{number}"}})
            if seen.wait(1):
                return

    maker = threading.Thread(target=make)
    maker.start()
    try:
        end = time.monotonic() + SLOW
        while "arrives-by-itself" not in (line := answer.readline().decode()):
            assert line and time.monotonic() < end, "no new ConfigMap in the stream"
    finally:
        seen.set()
        maker.join()
    return connection


def install(person: Person, api: Api, namespace: str) -> None:
    """OperatorHub, SampleDB's tile, its form, until it is usable; then an instance."""
    form = until(
        lambda: re.search(
            r'href="(/operatorhub/(?!-/|~/)[^"?]+/sampledb/)', person.get("/operatorhub/", q="sampledb")[1]
        ),
        "SampleDB's tile",
        seconds=SLOW,
    )[1]
    group, kind = "samples.operator-console.dev", "sampledbs"
    try:
        assert person.get(f"{form}install/")[0] == 200
        status, page = person.post(
            f"{form}install/",
            channel="stable",
            mode="OwnNamespace",
            install_namespace="+",
            new_namespace=namespace,
            approval="Automatic",
        )
        assert status == 200, unescape(re.sub(r"<[^>]+>|\s+", " ", page))[-3000:]
        until(lambda: "Succeeded" in phases(api, namespace), "a CSV that succeeded", seconds=240)
        version = until(lambda: served(api, group), "its kind")
        path = f"/resources/{group}/{version}/{kind}/new/"
        # The rights to its instances come with the operator, a moment later.
        until(lambda: person.get(path, namespace=namespace)[0] == 200, "the form of SampleDB")
        until(lambda: make(person, path, namespace), "an instance")
        assert api.get(f"/apis/{group}/{version}/namespaces/{namespace}/{kind}/ours").status == 200
    finally:
        instance = f"/apis/{group}/v1/namespaces/{namespace}/{kind}/ours"
        api.delete(instance)
        # Its operator lets it go; without that the kind would hang, and the next test could make none of it.
        with contextlib.suppress(AssertionError):
            until(lambda: api.get(instance).status == 404, "the end of the instance")
        for plural in ("subscriptions", "clusterserviceversions"):
            where = f"/apis/operators.coreos.com/v1alpha1/namespaces/{namespace}/{plural}"
            for item in (api.get(where).json or {}).get("items") or []:
                api.delete(f"{where}/{item['metadata']['name']}")
        api.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind}.{group}")
        api.delete(f"/api/v1/namespaces/{namespace}")


def make(person: Person, path: str, namespace: str) -> bool:
    """One try to create an instance: the form as it comes, with a name."""
    form = next(
        element
        for element in dom.parse(person.get(path, namespace=namespace)[1]).walk()
        if element.attributes.get("id") == "form"
    )
    fields = {name: "ours" if name.endswith("/metadata/name") else value for name, value in dom.sent(form)}
    status, page = person.post(form.attributes["action"], **fields)
    return status == 200 and "<h1" in page and "ours" in page


def phases(api: Api, namespace: str) -> list[str]:
    answer = api.get(f"/apis/operators.coreos.com/v1alpha1/namespaces/{namespace}/clusterserviceversions")
    return [obj.get("status", {}).get("phase", "") for obj in answer.json["items"]]


def served(api: Api, group: str) -> str:
    answer = api.get(f"/apis/{group}")
    return str(answer.json["preferredVersion"]["version"]) if answer.status == 200 else ""


def refused(person: Person, namespace: str, *, allowed: bool) -> None:
    """Secrets can be read only with the tutorial's permissions; else the page names the user and the permission."""
    status, page = person.get("/resources/core/v1/secrets/", namespace=namespace)
    if allowed:
        assert status == 200 and "console-secrets" in page
        return
    text = unescape(re.sub(r"<[^>]+>|\s+", " ", page))
    assert status == 403, text[:2000]
    assert f"system:serviceaccount:{namespace}:console" in text
    assert re.search(r'cannot list resource "secrets"', text), text[:3000]


def walk(person: Person, namespace: str, *, allowed: bool) -> None:
    """Every page of the navigation, and the list of every kind that the cluster serves: shown, or refused with a
    message that names the user and the permission.
    """
    for path in (
        "/",
        "/operatorhub/",
        "/operators/",
        "/namespaces/",
        "/resources/",
        "/resources/search/",
        "/settings/",
    ):
        status, page = person.get(path, namespace="-")
        assert status == 200, f"{path}: {status} {page[:2000]}"
    types = json.loads(person.get("/api/resources/")[1])
    seen = {200: 0, 403: 0}
    for type_ in types:
        if "list" in type_["verbs"]:
            path = f"/resources/{type_['group'] or 'core'}/{type_['version']}/{type_['plural']}/"
            status, page = person.get(path, namespace="-")
            assert status in seen, f"{path}: {status} {page[:2000]}"
            assert status == 200 or f"system:serviceaccount:{namespace}:console" in unescape(page), path
            seen[status] += 1
    assert seen[200] > 25
    assert (seen[403] == 0) is allowed

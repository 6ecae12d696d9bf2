"""/api/operatorhub/: every path is in the schema, and every answer is what the schema says; the same rights and
refusals as on the pages.
"""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from uuid import uuid4

import jsonschema
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from kube.client import ClusterClient
from kube.config import load
from kube.errors import KubeError
from operatorhub import api_urls, olm
from operatorhub.extensions import facts
from operatorhub.indexing import index
from tests import processes
from tests.conftest import ROOT
from tests.environment import FOLDER
from tests.eventually import until
from tests.operatorhub.conftest import ready

pytestmark = pytest.mark.django_db
BASE = "/api/operatorhub/"
PACKAGE = f"{BASE}packages/olm/samples-catalog/flightticket/"
Schema = dict[str, Any]


@lru_cache(maxsize=1)
def schema() -> Schema:
    """The document at /api/schema/."""
    with GENERATOR_STATS.silence():
        return dict(SchemaGenerator().get_schema(request=None, public=True))


def plain(node: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: `nullable` is another alternative there."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    found = {key: plain(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [found, {"type": "null"}]} if node.get("nullable") else found


def operations() -> dict[tuple[str, str], Schema]:
    return {
        (path, method.upper()): operation
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
        if path.startswith(BASE)
    }


def template_of(path: str) -> str:
    """The documented path that an address belongs to: the one with the fewest variables."""
    parts = path.strip("/").split("/")
    fitting = [
        item
        for item, _method in operations()
        if len(pieces := item.strip("/").split("/")) == len(parts)
        and all(piece.startswith("{") or piece == part for piece, part in zip(pieces, parts, strict=True))
    ]
    return min(fitting, key=lambda item: item.count("{"))


def ask(method: str, path: str, body: Any = None, query: Any = None, *, status: int = 200) -> Any:
    """The JSON of an answer, after it was held against the schema. `status` must be documented for it."""
    web = Client()
    if method == "GET":
        answer: HttpResponse = web.get(path, query or {})
    else:
        answer = web.generic(method, path, json.dumps({} if body is None else body), content_type="application/json")
    assert answer.status_code == status, answer.content.decode()[:2000]
    documented = operations()[template_of(path), method]["responses"][str(status)]
    if "content" not in documented:
        assert answer.content == b""
        return None
    assert answer.headers["content-type"].startswith("application/json")
    found = answer.json()  # type: ignore[attr-defined]
    wanted = {**plain(documented["content"]["application/json"]["schema"]), "components": plain(schema()["components"])}
    jsonschema.validate(found, wanted)
    return found


@pytest.fixture
def built(client: ClusterClient) -> ClusterClient:
    index.build(client)
    return client


@pytest.fixture
def alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClusterClient]:
    """A sandbox on which no other test has left kinds or instances of its own; or the cluster of --kubeconfig."""
    if request.config.getoption("--kubeconfig"):
        yield request.getfixturevalue("built")
        return
    with processes.sandbox(FOLDER / "api", ROOT / "examples" / "operators" / "packages"):
        found = ClusterClient(load(str(FOLDER / "api" / "kubeconfig"), None))
        until(lambda: olm.served(found) or found.forget_types())
        until(lambda: ready(found, 1))
        monkeypatch.setattr("console.web.request.console_client", lambda: found)
        index.build(found)
        yield found


@pytest.fixture
def place(client: ClusterClient) -> Iterator[str]:
    """The name of a namespace that is not there yet, and goes afterwards."""
    name = f"api-{uuid4().hex[:6]}"
    yield name
    try:
        client.delete(client.find("", "v1", "namespaces"), name)
    except KubeError:
        return


def test_the_schema_is_complete_and_valid() -> None:
    GENERATOR_STATS.reset()
    found = SchemaGenerator().get_schema(request=None, public=True)
    assert not GENERATOR_STATS
    validate_schema(found)
    listed = {path.removeprefix(BASE) for path in found["paths"]}
    for pattern in api_urls.urlpatterns:
        assert isinstance(pattern, URLPattern)
        route = str(pattern.pattern).replace("<name:", "{").replace("<int:", "{").replace(">", "}")
        assert route in listed
    names = [operation["operationId"] for operation in operations().values()]
    assert len(names) == len(set(names))
    assert all(set(operation["responses"]) - {"404"} for operation in operations().values())
    assert Client().get("/api/schema/").status_code == 200


def test_the_catalog_filters_as_the_page_does(built: ClusterClient) -> None:
    whole = ask("GET", f"{BASE}packages/", query={"shown": "10000"})
    names = {entry["name"] for entry in whole["entries"]}
    assert {"flightticket", "memcached", "sampledb"} <= names
    assert whole["total"] == whole["everything"] >= 3 and whole["hidden"] == 0
    found = ask("GET", f"{BASE}packages/", query={"q": "fligt ticket", "source": "olm/samples-catalog"})
    assert [entry["name"] for entry in found["entries"]] == ["flightticket"]
    page = Client().get("/operatorhub/", {"q": "fligt ticket", "source": "olm/samples-catalog"}).content.decode()
    assert f'data-total="{found["total"]}"' in page
    by_name = ask("GET", f"{BASE}packages/", query={"sort": "name-desc", "source": "olm/samples-catalog"})
    assert [entry["title"] for entry in by_name["entries"]] == [
        "SampleDB",
        "Memcached",
        "Galera (KUDO form)",
        "FlightTicket",
        "Argo CD (tutorial)",
    ]
    (source,) = [facet for facet in by_name["facets"] if facet["name"] == "source"] or [{"values": []}]
    assert all(item["count"] == 5 for item in source["values"] if item["value"] == "olm/samples-catalog")


def test_a_package_with_its_channels_and_graph(built: ClusterClient) -> None:
    found = ask("GET", PACKAGE)
    assert [channel["name"] for channel in found["channels"] if channel["default"]] == [found["channel"]] == ["stable"]
    channels = {channel["name"]: channel for channel in found["channels"]}
    assert channels["archive"]["deprecated"].startswith("Nothing new comes")
    assert [version["version"] for version in channels["preview"]["versions"]] == ["2.1.0", "2.0.0", "1.1.0", "1.0.0"]
    (deprecated,) = {
        entry["deprecated"]
        for channel in found["graph"]["channels"]
        for entry in channel["entries"]
        if entry["version"] == "1.0.0"
    }
    assert deprecated.startswith("Version 1.0.0")
    described = ask("GET", PACKAGE, query={"channel": "preview"})["description"]
    assert (described["version"], [item["kind"] for item in described["required"]]) == ("2.1.0", ["Memcached"])
    missing = ask("GET", f"{BASE}packages/olm/samples-catalog/nothing/", status=404)
    assert missing["reason"] == "NotFound" and missing["advice"]


def test_the_life_of_an_operator(alone: ClusterClient, place: str) -> None:
    wanted = {
        "mode": "OwnNamespace",
        "namespace": place,
        "version": "flightticket-operator.v1.0.0",
        "approval": "Manual",
    }
    tried = ask("POST", f"{PACKAGE}install/", {**wanted, "dryRun": True})
    # H7: the Subscription's own names; nothing is dropped without a word.
    spec = {"nodeSelector": {"disk": "ssd"}, "env": [{"name": "LOG", "value": "debug"}]}
    configured = ask("POST", f"{PACKAGE}install/", {**wanted, "config": spec, "dryRun": True})
    assert configured["objects"][-1]["spec"]["config"] == spec
    unknown = ask("POST", f"{PACKAGE}install/", {**wanted, "config": {"replicas": 3}, "dryRun": True}, status=400)
    assert "replicas" in unknown["detail"]
    unknown = ask("POST", f"{PACKAGE}install/", {**wanted, "nodeSelector": {}, "dryRun": True}, status=400)
    assert "nodeSelector" in unknown["detail"]
    wrong = {**wanted, "config": {"volumes": "nope"}, "dryRun": True}
    assert "volumes" in ask("POST", f"{PACKAGE}install/", wrong, status=422)["errors"]["config_yaml"]
    assert [item["kind"] for item in tried["objects"]] == ["Namespace", "OperatorGroup", "Subscription"]
    assert [answer["outcome"] for answer in tried["answers"]] == ["ok", "waits", "waits"]
    ask("GET", f"{BASE}installs/{place}/flightticket/", status=404)
    made = ask("POST", f"{PACKAGE}install/", wanted, status=201)
    assert {answer["outcome"] for answer in made["answers"]} == {"ok"} and made["problem"] is None
    again = ask("POST", f"{PACKAGE}install/", wanted, status=422)
    assert "namespace" in again["errors"]

    where = f"{BASE}installs/{place}/flightticket/"
    plan = until(lambda: ask("GET", where)["plan"])
    _look_at_the_plan(place, plan)
    approved = ask("POST", f"{BASE}installplans/{place}/{plan}/approve/")
    assert approved["approved"] is True
    done = None
    for number in range(4):
        with contextlib.suppress(AssertionError):
            done = until(lambda: (found := ask("GET", where))["usable"] and found)
            break
        # OLM looks when something changes; a change that comes while it is busy may be missed.
        for plural, name in ((olm.PLANS, plan), (olm.SUBSCRIPTIONS, "flightticket")):
            touch = {"metadata": {"annotations": {"touched": str(number)}}}
            alone.patch(olm.type_of(alone, plural), name, touch, place)
    assert done, ask("GET", where)
    assert done["usable_csv"] == "flightticket-operator.v1.0.0"
    # The next version needs approval; the first one keeps running.
    asks = until(lambda: (found := ask("GET", where))["state"] == "asks" and found)
    assert (asks["csv"], asks["usable_csv"]) == ("flightticket-operator.v1.1.0", "flightticket-operator.v1.0.0")
    _look_at_the_operator(place)
    _change_the_subscription(place)
    _uninstall(alone, place)


def _look_at_the_plan(place: str, plan: str) -> None:
    assert plan in [item["name"] for item in ask("GET", f"{BASE}installplans/", query={"namespace": place})]
    dry = ask("POST", f"{BASE}installplans/{place}/{plan}/approve/", {"dryRun": True})
    assert dry["approved"] is False and dry["waits"] is True
    here, query = f"{BASE}installplans/{place}/{plan}/", {"changes": "true", "check": "true"}
    found = until(lambda: (item := ask("GET", here, query=query))["check"]["state"] == "done" and item)
    kinds = [step["real_kind"] for step in found["steps"]]
    assert kinds[0] == "ClusterServiceVersion" and "CustomResourceDefinition" in kinds
    (change,) = found["changes"]
    assert (change["csv"], change["old"]) == ("flightticket-operator.v1.0.0", "") and change["added"]
    assert found["check"]["state"] == "done"


def _look_at_the_operator(place: str) -> None:
    def listed() -> dict[str, Any]:
        rows = ask("GET", f"{BASE}operators/", query={"namespace": place})["operators"]
        (row,) = [item for item in rows if item["namespace"] == place]
        return dict(row)

    # OLM may install a Deployment once more, on a busy machine: it is Installing for a moment then.
    row = until(lambda: (found := listed())["phase"] == "Succeeded" and found)
    assert (row["title"], row["version"], row["phase"], row["subscription"]) == (
        "FlightTicket",
        "1.0.0",
        "Succeeded",
        "flightticket",
    )
    found = ask("GET", f"{BASE}operators/{place}/{row['csv']}/")
    assert found["object"]["metadata"]["name"] == row["csv"]
    assert [(api["api"]["kind"], api["count"] is not None) for api in found["apis"]] == [("FlightTicket", True)]
    groups = ask("GET", f"{BASE}operatorgroups/{place}/")
    (group,) = groups["groups"]
    assert group["targets"] == [place] and [member["csv"] for member in groups["members"]] == [row["csv"]]
    exported = ask("GET", f"{BASE}operators/{place}/{row['csv']}/export/", query={"into": "elsewhere"})
    texts = "\n".join(file["text"] for file in exported["files"])
    assert "kind: Subscription" in texts and "kind: Kustomization" in texts
    assert f"namespace: {place}" not in texts and "resourceVersion" not in texts
    changed = ask("PATCH", f"{BASE}operatorgroups/{place}/{group['name']}/", {"scope": "all", "dryRun": True})
    assert changed["group"]["targets"] == []
    for unclear in ({"scope": "some"}, {}):
        ask("PATCH", f"{BASE}operatorgroups/{place}/{group['name']}/", unclear, status=422)


def _change_the_subscription(place: str) -> None:
    url = f"{BASE}subscriptions/{place}/flightticket/"
    page = until(
        lambda: (found := ask("GET", url))["subscription"]["current_csv"].endswith("v1.1.0") and found, seconds=60
    )
    assert page["subscription"]["approval"] == "Manual"
    assert {channel["name"] for channel in page["channels"]} == {"archive", "candidate", "preview", "stable"}
    tried = ask("PATCH", url, {"channel": "candidate", "dryRun": True})
    assert (tried["patch"], tried["subscription"]["channel"]) == ({"spec": {"channel": "candidate"}}, "candidate")
    assert ask("GET", url)["subscription"]["channel"] == "stable"
    refused = ask("PATCH", url, {"channel": "none"}, status=422)
    assert "channel" in refused["errors"]
    ask("PATCH", url, {"approval": "Automatic", "resource_version": "1"}, status=409)
    ask("PATCH", url, {"config": {"replicas": "3"}}, status=400)
    ask("PATCH", url, {"chanel": "candidate"}, status=400)
    saved = ask("PATCH", url, {"config": {"env": [{"name": "A", "value": "b"}]}})
    assert saved["patch"] == {"spec": {"config": {"env": [{"name": "A", "value": "b"}]}}}
    listed = ask("GET", f"{BASE}subscriptions/", query={"namespace": place})
    assert [item["name"] for item in listed] == ["flightticket"]


def _uninstall(client: ClusterClient, place: str) -> None:
    """The newer version may wait for its approval meanwhile; the installed version is removed, with the OperatorGroup,
    which no other operator needs.
    """
    url = f"{BASE}operators/{place}/flightticket-operator.v1.0.0/uninstall/"
    preview = ask("GET", url)
    assert (preview["subscription"], preview["deployments"]) == ("flightticket", ["flightticket-operator"])
    assert "flighttickets.flights.com" in json.dumps([*preview["operands"], *preview["leftovers"]])
    ask("POST", url, {"csv_uid": "another"}, status=422)
    groups = [
        leftover["key"]
        for leftover in preview["leftovers"]
        if leftover["kind"] == "OperatorGroup" and leftover["offered"]
    ]
    begun = ask("POST", url, {"csv_uid": preview["csv_uid"], "leftovers": groups}, status=202)
    where = f"{BASE}removals/{begun['key']}/"
    done = until(lambda: (found := ask("POST", where))["run"] != "running" and found)
    assert (done["run"], done["operator_gone"]) == ("done", True)
    assert ask("GET", where) == done
    assert ask("GET", f"{BASE}subscriptions/", query={"namespace": place}) == []
    assert bool(ask("GET", f"{BASE}operatorgroups/{place}/")["groups"]) == (not groups)
    ask("GET", url, status=404)


def test_a_catalog_is_added_changed_and_removed(client: ClusterClient, place: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}}
    )
    wanted = {
        "kind": "catalogsource",
        "name": "far",
        "namespace": place,
        "endpoint": "address",
        "address": "127.0.0.1:9",
        "title": "Far",
    }
    bad = ask("POST", f"{BASE}catalogs/", {**wanted, "address": "nowhere"}, status=422)
    assert list(bad["errors"]) == ["address"]
    tried = ask("POST", f"{BASE}catalogs/", {**wanted, "dryRun": True}, status=201)
    assert tried["object"]["spec"]["displayName"] == "Far"
    url = f"{BASE}catalogs/{place}/far/"
    ask("GET", url, status=404)
    ask("POST", f"{BASE}catalogs/", wanted, status=201)
    ask("POST", f"{BASE}catalogs/", wanted, status=409)
    # A registry that doesn't answer differs from one that hasn't been read.
    found = until(
        lambda: (item := ask("GET", url)["catalogsource"])["connection"] == "TRANSIENT_FAILURE" and item, seconds=60
    )
    assert (found["kind"], found["endpoint"], found["everywhere"]) == ("address", "127.0.0.1:9", False) and found["why"]
    assert place in {catalogsource["namespace"] for catalogsource in ask("GET", f"{BASE}catalogs/")["catalogsources"]}
    changed = ask("PATCH", url, {"title": "Farther"})
    assert changed["object"]["spec"]["displayName"] == "Farther"
    assert changed["object"]["spec"]["address"] == "127.0.0.1:9"
    ask("PATCH", url, {"title": "Late", "resource_version": "1"}, status=409)
    ask("DELETE", url, status=204)
    ask("GET", url, status=404)


def test_catalogs_of_the_consoles_own(client: ClusterClient) -> None:
    bad = ask(
        "POST", f"{BASE}catalogs/", {"kind": "own", "name": "mine", "from": "url", "location": "gopher://x"}, status=422
    )
    assert list(bad["errors"]) == ["location"]
    ask("GET", f"{BASE}catalogs/~/mine/", status=404)
    ask(
        "POST",
        f"{BASE}catalogs/",
        {"kind": "own", "name": "mine", "from": "url", "location": "http://127.0.0.1:9/x.yaml"},
        status=201,
    )
    assert ask("GET", f"{BASE}catalogs/~/mine/")["own"]["location"] == "http://127.0.0.1:9/x.yaml"
    assert [item["name"] for item in ask("GET", f"{BASE}catalogs/")["own"]] == ["mine"]
    ask("PATCH", f"{BASE}catalogs/~/mine/", {"title": "x"}, status=422)
    ask("DELETE", f"{BASE}catalogs/~/mine/", status=204)
    ask("GET", f"{BASE}catalogs/~/mine/", status=404)


def test_packages_side_by_side(built: ClusterClient) -> None:
    keys = [f"olm/samples-catalog/{name}" for name in ("flightticket", "memcached", "nothing")]
    found = ask("GET", f"{BASE}compare/", query={"package": keys})
    assert [bool(package["problem"]) for package in found["packages"]] == [False, False, True]
    assert all(len(row["cells"]) == 3 for row in found["rows"])
    ask("GET", f"{BASE}compare/", query={"package": keys[:1]}, status=422)


def test_a_bundle_is_run_and_taken_away(client: ClusterClient, place: str) -> None:
    folder = ROOT / "examples" / "operators" / "packages" / "memcached" / "0.0.1"
    paths = [folder / "csv.yaml", *(folder / "crds").iterdir()]
    files = [{"name": path.name, "content": path.read_text()} for path in paths]
    ask("POST", f"{BASE}runs/", {"files": files[1:], "namespace": place}, status=422)
    wanted = {"files": files, "namespace": place, "mode": "OwnNamespace"}
    tried = ask("POST", f"{BASE}runs/", {**wanted, "dryRun": True})
    assert tried["good"] and tried["csv"] == "memcached-operator.v0.0.1"
    made = ask("POST", f"{BASE}runs/", wanted, status=201)
    assert {result["outcome"] for result in made["results"]} <= {"created", "changed", "unchanged"}
    where = f"{BASE}runs/{place}/{made['package']}/"
    until(lambda: ask("GET", where)["usable"], seconds=120)
    assert (place, made["csv"]) in {(item["namespace"], item["csv"]) for item in ask("GET", f"{BASE}runs/")}
    gone = ask("DELETE", where, {"namespace": True})
    assert {item["outcome"] for item in gone} <= {"removed", "gone"}
    # A real OLM takes its time to let the CSV go.
    until(lambda: Client().get(where).status_code == 404)
    ask("GET", where, status=404)


def test_extensions(client: ClusterClient, place: str) -> None:
    """With OLM v1; without it the response says so."""
    if not facts.served(client):
        assert ask("GET", f"{BASE}extensions/", status=404)["reason"] == "NotFound"
        return
    wanted = {"name": place, "package": "nobody-has-this", "namespace": place, "account": "installer"}
    ask("POST", f"{BASE}extensions/", {"name": place}, status=422)
    ask("POST", f"{BASE}extensions/", {**wanted, "dryRun": True}, status=201)
    ask("GET", f"{BASE}extensions/{place}/", status=404)
    ask("POST", f"{BASE}extensions/", wanted, status=201)
    try:
        found = until(
            lambda: (item := ask("GET", f"{BASE}extensions/{place}/")["extension"])["conditions"] and item, seconds=60
        )
        assert (found["package"], found["installed"]) == ("nobody-has-this", "")
        assert place in [item["name"] for item in ask("GET", f"{BASE}extensions/")]
        assert (
            ask("PATCH", f"{BASE}extensions/{place}/", {"version": "1.x", "channels": ["stable"]})["version"] == "1.x"
        )
    finally:
        ask("DELETE", f"{BASE}extensions/{place}/", status=204)


def test_a_stranger_is_told_what_is_missing(built: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = (("Impersonate-User", "stranger"), ("Impersonate-Group", "system:authenticated"))
    other = ClusterClient(dataclasses.replace(built.config, user="stranger", headers=headers))
    monkeypatch.setattr("console.web.request.console_client", lambda: other)
    assert ask("GET", f"{BASE}packages/")["total"] == 0
    for path in ("operators/", "subscriptions/", "installplans/"):
        assert ask("GET", f"{BASE}{path}", status=403)["reason"] == "Forbidden"


def test_another_sites_page_changes_nothing(built: ClusterClient) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(f"{PACKAGE}install/", {"namespace": "evil"}, content_type="application/json")
    assert answer.status_code == 403

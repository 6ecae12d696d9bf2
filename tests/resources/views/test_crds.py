"""A definition's own page, and the page that asks before it is deleted."""

import html
import json
import re
from typing import Any

import msgspec
import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.watch import WatchEvent
from resources.lists import counts
from resources.watch.reflector import Rows
from tests.eventually import until
from tests.resources.views.definitions import CRDS, definition, remove, served, widget
from tests.resources.views.form_submission import flat, send, text_of

LIST = "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/"
PAGE = f"{LIST}-/"


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    counts._kept.clear()


def panel(answer: Any, name: str) -> Any:
    return next(item.data for item in answer.context["page"].panels if item.id == name)


def test_its_page(browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str) -> None:
    group = crd["spec"]["group"]
    for number in range(2):
        client.create(served(client, crd), widget(crd, f"w{number}"), namespace)
    answer = browser.get(f"{PAGE}widgets.{group}/")
    text = answer.content.decode()
    assert f'href="/resources/{group}/v1/widgets/?namespace=-"' in text
    shown = panel(answer, "versions")
    assert shown.count.number == 2
    assert [(version.name, version.served, version.storage, version.warning) for version in shown.versions] == [
        ("v1", True, True, ""),
        ("v1beta1", True, False, "widgets v1beta1 is old"),
    ]
    assert shown.versions[0].subresources == ("status",)
    assert shown.versions[0].columns == (("Size", ".spec.size", False),)
    for words in (
        "widgets v1beta1 is old",
        "toys",
        "Established",
        f"/resources/{group}/v1beta1/widgets/explain/",
        ">wd<",
    ):
        assert words in text
    assert "Objects may still be stored" not in text


def test_the_list_says_what_each_defines(browser: Client, client: ClusterClient, crd: dict[str, Any]) -> None:
    """The API server prints the name and the age only."""
    group, name = crd["spec"]["group"], crd["metadata"]["name"]
    page = browser.get(LIST, {"q": name})
    head = re.findall(r'aria-sort="none"|<th[^>]*>(.*?)</th>', flat(page))
    words = " ".join(re.sub("<[^>]+>", " ", cell) for cell in head)
    assert all(word in words for word in ("Group", "Kind", "Scope", "Versions"))
    assert "Established" not in words
    cells = re.findall(r'data-label="([^"]+)"[^>]*>(.*?)</td>', flat(page))
    shown = {label: re.sub("<[^>]+>", " ", cell).strip() for label, cell in cells}
    assert {label: shown[label] for label in ("Group", "Kind", "Scope", "Versions")} == {
        "Group": group,
        "Kind": crd["spec"]["names"]["kind"],
        "Scope": "Namespaced",
        "Versions": "v1 (storage), v1beta1",
    }
    # Chosen, sorted and downloaded as the server's own.
    chosen = browser.get(LIST, {"q": name, "columns": "=Kind,=Established", "sort": "=Group"})
    assert 'data-label="Established"' in flat(chosen)
    assert 'data-label="Group"' not in flat(chosen)
    lines = b"".join(browser.get(f"{LIST}download/", {"q": name})).decode().splitlines()
    assert "Group,Kind,Scope,Versions,Established" in lines[0]
    assert f"{group},Widget,Namespaced," in lines[1]


def test_a_live_row_of_the_list_has_the_same_cells(client: ClusterClient, crd: dict[str, Any]) -> None:
    type_ = client.find(*CRDS)
    rows = Rows(type_)
    known = rows.learn([{"name": "Name", "type": "string"}])
    assert known is not None
    assert [column["name"] for column in msgspec.json.decode(known[1])][-5:] == [
        "Group",
        "Kind",
        "Scope",
        "Versions",
        "Established",
    ]
    obj = client.get(type_, crd["metadata"]["name"])
    document = {"kind": "Table", "rows": [{"cells": [crd["metadata"]["name"], "now"], "object": obj}]}
    (change,) = rows.read([WatchEvent("MODIFIED", json.dumps(document).encode())]).changes
    cells = msgspec.json.decode(change.row)["cells"]
    assert cells[2:] == [crd["spec"]["group"], "Widget", "Namespaced", "v1 (storage), v1beta1", "True"]


def test_versions_that_are_stored_still(browser: Client, client: ClusterClient, crd: dict[str, Any]) -> None:
    name = crd["metadata"]["name"]
    crds = client.find(*CRDS)
    versions = [
        {**version, "storage": version["name"] == "v1beta1"} for version in client.get(crds, name)["spec"]["versions"]
    ]
    client.patch(crds, name, {"spec": {"versions": versions}})
    until(lambda: len(client.get(crds, name)["status"]["storedVersions"]) == 2, not_yet=(KubeError,))
    answer = browser.get(f"{PAGE}{name}/")
    text = answer.content.decode()
    assert "Objects may still be stored in v1; new objects are stored in v1beta1" in text
    assert panel(answer, "versions").old == ("v1",)
    assert f"kubectl get {name} -A -o json | kubectl replace -f -" in text
    assert "storedVersions" in panel(answer, "versions").forget


def test_a_webhook_without_its_service(browser: Client, client: ClusterClient, namespace: str) -> None:
    service = {"namespace": namespace, "name": "converter", "path": "/convert"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    made = client.create(client.find(*CRDS), definition(conversion={"strategy": "Webhook", "webhook": webhook}))
    name = made["metadata"]["name"]
    try:
        answer = browser.get(f"{PAGE}{name}/")
        assert f"{namespace}/converter:443/convert" in answer.content.decode()
        assert "This Service doesn't exist" in html.unescape(answer.content.decode())
        obj = {"metadata": {"name": "converter"}, "spec": {"ports": [{"port": 443}]}}
        client.create(client.find("", "v1", "services"), {"apiVersion": "v1", "kind": "Service", **obj}, namespace)
        again = browser.get(f"{PAGE}{name}/").content.decode()
        assert "This Service doesn't exist" not in html.unescape(again)
        assert f'href="/resources/core/v1/services/{namespace}/converter/"' in again
        assert "caBundle" in again
    finally:
        client.delete(client.find(*CRDS), name)


@pytest.mark.parametrize(
    "odd",
    [
        {"spec": None, "status": 3},
        {"spec": {"names": [], "versions": [None, {"name": 3, "additionalPrinterColumns": "x", "subresources": []}]}},
        {"spec": {"conversion": "x", "versions": {}}, "status": {"storedVersions": "v1"}},
        {"spec": {"conversion": {"strategy": "Webhook", "webhook": 1}}, "status": {"storedVersions": [{}, 1]}},
    ],
)
def test_odd_shapes_are_no_error(browser: Client, monkeypatch: pytest.MonkeyPatch, odd: dict[str, Any]) -> None:
    get = ClusterClient.get

    def get_odd(self: ClusterClient, type_: Any, name: str, *more: Any) -> Any:
        if name != "odd.example.com":
            return get(self, type_, name, *more)
        head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        return {**head, "metadata": {"name": name}, **odd}

    monkeypatch.setattr(ClusterClient, "get", get_odd)
    assert browser.get(f"{PAGE}odd.example.com/").status_code == 200
    assert browser.get(f"{PAGE}odd.example.com/delete/").status_code == 200


def test_deleting_says_what_goes_with_it(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str
) -> None:
    name, type_ = crd["metadata"]["name"], served(client, crd)
    assert "No objects of this resource type exist" in browser.get(f"{PAGE}{name}/delete/").content.decode()
    for number in range(3):
        client.create(type_, widget(crd, f"w{number}"), namespace)
    client.create(type_, widget(crd, "held", finalizers=["example.com/wait"]), namespace)
    answer = browser.get(f"{PAGE}{name}/delete/")
    text = flat(answer)
    found = answer.context["page"].going.data
    assert (found.total, found.namespaces, found.holding) == (4, ((namespace, 4),), 1)
    assert "4 Widget objects are deleted too" in text
    assert f'/{namespace}/held/">{namespace}/held</a>' in text
    assert "example.com/wait" in text
    # Not without its name.
    refused = browser.post(f"{PAGE}{name}/delete/", {"typed": "widgets"})
    assert refused.status_code == 422
    assert "4 Widget objects" in refused.content.decode()
    assert client.get(client.find(*CRDS), name)["metadata"].get("deletionTimestamp") is None
    assert browser.post(f"{PAGE}{name}/delete/", {"typed": name}).status_code == 302
    # What waits for its finalizer holds the definition, which says so.
    until(lambda: client.get(client.find(*CRDS), name)["metadata"].get("deletionTimestamp"), not_yet=(KubeError,))
    assert "being deleted" in browser.get(f"{PAGE}{name}/").content.decode()
    bare = {"metadata": {"finalizers": None}}
    client.patch(type_, "held", bare, namespace)
    until(lambda: _gone(client, name), not_yet=(KubeError,))


def _gone(client: ClusterClient, name: str) -> bool:
    try:
        client.get(client.find(*CRDS), name)
    except NotFound:
        return True
    return False


def test_who_may_not_list_the_objects_is_told(
    browser: Client, crd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ClusterClient.table

    def refuse(self: ClusterClient, type_: Any, *args: Any, **more: Any) -> Any:
        if type_.plural == "widgets":
            raise Forbidden("widgets is forbidden")
        return table(self, type_, *args, **more)

    monkeypatch.setattr(ClusterClient, "table", refuse)
    name = crd["metadata"]["name"]
    assert "you don't have permission to list them" in html.unescape(browser.get(f"{PAGE}{name}/").content.decode())
    page = browser.get(f"{PAGE}{name}/delete/").content.decode()
    assert "The number of objects that are deleted too is unknown" in page
    assert "widgets is forbidden" in page


@pytest.mark.parametrize("view", ["new", "new-yaml"])
@pytest.mark.parametrize("start", ["spec-and-status", "cluster"])
def test_a_new_one_begins_with_a_good_one(browser: Client, client: ClusterClient, view: str, start: str) -> None:
    """What the form begins with is taken by the cluster as it is, and makes a kind that can be used."""
    page = browser.get(f"{PAGE[:-2]}{view}/?start=example:{start}")
    assert page.status_code == 200
    if view == "new-yaml":
        text = text_of(page)
        assert "observedGeneration" in text
        answer = send(browser, page, ("~send", "1"), text=text.replace("example.com", f"{view}.{start}.example.com"))
    else:
        group = f"{view}.{start}.example.com"
        answer = send(browser, page, ("~send", "1"), metadata__name=f"examples.{group}", spec__group=group)
    assert answer.status_code in (302, 303), answer.content.decode()[:3000]
    name = f"examples.{view}.{start}.example.com"
    made = client.get(client.find(*CRDS), name)
    try:
        assert made["spec"]["versions"][0]["subresources"]["status"] == {}
        type_ = until(lambda: served(client, made, "v1alpha1"), not_yet=(KubeError,))
        obj = {
            "apiVersion": type_.api_version,
            "kind": "Example",
            "metadata": {"name": "one"},
            "spec": {"message": "x"},
        }
        until(lambda: client.create(type_, obj, "default", dry_run=True), not_yet=(KubeError,))
    finally:
        remove(client, made)


def test_a_kind_that_goes_is_said_on_its_pages(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str
) -> None:
    group, name = crd["spec"]["group"], crd["metadata"]["name"]
    client.create(served(client, crd), widget(crd, "held", finalizers=["example.com/wait"]), namespace)
    address = f"/resources/{group}/v1/widgets/served/"
    for page in (f"/resources/{group}/v1/widgets/", f"/resources/{group}/v1/widgets/{namespace}/held/"):
        text = flat(browser.get(page))
        assert f'data-live-names="{name}" data-live-url="{address}"' in text
    assert 'role="alert"' not in browser.get(address).content.decode()
    old = f"/resources/{group}/v1alpha1/widgets/served/"
    assert f'href="/resources/{group}/v1/widgets/"' in browser.get(old).content.decode()
    client.delete(client.find(*CRDS), name)
    until(
        lambda: "This resource type and all its objects are being deleted" in browser.get(address).content.decode(),
        not_yet=(KubeError,),
    )
    client.patch(served(client, crd), "held", {"metadata": {"finalizers": None}}, namespace)
    until(lambda: _gone(client, name), not_yet=(KubeError,))
    assert "This resource type no longer exists" in browser.get(address).content.decode()
    item = f"/resources/{group}/v1/widgets/{namespace}/held/"
    for part in ("owned", "values", "events"):  # said once, not in every region
        assert "Not found" not in browser.get(item, {"part": part}, HTTP_HX_REQUEST="true").content.decode()
    assert "Not found" in browser.get(item, {"part": "object"}, HTTP_HX_REQUEST="true").content.decode()
    gone = browser.get(f"/resources/{group}/v1/widgets/")
    assert gone.status_code == 404
    assert "CustomResourceDefinition" in gone.content.decode()


def test_kinds_of_kubernetes_itself_have_no_definition(browser: Client) -> None:
    assert b"kind-state" not in browser.get("/resources/core/v1/configmaps/").content

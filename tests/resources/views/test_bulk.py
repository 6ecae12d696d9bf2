"""One act on many objects: asked first, tried or done, a result for each."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from resources.views import bulk
from resources.views.bulk import BadChange, Chosen

MAPS = "/resources/core/v1/configmaps/"
BULK = f"{MAPS}bulk/"


@pytest.fixture
def type_(client: ClusterClient) -> ResourceType:
    return client.find("", "v1", "configmaps")


@pytest.fixture
def maps(client: ClusterClient, type_: ResourceType, namespace: str) -> list[str]:
    """Values of the boxes of item-0 … item-3."""
    found = []
    for number in range(4):
        metadata = {"name": f"item-{number}", "labels": {"old": "yes"}}
        made = client.create(type_, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}, namespace)
        found.append(f"{made['metadata']['uid']}/{namespace}/item-{number}")
    return found


def results(page: Any) -> list[str]:
    """The words of each row of the results."""
    cells = re.findall(r'data-label="Result">(.*?)</td>', page.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in cells]


def names(client: ClusterClient, type_: ResourceType, namespace: str) -> set[str]:
    return {obj["metadata"]["name"] for obj in client.list(type_, namespace).items} - {"kube-root-ca.crt"}


def test_deleting_is_asked_tried_and_done(
    browser: Client, client: ClusterClient, type_: ResourceType, maps: list[str], namespace: str
) -> None:
    listed = browser.get(MAPS, {"namespace": namespace}).content.decode()
    assert f'value="{maps[0]}"' in listed
    sent: dict[str, Any] = {"action": "delete", "chosen": maps[:2], "namespace": namespace}
    asked = browser.post(BULK, sent).content.decode()
    assert "Delete 2 ConfigMap objects?" in asked
    assert f"kubectl delete configmaps -n {namespace} item-0 item-1" in asked
    assert results(browser.post(BULK, {**sent, "~check": "1"})) == ["would succeed", "would succeed"]
    assert len(names(client, type_, namespace)) == 4
    assert results(browser.post(BULK, {**sent, "~confirm": "1"})) == ["deleted", "deleted"]
    assert names(client, type_, namespace) == {"item-2", "item-3"}
    # Done twice, by a second tab: what is gone is gone.
    assert results(browser.post(BULK, {**sent, "~confirm": "1"})) == ["deleted", "deleted"]


def test_labels_and_annotations_are_set_and_removed(
    browser: Client, client: ClusterClient, type_: ResourceType, maps: list[str], namespace: str
) -> None:
    sent: dict[str, Any] = {
        "action": "label",
        "chosen": maps,
        "namespace": namespace,
        "changes": "team=shop\r\nold-\r\n",
    }
    assert results(browser.post(BULK, {**sent, "~confirm": "1"})) == ["changed"] * 4
    assert client.get(type_, "item-2", namespace)["metadata"]["labels"] == {"team": "shop"}
    sent |= {"action": "annotate", "changes": "example.com/why=because = so"}
    assert results(browser.post(BULK, {**sent, "~confirm": "1"})) == ["changed"] * 4
    assert client.get(type_, "item-3", namespace)["metadata"]["annotations"] == {"example.com/why": "because = so"}


def test_one_refusal_stops_no_other(
    browser: Client, client: ClusterClient, type_: ResourceType, maps: list[str], namespace: str
) -> None:
    """An object that was deleted, and one that was recreated under its name."""
    for number in (1, 2):
        client.delete(type_, f"item-{number}", namespace)
    client.create(type_, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "item-2"}}, namespace)
    sent: dict[str, Any] = {
        "action": "label",
        "chosen": maps,
        "namespace": namespace,
        "changes": "a=b",
        "~confirm": "1",
    }
    page = browser.post(BULK, sent)
    outcomes = results(page)
    assert outcomes[0] == outcomes[3] == "changed"
    assert outcomes[1].startswith("Not found")
    assert "Conflict" in outcomes[2] or "Precondition" in outcomes[2] or "uid" in outcomes[2].lower()
    assert "2 of 4 objects were refused." in page.content.decode()
    assert "a" not in (client.get(type_, "item-2", namespace)["metadata"].get("labels") or {})


@pytest.mark.parametrize("changes", ["", "   \n", "novalue", "=x", "a b=c", "two words-"])
def test_what_is_no_change_is_said_and_kept(browser: Client, maps: list[str], namespace: str, changes: str) -> None:
    sent: dict[str, Any] = {"action": "label", "chosen": maps, "namespace": namespace, "changes": changes}
    page = browser.post(BULK, {**sent, "~confirm": "1"})
    assert page.status_code == 422
    assert "key=value" in page.content.decode()
    assert changes.strip() in page.content.decode()


def test_a_value_that_the_cluster_refuses(browser: Client, maps: list[str], namespace: str) -> None:
    sent: dict[str, Any] = {"action": "label", "chosen": maps[:1], "namespace": namespace, "changes": "a=not good!"}
    assert (
        "Invalid" in results(browser.post(BULK, {**sent, "~check": "1"}))[0]
        or "metadata.labels" in results(browser.post(BULK, {**sent, "~check": "1"}))[0]
    )


def test_all_that_match_on_every_page(
    browser: Client, client: ClusterClient, type_: ResourceType, maps: list[str], namespace: str
) -> None:
    sent = {"action": "delete", "all": "1", "q": "item-", "labels": "old=yes", "namespace": namespace, "~confirm": "1"}
    assert results(browser.post(BULK, sent)) == ["deleted"] * 4
    assert names(client, type_, namespace) == set()


def test_it_leads_back_to_the_list_as_it_was(browser: Client, maps: list[str], namespace: str) -> None:
    sent: dict[str, Any] = {"action": "label", "chosen": maps[:1], "namespace": namespace, "q": "item", "labels": "old"}
    back = f"{MAPS}?namespace={namespace}&amp;q=item&amp;labels=old"
    asked = browser.post(BULK, sent).content.decode()
    assert f'href="{back}"' in asked
    assert '<input type="hidden" name="q" value="item">' in asked
    assert f'href="{back}"' in browser.post(BULK, {**sent, "changes": "a=b", "~confirm": "1"}).content.decode()


def test_too_many_are_said_before_anything_is_done(
    browser: Client,
    client: ClusterClient,
    type_: ResourceType,
    maps: list[str],
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "BULK_OBJECTS", replace(limits.BULK_OBJECTS, value=3))
    sent = {"action": "delete", "all": "1", "q": "item-", "namespace": namespace, "~confirm": "1"}
    page = browser.post(BULK, sent)
    assert page.status_code == 422
    assert "More than 3 objects" in page.content.decode()
    assert len(names(client, type_, namespace)) == 4


def test_namespaces_want_their_number_typed(browser: Client, client: ClusterClient, namespace: str) -> None:
    uid = client.get(client.find("", "v1", "namespaces"), namespace)["metadata"]["uid"]
    sent = {"action": "delete", "chosen": f"{uid}//{namespace}", "~confirm": "1"}
    address = "/resources/core/v1/namespaces/bulk/"
    page = browser.post(address, {**sent, "typed": "2"})
    assert page.status_code == 422
    assert "Type the number 1 to confirm" in page.content.decode()
    assert client.get(client.find("", "v1", "namespaces"), namespace)["metadata"].get("deletionTimestamp") is None


def test_nothing_chosen_goes_back_and_says_so(browser: Client, namespace: str) -> None:
    answer = browser.post(BULK, {"action": "delete", "namespace": namespace, "chosen": ["", "x", "a/b"]})
    assert answer["Location"] == f"{MAPS}?namespace={namespace}"
    assert "Nothing selected" in browser.get(answer["Location"]).content.decode()


def test_changes_are_read_as_kubectl_does() -> None:
    assert bulk.read_changes("a=b\n\n c = d=e \nold-\nempty=") == {"a": "b", "c": "d=e", "old": None, "empty": ""}
    with pytest.raises(BadChange):
        bulk.read_changes("a=b\n-")


def test_names_survive_in_commands() -> None:
    type_ = ResourceType(
        group="example.com",
        version="v1",
        plural="things",
        kind="Thing",
        namespaced=True,
        verbs=frozenset(),
        singular="thing",
        short_names=(),
        categories=(),
        subresources=frozenset(),
    )
    chosen = [Chosen("1", "a", "x"), Chosen("2", "b", "y"), Chosen("3", "a", "z")]
    assert list(bulk.kubectl_commands(type_, chosen, "label", ["k=v"])) == [
        "kubectl label things.example.com -n a x z k=v --overwrite",
        "kubectl label things.example.com -n b y k=v --overwrite",
    ]


def test_without_the_right_nothing_is_done(client: ClusterClient, type_: ResourceType) -> None:
    gone = bulk.carry_out(client, type_, [Chosen("", "no-such-namespace", "x")], "label", {"a": "b"})
    assert isinstance(gone[0].error, NotFound)

"""The install form over HTTP: what it says of the cluster, a dry run, a create that fails halfway, and the undo."""

import dataclasses
import html
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject
from operatorhub import olm
from operatorhub.bundle import package as packages
from operatorhub.bundle.bundles import Bundle
from operatorhub.indexing import index
from operatorhub.install import created_objects, situation
from operatorhub.install.objects import MADE
from operatorhub.progress import read
from tests.eventually import until

pytestmark = pytest.mark.django_db
FORM = "/operatorhub/olm/samples-catalog/sampledb/install/"
# A run of its own: a real cluster may have several.
NAME = f"hub-form-{uuid4().hex[:6]}"


@pytest.fixture(autouse=True)
def _index(client: ClusterClient) -> None:
    index.build(client)


@pytest.fixture
def place(client: ClusterClient) -> Iterator[str]:
    """The name of a namespace that is not there at the beginning, and is gone at the end."""
    yield NAME
    clear(client, NAME)


def test_what_nobody_offers_is_said_before_the_click(monkeypatch: pytest.MonkeyPatch) -> None:
    """H28: by the form, its dry run and the API."""
    required = {"type": "olm.package.required", "value": {"packageName": "mortar", "versionRange": ">=2"}}
    bundle = Bundle(
        name="db.v1",
        package="db",
        version="1",
        image="",
        csv={},
        crds=(),
        others=(),
        properties=(required,),
        partial=True,
    )
    monkeypatch.setattr("operatorhub.install.choices._bundle", lambda *_place: bundle)
    web = Client()
    choice = {"mode": "OwnNamespace", "install_namespace": "+", "new_namespace": NAME, "approval": "Automatic"}
    for page in (web.get(FORM, choice), web.post(FORM, {**choice, "dry_run": "1"})):
        assert page.status_code == 200
        assert "the package mortar &gt;=2, which neither this cluster" in page.content.decode()
    wanted = {"dryRun": True, "mode": "OwnNamespace", "namespace": NAME}
    answer = web.post(f"/api{FORM.replace('hub/', 'hub/packages/')}", wanted, "application/json").json()
    assert [warning["key"] for warning in answer["warnings"] if warning["key"] == "required"] == ["required"]


def clear(client: ClusterClient, name: str) -> None:
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS, "operatorgroups"):
        for item in client.list(olm.type_of(client, plural), name).items:
            client.delete(olm.type_of(client, plural), item["metadata"]["name"], name)
    spaces = client.find("", "v1", "namespaces")
    try:
        client.delete(spaces, name)
    except NotFound:
        return
    until(lambda: not there(client, "namespaces", name))


def there(client: ClusterClient, plural: str, name: str, namespace: str = "") -> KubeObject | None:
    type_ = client.find("", "v1", plural) if plural == "namespaces" else olm.type_of(client, plural)
    try:
        return client.get(type_, name, namespace)
    except NotFound:
        return None


def choices(**others: Any) -> dict[str, Any]:
    return {
        "channel": "stable",
        "mode": "OwnNamespace",
        "install_namespace": "+",
        "new_namespace": NAME,
        "approval": "Automatic",
        **others,
    }


def text(answer) -> str:  # type: ignore[no-untyped-def]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def test_choosing_where_to_install_picks_no_namespace_for_other_pages() -> None:
    """H2: the form's “Create a new one…” was read as the namespace bar's choice, and all lists were empty."""
    web = Client()
    answer = web.get(FORM, choices())
    assert answer.wsgi_request.namespace == ""  # type: ignore[attr-defined]
    assert "console_namespace" not in answer.cookies
    remedies = [way.url for conflict in answer.context["draft"].conflicts for way in conflict.ways]
    assert not [url for url in remedies if "&namespace=" in url or "?namespace=" in url]
    assert 'name="namespace"' not in answer.content.decode().partition("<main")[2].partition('id="install')[2]


def test_it_says_what_is_there_and_what_will_be_made() -> None:
    web = Client()
    page = text(web.get(FORM, choices()))
    assert f"“{NAME}” doesn't exist and will be created." in page
    exists = text(web.get(FORM, choices(install_namespace="default", new_namespace="")))
    assert "“default” exists." in exists
    assert "The namespace has no OperatorGroup yet" in exists
    page = web.get(FORM, choices()).content.decode()
    modes = re.findall(r'name="mode"\s+value="(\w+)"[^>]*?( disabled)?\s*>', page)
    assert [name for name, _off in modes] == ["AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace"]


def test_packages_of_other_catalogs_are_installed_elsewhere() -> None:
    answer = Client().get("/operatorhub/-/samples/sampledb/install/")
    assert answer["Location"] == "/extensions/+/?package=sampledb&catalog=samples"
    answer = Client().get("/operatorhub/~/mine/sampledb/install/", {"version": "sampledb.v1"})
    assert answer["Location"] == "/operatorhub/run/?package=sampledb&catalog=mine&bundle=sampledb.v1"


def test_among_very_many_namespaces_names_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    look = situation.read_situation

    def many(client: ClusterClient, *place: str) -> situation.Situation:
        found = look(client, *place)
        return dataclasses.replace(found, namespaces={f"many-{number}": "Active" for number in range(5000)})

    monkeypatch.setattr("operatorhub.install.situation.read_situation", many)
    sent = {
        "mode": "MultiNamespace",
        "install_namespace": "many-7",
        "watch_lines": "many-1\r\nmany-2\r\n",
        "approval": "Automatic",
    }
    answer = Client().get(FORM, sent)
    page = answer.content.decode()
    assert page.count("<option") < 50
    assert re.search(r'id="namespace"\s+name="install_namespace"\s+value="many-7"', page)
    assert "many-1\nmany-2\n</textarea>" in page
    assert "“many-7” exists." in text(answer)
    assert "- many-1\n  - many-2" in page


def test_the_missing_rights_are_named_before_the_form(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = (("Impersonate-User", "hub-nobody"), ("Impersonate-Group", "system:authenticated"))
    stranger = ClusterClient(dataclasses.replace(client.config, user="hub-nobody", headers=headers))
    monkeypatch.setattr("console.web.request.console_client", lambda: stranger)
    # Packages may be read, nothing else.
    read_manifest = packages.read
    monkeypatch.setattr("operatorhub.bundle.package.read", lambda _client, *place: read_manifest(client, *place))
    page = Client().get(FORM, choices(install_namespace="+", new_namespace="default"))
    page_text = text(page)
    assert (
        "You don't have permission to create operatorgroups.operators.coreos.com in the namespace “default”"
        in page_text
    )
    assert (
        "You don't have permission to create subscriptions.operators.coreos.com in the namespace “default”" in page_text
    )
    assert "You don't have permission to list namespaces" in page_text
    assert "You don't have permission to list all operatorgroups, subscriptions in the cluster" in page_text
    assert 'disabled aria-describedby="refused"' in page.content.decode()


def test_the_manifests_can_be_downloaded_as_they_are_shown() -> None:
    answer = Client().get(f"{FORM}manifests.yaml", choices(config_env="LOG=debug"))
    assert answer["Content-Disposition"].startswith("attachment")
    kinds = [document["kind"] for document in yaml.safe_load_all(answer.content)]
    assert kinds == ["Namespace", "OperatorGroup", "Subscription"]
    assert b"LOG" in answer.content


def test_an_older_version_is_told_and_approved_by_hand(client: ClusterClient) -> None:
    manifest = packages.read(client, "olm", "samples-catalog", "flightticket")
    channel = manifest.channels[0]
    older = "flightticket-operator.v1.0.0"
    page = Client().get(FORM.replace("sampledb", "flightticket"), {"channel": channel.name, "version": older})
    assert 'id="version-old"' in page.content.decode()
    page_text = text(page)
    assert "Manual, because you chose an older version" in page_text
    assert f"startingCSV: {older}" in page_text
    assert "installPlanApproval: Manual" in page_text
    assert "This version is deprecated: Version 1.0.0 can't keep notes." in page_text
    archive = text(Client().get(FORM.replace("sampledb", "flightticket"), {"channel": "archive"}))
    assert "This channel is deprecated: Nothing new comes into the channel archive." in archive


def test_nothing_typed_is_lost_when_it_is_refused() -> None:
    config = {"config_env": "A=1\nwrong\n1B=2", "config_requests_cpu": "much", "config_yaml": "volumes: nope"}
    answer = Client().post(FORM, choices(new_namespace="Not_Good", **config))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'value="Not_Good"' in page
    assert "A=1\nwrong\n1B=2</textarea>" in page
    assert 'value="much"' in page
    # Each error at its field, not only the first.
    words = html.unescape(page)
    assert "Line 2: use NAME=value, one per line." in words
    assert "“1B” isn't a valid environment variable name." in words
    assert "isn't a valid quantity" in words
    assert "Line 1: volumes:" in words
    assert 'id="install-advanced" open' in page


def test_a_dry_run_makes_nothing(client: ClusterClient) -> None:
    page = Client().post(FORM, choices(dry_run="1")).content.decode()
    assert re.findall(r'<li data-state="(\w+)"', page) == ["done", "waiting", "waiting"]
    assert there(client, "namespaces", NAME) is None
    exists = Client().post(FORM, choices(dry_run="1", install_namespace="default", new_namespace="")).content.decode()
    assert re.findall(r'<li data-state="(\w+)"', exists) == ["done", "done"]


def test_what_the_install_made_is_undone_and_nothing_else(client: ClusterClient, place: str) -> None:
    web = Client()
    answer = web.post(FORM, choices())
    assert answer.status_code == 302
    sub = there(client, olm.SUBSCRIPTIONS, "sampledb", place)
    assert sub is not None
    assert set(yaml.safe_load(sub["metadata"]["annotations"][MADE])) == {"Namespace", "OperatorGroup"}
    until(lambda: read.read(client, place, "sampledb").state == "done", seconds=120)
    followed = text(web.get(answer["Location"]))
    assert "Create SampleDB" in followed
    assert "took" in followed

    # Its own page is for an installation that has not finished; what runs is uninstalled.
    assert web.get(f"{answer['Location']}undo/")["Location"].endswith("/uninstall/")
    tokens = [
        target.token for target in created_objects.find_traces(client, place, "sampledb").targets if not target.keeps
    ]
    kinds = [token.split("|")[3] for token in tokens]
    assert kinds[0] == "Subscription"
    assert kinds[-2:] == ["OperatorGroup", "Namespace"]
    assert "ClusterServiceVersion" in kinds
    removed = web.post(f"{answer['Location']}undo/", {"target": tokens}).content.decode()
    assert removed.count('data-outcome="removed"') + removed.count('data-outcome="gone"') == len(tokens)
    until(lambda: not there(client, "namespaces", place))


def test_an_object_of_the_same_name_is_left_alone(client: ClusterClient, place: str) -> None:
    Client().post(FORM, choices(approval="Manual"))
    found = there(client, "namespaces", place)
    assert found is not None
    other = created_objects.DeletionTarget(
        group="", version="v1", plural="namespaces", kind="Namespace", namespace="", name=place, uid="another-uid"
    )
    assert [item.outcome for item in created_objects.remove(client, [other], lambda ref, outcome: None)] == ["replaced"]
    assert there(client, "namespaces", place)


def test_a_create_that_fails_halfway_says_what_it_made_and_takes_it_back(
    client: ClusterClient, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A Subscription that the API server refuses: its channel isn't a string. What the form checks lets it through only
    # so.
    monkeypatch.setattr(
        "operatorhub.install.objects._subscription", lambda manifest, chosen: broken_subscription(chosen.namespace)
    )
    web = Client()
    answer = web.post(FORM, choices())
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f"Namespace {place}" in text(answer)
    # H10: it was created a moment ago.
    assert f"“{place}” exists" in text(answer)
    assert "doesn't exist and will be created" not in text(answer)
    tokens = re.findall(r'name="target" value="([^"]+)"', page)
    assert [token.split("|")[3] for token in tokens] == ["Namespace", "OperatorGroup"]
    removed = web.post("/operators/undo/", {"target": tokens, "back": FORM}).content.decode()
    assert removed.count('data-outcome="removed"') == 2
    assert f'href="{FORM}"' in removed
    until(lambda: not there(client, "namespaces", place))
    assert "//evil" not in web.post("/operators/undo/", {"back": "//evil.example/"}).content.decode()


def test_a_second_try_still_takes_back_what_the_first_one_made(
    client: ClusterClient, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "operatorhub.install.objects._subscription"
    with monkeypatch.context() as patched:
        patched.setattr(made, lambda manifest, chosen: broken_subscription(chosen.namespace))
        web = Client()
        first = web.post(FORM, choices()).content.decode()
        tokens = re.findall(r'name="target" value="([^"]+)"', first)
        again = web.post(FORM, choices(target=tokens))
        assert re.findall(r'name="target" value="([^"]+)"', again.content.decode()) == tokens
        assert f"Namespace {place} created, still exists" in text(again)
    # The form is asked for again with each choice. A link can't name objects to delete.
    asked = choices(target=tokens)
    changed = web.get(FORM, asked, headers={"HX-Request": "true"})
    assert "Objects from the last attempt still exist" in text(changed)
    assert re.findall(r'name="target" value="([^"]+)"', changed.content.decode()) == tokens
    assert 'name="target"' not in web.get(FORM, asked).content.decode()
    # What succeeds in the end knows all that was created for it.
    assert web.post(FORM, choices(target=tokens)).status_code == 302
    sub = there(client, olm.SUBSCRIPTIONS, "sampledb", place)
    assert sub is not None
    assert set(yaml.safe_load(sub["metadata"]["annotations"][MADE])) == {"Namespace", "OperatorGroup"}


def test_a_namespace_stays_while_something_in_it_can_not_be_deleted(
    client: ClusterClient, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its deletion would never end, and the page would say that it's deleted."""
    monkeypatch.setattr(
        "operatorhub.install.objects._subscription", lambda manifest, chosen: broken_subscription(chosen.namespace)
    )
    web = Client()
    tokens = re.findall(r'name="target" value="([^"]+)"', web.post(FORM, choices()).content.decode())
    delete = ClusterClient.delete

    def refuse(self: ClusterClient, type_: ResourceType, name: str, *more: Any, **about: Any) -> Any:
        if type_.plural == "operatorgroups":
            raise Forbidden("OperatorGroups stay.")
        return delete(self, type_, name, *more, **about)

    with monkeypatch.context() as patched:
        patched.setattr(ClusterClient, "delete", refuse)
        answer = web.post("/operators/undo/", {"target": tokens, "back": FORM})
    page = answer.content.decode()
    assert re.findall(r'data-outcome="(\w+)"', page) == ["refused", "held"]
    assert "OperatorGroups stay." in text(answer)
    assert "not deleted: objects in it couldn't be deleted" in text(answer)
    assert "waiting for approval" not in text(answer)
    found = there(client, "namespaces", place)
    assert found is not None and found["status"]["phase"] == "Active"
    # “Try again” sends both once more, in the order in which they were created.
    again = re.findall(r'name="target" value="([^"]+)"', page)
    assert again == tokens
    removed = web.post("/operators/undo/", {"target": again, "back": FORM}).content.decode()
    assert removed.count('data-outcome="removed"') == 2
    assert "Try again" not in removed
    until(lambda: not there(client, "namespaces", place))


def broken_subscription(namespace: str) -> KubeObject:
    return {
        "apiVersion": f"{olm.GROUP}/{olm.VERSION}",
        "kind": "Subscription",
        "metadata": {"name": "sampledb", "namespace": namespace},
        "spec": {"name": 5, "source": "samples-catalog", "sourceNamespace": "olm"},
    }


def test_kinds_that_another_operator_serves_are_told_with_its_name(client: ClusterClient, place: str) -> None:
    web = Client()
    assert web.post(FORM, choices()).status_code == 302
    until(lambda: read.read(client, place, "sampledb").state == "done", seconds=120)
    # The same package elsewhere for all namespaces overlaps; its own namespace does not.
    overlap = text(web.get(FORM, choices(mode="AllNamespaces", new_namespace="hub-other")))
    assert f"is already installed in “{place}”" in overlap
    # Once no Subscription follows it, the group still says what is provided there.
    client.delete(olm.type_of(client, olm.SUBSCRIPTIONS), "sampledb", place)
    page_text = text(web.get(FORM, choices(mode="AllNamespaces", new_namespace="hub-other")))
    assert "already provides samples.operator-console.dev/v1 SampleDB" in page_text
    assert "sampledb-operator.v" in page_text


def test_a_kind_that_lies_there_is_told(client: ClusterClient, place: str) -> None:
    try:
        client.find("samples.operator-console.dev", "v1", "sampledbs")
    except KubeError:
        Client().post(FORM, choices())
        until(lambda: read.read(client, place, "sampledb").state == "done", seconds=120)
        clear(client, place)
    page_text = text(Client().get(FORM, choices(new_namespace="hub-other")))
    # On a real cluster another install of it can add to the message.
    assert "remain from an earlier install" in page_text or "installed in another namespace too" in page_text

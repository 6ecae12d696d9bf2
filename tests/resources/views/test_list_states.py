"""The state at a glance: in each row, counted and filtered over everything; owners; fields.

And the columns that a user chose.
"""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources.lists.snapshot import Snapshot
from tests.resources.views import definitions
from tests.resources.views.test_download import text_of

READY = {"conditions": [{"type": "Ready", "status": "True", "reason": "Fine"}]}
FAILED = {"phase": "Failed", "conditions": [{"type": "Ready", "status": "False", "message": "no <disk> left"}]}
_TEXT = re.compile(r"<[^>]+>")


@pytest.fixture
def crd(client: ClusterClient) -> Iterator[dict[str, Any]]:
    """Widgets in a group of this test's own, with any status."""
    made = definitions.definition()
    for version in made["spec"]["versions"]:
        status = version["schema"]["openAPIV3Schema"]["properties"]["status"]
        status["x-kubernetes-preserve-unknown-fields"] = True
    yield definitions.create(client, made)
    definitions.remove(client, made)


@pytest.fixture
def widgets(client: ClusterClient, crd: dict[str, Any], namespace: str) -> str:
    """The address of 24 widgets: item-00 … item-23; 4 failed, 1 that its operator never saw, 19 ready, and a
    ConfigMap owns item-04.
    """
    type_, maps = definitions.served(client, crd), client.find("", "v1", "configmaps")
    boss = client.create(maps, {"metadata": {"name": "boss"}}, namespace)["metadata"]["uid"]
    for number in range(24):
        metadata: dict[str, Any] = {"labels": {"example.com/tier": "db" if number % 2 else "web"}}
        if number == 4:
            metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": boss}]
        made = definitions.widget(crd, f"item-{number:02}", **metadata)
        client.create(type_, made, namespace)
        if number != 23:
            status = FAILED if number < 4 else READY
            client.patch(type_, f"item-{number:02}", {"status": status}, namespace, subresource="status")
    return f"/resources/{type_.topic_part}/"


def _get(browser: Client, address: str, **query: str) -> str:
    answer = browser.get(address, query)
    assert answer.status_code == 200, answer.content.decode()[-3000:]
    return answer.content.decode()


def _rows(text: str) -> list[str]:
    """Each row's words."""
    return [" ".join(_TEXT.sub(" ", row).split()) for row in re.findall(r'<tr [^>]*id="row-.*?</tr>', text, re.DOTALL)]


def _names(text: str) -> list[str]:
    return [row.split()[0] for row in _rows(text)]


def _counts(text: str) -> list[str]:
    found = re.findall(r'<a\s+class="list-state-link".*?</a>', text, re.DOTALL)
    return [" ".join(_TEXT.sub(" ", item).split()) for item in found]


def test_each_row_has_its_state_and_what_is_wrong(browser: Client, widgets: str, namespace: str) -> None:
    text = _get(browser, widgets, namespace=namespace)
    first, last = _rows(text)[0], _rows(text)[-1]
    assert first.startswith("item-00 Degraded Failed: no &lt;disk&gt; left")
    assert "item-23 Unknown its operator hasn&#x27;t reported a status" in last
    assert 'title="Failed: no &lt;disk&gt; left"' in text


def test_states_are_counted_over_everything_and_filter(browser: Client, widgets: str, namespace: str) -> None:
    expected = ["4 Degraded", "1 Unknown", "19 Ready"]
    assert _counts(_get(browser, widgets, namespace=namespace)) == expected
    failed = _get(browser, widgets, namespace=namespace, state="Degraded")
    assert _names(failed) == ["item-00", "item-01", "item-02", "item-03"]
    assert "1–4 of 4" in failed
    # What else there is stays in sight, and the state that is shown leads back to all.
    assert _counts(failed) == expected
    assert re.search(rf'href="\?namespace={namespace}"\s+aria-current="true"', failed)
    assert "data-live-moves" in failed
    assert _counts(_get(browser, widgets, namespace=namespace, q="item-0")) == ["4 Degraded", "6 Ready"]
    assert _names(_get(browser, widgets, namespace=namespace, state="No such")) == []


def test_a_list_of_several_pages_counts_when_it_is_asked(browser: Client, widgets: str, namespace: str) -> None:
    browser.post(f"{widgets}columns/", {"column": ["state"], "size": "20", "next": widgets})
    first = _get(browser, widgets, namespace=namespace)
    assert len(_rows(first)) == 20
    assert _counts(first) == []
    assert 'hx-trigger="load"' in first
    # Without script by a link; with it as a part of the page, loaded after the rows.
    assert _counts(_get(browser, widgets, namespace=namespace, count="1")) == ["4 Degraded", "1 Unknown", "19 Ready"]
    part = _get(browser, widgets, namespace=namespace, part="states")
    assert _counts(part) == ["4 Degraded", "1 Unknown", "19 Ready"]
    assert "<table" not in part
    assert _names(_get(browser, widgets, namespace=namespace, page="2"))[-1] == "item-23"


def test_the_whole_list_is_read_once_for_all_requests(
    browser: Client, widgets: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = Snapshot.read
    monkeypatch.setattr(Snapshot, "read", lambda self: (read.append(self.type.kind), whole(self)))
    # Other tests write meanwhile, before the watch is established: without this the list would be read again.
    monkeypatch.setattr(Snapshot, "settle", lambda self, min_version: True)
    for query in ({"q": "item"}, {"state": "Ready"}, {"sort": "name"}, {"q": "item-1", "page": "1"}):
        _get(browser, widgets, namespace=namespace, **query)
    # Pods and Deployments too: what fails among them is the state of what it belongs to.
    assert sorted(read) == ["Deployment", "Pod", "Widget"]


def test_by_state_what_needs_somebody_comes_first(browser: Client, widgets: str, namespace: str) -> None:
    text = _get(browser, widgets, namespace=namespace, sort="state")
    assert _names(text)[:6] == ["item-00", "item-01", "item-02", "item-03", "item-23", "item-04"]
    assert _names(_get(browser, widgets, namespace=namespace, sort="-state"))[-1] == "item-03"


def test_kinds_without_states_have_none(browser: Client, namespace: str) -> None:
    text = _get(browser, "/resources/core/v1/configmaps/", namespace=namespace)
    assert "list-states" not in text
    assert ">State</a>" not in text


def test_owners(browser: Client, client: ClusterClient, widgets: str, namespace: str) -> None:
    browser.post(f"{widgets}columns/", {"column": ["owner"], "next": widgets})
    found = _get(browser, widgets, namespace=namespace, owner="ConfigMap/boss")
    assert _names(found) == ["item-04"]
    assert "Owner: ConfigMap/boss" in found
    assert "Clear all filters" in found
    link = re.search(r'href="(/resources/owner/[^"]+)"', found)
    assert link is not None
    answer = browser.get(link[1].replace("&amp;", "&"))
    assert answer["Location"] == f"/resources/core/v1/configmaps/{namespace}/boss/"
    assert browser.get("/resources/owner/?of=example.com/v1&kind=Unicorn&name=a").status_code == 404
    assert browser.get("/resources/owner/").status_code == 404


def test_fields_are_the_servers_to_know(browser: Client, widgets: str, namespace: str) -> None:
    found = _get(browser, widgets, namespace=namespace, fields="metadata.name=item-07")
    assert _names(found) == ["item-07"]
    assert "--field-selector metadata.name=item-07" in found
    bad = browser.get(widgets, {"namespace": namespace, "fields": "spec.size=3"})
    assert bad.status_code == 422
    assert re.search(r'id="fields-help" role="alert"\s*>[^<]*spec.size', bad.content.decode())
    assert b'value="spec.size=3"' in bad.content


def test_columns_are_chosen_and_remembered(browser: Client, widgets: str, namespace: str) -> None:
    chosen = {"column": ["=Size", "labels"], "label": "example.com/tier, nobody/has-it", "size": "20"}
    back = f"{widgets}?namespace={namespace}"
    assert browser.post(f"{widgets}columns/", {**chosen, "next": back})["Location"] == back
    text = _get(browser, widgets, namespace=namespace)
    headings = [" ".join(_TEXT.sub(" ", item).split()) for item in re.findall(r"<th\s.*?</th>", text, re.DOTALL)]
    assert headings[1:-1] == ["Name", "Size", "Labels", "tier", "has-it"]
    assert len(_rows(text)) == 20
    assert "item-00 2 example.com/tier=web web –" in _rows(text)[0]
    # Live rows are to have the same columns.
    spec = "=Size,labels,label:example.com/tier,label:nobody/has-it"
    assert f'{namespace}?{spec}"' in text
    # So has the file; another kind has its own.
    rows = list(csv.reader(io.StringIO(text_of(browser.get(f"{widgets}download/?namespace={namespace}&format=csv")))))
    assert rows[0] == ["Name", "Namespace", "Size", "labels", "example.com/tier", "nobody/has-it"]
    assert rows[1][3:] == ["example.com/tier=web", "web", ""]
    assert len(rows) == 25
    assert browser.cookies["console_list"]["path"] == widgets
    # An address that says which columns comes before what is remembered.
    assert "Degraded" in _rows(_get(browser, widgets, namespace=namespace, columns="state"))[0]
    browser.post(f"{widgets}columns/", {**chosen, "reset": "1", "next": back})
    assert "Degraded" in _rows(_get(browser, widgets, namespace=namespace))[0]


def test_choices_that_are_none_do_no_harm(browser: Client, widgets: str, namespace: str) -> None:
    sent = {"column": ["<script>", "=", "=Gone"], "label": "x" * 5000, "size": "7", "next": "https://example.com/"}
    answer = browser.post(f"{widgets}columns/", sent)
    assert answer["Location"] == widgets
    assert len(_rows(_get(browser, widgets, namespace=namespace))) == 24
    for cookie in ("%00", "columns=%ff&size=x", "size=999999"):
        browser.cookies["console_list"] = cookie
        assert len(_rows(_get(browser, widgets, namespace=namespace))) == 24
    assert browser.get(f"{widgets}columns/").status_code == 405


def test_the_state_and_the_owner_hold_for_files_and_for_acts(browser: Client, widgets: str, namespace: str) -> None:
    text = text_of(browser.get(f"{widgets}download/?namespace={namespace}&format=csv&state=Degraded"))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:3] == ["Name", "Namespace", "State"]
    assert [row[0] for row in rows[1:]] == ["item-00", "item-01", "item-02", "item-03"]
    assert {row[2] for row in rows[1:]} == {"Degraded"}
    yaml = text_of(browser.get(f"{widgets}download/?namespace={namespace}&format=yaml&state=Unknown"))
    assert re.findall(r"^  name: (.*)$", yaml, re.MULTILINE) == ["item-23"]
    sent = {"action": "delete", "all": "1", "namespace": namespace, "state": "Ready", "owner": "ConfigMap/boss"}
    asked = browser.post(f"{widgets}bulk/", sent).content.decode()
    assert "Delete 1 Widget?" in asked
    assert "item-04" in asked

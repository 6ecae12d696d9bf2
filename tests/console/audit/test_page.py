"""/audit/ and /api/audit/: what they show, to whom."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from console.audit.models import TITLES, AuditEntry
from console.web import access
from kube.client import ClusterClient
from tests.console.audit.conftest import entry
from tests.resources.views.test_rights import Become

pytestmark = pytest.mark.django_db


@pytest.fixture
def acted(web: Client, client: ClusterClient) -> Client:
    """Sixty acts of this user, and three of ann, who was refused."""
    mine = {"cluster": client.name, "user": client.user}
    AuditEntry.objects.bulk_create(entry(number, **mine) for number in range(60))
    others = (entry(100 + n, cluster=client.name, outcome="Forbidden", name="theirs") for n in range(3))
    AuditEntry.objects.bulk_create(others)
    return web


def text(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def test_a_list_in_pages(acted: Client, client: ClusterClient) -> None:
    page = text(acted.get("/audit/"))
    assert "63 records" in page
    assert "Page 1 of 2" in page
    assert page.index("theirs") < page.index("paint")
    assert "These are only your own records" not in page
    second = acted.get("/audit/?page=2").content.decode()
    assert second.count('<tr class="pf-v6-c-table__tr" id="act-') == 13
    assert 'href="/resources/core/v1/configmaps/shop/paint/"' in second
    found = acted.get("/audit/", {"user": client.user, "outcome": "ok", "ns": "shop", "page": "999"}).content.decode()
    assert "60 records" in found
    assert f"user={client.user}&amp;ns=shop&amp;outcome=ok&amp;page=1" in found.replace("%3A", ":").replace("%40", "@")
    assert "console_namespace" not in acted.cookies, "filtering picks no namespace for other pages"
    assert "No matching records." in text(acted.get("/audit/?q=nothing-like-it"))
    assert "A time is invalid" in text(acted.get("/audit/?since=yesterday"))
    assert (
        acted.get("/audit/?since=2026-11-01T01:00").content.decode().count('value="2026-11-01T01:00"') == 2
    )  # and to export by
    part = acted.get("/audit/?outcome=refused", HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in part
    assert "3 records" in part
    assert 'href="/audit/"' in acted.get("/").content.decode()


def test_one_act_with_what_it_changed(acted: Client, client: ClusterClient) -> None:
    row = entry(200, cluster=client.name, diff=[["data.<b>", "blue", "red"], ["data.new", "", "1"]], changed=9)
    row.kind, row.address, row.request_id, row.detail = "ConfigMap", "192.0.2.7", "0123456789", "container=web"
    row.save()
    page = acted.get(f"/audit/{row.pk}/")
    assert "data.&lt;b&gt;" in page.content.decode()
    words = text(page)
    for word in ("blue → red", "missing → 1", "and 7 more", "192.0.2.7", "0123456789", "container=web"):
        assert word in words
    assert acted.get(f"/audit/{row.pk + 1}/").status_code == 404
    assert acted.get(f"/audit/{'9' * 30}/").status_code == 404


def test_the_facts_of_an_act_have_their_titles(acted: Client, client: ClusterClient) -> None:
    full = {"group": "apps", "resource": "deployments", "uid": "1-2", "address": "192.0.2.7", "request_id": "0123"}
    row = entry(201, cluster=client.name, as_user="bob", groups=["a", "b"], source="worker", **full)
    bare = entry(202, cluster=client.name, user="", name="", source="", resource="", namespace="")
    AuditEntry.objects.bulk_create([row, bare])
    facts = dict(_facts(acted, row))
    assert list(facts)[1:] == [str(title) for title in TITLES.values()], "behind the time"
    assert (facts["Groups"], facts["Kind"], facts["Sent through"]) == ("a, b", "deployments.apps v1", "Worker")
    assert (facts["Impersonating"], facts["Outcome"]) == ("bob", "Done")
    assert "shop/paint" in facts["Object"].replace(" ", "")
    page = acted.get(f"/audit/{row.pk}/").content.decode()
    for address in ("/audit/?q=0123", "/audit/?kind=deployments.apps&amp;ns=shop&amp;name=paint"):
        assert f'href="{address}"' in page
    titles = [title for title, _value in _facts(acted, bare)]
    assert titles[1:] == ["User", "Cluster", "Outcome", "Object", "Sent through"]


def _facts(browser: Client, row: AuditEntry) -> list[tuple[str, str]]:
    """(title, value) of the description list."""
    page = browser.get(f"/audit/{row.pk}/").content.decode()
    pairs = re.findall(r"<dt.*?>(.*?)</dt>\s*<dd.*?>(.*?)</dd>", page.partition('id="changes"')[0], re.DOTALL)
    return [(_plain(title), _plain(value)) for title, value in pairs]


def _plain(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))).strip()


def test_an_object_leads_to_what_was_done_with_it(web: Client, namespace: str, config_map: str) -> None:
    page = unescape(web.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/").content.decode())
    (link,) = re.findall(r'href="(/audit/\?[^"]+)"', page)
    assert link == f"/audit/?kind=configmaps&ns={namespace}&name={config_map}"
    assert web.delete(f"/api/resources/core/v1/configmaps/{namespace}/{config_map}/").status_code == 200
    assert "1 record" in text(web.get(link))


def test_others_acts_are_for_whom_the_api_server_lets(
    acted: Client, client: ClusterClient, become: Become, dev: str
) -> None:
    (theirs, *_) = AuditEntry.objects.filter(name="theirs")
    become(dev)
    AuditEntry.objects.bulk_create([entry(300, cluster=client.name, user=dev, name="own")])
    page = text(acted.get("/audit/"))
    assert "These are only your own records" in page
    assert "theirs" not in page
    assert "1 record " in page
    assert acted.get(f"/audit/{theirs.pk}/").status_code == 404
    assert acted.get(f"/api/audit/{theirs.pk}/").status_code == 404
    assert "theirs" not in acted.get("/audit/export/?format=jsonl").getvalue().decode()
    found = acted.get("/api/audit/", {"name": "theirs"}).json()
    assert (found["everybody"], found["items"]) == (False, [])

    group = "rbac.authorization.k8s.io"
    rule = {"apiGroups": ["operator-console.dev"], "resources": ["audit"], "verbs": ["get"]}
    role = {"metadata": {"name": dev}, "rules": [rule]}
    subjects = [{"kind": "User", "apiGroup": group, "name": dev}]
    binding = {"metadata": {"name": dev}, "subjects": subjects}
    binding["roleRef"] = {"apiGroup": group, "kind": "ClusterRole", "name": dev}
    roles, bindings = (client.find(group, "v1", plural) for plural in ("clusterroles", "clusterrolebindings"))
    client.create(roles, {"apiVersion": f"{group}/v1", "kind": "ClusterRole", **role})
    try:
        client.create(bindings, {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", **binding})
        try:
            for _try in range(100):  # a real API server's authorizer hears of it a moment later
                access._review.cache_clear()
                if acted.get("/api/audit/").json()["everybody"]:
                    break
            assert acted.get(f"/audit/{theirs.pk}/").status_code == 200
            assert "theirs" in text(acted.get("/audit/"))
        finally:
            client.delete(bindings, dev)
    finally:
        client.delete(roles, dev)
        access._review.cache_clear()


def test_as_json(acted: Client, client: ClusterClient) -> None:
    seen, before = [], None
    while True:
        found = acted.get("/api/audit/", {"limit": 25, **({"before": before} if before else {})}).json()
        seen += found["items"]
        if (before := found["before"]) is None:
            break
    assert len({item["id"] for item in seen}) == len(seen) == 63
    assert found["everybody"] is True
    assert seen[0]["time"] == "2026-11-01T01:42:00Z" or seen[0]["time"].startswith("2026-11-01T01:42:00")
    assert (seen[0]["user"], seen[0]["outcome"], seen[0]["diff"]) == ("ann", "Forbidden", [])
    entry = acted.get(f"/api/audit/{seen[0]['id']}/").json()
    assert entry == seen[0]
    assert len(acted.get("/api/audit/", {"q": "theirs forbidden"}).json()["items"]) == 3
    for wrong in ({"limit": "x"}, {"before": "-1"}, {"since": "yesterday"}):
        assert acted.get("/api/audit/", wrong).status_code == 400
    assert acted.post("/api/audit/", {}).status_code == 405
    schema = acted.get("/api/schema/").content.decode()
    assert "/api/audit/{key}/" in schema
    assert "AuditEntry" in schema


def test_as_files(acted: Client) -> None:
    lines = acted.get("/audit/export/?format=jsonl&outcome=refused")
    assert lines["Content-Type"] == "application/x-ndjson"
    assert re.fullmatch(r'attachment; filename="audit-\d{8}-\d{6}\.jsonl"', lines["Content-Disposition"])
    assert [json.loads(line)["name"] for line in lines.getvalue().splitlines()] == ["theirs"] * 3
    table = acted.get("/audit/export/?format=csv&verb=patch").getvalue()
    assert table.count(b"\r\n") == 64
    # Programs may read columns by position: the order of the model's fields is part of the export.
    columns = (
        "id,time,cluster,user,as_user,groups,verb,group,version,resource,kind,namespace,name,subresource,uid,detail,"
        "outcome,source,address,request_id,changed,diff"
    )
    assert table.decode("utf-8-sig").partition("\r\n")[0] == columns
    assert acted.get("/audit/export/?format=xls").status_code == 400
    assert acted.put("/audit/export/").status_code == 405

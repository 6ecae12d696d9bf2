"""Real acts, through pages and the API, and what the audit says of each."""

import base64
import json
import logging
from typing import Any

import pytest
from django.test import Client

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from tests.console.audit.conftest import acts, outcome_of
from tests.resources.views.form_submission import send
from tests.resources.views.test_rights import Become

pytestmark = pytest.mark.django_db
MAPS, SECRETS, DEPLOYMENTS = "core/v1/configmaps", "core/v1/secrets", "apps/v1/deployments"


def deployment(name: str, replicas: int = 1) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "web", "image": "nginx:1", "env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def test_one_object_from_its_making_to_its_end(web: Client, client: ClusterClient, namespace: str) -> None:
    page = web.get(f"/resources/{MAPS}/new-yaml/?namespace={namespace}&start=paste")
    text = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: paint\n  namespace: {namespace}\ndata:\n  colour: blue\n"
    )
    assert send(web, page, text=text).status_code == 303
    here = f"/resources/{MAPS}/{namespace}/paint/"
    assert send(web, web.get(f"{here}yaml/"), text=text.replace("blue", "red")).status_code == 303
    assert web.post(f"{here}labels/", {"labels-key": "team", "labels-value": "a"}).status_code == 302
    uid = client.get(client.find("", "v1", "configmaps"), "paint", namespace)["metadata"]["uid"]
    number = "0123456789abcdef"
    answer = web.post(f"{here}delete/", {"uid": uid}, REMOTE_ADDR="192.0.2.7", HTTP_X_REQUEST_ID=number)
    assert (answer.status_code, answer["X-Request-Id"]) == (302, number)
    rows = acts(namespace, name="paint")
    verbs = ["create", "patch", "label", "delete"]
    assert [outcome_of(row) for row in rows] == [(verb, "paint", "ok") for verb in verbs]
    created, changed, labelled, deleted = rows
    assert (created.group, created.version, created.resource, created.kind) == ("", "v1", "configmaps", "ConfigMap")
    assert created.diff == [["data.colour", "", "blue"]]
    assert (changed.diff, changed.changed) == ([["data.colour", "blue", "red"]], 1)
    assert labelled.diff == [["metadata.labels.team", "", "a"]]
    assert {row.uid for row in rows} == {uid}
    assert {(row.cluster, row.user, row.source) for row in rows} == {(client.name, client.user, "page")}
    assert (deleted.address, deleted.request_id) == ("192.0.2.7", number)
    assert len({row.request_id for row in rows}) == 4


def test_a_dry_run_and_a_review_are_no_acts(web: Client, namespace: str, config_map: str) -> None:
    page = web.get(f"/resources/{MAPS}/{namespace}/{config_map}/yaml/")
    assert send(web, page, ("~review", "1")).status_code == 200
    assert web.get("/resources/who-can/", {"verb": "get", "resource": "secrets"}).status_code == 200
    assert AuditEntry.objects.count() == 0


def test_acts_of_programs(web: Client, namespace: str) -> None:
    here = f"/api/resources/{MAPS}/"
    metadata = {"name": "paint", "namespace": namespace}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}
    json = {"content_type": "application/json"}
    assert web.post(here, made, **json).status_code == 201
    assert web.post(here, made, **json).status_code == 409
    assert web.patch(f"{here}{namespace}/paint/", {"data": {"a": None, "b": "2"}}, **json).status_code == 200
    assert web.patch(f"{here}{namespace}/paint/", {"data": {"a": 7}}, **json).status_code in (400, 422)
    assert web.delete(f"{here}{namespace}/paint/").status_code == 200
    assert web.delete(f"{here}{namespace}/paint/").status_code == 404
    rows = acts(namespace)
    outcomes = ["ok", "AlreadyExists", "ok", rows[3].outcome, "ok", "NotFound"]
    assert [row.verb for row in rows] == ["create", "create", "patch", "patch", "delete", "delete"]
    assert [row.outcome for row in rows] == outcomes
    assert rows[3].outcome in ("BadRequest", "Invalid")
    assert {(row.name, row.source) for row in rows} == {("paint", "api")}
    assert rows[2].diff == [["data.a", "1", ""], ["data.b", "", "2"]]
    assert ["data.a", "", "7"] in rows[3].diff, "what was asked for, though it was refused"


def test_scaling_and_an_act_of_a_menu(web: Client, client: ClusterClient, namespace: str) -> None:
    client.create(client.find("apps", "v1", "deployments"), deployment("web"), namespace)
    here = f"/resources/{DEPLOYMENTS}/{namespace}/web/"
    assert web.post(f"{here}scale/", {"replicas": "0"}).status_code == 302
    assert web.post(f"{here}act/restart/").status_code == 302
    scaled, restarted = acts(namespace, name="web")
    assert (outcome_of(scaled), scaled.subresource, scaled.kind) == (("scale", "web", "ok"), "scale", "Deployment")
    assert scaled.diff == [["spec.replicas", "1", "0"]]
    assert outcome_of(restarted) == ("restart", "web", "ok")
    assert "restartedAt" in restarted.diff[0][0]


def test_many_at_once_each_with_its_change(web: Client, client: ClusterClient, namespace: str) -> None:
    type_ = client.find("", "v1", "configmaps")
    chosen = []
    for number in range(3):
        made = client.create(type_, {"metadata": {"name": f"item-{number}"}}, namespace)
        chosen.append(f"{made['metadata']['uid']}/{namespace}/item-{number}")
    sent = {"action": "label", "chosen": chosen, "namespace": namespace, "changes": "old-\nteam=a", "~confirm": "1"}
    assert web.post(f"/resources/{MAPS}/bulk/", sent).status_code == 200
    rows = acts(namespace)
    assert sorted(outcome_of(row) for row in rows) == [("label", f"item-{number}", "ok") for number in range(3)]
    assert all(
        row.diff == [["metadata.labels.old", "?", ""], ["metadata.labels.team", "?", "a"]] and row.uid for row in rows
    )
    assert len({row.request_id for row in rows}) == 1


def test_what_is_refused_is_an_act_too(
    web: Client, namespace: str, config_map: str, become: Become, dev: str, caplog: pytest.LogCaptureFixture
) -> None:
    become(dev)
    here = f"/resources/{MAPS}/{namespace}/{config_map}/"
    with caplog.at_level(logging.INFO, "console.audit"):
        assert web.post(f"{here}delete/", {"uid": ""}).status_code == 403
        assert web.post(f"{here}labels/", {"labels-key": "team", "labels-value": "a"}).status_code == 403
        answer = web.patch(f"/api{here}", {"data": {"a": "1"}}, content_type="application/json")
    assert answer.status_code == 403
    rows = acts(namespace)
    assert [outcome_of(row) for row in rows] == [(verb, "paint", "Forbidden") for verb in ("delete", "label", "patch")]
    assert {(row.user, tuple(row.groups)) for row in rows} == {(dev, ("system:authenticated",))}
    assert rows[1].diff == [["metadata.labels.team", "", "a"]]
    assert caplog.text.count("outcome=Forbidden") == 3, "the log has a line for each, also for what no view noted"


def test_secrets_are_named_and_never_told(web: Client, client: ClusterClient, namespace: str) -> None:
    page = web.get(f"/resources/{SECRETS}/new-yaml/?namespace={namespace}&start=paste")
    text = (
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\n  namespace: {namespace}\n"
        "type: Opaque\nstringData:\n  key: hunter2\n"
    )
    assert send(web, page, text=text).status_code == 303
    here = f"/resources/{SECRETS}/{namespace}/login/"
    again = {"data": {"key": base64.b64encode(b"hunter2!").decode()}}
    assert web.patch(f"/api{here}", again, content_type="application/json").status_code == 200
    shown = web.post(f"{here}value/", {"key": "key"}, HTTP_HX_REQUEST="true")
    assert "hunter2" in shown.content.decode()
    assert web.get(f"/resources/{SECRETS}/download/?format=yaml&namespace={namespace}&reveal=1").status_code == 200
    uid = client.get(client.find("", "v1", "secrets"), "login", namespace)["metadata"]["uid"]
    assert web.post(f"{here}delete/", {"uid": uid}).status_code == 302
    rows = acts(namespace)
    assert [row.verb for row in rows] == ["create", "patch", "reveal", "reveal", "download", "delete"]
    created, changed, _answered, revealed, taken, _deleted = rows
    assert ["stringData.key", "", "••••••"] in created.diff
    assert changed.diff == [["data.key", "••••••", "••••••"]], "that it changed is told, what it is is not"
    assert (revealed.name, revealed.detail, revealed.diff) == ("login", "key=key", [])
    assert (taken.resource, taken.name) == ("secrets", "")
    for url in ("/audit/", "/audit/export/?format=csv", "/audit/export/?format=jsonl", "/api/audit/"):
        answer = web.get(url)
        text = (answer.getvalue() if answer.streaming else answer.content).decode()
        assert "login" in text
        assert "hunter2" not in text
        assert "aHVudGVyMg" not in text


def test_s9_secrets_that_the_api_hands_out_are_acts(web: Client, client: ClusterClient, namespace: str) -> None:
    """S9: one object, a list; not where no value is in the answer, and not ConfigMaps."""
    client.create(
        client.find("", "v1", "secrets"), {"metadata": {"name": "login"}, "stringData": {"key": "hunter2"}}, namespace
    )
    here = f"/api/resources/{SECRETS}/"
    assert web.get(f"{here}{namespace}/login/").json()["data"]["key"] == base64.b64encode(b"hunter2").decode()
    assert web.get(here, {"namespace": namespace}).status_code == 200
    for look in ("table", "states"):
        assert web.get(here, {"namespace": namespace, "as": look}).status_code == 200
    assert web.get(f"{here}{namespace}/other/").status_code == 404
    assert web.get(f"/api/resources/{MAPS}/", {"namespace": namespace}).status_code == 200
    item, all_ = acts(namespace)
    assert (outcome_of(item), item.detail, item.source) == (("reveal", "login", "ok"), "get", "api")
    assert (outcome_of(all_), all_.resource) == (("reveal", "", "ok"), "secrets")
    assert "login" in all_.detail


def test_s9_a_change_by_the_api_that_answers_with_a_secret_is_a_reading_too(
    web: Client, client: ClusterClient, namespace: str
) -> None:
    """S9: an empty patch, or a deletion that a finalizer holds, hands out all values."""
    meta = {"name": "login", "finalizers": ["tests.example/held"]}
    client.create(client.find("", "v1", "secrets"), {"metadata": meta, "stringData": {"key": "hunter2"}}, namespace)
    here, value = f"/api/resources/{SECRETS}/{namespace}/login/", base64.b64encode(b"hunter2").decode()
    assert web.patch(here, {}, content_type="application/json").json()["data"]["key"] == value
    assert web.delete(here).json()["data"]["key"] == value
    assert web.patch(here, {"metadata": {"finalizers": None}}, content_type="application/json").status_code == 200
    found = [(row.verb, row.detail) for row in acts(namespace, name="login")]
    patched, deleted = ([(verb, ""), ("reveal", verb)] for verb in ("patch", "delete"))
    assert found == [*patched, *deleted, *patched]


def test_s9_a_secret_that_a_refused_or_tried_change_shows_is_an_act(
    web: Client, client: ClusterClient, namespace: str
) -> None:
    """S9: the page of a conflict, or of what a change would do, shows what is there, opened before or not."""
    secrets = client.find("", "v1", "secrets")
    made = client.create(secrets, {"metadata": {"name": "login"}, "stringData": {"key": "hunter2"}}, namespace)
    here, value = f"/resources/{SECRETS}/{namespace}/login/yaml/", base64.b64encode(b"hunter2").decode()
    old = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**made["metadata"], "managedFields": None},
        "type": "Opaque",
    }
    labelled = json.dumps({**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}})
    other = json.dumps({**old, "data": {"key": "b3RoZXI="}})
    for sent in ({"text": labelled, "~review": "1"}, {"text": other, "~save": "1"}):
        answer = web.post(here, {**sent, "~original": json.dumps(old)})
        assert value in answer.content.decode()
    found = [(row.verb, row.outcome) for row in acts(namespace, name="login")]
    assert found == [("reveal", "ok"), ("patch", "Conflict"), ("reveal", "ok")]


def test_passwords_in_other_kinds(web: Client, namespace: str) -> None:
    made = deployment("web", 0)
    made["metadata"]["namespace"] = namespace
    made["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": '{"a":"hunter2"}'}
    answer = web.post(f"/api/resources/{DEPLOYMENTS}/", made, content_type="application/json")
    assert answer.status_code == 201
    (row,) = acts(namespace)
    changed = {path: after for path, _before, after in row.diff}
    place = "spec.template.spec.containers[name=web]"
    assert changed[f"{place}.image"] == "nginx:1"
    assert changed[f"{place}.env[name=DB_PASSWORD].value"] == "••••••"
    assert not any("last-applied" in path for path in changed)


def test_the_audit_is_taken_along_by_an_act(web: Client) -> None:
    """S8: the page's button is an act; reading by GET leaves no row, however often."""
    assert web.get("/audit/export/?format=csv&user=ann").getvalue().startswith(b"\xef\xbb\xbfid,time,")
    assert not AuditEntry.objects.exists()
    file = web.post("/audit/export/", {"format": "csv", "user": "ann"})
    assert file.getvalue().startswith(b"\xef\xbb\xbfid,time,")
    (row,) = AuditEntry.objects.all()
    assert (row.verb, row.name, row.resource, row.outcome) == ("export", "audit user=ann", "", "ok")
    page = web.get("/audit/").content.decode()
    assert "audit user=ann" in page

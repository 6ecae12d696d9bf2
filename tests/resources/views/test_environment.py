"""…/environment/: the variables of a workload's containers, on a cluster."""

import re
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Invalid, StatusCause
from tests.console.audit.conftest import acts, outcome_of
from tests.resources.views.test_rights import Become, become, dev  # noqa: F401  fixtures

ENV = [
    {"name": "COLOUR", "value": "red"},
    {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
]


@pytest.fixture
def url(client: ClusterClient, namespace: str) -> str:
    """The page of a Deployment whose first container has two variables."""
    containers = [{"name": "web", "image": "nginx", "env": ENV}, {"name": "side", "image": "nginx"}]
    template: dict[str, Any] = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    client.create(client.find("apps", "v1", "deployments"), {"metadata": {"name": "web"}, "spec": spec}, namespace)
    return f"/resources/apps/v1/deployments/{namespace}/web/environment/"


def containers_of(client: ClusterClient, namespace: str) -> list[dict[str, Any]]:
    found: dict[str, Any] = client.get(client.find("apps", "v1", "deployments"), "web", namespace)
    items: list[dict[str, Any]] = found["spec"]["template"]["spec"]["containers"]
    return items


def rows(page: str) -> dict[str, Any]:
    """What a browser would send of the page."""
    read = re.search(r'name="read" value="(\w+)"', page)
    assert read
    return {"read": read[1], **variables(("COLOUR", "value", "", "red", "COLOUR"), NODE_ROW)}


NODE_ROW = ("NODE", "field", "", "spec.nodeName", "NODE")


def variables(*sent: tuple[str, str, str, str, str]) -> dict[str, list[str]]:
    columns = zip(*sent, strict=True)
    return {
        f"web-variable-{field}": list(column)
        for field, column in zip(("name", "source", "source_name", "value", "was"), columns, strict=True)
    }


def test_variables_are_changed_and_all_keys_are_added(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, url: str
) -> None:
    detail = f"/resources/apps/v1/deployments/{namespace}/web/"
    assert url in browser.get(detail).content.decode()
    page = browser.get(url).content.decode()
    assert 'value="COLOUR"' in page and config_map in page
    sent = rows(page) | variables(
        ("PAINT", "value", "", "blue\r\ngreen", "COLOUR"),
        NODE_ROW,
        ("", "value", "", "", ""),
        ("KEY", "ConfigMap", config_map, "colour", ""),
    )
    sent |= {"side-whole-kind": "ConfigMap", "side-whole-name": config_map, "side-whole-key_prefix": "P_"}
    done = browser.post(url, sent)
    assert (done.status_code, done["Location"]) == (302, detail)
    web, side = containers_of(client, namespace)
    assert web["env"] == [
        {"name": "PAINT", "value": "blue\ngreen"},
        ENV[1],
        {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": config_map, "key": "colour"}}},
    ]
    assert side["envFrom"] == [{"configMapRef": {"name": config_map}, "prefix": "P_"}]
    assert [outcome_of(row) for row in acts(namespace, name="web")] == [("set", "web", "ok")]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (("", "value", "", "KEPT", ""), "name"),
        (("KEPT=", "value", "", "1", ""), "name"),
        (("KEPT", "Secret", "", "key", ""), "source_name"),
        (("KEPT", "Secret", "none", "key", ""), "source_name"),
        (("KEPT", "ConfigMap", "{config_map}", "none", ""), "value"),
        (("KEPT", "field", "", "", ""), "value"),
        (("KEPT", "other", "", "", ""), "source"),
    ],
)
def test_bad_input_is_shown_at_its_row_and_kept(
    browser: Client,
    client: ClusterClient,
    namespace: str,
    config_map: str,
    url: str,
    row: tuple[str, str, str, str, str],
    field: str,
) -> None:
    typed = tuple(part.format(config_map=config_map) for part in row)
    answer = browser.post(url, rows(browser.get(url).content.decode()) | variables(typed))  # type: ignore[arg-type]
    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.findall(r'id="(web-variable-\d+)-wrong" role="alert"', page) == ["web-variable-1"]
    assert "KEPT" in page
    wrong = re.findall(r'name="web-variable-(\w+)"(?:(?!<).)*?aria-invalid', page, re.DOTALL)
    assert wrong == ([field] if field != "source" else [])
    assert containers_of(client, namespace)[0]["env"] == ENV


def test_what_the_api_server_refuses_is_shown_at_its_row(
    browser: Client, client: ClusterClient, namespace: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = rows(browser.get(url).content.decode()) | variables(NODE_ROW, ("FIELD", "field", "", "spec.none", ""))
    # As Kubernetes 1.35 answers; the embedded cluster doesn't check it.
    cause = StatusCause(
        field="spec.template.spec.containers[0].env[1].valueFrom.fieldRef.fieldPath",
        reason="FieldValueInvalid",
        message='Invalid value: "spec.none": error converting fieldPath: field label not supported: spec.none',
    )
    monkeypatch.setattr(ClusterClient, "patch", Mock(side_effect=Invalid("Deployment is invalid", causes=(cause,))))
    answer = browser.post(url, sent)
    assert answer.status_code == 422
    assert 'id="web-variable-2-wrong"' in answer.content.decode()
    assert "field label not supported" in answer.content.decode()
    assert containers_of(client, namespace)[0]["env"] == ENV


def test_another_users_change_is_not_overwritten_unseen(
    browser: Client, client: ClusterClient, namespace: str, url: str
) -> None:
    sent = rows(browser.get(url).content.decode()) | variables(("MINE", "value", "", "1", ""))
    changed = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx"}]}}}}
    client.patch(client.find("apps", "v1", "deployments"), "web", changed, namespace)
    answer = browser.post(url, sent)
    page = answer.content.decode()
    assert answer.status_code == 409 and 'value="MINE"' in page
    assert "env" not in containers_of(client, namespace)[0]
    again = browser.post(url, rows(page) | variables(("MINE", "value", "", "1", "")))
    assert again.status_code == 302
    assert containers_of(client, namespace)[0]["env"] == [{"name": "MINE", "value": "1"}]


def test_a_row_more_without_script(browser: Client, url: str) -> None:
    sent = rows(browser.get(url).content.decode()) | variables(("MINE", "value", "", "1", ""))
    answer = browser.post(url, {**sent, "more": "1"})
    page = answer.content.decode()
    assert answer.status_code == 200 and 'value="MINE"' in page
    assert page.count('name="web-variable-name"') == 2


def test_a_cron_job_has_variables_too(browser: Client, client: ClusterClient, namespace: str) -> None:
    pod = {"containers": [{"name": "job", "image": "busybox"}], "restartPolicy": "Never"}
    spec = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    type_ = client.find("batch", "v1", "cronjobs")
    client.create(type_, {"metadata": {"name": "yearly"}, "spec": spec}, namespace)
    url = f"/resources/batch/v1/cronjobs/{namespace}/yearly/environment/"
    read = re.search(r'name="read" value="(\w+)"', browser.get(url).content.decode())
    assert read
    sent = {"job-variable-name": "A", "job-variable-source": "value", "job-variable-value": " b ", "read": read[1]}
    assert browser.post(url, sent).status_code == 302
    found: dict[str, Any] = client.get(type_, "yearly", namespace)
    job = found["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]
    assert job["env"] == [{"name": "A", "value": " b "}]


def test_who_may_not_change_the_workload_is_refused(
    browser: Client,
    client: ClusterClient,
    namespace: str,
    url: str,
    become: Become,  # noqa: F811
    dev: str,  # noqa: F811
) -> None:
    sent = rows(browser.get(url).content.decode())
    become(dev)
    answer = browser.post(url, sent | variables(("KEPT", "value", "", "1", "")))
    assert answer.status_code == 403
    assert containers_of(client, namespace)[0]["env"] == ENV


def test_only_workloads(browser: Client, namespace: str, config_map: str) -> None:
    assert browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/environment/").status_code == 404

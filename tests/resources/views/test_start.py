"""What a new object begins with; what was typed is not given up for another start without asking."""

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources import yamltext
from resources.writing.examples import as_new
from tests.resources.views.form_submission import controls, element, flat, send, text_of

MAPS = "/resources/core/v1/configmaps/"
AGAIN = ("~restart", "1")


def test_a_copy_of_an_existing_object(browser: Client, namespace: str, config_map: str) -> None:
    page = browser.get(f"{MAPS}new/?namespace={namespace}&from={config_map}")
    found = dict(controls(page))
    assert (found["s:/metadata/name"], found["s:/data/@0"]) == (f"{config_map}-copy", "blue")
    assert "resourceVersion" not in found["~base"]
    assert f'value="from:{config_map}" selected' in flat(page)
    assert (
        f"{MAPS}new/?namespace={namespace}&amp;from={config_map}"
        in browser.get(f"{MAPS}{namespace}/{config_map}/").content.decode()
    )


def test_another_start_is_taken_at_once_where_nothing_was_typed(
    browser: Client, namespace: str, config_map: str
) -> None:
    page = browser.get(f"{MAPS}new/?namespace={namespace}")
    answer = send(browser, page, AGAIN, **{"~from": f"from:{config_map}"})
    assert answer.status_code == 303
    assert dict(controls(browser.get(answer["Location"])))["s:/metadata/name"] == f"{config_map}-copy"


@pytest.mark.parametrize("view", ["new", "new-yaml"])
def test_what_was_typed_is_given_up_only_when_that_was_said(
    browser: Client, namespace: str, config_map: str, view: str
) -> None:
    page = browser.get(f"{MAPS}{view}/?namespace={namespace}")
    typed = (
        {"metadata__name": "typed"}
        if view == "new"
        else {"text": text_of(page).replace("{}", "{name: typed}").replace("metadata:", "metadata:\n  name: typed")}
    )
    asks = send(browser, page, AGAIN, **{"~from": f"from:{config_map}", **typed})
    assert asks.status_code == 200
    assert element(asks, "start-asks") is not None
    restored = send(browser, asks, ("~back", "1"))
    assert "typed" in (dict(controls(restored))["s:/metadata/name"] if view == "new" else text_of(restored))
    answer = send(browser, asks, ("~restart", "sure"))
    assert answer.status_code == 303
    assert f"{config_map}-copy" in browser.get(answer["Location"]).content.decode()


SAMPLES = [
    (group, version, plural, name)
    for group, version, plural, *names in [
        ("apps", "v1", "deployments", "web-server"),
        ("batch", "v1", "cronjobs", "every-night"),
        ("networking.k8s.io", "v1", "networkpolicies", "deny-all-ingress", "same-namespace-only"),
        ("policy", "v1", "poddisruptionbudgets", "one-at-a-time"),
        ("rbac.authorization.k8s.io", "v1", "roles", "read-pods"),
        ("core", "v1", "resourcequotas", "compute"),
        ("core", "v1", "limitranges", "container-defaults"),
    ]
    for name in names
]


@pytest.mark.parametrize(("group", "version", "plural", "name"), SAMPLES)
def test_a_sample_is_offered_and_taken_by_the_cluster_as_it_is(
    browser: Client, client: ClusterClient, namespace: str, group: str, version: str, plural: str, name: str
) -> None:
    url = f"/resources/{group}/{version}/{plural}/new-yaml/?namespace={namespace}"
    page = browser.get(url)
    assert f'value="example:{name}"' in flat(page)
    assert name not in text_of(page)
    chosen = text_of(browser.get(f"{url}&start=example:{name}"))
    type_ = client.find("" if group == "core" else group, version, plural)
    made = client.create(type_, yamltext.load(chosen), namespace, dry_run=True)
    assert made["metadata"]["name"] == name


def test_yaml_to_be_pasted_begins_with_an_empty_text(browser: Client, namespace: str) -> None:
    answer = send(browser, browser.get(f"{MAPS}new/?namespace={namespace}"), AGAIN, **{"~from": "paste"})
    assert "/new-yaml/" in answer["Location"]
    assert text_of(browser.get(answer["Location"])).strip() == ""


def test_an_object_that_is_gone_can_not_be_copied(browser: Client, namespace: str) -> None:
    assert browser.get(f"{MAPS}new/?namespace={namespace}&from=nobody").status_code == 404


def test_a_copy_has_nothing_that_belongs_to_one_object(client: ClusterClient) -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "a",
            "uid": "1",
            "ownerReferences": [{}],
            "finalizers": ["x"],
            "labels": {"b": "c"},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
        },
        "spec": {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80, "nodePort": 30000}]},
        "status": {},
    }
    assert as_new(service, "b") == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "b", "labels": {"b": "c"}},
        "spec": {"ports": [{"port": 80}]},
    }

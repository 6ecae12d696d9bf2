"""O9: clean YAML: on the object's page, as a file, of a list, and by /api/."""

import html
from typing import Any

import yaml
from django.test import Client

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from tests.resources.views.form_submission import text_of

MAPS, SECRETS = "/resources/core/v1/configmaps/", "/resources/core/v1/secrets/"


def expected(namespace: str, name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "blue"}}


def test_o9_clean_yaml_of_an_object_is_shown_and_downloaded(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    """O9: the page leads to it, and what it gives can be applied in another namespace."""
    url = f"{MAPS}{namespace}/{config_map}/"
    assert f"{url}yaml/?clean=1" in html.unescape(browser.get(url).content.decode())
    page = browser.get(f"{url}yaml/?clean=1")
    assert yaml.safe_load(text_of(page)) == expected(namespace, config_map)
    assert 'name="~review"' not in page.content.decode()
    file = browser.get(f"{url}yaml/?clean=1&download=1")
    assert file["Content-Type"].startswith("application/yaml") and "attachment" in file["Content-Disposition"]
    again = yaml.safe_load(file.content)
    assert again == expected(namespace, config_map)
    again["metadata"]["name"] = "again"
    client.create(client.find("", "v1", "configmaps"), again, namespace)


def test_o9_of_a_list_and_by_the_api(browser: Client, namespace: str, config_map: str) -> None:
    """O9: the list's link, and `clean=1`."""
    shown = html.unescape(browser.get(MAPS, {"namespace": namespace}).content.decode())
    assert "clean=1" in shown
    answer = browser.get(f"{MAPS}download/?format=yaml&clean=1&namespace={namespace}&q={config_map}")
    (found,) = yaml.safe_load_all(b"".join(answer.streaming_content))  # type: ignore[arg-type]
    assert found == expected(namespace, config_map)
    path = f"/api{MAPS}"
    assert browser.get(f"{path}{namespace}/{config_map}/", {"clean": "1"}).json() == expected(namespace, config_map)
    items = browser.get(path, {"namespace": namespace, "clean": "1"}).json()["items"]
    assert expected(namespace, config_map) in items


def test_o9_a_secrets_values_stay_hidden(browser: Client, client: ClusterClient, namespace: str) -> None:
    """O9: unless they are asked for, which is in the audit."""
    secret = {"metadata": {"name": "login"}, "stringData": {"key": "hunter2"}}
    client.create(client.find("", "v1", "secrets"), secret, namespace)
    url = f"{SECRETS}{namespace}/login/yaml/?clean=1&download=1"
    assert "aHVudGVyMg" not in browser.get(url).content.decode()
    assert not AuditEntry.objects.filter(namespace=namespace).exists()
    assert "aHVudGVyMg" in browser.get(f"{url}&reveal=1").content.decode()
    assert AuditEntry.objects.get(namespace=namespace).verb == "reveal"

"""Beside the form: its YAML and the API server's word on it, without anything being saved."""

import re
from html import unescape

from django.test import Client

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from kube.discovery import ResourceType
from tests.resources.views.form_submission import send
from tests.resources.views.test_form import MAPS, NEW, csv, sampledbs

__all__ = ["csv", "sampledbs"]


def preview(browser: Client, url: str, *extra: tuple[str, str], **typed: str) -> str:
    answer = send(browser, browser.get(url), ("~preview", "1"), *extra, **typed)
    assert answer.status_code == 200
    return str(answer.content.decode())


def lines(part: str, tag: str) -> list[str]:
    return [unescape(item) for item in re.findall(rf"<{tag}>([^<]*)</{tag}>", part)]


def test_what_would_be_accepted_is_shown_with_the_defaults(
    browser: Client, client: ClusterClient, namespace: str, sampledbs: ResourceType, csv: None
) -> None:
    before = AuditEntry.objects.count()
    found = preview(browser, f"{NEW}?namespace={namespace}", metadata__name="mine", spec__replicas="2")
    assert "console-error" not in found
    assert "  replicas: 2" in lines(found, "ins")
    assert 'class="console-diff-auto"' in found, "defaults of the cluster are told from what was typed"
    assert not client.list(sampledbs, namespace).items
    assert AuditEntry.objects.count() == before, "nobody did anything"


def test_what_would_be_refused_is_shown_with_the_reasons(
    browser: Client, namespace: str, sampledbs: ResourceType
) -> None:
    found = preview(browser, f"{NEW}?namespace={namespace}", metadata__name="mine", spec__replicas="99")
    assert "console-error" in found and "spec.replicas: " in found
    assert "  replicas: 99" in lines(found, "ins")


def test_what_can_not_be_read_is_said_and_the_rest_shown(
    browser: Client, namespace: str, sampledbs: ResourceType
) -> None:
    found = preview(browser, f"{NEW}?namespace={namespace}", metadata__name="mine", spec__replicas="two")
    assert "console-error" in found and "  name: mine" in lines(found, "ins")


def test_of_an_existing_object_what_changes(browser: Client, client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    client.create(maps, {"metadata": {"name": "m"}, "data": {"a": "1", "gone": "x"}}, namespace)
    url = f"{MAPS}{namespace}/m/edit/"
    same = preview(browser, url)
    assert not lines(same, "ins") and "gone: x" in same
    assert "  gone: x" in lines(preview(browser, url, ("~remove", "/data/@1")), "del")
    assert client.get(maps, "m", namespace)["data"] == {"a": "1", "gone": "x"}


def test_values_of_a_secret_are_not_shown(browser: Client, namespace: str) -> None:
    url = f"/resources/core/v1/secrets/new/?namespace={namespace}"
    page = browser.get(url)
    assert "form-preview" not in page.content.decode()
    assert b"form-verdict" not in send(browser, page, ("~preview", "1")).content

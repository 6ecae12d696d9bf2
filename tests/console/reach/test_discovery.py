"""Namespaces of users who can't list them: found, checked, remembered, and shown as deleted."""

import html
import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.reach import discovery
from console.reach.models import Remembered
from console.signin import clients
from console.signin.models import Session
from kube import across_namespaces
from kube.client import ClusterClient
from kube.discovery import ResourceType
from tests.console.reach.tenants import RBAC, Tenants
from tests.console.signin.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from one look to the next."""
    monkeypatch.setattr(discovery, "KEEP_SECONDS", 0.0)
    for name in ("_OWN_SECONDS", "_REFUSED_SECONDS"):
        monkeypatch.setattr(discovery, name, 0.0)


def _page(browser: Client, address: str = "/namespaces/") -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, answer.content
    # One space where a template breaks a line, and none before the end of a tag.
    flat = re.sub(r"\s+", " ", answer.content.decode())
    return html.unescape(re.sub(r"\s+(?=>)", "", flat))


def _row(page: str, name: str) -> str:
    return page.partition(f'id="namespace-{name}"')[2].partition("</tr>")[0]


def test_a_service_accounts_token_says_its_namespace(town: Tenants) -> None:
    page = _page(signed_in(town.tokens["view"]))
    assert "from your token" in _row(page, town.own) and "Active" in _row(page, town.own)
    assert town.second not in page and town.foreign not in page
    assert not Remembered.objects.exists()


def test_one_that_is_named_is_judged_first_and_the_field_says_why_it_is_not_taken(town: Tenants) -> None:
    browser = signed_in(town.tokens["two"])
    for typed, why in (
        (
            town.foreign,
            f"You don't have permission to read anything in “{town.foreign}”, or the namespace doesn't exist.",
        ),
        ("Not_A_Name", "Use lowercase letters, digits and hyphens"),
        ("", "Use lowercase letters, digits and hyphens"),
    ):
        answer = browser.post("/namespaces/own/", {"name": typed})
        page = html.unescape(answer.content.decode())
        assert answer.status_code == 422 and why in page and f'value="{typed}"' in page
        assert 'aria-invalid="true"' in page and not Remembered.objects.exists()
    command = f"--clusterrole=view --serviceaccount={town.own}:two -n {town.foreign}"
    assert command in html.unescape(browser.post("/namespaces/own/", {"name": town.foreign}).content.decode())
    answer = browser.post("/namespaces/own/", {"name": town.second})
    assert answer["Location"] == f"/namespaces/?namespace={town.second}"
    page = _page(browser, answer["Location"])
    assert "added by you" in _row(page, town.second)
    # For this person, and in every session of theirs.
    assert town.second in _page(signed_in(town.tokens["two"]))
    assert town.second not in _page(signed_in(town.tokens["edit"]))


def test_one_whose_address_is_opened_is_remembered_and_another_is_not(town: Tenants) -> None:
    browser = signed_in(town.tokens["guest"])
    refused = browser.get("/resources/core/v1/configmaps/?namespace=-")
    assert refused.status_code == 403 and "know any of yours yet" in refused.content.decode()
    assert browser.get(f"/resources/core/v1/configmaps/{town.second}/{town.mark}-also/").status_code == 403
    assert not Remembered.objects.exists()
    assert browser.get(f"/resources/core/v1/configmaps/{town.own}/{town.mark}-mine/").status_code == 200
    assert [(item.namespace, item.how) for item in Remembered.objects.all()] == [(town.own, "opened")]
    assert f"{town.mark}-mine" in _page(browser, "/resources/core/v1/configmaps/?namespace=-")


def test_an_administrators_hint_is_taken_where_it_is_true(town: Tenants, settings: Any) -> None:
    settings.NAMESPACES = (town.foreign, town.second, "not-there")
    page = _page(signed_in(town.tokens["two"]))
    assert "from the administrator's settings" in _row(page, town.second)
    assert town.foreign not in page and "not-there" not in page


def test_one_that_is_remembered_is_shown_as_gone_and_can_be_forgotten(town: Tenants, admin: ClusterClient) -> None:
    name, browser = f"gone-{uuid4().hex[:6]}", signed_in(town.tokens["edit"])
    namespaces, bindings = admin.find("", "v1", "namespaces"), admin.find(RBAC, "v1", "rolebindings")
    admin.create(namespaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    binding = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "edit"},
        "subjects": [{"kind": "ServiceAccount", "namespace": town.own, "name": "edit"}],
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "edit"},
    }
    try:
        admin.create(bindings, binding, name)
        assert browser.post("/namespaces/own/", {"name": name}).status_code == 302
        assert _row(_page(browser), name)
        admin.delete(bindings, "edit", name)
        page = _page(browser)
        assert (
            not _row(page, name)
            and f"<strong>{name}</strong>: you no longer have permission to read anything in it" in page
        )
        assert "1 was deleted." in _page(browser, "/operators/?namespace=-")
        # Nothing is asked there any more, so nothing is refused.
        assert f"your namespaces here: {town.own}." in _page(browser, "/resources/core/v1/pods/?namespace=-")
        browser.post("/namespaces/own/", {"forget": name})
        assert f"<strong>{name}</strong>" not in _page(browser) and not Remembered.objects.exists()
    finally:
        admin.delete(namespaces, name)


def test_somebody_who_may_list_them_is_told_nothing_of_all_this(town: Tenants, admin: ClusterClient) -> None:
    assert discovery.limited(admin) is False
    assert admin.places(admin.find("", "v1", "pods")) is None
    assert not admin.list(admin.find("", "v1", "configmaps"), limit=1).within


def test_pages_of_several_namespaces_are_whole_and_counted(
    town: Tenants, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the API server's own pages in between: 3 objects in one namespace, 2 in another."""
    type_: ResourceType = admin.find("", "v1", "configmaps")
    label = f"page-{uuid4().hex[:6]}"
    for number, namespace in enumerate((town.own, town.own, town.own, town.second, town.second)):
        meta = {"name": f"{label}-{number}", "labels": {label: "1"}}
        admin.create(type_, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}, namespace)
    browser = signed_in(town.tokens["two"])
    browser.post("/namespaces/own/", {"name": town.second})
    client = clients.client_of(Session.objects.get().key)
    for size in (1, 2, 3, 4, 5, 0):
        names, token, turns = [], "", 0
        while token or not turns:
            page = client.list(type_, labels=label, limit=size, continue_=token)
            names += [item["metadata"]["name"] for item in page.items]
            assert page.within == tuple(sorted((town.own, town.second)))[-len(page.within) :]
            token, turns = page.continue_, turns + 1
        assert names == [f"{label}-{number}" for number in range(5)], size
    every = len(client.list(type_).items)
    for size in (1, every - 1, every):
        # Without selectors the API server says how many it leaves out.
        page = client.list(type_, limit=size)
        assert len(page.items) + (page.remaining or 0) == every and bool(page.continue_) == (size < every)
    assert across_namespaces.is_token(client.list(type_, labels=label, limit=1).continue_)
    with pytest.raises(Exception, match="cannot list"):
        client.list(type_, labels=label, whole=True)

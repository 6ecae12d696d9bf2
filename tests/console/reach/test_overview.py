"""The overview of users with access to one or two namespaces or none: only what they can read, with a notice."""

import html
import re

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.console.overview.scene import gadget, gadgets, remove
from tests.console.reach.tenants import Tenants
from tests.console.signin.people import signed_in, token

pytestmark = pytest.mark.django_db


def _read(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code, answer.content[:300])
    return html.unescape(answer.content.decode())


def test_theirs_alone_is_counted_and_named(town: Tenants, operator: str, admin: ClusterClient) -> None:
    browser = signed_in(town.tokens["view"])
    browser.get(f"/resources/core/v1/pods/?namespace={town.own}")
    page = _read(browser, "/?all=1")
    assert "Showing what you can read in your namespaces:" in page
    assert f'href="/resources/?namespace={town.own}"' in page
    assert town.foreign not in page and town.second not in page
    operators = _read(browser, "/?part=operators")
    assert 'id="overview-operators"' in operators and not re.search("The cluster (does|is)n't", operators)
    cluster = _read(browser, "/?part=cluster")
    assert "no permission" in cluster  # Nodes


def test_kinds_that_may_not_be_listed_are_named(town: Tenants, admin: ClusterClient) -> None:
    gadgets(admin)
    try:
        gadget(admin, town.foreign, "theirs", phase="Failed")
        browser = signed_in(town.tokens["view"])
        found = _read(browser, "/?part=instances")
        assert (
            f"/{town.foreign}/theirs/" not in found
            and "You don't have permission to list: " in found
            and "Gadget" in found
        )
    finally:
        remove(admin)


def test_somebody_without_any_right_is_told_what_is_missing(town: Tenants, admin: ClusterClient) -> None:
    accounts = admin.find("", "v1", "serviceaccounts")
    admin.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}}, town.foreign)
    browser = signed_in(token(admin, town.foreign, "nobody"))
    page = _read(browser, "/?all=1")
    assert "No problems in the data that could be read" in page or "needs attention" in page
    assert "All is well</h2>" not in page
    pods = _read(browser, "/?part=pods")
    assert 'cannot list resource "pods"' in pods and "kubectl create clusterrole" in pods
    assert re.search(r'data-level=""', pods)
    browser.post("/overview/tour/", {"away": "1"})
    assert 'id="overview-tour"' not in _read(browser, "/")
    assert 'id="overview-tour"' in _read(signed_in(town.tokens["view"]), "/"), "put away for one person only"

"""Every address of the console, opened by people whose only right is a role in a namespace: each answers, and says
what is missing where something is.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import tasks
from tests.console.reach.tenants import Tenants
from tests.console.signin.addresses import OPEN, addresses
from tests.console.signin.people import signed_in

pytestmark = pytest.mark.django_db

_REFUSED = re.compile(
    r'cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)"| at the cluster scope)?'
)
_RULE = "kubectl create "


# OLM's health and the other users of a kind are shown for the whole cluster or not at all.
_OF_THE_CLUSTER = re.compile(r"^/operatorhub/olm/$|/uninstall/$")


@pytest.fixture
def nobody_else(admin: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, whatever is asked with the console's own identity fails."""

    def begin() -> None:
        def send(request: Any, **_options: Any) -> Any:
            raise AssertionError(f"asked with the console's own rights: {request.method} {request.target}")

        monkeypatch.setattr(admin._transport, "send", send)

    return begin


def _all(town: Tenants, csv: str) -> list[str]:
    """Those of tests/console/signin/addresses.py, of objects that are there; what an object can do, of a Pod too."""
    found = []
    for address in addresses(town.mark):
        address = address.replace(f"{town.mark}-csv", csv).replace(
            f"/{town.own}/samples-catalog/", "/olm/samples-catalog/"
        )
        address = address.replace("/subscriptions/x/", "/subscriptions/sampledb/")
        found.append(address)
        if f"/configmaps/{town.own}/{town.mark}-mine/" in address:
            found.append(
                address.replace(f"/configmaps/{town.own}/{town.mark}-mine/", f"/pods/{town.own}/{town.mark}-pod/")
            )
    return [fromkey for fromkey in dict.fromkeys(found) if fromkey not in OPEN]


def _read(browser: Client, address: str) -> tuple[int, str]:
    answer: Any = browser.get(address)
    text = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, html.unescape(text.decode(errors="replace")).replace('\\"', '"')


def _faults(client: ClusterClient, address: str, status: int, text: str) -> Iterator[str]:
    """What a person with one namespace can't work with."""
    spread = {(type_.group, type_.plural) for type_ in client.types() if type_.namespaced}
    if status >= 500:
        yield f"{address}: {status} {text[:300]}"
    refused = [match.groups() for match in _REFUSED.finditer(text)]
    for verb, plural, group, namespace in refused:
        if not namespace and not _OF_THE_CLUSTER.search(address) and (group, plural.partition("/")[0]) in spread:
            yield f"{address}: {status}, asked for all namespaces' {plural} ({verb})"
    if status == 403 and (not refused or (not address.startswith("/api/") and _RULE not in text)):
        yield f"{address}: a bare 403: {text[:300]}"


@pytest.mark.parametrize("who", ["view", "admin"])
def test_every_address_answers(
    town: Tenants, admin: ClusterClient, operator: str, who: str, nobody_else: Callable[[], None]
) -> None:
    tasks.refresh_catalogs()
    nobody_else()
    browser, good = signed_in(town.tokens[who]), 0
    faults: list[str] = []
    walked = _all(town, operator)
    for address in walked:
        status, text = _read(browser, address)
        good += status == 200
        faults += _faults(admin, address, status, text)
        assert f"{town.mark}-theirs" not in text, address
    assert not faults, "\n".join(faults)
    assert len(walked) > 180 and good > 90, (good, len(walked))


def test_every_kind_is_listed_in_all_namespaces_of_ones_own(
    town: Tenants, admin: ClusterClient, nobody_else: Callable[[], None]
) -> None:
    types = [type_ for type_ in admin.types() if "list" in type_.verbs]
    nobody_else()
    browser, refused = signed_in(town.tokens["two"]), []
    faults: list[str] = []
    assert browser.post("/namespaces/own/", {"name": town.second}).status_code == 302
    for item in types:
        address = f"/resources/{item.topic_part}/?namespace=-"
        status, text = _read(browser, address)
        faults += _faults(admin, address, status, text)
        if status == 200 and item.namespaced:
            assert f"includes only your namespaces here: {town.own}, {town.second}." in text, address
        elif status == 403:
            refused.append(item)
    assert not faults, "\n".join(faults)
    assert len(types) > 40 and {"nodes", "customresourcedefinitions", "roles"} <= {type_.plural for type_ in refused}
    assert not {"pods", "configmaps", "events", "secrets", "subscriptions"} & {type_.plural for type_ in refused}

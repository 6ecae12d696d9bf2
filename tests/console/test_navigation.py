"""The navigation offers what its reader can list, remembers what a browser left open, and the namespace picker leads
somewhere sensible.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client, RequestFactory

from console.web.navigation import FOLDED_COOKIE, OPEN_COOKIE, Listable, NavGroup, Navigation
from kube.discovery import ResourceType

SERVED = (("", "pods"), ("", "secrets"), ("apps", "deployments"), ("", "nodes"))


def _navigation(
    monkeypatch: pytest.MonkeyPatch,
    path: str = "/",
    listable: Listable | None = None,
    cookies: dict[str, str] | None = None,
) -> dict[str, NavGroup]:
    request = RequestFactory().get(path)
    request.COOKIES.update(cookies or {})
    types = tuple(
        ResourceType(group=group, version="v1", plural=plural, kind=plural.title(), namespaced=True)
        for group, plural in SERVED
    )
    cluster: Any = SimpleNamespace(types=lambda: types)
    found = listable or Listable(everything=True)
    monkeypatch.setattr("console.web.navigation.listable", lambda _client, _namespace: found)
    entries = Navigation(request, cluster, "").entries()
    return {entry.name: entry for entry in entries if isinstance(entry, NavGroup)}


def _urls(group: NavGroup) -> set[str]:
    return {item.url for item in group.items}


def test_it_has_what_the_cluster_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = _navigation(monkeypatch)
    assert _urls(groups["workloads"]) == {"/resources/core/v1/pods/", "/resources/apps/v1/deployments/"}
    assert "storage" not in groups, "nothing of it is served, so there is no heading of it"


def test_it_has_what_the_reader_can_list(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = _navigation(monkeypatch, listable=Listable(pairs=frozenset({("apps", "*"), ("", "secrets")})))
    assert _urls(groups["workloads"]) == {"/resources/apps/v1/deployments/"}
    assert _urls(groups["config"]) == {"/resources/core/v1/secrets/"}


@pytest.mark.parametrize(
    ("pairs", "pair", "can"),
    [
        ({("*", "*")}, ("apps", "deployments"), True),
        ({("", "*")}, ("", "pods"), True),
        ({("", "*")}, ("apps", "deployments"), False),
        ({("*", "pods")}, ("", "pods"), True),
        (set(), ("", "pods"), False),
    ],
)
def test_rules_with_stars(pairs: set[tuple[str, str]], pair: tuple[str, str], can: bool) -> None:
    assert (pair in Listable(pairs=frozenset(pairs))) is can


def test_a_role_with_stars_lists_nothing_of_the_whole_cluster() -> None:
    """`resources: ["*"]` in a Role: its rules name nodes too, and don't apply to them."""
    nodes, volumes = ("", "nodes"), ("", "persistentvolumes")
    found = Listable(
        pairs=frozenset({("", "*")}),
        cluster_scoped=frozenset({nodes, volumes}),
        cluster_pairs=frozenset({volumes}),
    )
    assert nodes not in found and volumes in found and ("", "pods") in found


def test_a_group_is_open_where_its_page_is_and_as_it_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = _navigation(monkeypatch, "/resources/core/v1/pods/default/web/", cookies={OPEN_COOKIE: "config.nonsense"})
    assert {name for name, group in groups.items() if group.is_open} == {"workloads", "config"}
    assert groups["workloads"].current


@pytest.mark.django_db
def test_a_folded_navigation_comes_folded(cluster_kubeconfig: Path, redis_server: str) -> None:
    browser = Client()
    assert "console-folded" not in browser.get("/settings/").content.decode()
    browser.cookies[FOLDED_COOKIE] = "1"
    assert "console-folded" in browser.get("/settings/").content.decode()


@pytest.mark.parametrize(
    ("page", "leads_to"),
    [
        ("/resources/core/v1/pods/?q=web", "/resources/core/v1/pods/?namespace=kube-system&q=web"),
        ("/resources/core/v1/pods/default/web/", "/resources/core/v1/pods/?namespace=kube-system"),
        ("/resources/apps/v1/deployments/default/web/scale/", "/resources/apps/v1/deployments/?namespace=kube-system"),
        ("/operators/olm/packageserver/", "/operators/?namespace=kube-system"),
        ("//evil.example/", "/?namespace=kube-system"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_a_picked_namespace_leads_to_what_it_has(
    cluster_kubeconfig: Path, redis_server: str, page: str, leads_to: str
) -> None:
    answer = Client().post("/namespaces/pick/", {"namespace": "kube-system", "next": page})
    assert answer.status_code == 303
    assert answer["Location"] == leads_to

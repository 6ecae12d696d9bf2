"""OperatorGroups: what is asked for, what it would do to the operators there; made, changed and deleted by the
pages.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.admin import groups
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.conftest import csv_object
from tests.operatorhub.test_pages import text, version_shown


def group(
    namespace: str = "apps", name: str = "g", provided: str = "", status: list[str] | None = None, **spec: Any
) -> groups.OperatorGroup:
    meta = {
        "name": name,
        "namespace": namespace,
        "uid": "u",
        "resourceVersion": "7",
        "annotations": {"olm.providedAPIs": provided},
    }
    return groups.group({"metadata": meta, "spec": spec, "status": {"namespaces": status or []}})


@pytest.mark.parametrize(
    ("posted", "spec", "mode"),
    [
        ({"scope": "own"}, {"targetNamespaces": ["apps"]}, "OwnNamespace"),
        ({"scope": "some", "targets": "web"}, {"targetNamespaces": ["web"]}, "SingleNamespace"),
        ({"scope": "some", "targets": "web, shop"}, {"targetNamespaces": ["web", "shop"]}, "MultiNamespace"),
        (
            {"scope": "selector", "labels": "team=shop"},
            {"selector": {"matchLabels": {"team": "shop"}}},
            "MultiNamespace",
        ),
        ({"scope": "all"}, {}, "AllNamespaces"),
    ],
)
def test_what_is_posted_becomes_a_group(posted: dict[str, str], spec: dict[str, Any], mode: str) -> None:
    form = groups.OperatorGroupForm({"name": "g", **posted}, "apps")
    assert form.is_valid()
    assert (form.spec, form.mode) == (spec, mode)
    # What is not wanted is taken away, since the two exclude each other.
    assert form.spec_patch == {"targetNamespaces": None, "selector": None, **spec}


@pytest.mark.parametrize(
    ("posted", "field"),
    [
        ({"name": "Bad_"}, "name"),
        ({"scope": "some"}, "targets"),
        ({"scope": "some", "targets": "UP"}, "targets"),
        ({"scope": "selector", "labels": "x"}, "labels"),
        ({"scope": "?"}, "scope"),
    ],
)
def test_what_is_wrong_is_said_at_the_field(posted: dict[str, str], field: str) -> None:
    assert list(groups.OperatorGroupForm({"name": "g", "scope": "own", **posted}, "apps").errors) == [field]


def test_a_selector_in_kubectls_words() -> None:
    terms = [{"key": "a", "operator": "In", "values": ["1", "2"]}, {"key": "b", "operator": "DoesNotExist"}]
    assert group(selector={"matchLabels": {"x": "y"}, "matchExpressions": terms}).selector == "x=y,a in (1,2),!b"


def test_what_a_change_does_to_the_operators_there() -> None:
    operator = csv_object(displayName="Demo", installModes=[{"type": "OwnNamespace", "supported": True}])
    old = group(targetNamespaces=["apps", "web"], status=["apps", "web"])
    page = groups.GroupsPage(
        namespace="apps",
        groups=(old,),
        members=(groups.member(operator, old.mode),),
        overlaps=(),
        subscriptions=(),
        gaps=(),
        spaces=(),
    )
    assert "doesn't support the install mode MultiNamespace" in page.members[0].refusal
    own, everywhere = (groups.OperatorGroupForm({"scope": scope}, "apps", old) for scope in ("own", "all"))
    assert own.is_valid() and everywhere.is_valid()
    fine = groups.effects(page, own)
    assert len(fine) == 1
    assert "stop watching: web" in fine[0]
    assert "doesn't support AllNamespaces" in groups.effects(page, everywhere)[0]


def test_groups_that_share_kinds_and_namespaces() -> None:
    item, other = (
        group(provided="Db.v1.example.com", status=[""]),
        group("web", provided="Db.v1.example.com,X.v1.y", status=["web"], targetNamespaces=["web"]),
    )
    assert groups.overlap(item, other) == ("Db.v1.example.com",)
    apart = group("shop", provided="Db.v1.example.com", status=["shop"], targetNamespaces=["shop"])
    assert groups.overlap(other, apart) == ()


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    operators.make(client, "", "Namespace", "hub-groups")
    yield "hub-groups"
    operators.clean(client, "hub-groups")


@pytest.mark.django_db
def test_make_change_and_delete(client: ClusterClient, namespace: str) -> None:
    web = Client()
    here = f"/operators/{namespace}/groups/"
    assert "No OperatorGroup exists" in text(web.get(here))
    tried = text(web.post(f"{here}+/", {"name": "mine", "scope": "own", "try": "1"}))
    assert "The cluster would accept this" in tried
    assert "kubectl create" in tried
    assert "Choose which namespaces the operators watch." in text(web.post(f"{here}+/", {"name": "mine", "scope": "?"}))
    assert groups.readable(client, namespace) == ()
    assert web.post(f"{here}+/", {"name": "mine", "scope": "own", "save": "1"})["Location"] == here
    until(lambda: groups.readable(client, namespace)[0].namespaces == (namespace,))
    assert "OwnNamespace" in text(web.get(here))

    version = groups.readable(client, namespace)[0].version
    changed = web.post(
        f"{here}mine/", {"scope": "some", "targets": f"{namespace} default", "version": version, "save": "1"}
    )
    assert changed.status_code == 302
    until(lambda: set(groups.readable(client, namespace)[0].namespaces) == {namespace, "default"})
    shown = version_shown(web.get(f"{here}mine/"))
    client.patch(olm.type_of(client, olm.GROUPS), "mine", {"metadata": {"labels": {"a": "b"}}}, namespace)
    # What isn't of the spec may change meanwhile: OLM writes the status.
    targets = f"{namespace} default"
    again = web.post(f"{here}mine/", {"scope": "some", "targets": targets, "version": shown, "save": "1"})
    assert again.status_code == 302
    stale = web.post(f"{here}mine/", {"scope": "own", "version": version, "save": "1"})
    assert stale.status_code == 409
    assert "Another user changed the object" in text(stale)

    web.post(f"{here}+/", {"name": "second", "scope": "own", "save": "1"})
    until(lambda: "More than one OperatorGroup exists" in text(web.get(here)))
    second = next(item for item in groups.readable(client, namespace) if item.name == "second")
    assert "The namespace still has another OperatorGroup" in text(web.get(f"{here}second/delete/"))
    assert web.post(f"{here}second/delete/", {"uid": "another"}).status_code == 409
    assert web.post(f"{here}second/delete/", {"uid": second.uid}).status_code == 302
    assert [item.name for item in groups.readable(client, namespace)] == ["mine"]
    assert client.get(olm.type_of(client, "operatorgroups"), "mine", namespace)["spec"]["targetNamespaces"] == [
        namespace,
        "default",
    ]

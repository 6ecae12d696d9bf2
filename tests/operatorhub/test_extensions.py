"""OLM v1's ClusterExtensions: computed rights, versions, and the pages on a cluster that serves them (others skip
and say so).
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub.bundle.bundles import Channel, ChannelEntry, Graph
from operatorhub.extensions import draft, facts
from operatorhub.install.situation import Situation
from operatorhub.run import bundle_input
from tests.conftest import ROOT
from tests.eventually import until
from tests.operatorhub.blocks import Kubectl, block_of
from tests.operatorhub.operators import FLIGHTS

FLIGHT = ROOT / "examples" / "operators" / "packages" / "flightticket"
NAME, SPACE = "ext-flight", "ext-flight"


def graph() -> Graph:
    first = ChannelEntry(name="ft.v1.0.0", version="1.0.0", deprecated="old")
    second = ChannelEntry(name="ft.v1.1.0", version="1.1.0", replaces="ft.v1.0.0")
    three = ChannelEntry(name="ft.v2.0.0", version="2.0.0", replaces="ft.v1.1.0", skip_range=">=1.0.0 <2.0.0")
    beta = ChannelEntry(name="ft.v3.0.0-beta.1", version="3.0.0-beta.1", replaces="ft.v2.0.0")
    return Graph(
        package="ft",
        default="stable",
        channels=(Channel("stable", (second, first)), Channel("next", (beta, three, second))),
        edges_known=True,
    )


@pytest.mark.parametrize(
    ("wanted", "channels", "installed", "version"),
    [
        ("", (), ("", ""), "3.0.0-beta.1"),
        ("", ("stable",), ("", ""), "1.1.0"),
        (">=1.0, <2", (), ("", ""), "1.1.0"),
        ("1.0.0", (), ("", ""), "1.0.0"),
        ("~1.0", (), ("", ""), "1.0.0"),
        ("^1", (), ("", ""), "1.1.0"),
        ("", ("next",), ("ft.v1.0.0", "1.0.0"), "2.0.0"),
        ("", ("stable",), ("ft.v1.1.0", "1.1.0"), "1.1.0"),
        ("1.0.0", (), ("ft.v1.1.0", "1.1.0"), ""),
        ("9.x", (), ("", ""), ""),
    ],
)
def test_the_version_that_olm_would_take(
    wanted: str, channels: tuple[str, ...], installed: tuple[str, str], version: str
) -> None:
    found = facts.resolved_candidate(facts.candidates(graph(), channels, wanted, installed))
    assert (found.version if found else "") == version


def test_self_certified_goes_back() -> None:
    found = facts.candidates(graph(), (), "1.0.0", ("ft.v1.1.0", "1.1.0"))
    back = facts.resolved_candidate(found, self_certified=True)
    assert back and back.version == "1.0.0"


def test_the_account_may_make_what_the_bundle_brings_and_no_more() -> None:
    bundle = bundle_input.files_of(FLIGHT / "1.0.0").bundles[0]
    account, cluster, binding, role, _inside = draft.account_objects([bundle], "x", "apps", "installer")
    assert account["metadata"] == {"name": "installer", "namespace": "apps"}
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "installer", "namespace": "apps"}]
    assert {
        "apiGroups": ["apiextensions.k8s.io"],
        "resources": ["customresourcedefinitions"],
        "resourceNames": ["flighttickets.flights.com"],
        "verbs": ["get", "update", "patch", "delete"],
    } in cluster["rules"]
    granted = bundle.csv["spec"]["install"]["spec"]
    for scope in ("permissions", "clusterPermissions"):
        for item in granted.get(scope) or ():
            assert all(rule in cluster["rules"] for rule in item["rules"])
    assert any(rule["resources"] == ["deployments"] for rule in role["rules"])
    assert not any("*" in rule.get("resources", ()) for rule in (*cluster["rules"], *role["rules"]))


def test_what_speaks_against_an_install() -> None:
    empty = Situation(namespaces={"default": "Active"}, groups={}, subscriptions=())
    typed = {
        "name": "Bad Name",
        "package": "ft",
        "catalog": "samples",
        "namespace": "No",
        "account": "installer",
        "version": "9.x",
        "channels": [],
        "policy": facts.CATALOG_PROVIDED,
        "make_account": True,
    }
    form = draft.ExtensionForm(typed, frozenset(), accounts=True)
    found = draft.new(form, graph(), None, empty, accounts=True)
    assert set(form.errors) == {"name", "namespace", "version"}
    assert "can't be computed" in found.warnings[0]
    assert found.objects[-1]["metadata"] == {"name": "Bad Name"}
    taken = draft.ExtensionForm({**typed, "name": "x"}, frozenset({"x"}), accounts=True)
    assert "already" in taken.errors["name"][0]


@pytest.mark.parametrize("all_permissions", [False, True])
def test_an_account_whose_permissions_are_unknown_gets_none_or_all(*, all_permissions: bool) -> None:
    """A catalog by `opm render` has no manifests, and the bundle's image can be out of the console's reach."""
    typed = {
        "name": "flights",
        "package": "ft",
        "namespace": "default",
        "account": "installer",
        "channels": [],
        "policy": facts.CATALOG_PROVIDED,
        "make_account": True,
        "cluster_admin": all_permissions,
    }
    here = Situation(namespaces={"default": "Active"}, groups={}, subscriptions=())
    form = draft.ExtensionForm(typed, frozenset(), accounts=True)
    found = draft.new(form, graph(), None, here, accounts=True)
    assert form.is_valid() and found.is_unknown and len(found.warnings) == 1
    bindings = [item for item in found.objects if item["kind"] == "ClusterRoleBinding"]
    assert [item["roleRef"]["name"] for item in bindings] == ["cluster-admin"] * all_permissions
    assert all(item["subjects"][0]["name"] == "installer" for item in bindings)
    assert [item["kind"] for item in found.objects if item not in bindings] == ["ServiceAccount", "ClusterExtension"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", ""), ("name", "a" * 254), ("package", " "), ("namespace", ""), ("account", "A"), ("version", "1" * 65)],
)
def test_words_of_a_wrong_field_are_its_own(name: str, value: str) -> None:
    form = draft.ExtensionForm({name: value, "policy": "", "channels": []}, frozenset(), accounts=True)
    assert not str(form.errors[name][0]).startswith(("This field", "Ensure", "Enter a valid value"))


def test_the_objects_say_only_what_was_chosen() -> None:
    choices = {
        "name": "x",
        "package": "ft",
        "catalog": "samples",
        "namespace": "default",
        "account": "installer",
        "version": ">=1, <2",
        "channels": ["stable"],
        "policy": facts.SELF_CERTIFIED,
        "unsafe": True,
    }
    spec = draft.extension(choices, accounts=True)["spec"]
    assert spec["source"]["catalog"] == {
        "packageName": "ft",
        "version": ">=1, <2",
        "channels": ["stable"],
        "upgradeConstraintPolicy": "SelfCertified",
        "selector": {"matchLabels": {facts.CATALOG_NAME: "samples"}},
    }
    assert spec["install"]["preflight"]["crdUpgradeSafety"]["enforcement"] == "None"
    assert "serviceAccount" not in draft.extension(choices, accounts=False)["spec"]


def progressing(message: str, **status: Any) -> facts.Extension:
    condition = {"type": "Progressing", "status": "True", "reason": "Retrying", "message": message}
    return facts.read({"metadata": {"name": "x"}, "spec": {}, "status": {"conditions": [condition], **status}})


def test_reasons_are_taken_apart() -> None:
    unsafe = progressing(
        'error for resolved bundle "a" with version "2": validating upgrade for CRD "b.c": v1: ^.x:'
        " existingFieldRemoval: field removed\nv1: ^.y: type: changed"
    )
    assert unsafe.unsafe == ("b.c: v1: ^.x: existingFieldRemoval: field removed", "v1: ^.y: type: changed")
    lacking = progressing(
        "pre-authorization failed: service account requires the following permissions to manage cluster extension:\n "
        ' Namespace:"" A\n  Namespace:"x" B'
    )
    assert lacking.lacking == ('Namespace:"" A', 'Namespace:"x" B')
    assert lacking.state == "failed"


# On the cluster


def text(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


@pytest.fixture
def served(client: ClusterClient) -> Iterator[ClusterClient]:
    """The cluster with OLM v1 and a catalog that serves FlightTicket; what the test made is deleted."""
    if not facts.served(client):
        pytest.skip("this cluster has no OLM v1")

    catalogs = facts.type_of(client, facts.CATALOGS)
    if not any(item["metadata"]["name"] == "samples" for item in client.list(catalogs).items):
        pytest.skip("this cluster has no ClusterCatalog of the samples")

    def switch(mode: str, status: str) -> None:
        client.patch(catalogs, "samples", {"spec": {"availabilityMode": mode}})

        def there_yet() -> bool:
            conditions = (client.get(catalogs, "samples").get("status") or {}).get("conditions") or []
            return any(condition["type"] == "Serving" and condition["status"] == status for condition in conditions)

        until(there_yet)

    switch("Available", "True")
    yield client
    for group, plural, name in (
        (facts.GROUP, facts.EXTENSIONS, NAME),
        ("rbac.authorization.k8s.io", "clusterroles", f"{NAME}-installer"),
        ("rbac.authorization.k8s.io", "clusterrolebindings", f"{NAME}-installer"),
        ("", "namespaces", SPACE),
    ):
        try:
            client.delete(client.find(group, "", plural), name)
        except NotFound:
            continue
    until(lambda: not there(client, "", "namespaces", SPACE))
    switch("Unavailable", "False")


def there(client: ClusterClient, group: str, plural: str, name: str) -> bool:
    try:
        client.get(client.find(group, "", plural), name)
    except NotFound:
        return False
    except KubeError:
        return True
    return True


def state(client: ClusterClient) -> facts.Extension:
    return facts.read(client.get(facts.type_of(client), NAME))


def spec_of(client: ClusterClient) -> Any:
    return client.get(facts.type_of(client), NAME)["spec"]


@pytest.mark.django_db
def test_from_the_form_to_the_next_version_and_to_nothing(
    served: ClusterClient, monkeypatch: pytest.MonkeyPatch, kubectl: Kubectl
) -> None:
    # The catalog's contents, as SOURCES' index would give them: what is tested here is what is made of them.
    package = bundle_input.files_of(FLIGHT)
    stable = Channel(
        "stable",
        tuple(
            ChannelEntry(
                name=bundle.name,
                version=bundle.version,
                replaces="flightticket-operator.v1.0.0" if bundle.version == "1.1.0" else "",
            )
            for bundle in package.bundles
            if bundle.version < "2"
        ),
    )
    monkeypatch.setattr(
        "operatorhub.bundle.bundles.graph",
        lambda *_a, **_k: Graph(package="flightticket", default="stable", channels=(stable,), edges_known=True),
    )
    monkeypatch.setattr("operatorhub.bundle.bundles.bundle", lambda _c, _n, _k, _p, name, *_a: package.find(name))
    web = Client()
    assert "No extensions installed" in text(web.get("/extensions/")) or "ext" in text(web.get("/extensions/"))
    form = {
        "package": "flightticket",
        "catalog": "samples",
        "name": NAME,
        "namespace": SPACE,
        "account": "installer",
        "version": "1.0.0",
        "policy": "CatalogProvided",
        "make_account": "1",
    }
    page = text(web.get("/extensions/+/", form))
    assert "OLM would install 1.0.0" in page
    assert "flighttickets.flights.com" in page
    blank = {"name": "mine", "namespace": "extension", "account": "extension-installer", "named_after": ""}
    named = web.get("/extensions/+/", {"package": "flightticket", **blank}).content.decode()
    assert 'value="mine"' in named and 'value="flightticket"' in named and 'value="flightticket-installer"' in named
    tried = web.post("/extensions/+/", {**form, "~check": "1"})
    assert "All objects would be accepted" in text(tried)
    assert not there(served, facts.GROUP, facts.EXTENSIONS, NAME)
    # H3: the page's command installs the same, and the next page's takes it away.
    kubectl(block_of(tried))
    by_kubectl = until(lambda: state(served).state == "done" and spec_of(served))
    kubectl(block_of(web.get(f"/extensions/{NAME}/delete/")))
    until(lambda: not there(served, "apiextensions.k8s.io", "customresourcedefinitions", FLIGHTS), seconds=60)
    made = web.post("/extensions/+/", {**form, "~make": "1"})
    assert (made.status_code, made.get("Location")) == (302, f"/extensions/{NAME}/"), text(made)
    # The computed rights are enough: OLM installs it.
    until(lambda: state(served).installed == "1.0.0" and state(served).state == "done")
    assert spec_of(served) == by_kubectl
    shown = text(web.get(f"/extensions/{NAME}/"))
    assert "1.0.0 is installed" in shown
    assert "Deployment" in shown
    assert "1.1.0" in shown
    assert f"/extensions/{NAME}/" in web.get("/extensions/").content.decode()

    answer = web.post(
        f"/extensions/{NAME}/upgrade/",
        {"~form": "1", "version": "1.1.0", "policy": "CatalogProvided", "make_account": "1", "~make": "1"},
    )
    assert answer.status_code == 302, text(answer)
    until(lambda: state(served).installed == "1.1.0" and state(served).state == "done")
    back = web.post(
        f"/extensions/{NAME}/upgrade/", {"~form": "1", "version": "1.0.0", "policy": "CatalogProvided", "~make": "1"}
    )
    assert back.status_code == 422
    assert "No version in these channels" in text(back)

    gone = web.get(f"/extensions/{NAME}/delete/")
    assert "flighttickets.flights.com" in text(gone)
    assert web.post(f"/extensions/{NAME}/delete/", {"uid": state(served).uid}).status_code == 302
    until(lambda: not there(served, "apiextensions.k8s.io", "customresourcedefinitions", FLIGHTS), seconds=60)


@pytest.mark.django_db
def test_no_catalog_is_served(client: ClusterClient) -> None:
    if not facts.served(client):
        pytest.skip("this cluster has no OLM v1")
    if any(map(facts.serving, client.list(facts.type_of(client, facts.CATALOGS)).items)):
        pytest.skip("a catalog of this cluster is served")
    for place in ("/extensions/", "/extensions/+/?package=flightticket"):
        assert "No ClusterCatalog is available" in text(Client().get(place))


@pytest.mark.django_db
def test_a_cluster_without_it_says_so(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operatorhub.extensions.facts.served", lambda _client: False)
    assert "This cluster has no OLM v1" in text(Client().get("/extensions/"))

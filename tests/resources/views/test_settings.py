"""Fields changed on an object's page, and finalizers: what is offered, what is sent, where errors are shown."""

import html
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from resources.acting.finalizers import finalizers
from resources.forms import descriptors
from resources.history import writes
from resources.models import Write
from resources.place import Place
from resources.views.setting import SettingForm, setting_part, settings
from resources.writing import examples
from resources.writing.examples import Offer
from tests.api import custom_resource_definition
from tests.eventually import until
from tests.forms import dom

UI = "urn:alm:descriptor:com.tectonic.ui:"
DESCRIBED = [
    {"path": "size", "displayName": "Size", "description": "how many", "x-descriptors": [f"{UI}podCount"]},
    {"path": "enabled", "displayName": "Enabled", "x-descriptors": [f"{UI}booleanSwitch"]},
    {"path": "tier", "displayName": "Tier", "x-descriptors": [f"{UI}select:gold", f"{UI}select:tin"]},
    {"path": "resources", "displayName": "Resources", "x-descriptors": [f"{UI}resourceRequirements"]},
    {"path": "secret", "displayName": "Secret", "x-descriptors": [f"{UI}password"]},
    {"path": "users[0].name", "displayName": "First user"},
    {"path": "nowhere", "displayName": "Nowhere"},
    {"path": "config", "displayName": "Config", "x-descriptors": ["urn:alm:descriptor:io.kubernetes:ConfigMap?a=b"]},
    {"path": "gone", "displayName": "Gone", "x-descriptors": ["urn:alm:descriptor:io.kubernetes:x.example:v1:Gone"]},
]
SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9},
        "enabled": {"type": "boolean"},
        "tier": {"type": "string"},
        "config": {"type": "string"},
        "gone": {"type": "string"},
        "secret": {"type": "string"},
        "resources": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "users": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}


@pytest.fixture
def kind(client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ResourceType]:
    """A kind with descriptors, and an object `one` of it."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}}
    crd = custom_resource_definition(f"{namespace}.example.dev", "shops", "Shop", schema=schema)
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    client.create(crds, crd)

    def served() -> bool:
        client.forget_types()
        return any(type_.plural == "shops" and type_.group == crd["spec"]["group"] for type_ in client.types())

    until(served)
    type_ = client.find(crd["spec"]["group"], "v1", "shops")
    until(lambda: client.schema(type_))
    offer = Offer(descriptors=descriptors.parse(DESCRIBED))
    monkeypatch.setattr(examples, "offer", lambda *_: offer)
    obj = {"apiVersion": type_.api_version, "kind": "Shop", "metadata": {"name": "one"}}
    spec = {"size": 2, "secret": "s3cret-word", "users": [{"name": "ann"}], "resources": {"limits": {"cpu": "1"}}}
    client.create(type_, {**obj, "spec": spec}, namespace)
    yield type_
    for item in client.list(type_, namespace).items:
        client.patch(type_, item["metadata"]["name"], {"metadata": {"finalizers": None}}, namespace)
    client.delete(crds, crd["metadata"]["name"])


def test_one_field_is_sent(browser: Client, client: ClusterClient, namespace: str, kind: ResourceType) -> None:
    page = f"/resources/{kind.group}/v1/shops/{namespace}/one/"
    text = browser.get(page).content.decode()
    for label in ("Size", "Enabled", "Tier", "Resources"):
        assert f'aria-label="Change {label}"' in text
    for label in ("Secret", "First user", "Nowhere"):
        assert f'aria-label="Change {label}"' not in text
    done = browser.post(f"{page}set/", {"key": "spec.size", "spec.size": "5", "~was": '["2"]'})
    assert done.status_code == 302
    browser.post(f"{page}set/", {"key": "spec.enabled", "spec.enabled": "true"})
    browser.post(
        f"{page}set/",
        {"key": "spec.resources", "spec.resources.limits.cpu": "", "spec.resources.limits.memory": "64Mi"},
    )
    spec = client.get(kind, "one", namespace)["spec"]
    assert (spec["size"], spec["enabled"]) == (5, True)
    assert spec["resources"] == {"limits": {"memory": "64Mi"}}
    assert spec["users"] == [{"name": "ann"}]


def test_an_object_that_a_setting_names_is_a_link(
    browser: Client, client: ClusterClient, namespace: str, kind: ResourceType
) -> None:
    client.patch(kind, "one", {"spec": {"config": "web-settings", "gone": "nothing"}}, namespace)
    text = browser.get(f"/resources/{kind.group}/v1/shops/{namespace}/one/").content.decode()
    assert f'href="/resources/core/v1/configmaps/{namespace}/web-settings/"' in text
    assert 'aria-label="Change Config"' in text
    assert "/nothing/" not in text


def test_o4_a_change_by_the_pencil_is_told_and_can_be_undone(
    browser: Client, client: ClusterClient, namespace: str, kind: ResourceType
) -> None:
    """O4: a toast with its undo, and it is among the user's changes; neither if nothing was changed."""
    page = f"/resources/{kind.group}/v1/shops/{namespace}/one/"
    asked = {"key": "spec.size", "spec.size": "5"}
    text = browser.post(f"{page}set/", asked, headers={"HX-Request": "true"}).content.decode()
    toast = text.split('hx-swap-oob="beforeend:#toasts"')[1]
    (row,) = Write.objects.filter(namespace=namespace, name="one")
    assert (row.verb, f"/resources/undo/{row.key}/" in toast) == ("set", True)
    before, after = writes.objects(row)
    assert before is not None and after is not None
    assert (before["spec"]["size"], after["spec"]["size"]) == (2, 5)
    assert "toasts" not in browser.post(f"{page}set/", asked, headers={"HX-Request": "true"}).content.decode()
    assert Write.objects.filter(namespace=namespace).count() == 1


def test_f3_set_values_stand_in_their_groups_and_the_others_are_folded() -> None:
    """F3: nothing is cut, three fields of one label can be distinguished, and what is not set is not in between."""
    names = ("server", "repo", "redis")
    part = {"type": "object", "properties": {"host": {"type": "string"}, "enabled": {"type": "boolean"}}}
    many = {f"field{number}": {"type": "string"} for number in range(60)}
    spec = {"type": "object", "properties": {**dict.fromkeys(names, part), **many}}
    described = [
        *({"path": f"{name}.{field}", "displayName": field.title()} for field in ("host", "enabled") for name in names),
        *({"path": name} for name in many),
    ]
    type_ = ResourceType(group="example.dev", version="v1", plural="shops", kind="Shop", namespaced=True)
    obj = {"metadata": {"name": "one"}, "spec": {"server": {"host": "a"}, "redis": {"enabled": False}, "field59": "z"}}

    class Cluster:
        def schema(self, type_: ResourceType) -> dict[str, Any]:
            return {"type": "object", "properties": {"spec": spec}}

    offer = Offer(descriptors=descriptors.parse(described))
    found = settings(Cluster(), type_, obj, offer)  # type: ignore[arg-type]
    assert len(found) == len(described)
    assert [setting.key for setting in found if setting.is_set] == [
        "spec.field59",
        "spec.server.host",
        "spec.redis.enabled",
    ]
    groups = [setting.group for setting in found]
    assert sorted(set(groups), key=groups.index) == ["", "Server", "Repo", "Redis"]
    assert groups == sorted(groups, key=["", "Server", "Repo", "Redis"].index)
    parts = tuple(setting_part(Place(type_, "default", "one"), setting) for setting in found)
    page = SimpleNamespace(
        settings=parts,
        set_settings=[part for part in parts if part.setting.is_set],
        unset_settings=[part for part in parts if not part.setting.is_set],
    )
    side = dom.parse(render_to_string("resources/_side.html", {"page": page}))
    root = next(element for element in side.walk() if element.tag == "section")
    (folded,) = (element for element in root.walk() if element.attributes.get("id") == "settings-unset")
    rows = [element for element in folded.walk() if element.tag == "dt"]
    assert len(rows) == len(found) - 3 and "open" not in folded.attributes
    assert {"spec.server.host", "spec.redis.enabled", "spec.field59"} <= {
        element.attributes["title"] for element in root.walk() if element.tag == "dt"
    }


def test_what_is_refused_is_said_at_its_control(
    browser: Client, client: ClusterClient, namespace: str, kind: ResourceType
) -> None:
    address = f"/resources/{kind.group}/v1/shops/{namespace}/one/set/"
    for typed, words in (("two", "isn't a number"), ("70", "less than or equal to 9")):
        answer = browser.post(address, {"key": "spec.size", "spec.size": typed}, headers={"HX-Request": "true"})
        text = answer.content.decode()
        assert answer.status_code == 422
        assert f'value="{typed}"' in text
        assert 'id="set-spec-size-1-wrong"' in text
        assert words in html.unescape(text)
        assert "<html" not in text
    client.patch(kind, "one", {"spec": {"size": 3}}, namespace)
    late = browser.post(address, {"key": "spec.size", "spec.size": "4", "~was": '["2"]'})
    assert late.status_code == 409
    assert "changed the value to “3”" in late.content.decode()
    assert client.get(kind, "one", namespace)["spec"]["size"] == 3
    assert browser.post(address, {"key": "spec.secret", "spec.secret": "x"}).status_code == 404


def test_replicas_by_the_scale_subresource(browser: Client, client: ClusterClient, namespace: str) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    type_ = client.find("apps", "v1", "deployments")
    client.create(
        type_, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}, namespace
    )
    page = f"/resources/apps/v1/deployments/{namespace}/web/"
    assert 'aria-label="Change Replicas"' in browser.get(page).content.decode()
    answer = browser.post(f"{page}set/", {"key": "~scale", "spec.replicas": "2"}, headers={"HX-Request": "true"})
    assert "2 desired" in answer.content.decode()
    assert client.get(type_, "web", namespace)["spec"]["replicas"] == 2


def test_what_descriptors_say_of_odd_objects(client: ClusterClient, kind: ResourceType) -> None:
    offer = Offer(descriptors=descriptors.parse(DESCRIBED))
    for spec in (None, [], "text", {"size": [1], "resources": "much"}):
        found = {setting.key for setting in settings(client, kind, {"metadata": {"name": "x"}, "spec": spec}, offer)}
        assert "spec.enabled" in found
    (size,) = (
        setting for setting in settings(client, kind, {"spec": {"size": 2}}, offer) if setting.key == "spec.size"
    )
    unchanged, emptied, wrong = (SettingForm(size, {"spec.size": typed}) for typed in ("2", "", "x"))
    assert unchanged.is_valid() and unchanged.patch == {}
    assert emptied.is_valid() and emptied.patch == {"spec": {"size": None}}
    assert not wrong.is_valid()
    for type_, digits in (("integer", "9" * 5000), ("int-or-string", "9" * 5000), ("number", "1e999")):
        (entry,) = size.entries
        form = SettingForm(replace(size, entries=(replace(entry, type=type_),)), {"spec.size": digits})
        assert "isn't a number" in form.errors["spec.size"][0]


def test_a_finalizer_is_taken_away_only_by_name(
    browser: Client, client: ClusterClient, namespace: str, kind: ResourceType
) -> None:
    finalizer = "shops.example.dev/cleanup"
    client.patch(kind, "one", {"metadata": {"finalizers": [finalizer, "foregroundDeletion"]}}, namespace)
    client.patch(kind, "one", {"metadata": {"finalizers": [finalizer]}}, namespace)
    client.delete(kind, "one", namespace)
    page = f"/resources/{kind.group}/v1/shops/{namespace}/one/"
    assert f"{page}finalizers/" in browser.get(page).content.decode()
    text = browser.get(f"{page}finalizers/").content.decode()
    assert finalizer in text
    assert "added manually with “operator-console”" in text
    refused = browser.post(f"{page}finalizers/", {"finalizer": finalizer, "typed": "on"})
    assert refused.status_code == 422
    assert 'value="on"' in refused.content.decode()
    assert browser.post(f"{page}finalizers/", {"finalizer": "other", "typed": "one"}).status_code == 409
    assert client.get(kind, "one", namespace)
    done = browser.post(f"{page}finalizers/", {"finalizer": finalizer, "typed": "one"})
    assert done["Location"] == f"/resources/{kind.group}/v1/shops/"
    with pytest.raises(NotFound):
        client.get(kind, "one", namespace)


def test_whose_work_a_finalizer_is() -> None:
    fields = {"f:metadata": {"f:finalizers": {".": {}, 'v:"a.example/x"': {}}}}
    metadata: dict[str, Any] = {"finalizers": ["a.example/x", "kubernetes.io/pvc-protection", "b/y"]}
    metadata["managedFields"] = [{"manager": "a-operator", "fieldsV1": fields}, {"fieldsV1": None}, "odd"]
    own, claim, unknown = finalizers({"metadata": metadata})
    assert own.manager == "a-operator"
    assert not own.by_hand
    assert "Pod" in claim.why
    assert (unknown.who, unknown.manager) == ("", "")
    assert finalizers({"metadata": {"finalizers": "odd"}}) == ()
    assert finalizers({}) == ()

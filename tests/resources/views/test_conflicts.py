"""Two people change one object: field by field, nothing overwritten silently."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Conflict
from resources.writing import draft
from tests.resources.views.form_submission import controls, element, flat, send, text_of

MAPS = "/resources/core/v1/configmaps/"
DEPLOYMENTS = "/resources/apps/v1/deployments/"


def change(page: Any, view: str, old: str, new: str) -> dict[str, str]:
    """What has to be typed in that view."""
    return {"data__@0": new} if view == "edit" else {"text": text_of(page).replace(old, new)}


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_each_clash_waits_for_a_decision(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/")
    client.patch(maps, config_map, {"data": {"colour": "theirs", "size": "big"}}, namespace)
    clash = send(browser, page, **change(page, view, "blue", "mine"))
    assert clash.status_code == 409
    body = clash.content.decode()
    assert all(word in body for word in ("data.colour", "blue", "mine", "theirs"))
    # Sent once more without a decision, it is asked again.
    again = send(browser, clash)
    assert again.status_code == 409
    assert client.get(maps, config_map, namespace)["data"]["colour"] == "theirs"
    name = next(name for name, _ in controls(again) if name.startswith("~clash:")).replace("~clash:", "~take:")
    assert send(browser, again, (name, "mine")).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "mine", "size": "big"}


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_theirs_can_be_taken_for_one_field_and_mine_for_another(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    client.patch(maps, config_map, {"data": {"size": "small"}}, namespace)
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/")
    client.patch(maps, config_map, {"data": {"colour": "theirs", "size": "theirs"}}, namespace)
    typed = (
        {"data__@0": "mine", "data__@1": "mine"}
        if view == "edit"
        else {"text": text_of(page).replace("blue", "mine # why").replace("small", "mine")}
    )
    clash = send(browser, page, **typed)
    decided = [('~take:["data","colour"]', "mine"), ('~take:["data","size"]', "theirs")]
    if view == "yaml":
        assert "mine # why" in text_of(clash)
    assert send(browser, clash, *decided).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "mine", "size": "theirs"}


def test_items_of_a_list_are_told_apart_by_their_keys(browser: Client, client: ClusterClient, namespace: str) -> None:
    containers = [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "two"},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"x": "y"}},
            "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": containers}},
        },
    }
    type_ = client.find("apps", "v1", "deployments")
    client.create(type_, obj, namespace)
    page = browser.get(f"{DEPLOYMENTS}{namespace}/two/yaml/")
    live = client.get(type_, "two", namespace)
    live["spec"]["template"]["spec"]["containers"].reverse()
    live["spec"]["template"]["spec"]["containers"][0]["image"] = "b:2"
    # Whatever the controller has written meanwhile.
    live["metadata"].pop("resourceVersion")
    client.replace(type_, live, namespace)
    assert send(browser, page, text=text_of(page).replace("a:1", "a:9")).status_code == 303
    images = {
        container["name"]: container["image"]
        for container in client.get(type_, "two", namespace)["spec"]["template"]["spec"]["containers"]
    }
    assert images == {"a": "a:9", "b": "b:2"}
    page = browser.get(f"{DEPLOYMENTS}{namespace}/two/yaml/")
    live = client.get(type_, "two", namespace)
    live["spec"]["template"]["spec"]["containers"].reverse()
    live["spec"]["template"]["spec"]["containers"][0]["image"] = "a:theirs"
    # Whatever the controller has written meanwhile.
    live["metadata"].pop("resourceVersion")
    client.replace(type_, live, namespace)
    clash = send(browser, page, text=text_of(page).replace("a:9", "a:mine"))
    assert clash.status_code == 409
    assert "spec.template.spec.containers[name=a].image" in clash.content.decode()
    name = next(name for name, _ in controls(clash) if name.startswith("~clash:")).replace("~clash:", "~take:")
    assert send(browser, clash, (name, "theirs")).status_code == 303
    images = {
        container["name"]: container["image"]
        for container in client.get(type_, "two", namespace)["spec"]["template"]["spec"]["containers"]
    }
    assert images == {"a": "a:theirs", "b": "b:2"}


@pytest.mark.parametrize("view", ["edit", "yaml"])
@pytest.mark.parametrize("again", [False, True])
def test_an_object_that_was_deleted_can_be_created_again(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str, again: bool
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/")
    client.delete(maps, config_map, namespace)
    if again:
        client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": config_map}}, namespace)
    answer = send(browser, page, **change(page, view, "blue", "mine"))
    assert answer.status_code == 409
    body = answer.content.decode()
    assert ("a new object with the same name exists" if again else "has been deleted in the meantime") in body
    target = f"{MAPS}{'new' if view == 'edit' else 'new-yaml'}/?namespace={namespace}"
    assert target in body
    fresh = send(browser, answer, ("~again", "1"), to=target)
    assert fresh.status_code == 200
    assert "resourceVersion" not in (dict(controls(fresh)).get("~base") or text_of(fresh))
    made = send(browser, fresh)
    assert made.status_code == (409 if again else 303)
    if not again:
        assert client.get(maps, config_map, namespace)["data"] == {"colour": "mine"}


def test_the_preview_says_what_save_would_say(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/edit/")
    client.patch(maps, config_map, {"data": {"colour": "theirs"}}, namespace)
    conflict = send(browser, page, ("~preview", "1"), **{"data__@0": "mine"})
    assert "Another user changed the same fields" in conflict.content.decode()
    client.delete(maps, config_map, namespace)
    gone = send(browser, page, ("~preview", "1"), **{"data__@0": "mine"})
    assert f"ConfigMap “{config_map}” has been deleted in the meantime" in gone.content.decode()


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_an_object_that_keeps_changing_can_be_saved_again(
    browser: Client, namespace: str, config_map: str, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def change_first(*_sent: object) -> None:
        tries.append(1)
        raise Conflict("the object has been modified")

    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/")
    with monkeypatch.context() as patched:
        patched.setattr(draft, "_send", change_first)
        refused = send(browser, page, **change(page, view, "blue", "mine"))
    assert refused.status_code == 409 and len(tries) == 4
    assert "Nothing was saved, and your changes are kept. Save again." in refused.content.decode()
    assert send(browser, refused).status_code == 303


def notice(browser: Client, page: Any) -> Any:
    """The region that says that the object changed, as its next live update fetches it."""
    region = element(page, "changed")
    assert region is not None
    return browser.get(region.attributes["data-live-url"], headers={"HX-Request": "true"})


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_a_change_in_the_cluster_is_told_while_the_object_is_edited(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/?view={view}")
    region = element(page, "changed")
    assert region is not None
    assert region.attributes["data-live"].endswith(f"/core/v1/configmaps/{namespace}")
    assert region.attributes["data-live-names"] == config_map
    assert notice(browser, page).content.decode().strip() == ""
    client.patch(maps, config_map, {"data": {"size": "big"}}, namespace)
    text = flat(notice(browser, page))
    assert "ConfigMap “paint” changed in the cluster since you opened it" in text
    # The difference, without losing the draft.
    typed = change(page, "edit" if view == "edit" else "yaml", "blue", "mine")
    shown = send(browser, page, ("~live", "1"), **typed)
    assert all(word in flat(shown) for word in ("data.size", "in the cluster now", "big"))
    assert "data.colour" not in flat(shown)
    back = send(browser, shown, ("~back", "1"))
    # The page that comes back says so at once.
    assert "changed in the cluster since you opened it" in flat(back)
    merged = send(browser, back, ("~merge", "1"))
    assert "changed in the cluster since" not in flat(merged)
    assert "merged into your draft" in flat(merged)
    values = dict(controls(merged)) if view == "edit" else {"text": text_of(merged)}
    assert any("mine" in value for value in values.values())
    assert any("big" in value for value in values.values())
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "blue", "size": "big"}
    assert notice(browser, merged).content.decode().strip() == ""
    assert send(browser, merged).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "mine", "size": "big"}


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_merging_what_both_changed_asks_for_a_choice(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/?view={view}")
    client.patch(client.find("", "v1", "configmaps"), config_map, {"data": {"colour": "theirs"}}, namespace)
    clash = send(browser, page, ("~merge", "1"), **change(page, view, "blue", "mine"))
    assert "Another user changed the same fields" in flat(clash)
    assert "data.colour" in flat(clash)


def test_a_change_of_status_is_not_told(browser: Client, client: ClusterClient, namespace: str) -> None:
    """A quota, since its controller writes nothing else: that of Deployments also annotates them."""
    quotas = client.find("", "v1", "resourcequotas")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "7"}}}
    client.create(quotas, quota, namespace)
    page = browser.get(f"/resources/core/v1/resourcequotas/{namespace}/few/yaml/")
    client.patch(quotas, "few", {"status": {"hard": {"pods": "6"}}}, namespace, subresource="status")
    assert "changed in the cluster" not in flat(notice(browser, page))


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_a_deletion_is_told_while_the_object_is_edited(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/?view={view}")
    client.delete(maps, config_map, namespace)
    text = flat(notice(browser, page))
    assert "ConfigMap “paint” has been deleted in the meantime" in text
    assert "Create again from what you typed" in text
    client.create(
        maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": config_map}, "data": {}}, namespace
    )
    assert "a new object with the same name exists" in flat(notice(browser, page))

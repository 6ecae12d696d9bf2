"""Who has access to a namespace; access is given and taken away, as far as the API server lets."""

import logging
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from kube.limits import Limit
from resources.models import Write
from tests.forms import dom
from tests.resources.views.form_submission import flat
from tests.resources.views.test_rights import Become

RBAC = "rbac.authorization.k8s.io"
Post = dict[str, str]


def page_url(namespace: str, part: str = "") -> str:
    return f"/resources/core/v1/namespaces/-/{namespace}/access/{part}"


def bind(client: ClusterClient, namespace: str, name: str, role: str, *users: str) -> None:
    obj: dict[str, Any] = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "User", "apiGroup": RBAC, "name": user} for user in users],
    }
    client.create(client.find(RBAC, "v1", "rolebindings"), obj, namespace)


def binding(client: ClusterClient, namespace: str, name: str) -> dict[str, Any]:
    return client.get(client.find(RBAC, "v1", "rolebindings"), name, namespace)


def names(client: ClusterClient, namespace: str) -> set[str]:
    found = client.list(client.find(RBAC, "v1", "rolebindings"), namespace)
    return {obj["metadata"]["name"] for obj in found.items}


def marks(page: str, who: str) -> dict[str, str]:
    """The marks in the row of a user."""
    for row in dom.parse(page).walk():
        if row.tag == "tr" and any(element.text.strip() == who for element in row.walk()):
            cells = [cell.attributes for cell in row.walk() if "data-level" in cell.attributes]
            if cells:
                return {str(cell["data-level"]): str(cell.get("data-mark") or "") for cell in cells}
    raise AssertionError(f"{who} has no row")


def gift(**changed: str) -> Post:
    return {"kind": "User", "name": "jane.kim@example.com", "choice": "edit", **changed}


def test_who_has_access(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "readers", "view", "zoe", "anna")
    bind(client, namespace, "boss", "admin", "anna")
    bind(client, namespace, "special", "system:aggregate-to-edit", "carl")
    page = browser.get(page_url(namespace)).content.decode()
    assert page.index("anna") < page.index("carl") < page.index("zoe")
    assert marks(page, "zoe") == {"view": "granted", "edit": "", "admin": "", "custom": ""}
    assert marks(page, "anna") == {"view": "granted", "edit": "included", "admin": "granted", "custom": ""}
    assert marks(page, "carl") == {"view": "", "edit": "", "admin": "", "custom": "granted"}
    assert f"/resources/{RBAC}/v1/rolebindings/{namespace}/readers/" in page
    assert "system:masters" not in page
    assert "system:masters" in browser.get(page_url(namespace), {"system": "1"}).content.decode()
    found = browser.get(page_url(namespace), {"q": "ZO"}).content.decode()
    assert "zoe" in found
    assert "carl" not in found
    overview = browser.get(f"/resources/core/v1/namespaces/-/{namespace}/").content.decode()
    assert f'href="{page_url(namespace)}"' in overview


def test_the_navigation_leads_there_from_a_picked_namespace(browser: Client, namespace: str) -> None:
    link = f'href="{page_url(namespace)}"'
    assert link in browser.get("/namespaces/", {"namespace": namespace}).content.decode()
    assert link not in browser.get("/namespaces/", {"namespace": "-"}).content.decode()


def test_another_kind_has_no_such_page(browser: Client, namespace: str, client: ClusterClient) -> None:
    assert browser.get(f"/resources/core/v1/configmaps/{namespace}/kube-root-ca.crt/access/").status_code == 404
    assert browser.get(page_url("no-such-namespace")).status_code == 404


def test_of_thousands_of_bindings_the_first_are_read(
    browser: Client, client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def small(limit: Limit, value: int) -> Limit:
        parts = {name: getattr(limit, name) for name in ("subject", "unit", "over", "test")}
        return Limit(value=value, **parts)

    monkeypatch.setattr(limits, "NAMESPACE_BINDINGS", small(limits.NAMESPACE_BINDINGS, 3))
    monkeypatch.setattr(limits, "NAMESPACE_ROLES", small(limits.NAMESPACE_ROLES, 2))
    for number in range(5):
        bind(client, namespace, f"b{number}", "view", f"user-{number}")
    page = browser.get(page_url(namespace)).content.decode()
    assert "user-2" in page
    assert "user-4" not in page
    assert "Too many bindings to show on this page" in page
    form = dom.parse(browser.get(page_url(namespace, "give/")).content.decode())
    offered = next(
        element for element in form.walk() if element.attributes.get("id") == "access-other-cluster-role-names"
    )
    assert len([element for element in offered.walk() if element.tag == "option"]) == 2


def test_many_people_are_paged(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "many", "view", *(f"user-{number:03}" for number in range(130)))
    browser.post("/settings/", {"size": "100"})
    first = browser.get(page_url(namespace), {"kind": "User", "q": "user-"}).content.decode()
    second = browser.get(page_url(namespace), {"kind": "User", "q": "user-", "page": "2"}).content.decode()
    assert "user-099" in first
    assert "user-100" not in first
    assert "user-100" in second
    assert "user-099" not in second
    browser.post("/settings/", {"size": "20"})
    last = flat(browser.get(page_url(namespace), {"kind": "User", "q": "user-", "page": "9"}))
    assert "121–130 of 130" in last


@pytest.mark.parametrize(
    ("post", "subject", "role"),
    [
        (gift(), {"kind": "User", "apiGroup": RBAC, "name": "jane.kim@example.com"}, "edit"),
        (
            gift(kind="Group", name="/team a", choice="admin"),
            {"kind": "Group", "apiGroup": RBAC, "name": "/team a"},
            "admin",
        ),
        (
            gift(name="x", choice="other-cluster-role", **{"other-cluster-role": "system:aggregate-to-view"}),
            {"kind": "User", "apiGroup": RBAC, "name": "x"},
            "system:aggregate-to-view",
        ),
    ],
)
def test_access_is_given(
    browser: Client, client: ClusterClient, namespace: str, post: Post, subject: dict[str, str], role: str
) -> None:
    answer = browser.post(page_url(namespace, "give/"), post)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert answer["Location"] == page_url(namespace)
    [name] = names(client, namespace)
    made = binding(client, namespace, name)
    assert made["subjects"] == [subject]
    assert made["roleRef"]["name"] == role
    write = Write.objects.get(namespace=namespace, verb="create")
    shown = browser.get(page_url(namespace)).content.decode()
    assert f"/resources/undo/{write.key}/" in shown
    undo = browser.get(f"/resources/undo/{write.key}/")
    assert undo["Location"].endswith(f"/{namespace}/{quote(name, safe='@:')}/delete/")


def test_a_service_account_of_another_namespace(browser: Client, client: ClusterClient, namespace: str) -> None:
    browser.post(
        page_url(namespace, "give/"), gift(kind="ServiceAccount", name="ci", **{"account-namespace": "default"})
    )
    browser.post(page_url(namespace, "give/"), gift(kind="ServiceAccount", name="ci"))
    found = client.list(client.find(RBAC, "v1", "rolebindings"), namespace).items
    assert {obj["subjects"][0]["namespace"] for obj in found} == {"default", namespace}


def test_what_is_wrong_is_said_at_its_field(browser: Client, client: ClusterClient, namespace: str) -> None:
    for post, control in (
        (gift(name=" "), "name"),
        (gift(name="a\nb"), "name"),
        (gift(name="system:serviceaccount:a:b"), "name"),
        (gift(kind="ServiceAccount", name="Not A Name"), "name"),
        (gift(kind="ServiceAccount", name="ci", **{"account-namespace": "No/Name"}), "account-namespace"),
        (gift(choice="other-cluster-role"), "other-cluster-role"),
        (gift(choice="other-role", **{"other-role": "a/b"}), "other-role"),
    ):
        answer = browser.post(page_url(namespace, "give/"), post)
        assert answer.status_code == 422, post
        form = dom.parse(answer.content.decode())
        wrong = [
            element.attributes["name"] for element in form.walk() if element.attributes.get("aria-invalid") == "true"
        ]
        assert wrong == [control], post
    assert names(client, namespace) == set()


def test_a_role_that_somebody_has_is_not_given_twice(browser: Client, client: ClusterClient, namespace: str) -> None:
    browser.post(page_url(namespace, "give/"), gift())
    answer = browser.post(page_url(namespace, "give/"), gift())
    assert answer.status_code == 422
    assert len(names(client, namespace)) == 1


def test_a_name_that_is_taken_gets_a_number(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "jane.kim@example.com-edit", "view", "somebody")
    browser.post(page_url(namespace, "give/"), gift())
    assert names(client, namespace) == {"jane.kim@example.com-edit", "jane.kim@example.com-edit-2"}


def test_a_binding_without_subjects_takes_its_name_too(browser: Client, client: ClusterClient, namespace: str) -> None:
    name = "jane.kim@example.com-edit"
    bind(client, namespace, name, "edit", "somebody")
    client.patch(client.find(RBAC, "v1", "rolebindings"), name, {"subjects": None}, namespace)
    assert browser.post(page_url(namespace, "give/"), gift()).status_code == 302
    assert names(client, namespace) == {name, f"{name}-2"}


def test_escalation_is_refused_where_it_happened(
    browser: Client, client: ClusterClient, become: Become, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    bind(client, namespace, "boss", "admin", "boss")
    become("boss")
    assert browser.post(page_url(namespace, "give/"), gift(name="anna")).status_code == 302
    with caplog.at_level(logging.INFO, logger="console.audit"):
        post = gift(choice="other-cluster-role", **{"other-cluster-role": "cluster-admin"})
        answer = browser.post(page_url(namespace, "give/"), post)
    assert answer.status_code == 403
    page = answer.content.decode()
    form = dom.parse(page)
    assert next(element for element in form.walk() if element.attributes.get("id") == "refusal") is not None
    inputs = {
        element.attributes.get("name"): element.attributes.get("value")
        for element in form.walk()
        if element.tag == "input"
    }
    assert inputs["name"] == "jane.kim@example.com"
    assert inputs["other-cluster-role"] == "cluster-admin"
    assert "--clusterrole=cluster-admin" in page
    assert "outcome=Forbidden" in caplog.text
    assert names(client, namespace) == {"boss", "anna-edit"}


def remove_url(namespace: str, binding_: str, user: str) -> str:
    return page_url(namespace, f"remove/?binding={binding_}&kind=User&name={user}&home=")


def version_of(page: str) -> str:
    found = next(element for element in dom.parse(page).walk() if element.attributes.get("name") == "version")
    return str(found.attributes["value"])


def test_one_of_several_is_removed_and_brought_back(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "readers", "view", "anna", "zoe")
    url = remove_url(namespace, "readers", "anna")
    assert url.replace("&", "&amp;") in browser.get(page_url(namespace)).content.decode()
    version = version_of(browser.get(url).content.decode())
    assert browser.post(url, {"version": version}).status_code == 302
    assert [subject["name"] for subject in binding(client, namespace, "readers")["subjects"]] == ["zoe"]
    write = Write.objects.get(namespace=namespace, verb="patch")
    assert browser.get(f"/resources/undo/{write.key}/").status_code == 200
    assert browser.get(url)["Location"] == page_url(namespace)


def test_the_last_one_takes_the_binding_along(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "readers", "view", "anna")
    url = remove_url(namespace, "readers", "anna")
    version = version_of(browser.get(url).content.decode())
    assert browser.post(url, {"version": version}).status_code == 302
    assert names(client, namespace) == set()
    assert Write.objects.get(namespace=namespace).verb == "delete"


@pytest.mark.parametrize("users", [("anna",), ("anna", "zoe")])
def test_a_binding_changed_meanwhile_is_a_conflict(
    browser: Client, client: ClusterClient, namespace: str, users: tuple[str, ...]
) -> None:
    bind(client, namespace, "readers", "view", *users)
    url = remove_url(namespace, "readers", "anna")
    old = version_of(browser.get(url).content.decode())
    patch = {"metadata": {"labels": {"touched": "yes"}}}
    client.patch(client.find(RBAC, "v1", "rolebindings"), "readers", patch, namespace)
    answer = browser.post(url, {"version": old})
    assert answer.status_code == 409
    assert len(binding(client, namespace, "readers")["subjects"]) == len(users)
    again = version_of(answer.content.decode())
    assert again != old
    assert browser.post(url, {"version": again}).status_code == 302


def test_without_a_version_nothing_is_removed(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "readers", "view", "anna")
    assert browser.post(remove_url(namespace, "readers", "anna")).status_code == 409
    assert names(client, namespace) == {"readers"}


def test_who_may_not_see_it_gets_a_request(browser: Client, become: Become, dev: str, namespace: str) -> None:
    become(dev)
    answer = browser.get(page_url(namespace))
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "is forbidden" not in page
    assert f"kubectl create rolebinding {dev}-admin --clusterrole=admin --user={dev} -n {namespace}" in page
    assert "give/" not in page
    refused = browser.post(page_url(namespace, "give/"), gift())
    assert refused.status_code == 403
    assert "jane.kim@example.com" in refused.content.decode()


def test_without_clusterrolebindings_the_rest_is_shown(
    browser: Client, client: ClusterClient, become: Become, namespace: str
) -> None:
    bind(client, namespace, "boss", "admin", "boss")
    become("boss")
    page = browser.get(page_url(namespace)).content.decode()
    assert marks(page, "boss")["admin"] == "granted"
    assert "ClusterRoleBindings" in page
    assert "view-as" not in page.split('id="user-menu"')[1].split("</header>")[1]


def test_who_may_impersonate_can_preview(browser: Client, client: ClusterClient, namespace: str) -> None:
    bind(client, namespace, "readers", "view", "anna")
    page = browser.get(page_url(namespace)).content.decode()
    assert "/view-as/?user=anna&amp;next=" in page

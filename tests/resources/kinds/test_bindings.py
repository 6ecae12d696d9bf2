"""A role is given by a small form, which says at each place what is missing; and another is made of one that is
there.
"""

from django.test import Client

from kube.client import ClusterClient
from tests.forms import dom

GROUP = "rbac.authorization.k8s.io"
URL = f"/resources/{GROUP}/v1/rolebindings/new-binding/"
WHOLE = f"/resources/{GROUP}/v1/clusterrolebindings/new-binding/"


def control(page: str, name: str) -> dom.Element:
    return next(element for element in dom.parse(page).walk() if element.attributes.get("name") == name)


def test_a_role_is_given_and_given_again(browser: Client, client: ClusterClient, namespace: str) -> None:
    page = browser.get(URL, {"namespace": namespace, "role": "ClusterRole/view"}).content.decode()
    assert f'<option value="{namespace}" selected>' in page
    assert control(page, "role").attributes["value"] == "view"
    assert '<option value="edit">ClusterRole</option>' in page
    data = {
        "namespace": namespace,
        "name": "readers",
        "role-kind": "ClusterRole",
        "role": "view",
        "rows": "3",
        "kind-0": "User",
        "subject-0": "alice",
        "kind-1": "ServiceAccount",
        "subject-1": "bot",
        "kind-2": "Group",
        "subject-2": "",
    }
    answer = browser.post(URL, data)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert answer["Location"] == f"/resources/{GROUP}/v1/rolebindings/{namespace}/readers/"
    bindings = client.find(GROUP, "v1", "rolebindings")
    obj = client.get(bindings, "readers", namespace)
    assert obj["roleRef"] == {"apiGroup": GROUP, "kind": "ClusterRole", "name": "view"}
    assert obj["subjects"] == [
        {"kind": "User", "apiGroup": GROUP, "name": "alice"},
        {"kind": "ServiceAccount", "name": "bot", "namespace": namespace},
    ]
    again = browser.get(URL, {"namespace": namespace, "from": "readers"}).content.decode()
    assert control(again, "name").attributes["value"] == ""
    assert control(again, "subject-1").attributes["value"] == "bot"
    assert "An object with this name already exists" in browser.post(URL, data).content.decode()


def test_what_is_missing_is_said_at_its_place(browser: Client, namespace: str) -> None:
    data = {"namespace": "", "name": "", "role-kind": "Role", "role": "", "rows": "2", "subject-0": "", "subject-1": ""}
    answer = browser.post(URL, data)
    assert answer.status_code == 422
    page = answer.content.decode()
    for words in ("Choose a namespace.", "Enter a name.", "Choose a role.", "Enter who gets the role."):
        assert words in page, words
    assert control(page, "role-kind") is not None
    more = browser.post(URL, {**data, "more": "1"}).content.decode()
    assert control(more, "rows").attributes["value"] == "3"
    fewer = browser.post(URL, {**data, "subject-1": "bob", "less": "0"}).content.decode()
    assert control(fewer, "subject-0").attributes["value"] == "bob"


def test_for_the_whole_cluster(browser: Client, client: ClusterClient, namespace: str) -> None:
    data = {
        "name": f"all-{namespace}",
        "role-kind": "ClusterRole",
        "role": "view",
        "rows": "1",
        "kind-0": "ServiceAccount",
        "subject-0": "bot",
    }
    assert "Enter the namespace of the service account." in browser.post(WHOLE, data).content.decode()
    assert (
        "For the whole cluster, choose a ClusterRole."
        in browser.post(WHOLE, {**data, "role-kind": "Role"}).content.decode()
    )
    assert browser.post(WHOLE, {**data, "namespace-0": namespace}).status_code == 302
    type_ = client.find(GROUP, "v1", "clusterrolebindings")
    assert client.get(type_, data["name"])["subjects"][0]["namespace"] == namespace
    client.delete(type_, data["name"])


def test_another_kind(browser: Client) -> None:
    assert browser.get("/resources/core/v1/pods/new-binding/").status_code == 404


def test_the_list_leads_to_it(browser: Client, namespace: str) -> None:
    page = browser.get(f"/resources/{GROUP}/v1/rolebindings/", {"namespace": namespace}).content.decode()
    assert f'href="{URL}?namespace={namespace}"' in page


def test_a_binding_with_more_subjects_than_rows_is_continued_as_yaml(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    people = [{"kind": "User", "apiGroup": GROUP, "name": f"person-{number}"} for number in range(101)]
    role = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "view"}
    binding = {"metadata": {"name": "many"}, "roleRef": role, "subjects": people}
    client.create(client.find(GROUP, "v1", "rolebindings"), binding, namespace)
    answer = browser.get(URL, {"namespace": namespace, "from": "many"}, follow=True)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert all(f"name: person-{number}\n" in text for number in range(101))

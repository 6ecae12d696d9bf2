"""Import of a folder of manifests: order, unsupported fields, comparison, waiting for kinds."""

import base64
import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub.exports import folder
from operatorhub.sources.drafts import SourceError
from tests.eventually import until

SPACE = "import-here"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: import-here}\ndata: {color: %s}\n"


def packed(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def text(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def kustomization(*resources: str, more: str = "") -> str:
    return "kind: Kustomization\nresources:\n" + "".join(f"- {resource}\n" for resource in resources) + more


def names(found: folder.Brought) -> list[str]:
    return [item.name for item in folder.read_documents(found.text)]


def test_the_order_is_the_kustomizations() -> None:
    data = packed(
        {
            "top/kustomization.yaml": kustomization("b/", "a.yaml"),
            "top/a.yaml": MAP % ("first", "x"),
            "top/b/kustomization.yaml": kustomization("2.yaml", "1.yaml"),
            "top/b/1.yaml": MAP % ("one", "x"),
            "top/b/2.yaml": MAP % ("two", "x"),
            "top/unlisted.yaml": MAP % ("never", "x"),
        }
    )
    assert names(folder.read_uploads([("x.zip", data)])) == ["two", "one", "first"]


def test_without_a_kustomization_all_files_by_name() -> None:
    assert names(
        folder.read_uploads([("b.yaml", (MAP % ("b", "x")).encode()), ("a.yaml", (MAP % ("a", "x")).encode())])
    ) == [
        "a",
        "b",
    ]


def test_what_is_not_done_is_said() -> None:
    data = packed(
        {
            "kustomization.yaml": kustomization("a.yaml", "../../etc/passwd", "gone.yaml", more="namePrefix: x-\n"),
            "a.yaml": MAP % ("a", "x"),
        }
    )
    notes = "\n".join(folder.read_uploads([("x.zip", data)]).notes)
    assert "namePrefix" in notes
    assert "gone.yaml, which it doesn't contain" in notes
    assert "passwd, which it doesn't contain" in notes


def test_circles_end() -> None:
    data = packed(
        {
            "kustomization.yaml": kustomization("a/", "x.yaml"),
            "a/kustomization.yaml": kustomization("../"),
            "x.yaml": MAP % ("x", "x"),
        }
    )
    assert names(folder.read_uploads([("x.zip", data)])) == ["x"]


def test_nothing_in_it() -> None:
    with pytest.raises(SourceError):
        folder.read_uploads([("x.zip", packed({"README.md": "hello"}))])


def test_another_namespace_for_all() -> None:
    documents = folder.read_documents(
        "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n---\n" + (MAP % ("x", "y")).replace("import-here", "a")
    )
    moved = folder.move_documents(documents, "b")
    assert [item.object["metadata"].get("namespace", item.name) for item in moved] == ["b", "b"]


# On the cluster


@pytest.fixture
def space(client: ClusterClient) -> Iterator[ClusterClient]:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}
    )
    yield client
    client.delete(client.find("", "v1", "namespaces"), SPACE)

    def gone() -> bool:
        try:
            client.get(client.find("", "v1", "namespaces"), SPACE)
        except NotFound:
            return True
        return False

    until(gone)


@pytest.mark.django_db
def test_compared_then_applied(space: ClusterClient) -> None:
    maps = space.find("", "v1", "configmaps")
    space.create(
        maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old"}, "data": {"color": "red"}}, SPACE
    )
    web, given = Client(), f"{MAP % ('new', 'blue')}---\n{MAP % ('old', 'red')}"
    page = text(web.post("/operators/import/", {"text": given}))
    assert "would be created" in page
    with pytest.raises(NotFound):
        space.get(maps, "new", SPACE)
    assert web.post("/operators/import/", {"text": given, "~apply": "1"}).status_code == 200
    assert space.get(maps, "new", SPACE)["data"] == {"color": "blue"}
    changed = web.post("/operators/import/", {"text": given.replace("blue", "green")}).content.decode()
    assert 'id="review-title">Changes<' in changed
    assert re.search(r"<del>[^<]*blue", changed)
    assert re.search(r"<ins>[^<]*green", changed)


@pytest.mark.django_db
def test_an_invalid_namespace_loses_nothing_and_applies_nothing(space: ClusterClient) -> None:
    given = MAP % ("new", "blue")
    answer = Client().post("/operators/import/", {"text": given, "namespace": "Not Valid", "~apply": "1"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert given.strip() in page
    assert 'value="Not Valid"' in page and "isn&#x27;t a valid namespace name" in page
    assert re.search(r'disabled[^>]*name="~apply"', page)
    with pytest.raises(NotFound):
        space.get(space.find("", "v1", "configmaps"), "new", SPACE)


@pytest.mark.django_db
def test_s9_a_comparison_shows_no_value_of_a_secret(space: ClusterClient) -> None:
    """S9: an import that only names a Secret displayed the existing one, without an audit record. The diff names the
    changed fields, with masked values.
    """
    copy = {"kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"pin":"hunter2"}}'}
    meta = {"name": "login", "annotations": copy}
    live = {"metadata": meta, "stringData": {"pin": "hunter2", "user": "someone"}}
    space.create(space.find("", "v1", "secrets"), live, SPACE)
    given = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: import-here, labels: {tier: new}}\n"
        "stringData: {pin: other, user: someone}\n"
    )
    answer = Client().post("/operators/import/", {"text": given})
    shown = text(answer)
    assert 'id="review-title">Changes<' in answer.content.decode()
    for value in ("hunter2", "someone"):
        hidden = shown.replace(given.split("stringData")[1], "")
        assert base64.b64encode(value.encode()).decode() not in hidden
    assert "hunter2" not in answer.content.decode()
    assert re.search(r"<ins>[^<]*new", answer.content.decode())
    assert re.search(r"pin: ••••••.* pin: •••••• \(changed\)", shown)
    assert "user: •••••• (changed)" not in shown


@pytest.mark.django_db
def test_an_unknown_kind_is_refused_unless_an_operator_brings_it(space: ClusterClient) -> None:
    web = Client()
    strange = "---\napiVersion: nobody.example/v1\nkind: Strange\nmetadata: {name: s, namespace: import-here}\n"
    assert "would be refused" in text(web.post("/operators/import/", {"text": strange}))
    subscription = (
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: nobody, namespace:"
        " import-here}\nspec: {name: nobody, source: none, sourceNamespace: olm, channel: x}\n"
    )
    both = text(web.post("/operators/import/", {"text": subscription + strange}))
    assert "is waiting for its resource type" in both
    sent = web.post("/operators/import/", {"text": subscription + strange, "~apply": "1"})
    assert "This page applies the objects when their resource types are available" in text(sent)
    region = re.search(r'data-live-url="(/operators/import/waiting/[^"]+)"', sent.content.decode())
    assert region
    assert "nobody.example/Strange" in text(web.get(unescape(region[1])))
    assert "The resource types are available now" in text(web.get("/operators/import/waiting/", {"kind": "/ConfigMap"}))


@pytest.mark.django_db
def test_what_is_no_yaml_is_said(client: ClusterClient) -> None:
    web = Client()
    for given in ("", "a: [", "- 1"):
        assert web.post("/operators/import/", {"text": given}).status_code in (200, 422)
    assert "The manifests can't be read" in text(web.post("/operators/import/", {"text": "a: ["}))

"""The history on the pages: what changed, when, by whom; compared, taken back, and after the end."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.objects import Access
from resources.models import Traced
from tests.resources.history.conftest import Watched, gadgets, watched  # noqa: F401  fixtures
from tests.resources.views.form_submission import flat


def _text(answer: Any) -> str:
    """What a person reads of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.fixture
def gadget(watched: Watched, namespace: str) -> str:  # noqa: F811
    """One object's address: made with size 1, scaled to 3, failing, then ready."""
    watched.create(namespace, "g", spec={"size": 1, "list": [1, 2], "adminPassword": "hunter2"})
    watched.patch(namespace, "g", {"spec": {"size": 3}})
    watched.patch(
        namespace,
        "g",
        {"status": {"phase": "Failed", "conditions": [{"type": "Ready", "status": "False", "reason": "Boom"}]}},
        "status",
    )
    watched.patch(
        namespace,
        "g",
        {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "reason": "Fine"}]}},
        "status",
    )
    return f"/resources/{watched.type.group}/v1/gadgets/{namespace}/g/"


def test_what_changed_is_on_the_page(browser: Client, gadget: str) -> None:
    text = _text(browser.get(gadget))
    assert "spec.size 1 → changed to 3" in text
    assert "condition Ready False (Boom) → changed to True (Fine)" in text
    assert "by this console" in text
    assert "First seen" not in text
    assert "Object created" in text
    region = browser.get(gadget, {"part": "history"}, HTTP_HX_REQUEST="true").content.decode()
    assert region.count("data-live=") == 1
    assert 'id="history"' in region
    assert "<rect" in region
    assert "hunter2" not in region


def test_since_when_it_is_as_it_is(browser: Client, watched: Watched, gadget: str, namespace: str) -> None:  # noqa: F811
    def since() -> bool:
        region = browser.get(gadget, {"part": "object"}, HTTP_HX_REQUEST="true").content.decode()
        return bool(re.search(r"for <time", region))

    assert since()
    assert "Ready for" in _text(browser.get(gadget, {"part": "history"}, HTTP_HX_REQUEST="true"))
    Traced.objects.get(name="g", namespace=namespace).steps.filter(pk__gt=0).update(state="Ready", event="seen")
    assert not since(), "it was so already when it was first seen"


def test_who_did_it(
    browser: Client,
    client: ClusterClient,
    watched: Watched,  # noqa: F811
    gadget: str,
    namespace: str,
) -> None:
    changed = browser.patch(f"/api{gadget}", {"spec": {"size": 7}}, content_type="application/json").json()
    watched.record(changed)
    assert f"by {client.user} through this console" in _text(browser.get(f"{gadget}history/"))
    obj = client.get(watched.type, "g", namespace)
    sent = {"action": "delete", "chosen": f"{obj['metadata']['uid']}/{namespace}/g", "namespace": namespace}
    browser.post(f"/resources/{watched.type.group}/v1/gadgets/bulk/", {**sent, "~confirm": "1"})
    watched.record(obj, "DELETED")
    assert f"Deleted by {client.user} through this console" in _text(browser.get(f"{gadget}history/"))


def test_filters_pages_and_comparing(browser: Client, watched: Watched, gadget: str, namespace: str) -> None:  # noqa: F811
    url = f"{gadget}history/"
    asked = _text(browser.get(url, {"show": "spec"}))
    assert "spec.size" in asked
    assert "condition Ready" not in asked
    status = _text(browser.get(url, {"show": "status"}))
    assert "condition Ready" in status
    # The timeline above the list has all of it.
    assert "spec.size" not in status.partition("Compare selected")[2]
    steps = list(Traced.objects.get(name="g", namespace=namespace).steps.order_by("pk"))
    compared = _text(browser.get(url, {"from": steps[0].pk, "to": steps[-1].pk}))
    assert "− size: 1" not in compared
    assert "size: 1" in compared
    assert "size: 3" in compared
    assert "phase: Running" in compared
    for odd in ("x", "0", "99999999999999999999", str(steps[0].pk)):
        assert "Choose two different changes" in _text(browser.get(url, {"from": steps[0].pk, "to": odd}))
    assert browser.get(url, {"before": "nonsense", "show": "x", "uid": "unknown", "events": "1"}).status_code == 200
    for number in range(60):
        watched.patch(namespace, "g", {"spec": {"size": 100 + number}})
    first = browser.get(url).content.decode()
    older = re.search(r"before=(\d+)", first)
    assert older
    assert "spec.size 1 → changed to 3" in _text(browser.get(url, {"before": older.group(1)}))


def test_one_change_line_by_line(browser: Client, gadget: str, namespace: str) -> None:
    step = Traced.objects.get(name="g", namespace=namespace).steps.get(spec=True)
    whole = browser.get(f"{gadget}history/{step.pk}/")
    assert b"<html" in whole.content
    part = browser.get(f"{gadget}history/{step.pk}/", HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in part
    assert "<del>  size: 1</del>" in part
    assert "<ins>  size: 3</ins>" in part
    other = gadget.replace("/g/", "/another/")
    assert browser.get(f"{other}history/{step.pk}/").status_code == 404, "a step is its own object's"


def _review(answer: Any) -> dict[str, str]:
    """The hidden fields of the review's form."""
    return {
        name: unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.content.decode())
        if name != "csrfmiddlewaretoken"
    }


def _action(answer: Any) -> str:
    found = re.search(r'id="form" method="post" action="([^"]+)"', flat(answer))
    assert found
    return unescape(found.group(1))


def test_going_back_is_reviewed_and_keeps_what_is_not_kept(
    browser: Client,
    client: ClusterClient,
    watched: Watched,  # noqa: F811
    gadget: str,
    namespace: str,
) -> None:
    watched.patch(namespace, "g", {"spec": {"adminPassword": "newer", "colour": "red"}})
    steps = list(Traced.objects.get(name="g", namespace=namespace).steps.order_by("pk"))
    answer = browser.get(f"{gadget}history/{steps[0].pk}/revert/")
    assert answer.status_code == 200
    assert "Passwords and other secret values aren't stored" in _text(answer)
    assert client.get(watched.type, "g", namespace)["spec"]["size"] == 3, "nothing was sent yet"
    assert browser.post(_action(answer), _review(answer)).status_code == 303
    live = client.get(watched.type, "g", namespace)
    assert live["spec"] == {"size": 1, "list": [1, 2], "adminPassword": "newer"}
    assert live["status"]["phase"] == "Running"


def test_one_change_is_taken_back_and_later_ones_stay(
    browser: Client,
    client: ClusterClient,
    watched: Watched,  # noqa: F811
    gadget: str,
    namespace: str,
) -> None:
    watched.patch(namespace, "g", {"spec": {"colour": "red"}})
    step = Traced.objects.get(name="g", namespace=namespace).steps.filter(spec=True).order_by("pk")[0]
    answer = browser.get(f"{gadget}history/{step.pk}/revert/", {"only": "1"})
    assert browser.post(_action(answer), _review(answer)).status_code == 303
    assert client.get(watched.type, "g", namespace)["spec"]["size"] == 1
    assert client.get(watched.type, "g", namespace)["spec"]["colour"] == "red"


def test_somebody_changed_the_same_field_since(browser: Client, watched: Watched, gadget: str, namespace: str) -> None:  # noqa: F811
    watched.patch(namespace, "g", {"spec": {"size": 9}})
    step = Traced.objects.get(name="g", namespace=namespace).steps.filter(spec=True).order_by("pk")[0]
    answer = browser.get(f"{gadget}history/{step.pk}/revert/", {"only": "1"})
    assert answer.status_code == 409
    assert "Another user changed the same fields" in _text(answer)


def test_what_is_deleted_can_be_read_and_made_again(
    browser: Client,
    client: ClusterClient,
    watched: Watched,  # noqa: F811
    gadget: str,
    namespace: str,
) -> None:
    watched.delete(namespace, "g")
    gone = browser.get(gadget)
    assert gone.status_code == 404
    assert "no longer exists" in _text(gone)
    assert "spec.size 1 → changed to 3" in _text(browser.get(f"{gadget}history/"))
    listed = browser.get("/resources/history/", {"namespace": namespace}).content.decode()
    assert f"{gadget}history/" in listed
    last = Traced.objects.get(name="g", namespace=namespace).steps.order_by("-pk")[0]
    answer = browser.get(f"{gadget}history/{last.pk}/revert/")
    assert "The new object has a new uid" in _text(answer)
    assert "enter them again" in _text(answer)
    assert browser.post(_action(answer), _review(answer)).status_code == 303
    again = client.get(watched.type, "g", namespace)
    assert again["spec"] == {"size": 3, "list": [1, 2]}, "its password was not kept"


def test_who_may_not_read_the_object_sees_no_history(
    browser: Client, gadget: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Traced.objects.get(name="g", namespace=namespace).steps.get(spec=True)

    def refused(*_given: Any, **_named: Any) -> Any:
        raise Forbidden("gadgets is forbidden")

    monkeypatch.setattr(ClusterClient, "get", refused)
    for path in ("history/", f"history/{step.pk}/", f"history/{step.pk}/revert/"):
        answer = browser.get(f"{gadget}{path}")
        assert answer.status_code == 403
        assert "spec.size" not in answer.content.decode()

    def missing(*_given: Any, **_named: Any) -> Any:
        raise NotFound("gone")

    monkeypatch.setattr(ClusterClient, "get", missing)
    monkeypatch.setattr(ClusterClient, "review", lambda *_given, **_named: Access(False, "no"))
    assert browser.get(f"{gadget}history/").status_code == 403
    assert "no longer exists" not in browser.get(gadget).content.decode()
    Traced.objects.update(deleted_at="2026-01-01T00:00:00Z")
    assert "/gadgets/" not in browser.get("/resources/history/", {"namespace": "-"}).content.decode()


def test_kinds_without_a_history_say_nothing(browser: Client, client: ClusterClient, namespace: str) -> None:
    secret = {"metadata": {"name": "s"}, "stringData": {"a": "b"}}
    client.create(client.find("", "v1", "secrets"), secret, namespace)
    region = browser.get(f"/resources/core/v1/secrets/{namespace}/s/", {"part": "history"}, HTTP_HX_REQUEST="true")
    assert "History" not in region.content.decode()
    assert browser.get(f"/resources/core/v1/secrets/{namespace}/s/history/").status_code == 200

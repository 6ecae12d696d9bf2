"""Limits of kube/limits.py that no other test goes past."""

import asyncio
import base64
import os
import zlib
from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict
from django.test import RequestFactory

from console.signin import impersonation, judge
from kube import limits, recording
from kube.errors import TooManyRequests
from kube.requests import ApiRequest
from operatorhub.find import facets
from resources import imports, yamltext
from resources.forward import tunnels
from resources.history import writes
from resources.lists import columns, saved_searches
from resources.views import labels
from resources.views import list_page as columns_view
from resources.views.filter import Filter
from resources.views.terminal import TerminalApp


def test_an_import_has_so_many_documents() -> None:
    item = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    most = limits.IMPORT_DOCUMENTS.value
    with pytest.raises(yamltext.YamlProblem, match=str(most)):
        imports.read("---\n".join([item] * (most + 1)))
    with pytest.raises(yamltext.YamlProblem, match=str(most)):
        imports.read("kind: List\nitems: [" + "{kind: ConfigMap}, " * (most + 1) + "]")


def test_what_takes_an_import_back_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    step = imports.UndoStep("", "v1", "configmaps", "default", "a", "1", after={"data": {"a": os.urandom(2000).hex()}})
    monkeypatch.setattr(imports, "_undo_step", lambda _result: step)
    assert imports.pack_undo([object()])  # type: ignore[list-item]
    monkeypatch.setattr(limits, "IMPORT_UNDO", replace(limits.IMPORT_UNDO, value=2000))
    assert not imports.pack_undo([object()])  # type: ignore[list-item]


def test_an_object_too_large_is_not_kept_for_an_undo() -> None:
    assert writes._packed({"kind": "ConfigMap", "data": {"a": "x"}})
    assert writes._packed({"kind": "ConfigMap", "data": {"a": os.urandom(limits.UNDO_OBJECT.value).hex()}}) is None


def test_an_answer_too_large_is_not_remembered() -> None:
    request = ApiRequest(method="GET", path="/api/v1/namespaces/default/configmaps/a")
    for size, remembered in ((limits.RECORDED_ANSWER.value, 1), (limits.RECORDED_ANSWER.value + 1, 0)):
        with recording.record_requests() as found:
            recording.record(None, request, b"x" * size)  # type: ignore[arg-type]  # the config is part of writes only
            assert len(found.read) == remembered


def test_what_takes_an_import_back_is_bounded_unpacked() -> None:
    """It comes back from the page, so any client can send it."""
    text = b"[]".rjust(limits.IMPORT_UNDO_UNPACKED.value)
    assert imports.unpack_undo(base64.b64encode(zlib.compress(text)).decode()) == []
    with pytest.raises(ValueError, match="too large"):
        imports.unpack_undo(base64.b64encode(zlib.compress(b" " + text)).decode())


def test_columns_of_a_list_are_bounded() -> None:
    most, longest = limits.LIST_COLUMNS.value, limits.LIST_COLUMN.value
    assert len(columns.read(columns.show(f"=c{number}" for number in range(most + 1)))) == most
    assert columns.read("=" + "x" * longest) == ("=" + "x" * (longest - 1),)


def test_filters_of_a_list_are_bounded() -> None:
    longest = limits.LIST_FILTER.value
    assert Filter.from_query(QueryDict(f"q={'x' * (longest + 1)}")).q == "x" * longest


def test_a_saved_search_is_bounded() -> None:
    form = saved_searches.SavedSearchForm
    long_query, long_name = "q=" + "x" * limits.SAVED_SEARCH.value, "a" * (limits.SAVED_NAME.value + 1)
    assert "too long" in form(None, {"name": "a", "query": long_query}).errors["query"][0]
    assert str(limits.SAVED_NAME.value) in form(None, {"name": long_name, "query": "q=x"}).errors["name"][0]


def test_cookies_are_bounded() -> None:
    longest = limits.COOKIE.value
    for cookie, expected in ((f"size=100&columns={'x' * 10}", 100), (f"columns={'x' * longest}&size=100", 50)):
        request = RequestFactory().get("/", headers={"Cookie": f"{columns_view.COLUMNS_COOKIE}={cookie}"})
        assert columns_view.ColumnChoice.from_request(request, "pods").size == expected


def test_whom_somebody_views_as_is_bounded() -> None:
    longest, most = limits.IMPERSONATED_NAME.value, limits.IMPERSONATED_GROUPS.value
    form = impersonation.ImpersonationForm
    assert form({"user": "x" * longest, "groups": "\n".join(f"g{number}" for number in range(most))}).is_valid()
    assert set(form({"user": "x" * (longest + 1)}).errors) == {"user"}
    assert set(form({"groups": "x" * (longest + 1)}).errors) == {"groups"}
    assert set(form({"groups": "\n".join(f"g{number}" for number in range(most + 1))}).errors) == {"groups"}


def test_labels_have_no_limit_of_their_own() -> None:
    """The form's is theirs: one that was cut off was taken from the object."""
    keys = [f"key-{number}" for number in range(1000)]
    post = QueryDict(mutable=True)
    post.setlist("labels-key", keys)
    post.setlist("labels-value", keys)
    assert [pair.cleaned_data["key"] for pair in labels.read_part(post, "labels").pairs] == keys


def test_a_token_is_bounded() -> None:
    longest = limits.SIGN_IN_TOKEN.value
    assert judge.strict("x" * longest) == "x" * longest
    assert judge.SignInForm({"token": "x" * longest}).is_valid()
    assert "too long" in judge.SignInForm({"token": "x" * (longest + 1)}).errors["token"][0]
    with pytest.raises(judge.NotKnown, match="too long"):
        judge.strict("x" * (longest + 1))


async def test_terminals_are_bounded() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent_.append(message)

    sent_: list[dict[str, Any]] = []
    app = TerminalApp()
    app._open = {asyncio.get_running_loop().create_future() for _ in range(limits.TERMINALS.value)}  # type: ignore[misc]
    headers = [(b"origin", b"http://a"), (b"host", b"a")]
    await app({"type": "websocket", "scheme": "ws", "headers": headers}, receive, send)
    assert sent_ == [{"type": "websocket.close", "code": 1013}]


def test_port_forwards_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = None
    monkeypatch.setattr(tunnels, "tunnels", lambda _client: (nothing,) * limits.PORT_FORWARDS.value)
    with pytest.raises(TooManyRequests, match=f"{limits.PORT_FORWARDS.value} port-forwards"):
        tunnels.open_tunnel(nothing, nothing, 80)


def test_a_providers_name_is_bounded() -> None:
    longest = limits.PROVIDER.value
    assert facets.provider_key("x" * (longest + 1)) == facets.provider_label(["x" * (longest + 1)]) == "x" * longest

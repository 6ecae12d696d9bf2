"""Limits of kube/limits.py that no other test goes past."""

import os
from dataclasses import replace

import pytest

from kube import limits, sent
from kube.requests import ApiRequest
from resources import yamltext
from resources.applying import applied, imports
from resources.history import writes


def test_an_import_has_so_many_documents() -> None:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    most = limits.IMPORT_DOCUMENTS.value
    with pytest.raises(yamltext.YamlProblem, match=str(most)):
        imports.read("---\n".join([one] * (most + 1)))
    with pytest.raises(yamltext.YamlProblem, match=str(most)):
        imports.read("kind: List\nitems: [" + "{kind: ConfigMap}, " * (most + 1) + "]")


def test_what_takes_an_import_back_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    step = applied.Step("", "v1", "configmaps", "default", "a", "1", after={"data": {"a": os.urandom(2000).hex()}})
    monkeypatch.setattr(applied, "_step", lambda _result: step)
    assert applied.pack([object()])  # type: ignore[list-item]
    monkeypatch.setattr(limits, "IMPORT_UNDO", replace(limits.IMPORT_UNDO, value=2000))
    assert not applied.pack([object()])  # type: ignore[list-item]


def test_an_object_too_large_is_not_kept_for_an_undo() -> None:
    assert writes._packed({"kind": "ConfigMap", "data": {"a": "x"}})
    assert writes._packed({"kind": "ConfigMap", "data": {"a": os.urandom(limits.UNDO_OBJECT.value).hex()}}) is None


def test_an_answer_too_large_is_not_remembered() -> None:
    request = ApiRequest("GET", "/api/v1/namespaces/default/configmaps/a")
    for size, remembered in ((limits.RECORDED_ANSWER.value, 1), (limits.RECORDED_ANSWER.value + 1, 0)):
        with sent.kept() as found:
            sent.tell(None, request, b"x" * size)  # type: ignore[arg-type]  # it is told of changes only
            assert len(found.read) == remembered

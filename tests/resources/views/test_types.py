"""/resources/: every kind once, custom ones first, found by any of its names."""

import pytest
from django.test import Client

from kube.client import ClusterClient


def test_it_works(browser: Client) -> None:
    answer = browser.get("/resources/")
    assert answer.status_code == 200
    groups = [group.name for group in answer.context["types"].groups]
    assert groups.index("operators.coreos.com") < groups.index("core") < groups.index("apps")
    assert b'href="/resources/core/v1/pods/"' in answer.content


def test_the_filter_knows_short_names_and_groups(browser: Client) -> None:
    for words in ("csv", "ClusterServiceV", "operators.coreos clusterservice"):
        found = browser.get("/resources/", {"q": words}, HTTP_HX_REQUEST="true")
        assert b"clusterserviceversions" in found.content
        assert b"<html" not in found.content
        assert b">Pod<" not in found.content


def test_groups_that_do_not_answer_are_named(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = "metrics.k8s.io/v1: its API server does not answer"
    monkeypatch.setattr(ClusterClient, "discovery_errors", (problem,))
    assert problem in browser.get("/resources/").content.decode()


def test_nothing_matches(browser: Client) -> None:
    answer = browser.get("/resources/", {"q": "<script>"})
    assert b'<script>"' not in answer.content
    assert b"No kind matches" in answer.content

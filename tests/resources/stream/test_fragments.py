"""A change as the row of a list."""

import json

from kube.discovery import ResourceType
from resources.changes import Change
from resources.lists.listing import row_html

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
COLUMNS = json.dumps(
    [
        {"name": "Name", "type": "string", "format": "name"},
        {"name": "Ready", "type": "string"},
        {"name": "Restarts", "type": "string"},
    ]
).encode()


def _change(name: str, ready: str) -> Change:
    metadata = {"name": name, "namespace": "shop", "uid": "u-1", "creationTimestamp": "2026-01-01T00:00:00Z"}
    row = {"cells": [name, ready, "7 (2m ago)"], "object": {"metadata": metadata}}
    return Change(kind="MODIFIED", uid="u-1", name=name, namespace="shop", row=json.dumps(row).encode(), columns="c")


def test_it_is_one_row_with_its_id() -> None:
    html = row_html(PODS, "here/core/v1/pods/shop", COLUMNS, _change("web-0", "1/1"), "en")
    assert html.startswith("<tr")
    assert html.endswith("</tr>")
    assert html.count("<tr") == 1
    assert 'id="row-u-1"' in html
    assert "web-0" in html
    assert "1/1" in html
    assert type(html) is str


def test_a_list_gets_the_columns_that_it_shows_and_the_state_in_its_language() -> None:
    change = _change("web-0", "1/1")
    row = json.loads(change.row)
    row["object"]["metadata"]["labels"] = {"example.com/tier": "database"}
    row["health"] = {"en": ["Degraded", "no disk"], "ko": ["Degraded", "디스크"]}
    change = Change(
        kind="MODIFIED", uid="u-1", name="web-0", namespace="shop", row=json.dumps(row).encode(), columns="c"
    )
    usual = row_html(PODS, "here/core/v1/pods/shop", COLUMNS, change, "en")
    assert "no disk" in usual
    assert "1/1" in usual and "7 (2m ago)" in usual
    assert "database" not in usual
    chosen = row_html(PODS, "here/core/v1/pods/shop?label:example.com/tier,state", COLUMNS, change, "ko")
    assert "디스크" in chosen
    assert "database" in chosen
    assert "7 (2m ago)" not in chosen
    # A language without words of its own has the English ones.
    assert "no disk" in row_html(PODS, "here/core/v1/pods/shop", COLUMNS, change, "fr")


def test_names_from_the_cluster_are_text() -> None:
    html = row_html(PODS, "here/core/v1/pods/-", COLUMNS, _change("a", "<script>alert(1)</script>"), "ko")
    assert "<script>" not in html

"""Confirmations of deletions, replacements and removals state whether the action can be undone, and how."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from console.web.clusters import console_client

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
#: URL patterns that end, replace or stop something, and the template that asks first.
ASKS = {
    "resources:delete": "resources/delete.html",
    "resources:bulk": "resources/bulk.html",
    "resources:scale": "resources/scale.html",
    "resources:act": "resources/act.html",
    "resources:finalizers": "resources/finalizers.html",
    "resources:rollback": "resources/rollback.html",
    "resources:debug": "resources/debug.html",
    "resources:access-remove": "resources/access_remove.html",
    "operatorhub:uninstall": "operatorhub/uninstall.html",
    "operatorhub:removal": "operatorhub/removal.html",
    "operatorhub:undo": "operatorhub/undo.html",
    "operatorhub:subscription-remove": "operatorhub/deletion.html",
    "operatorhub:plan-approve": "operatorhub/plan.html",
    "operatorhub:approve-updates": "operatorhub/approve_updates.html",
    "operatorhub:plan-deny": "operatorhub/plan_deny.html",
    "operatorhub:group-delete": "operatorhub/deletion.html",
    "operatorhub:source-delete": "operatorhub/deletion.html",
    "operatorhub:extension-delete": "operatorhub/extension_delete.html",
    "operatorhub:run-remove": "operatorhub/run_remove.html",
    "operatorhub:olm-remove": "operatorhub/undo.html",
}
#: What has such a word in its name and asks nothing of its own, with the reason.
ASKS_NOT = {
    "resources:undo": "the review of what would be taken back, which can be taken back too",
    "resources:history-revert": "the same",
    "resources:history": "reads",
    "resources:deleted": "reads",
    "resources:contents": "reads",
    "operatorhub:undo-made": (
        "takes back what an install that failed has made a moment before; the page it stands on says what"
    ),
    "operatorhub:source-restart": "its Pod is made anew with nothing lost",
}
_WORDS = re.compile(
    r"delete|remove|removal|uninstall|undo|deny|approve|bulk|scale|finalizer|rollback|debug|restart|revert|:act$"
)
_WAY = re.compile(r'"console/_undo\.html" with way="([^"]+)"')
_DANGER = re.compile(r'<button[^>]*pf-m-danger[^>]*type="submit"')


def _names(patterns: list[URLPattern | URLResolver], space: str = "") -> set[str]:
    found = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            found |= _names(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif pattern.name:
            found.add(f"{space}{pattern.name}")
    return {name for name in found if "api" not in name}


def test_every_act_that_ends_something_is_known_and_its_question_says_it() -> None:
    named = {name for name in _names(get_resolver().url_patterns) if _WORDS.search(name)}
    assert named - ASKS.keys() - ASKS_NOT.keys() == set(), "say in its template whether it can be undone"
    assert (ASKS.keys() | ASKS_NOT.keys()) - _names(get_resolver().url_patterns) == set(), "these are no more"
    for name, template in ASKS.items():
        assert '"console/_undo.html"' in (TEMPLATES / template).read_text(), name


def test_every_red_button_stands_below_the_words() -> None:
    for path in sorted(TEMPLATES.rglob("*.html")):
        text = path.read_text()
        if _DANGER.search(text):
            assert '"console/_undo.html"' in text, path.relative_to(TEMPLATES)


@pytest.mark.parametrize("language", ["en"])
def test_each_way_has_words(language: str) -> None:
    ways = {way for path in TEMPLATES.rglob("*.html") for way in _WAY.findall(path.read_text())}
    ways |= {"catalog", "group", "subscription"}
    ways |= {"again", "data", "lost", "partly", "secret", "history", "none", "back", "restart", "plan-run", "job"}
    for way in sorted(ways):
        rendered = render_to_string("console/_undo.html", {"way": way})
        mark = re.search(r'data-undo="(yes|no)"', rendered)
        assert mark, way
        words = " ".join(unescape(re.sub(r"<[^>]+>", " ", rendered)).split())
        assert words.startswith("This can be undone. " if mark[1] == "yes" else "This can't be undone."), way
        assert mark[1] == "no" or len(words) > 60, f"{way}: it does not say how"
    assert 'data-undo=""' in render_to_string("console/_undo.html", {"way": ""}), "a way that is missing shows"


@pytest.mark.django_db
def test_what_can_be_undone_and_what_can_not(cluster_kubeconfig: Path, redis_server: str) -> None:
    client, browser = console_client(), Client()
    made = []
    for plural, kind in (("configmaps", "ConfigMap"), ("secrets", "Secret")):
        type_ = client.find("", "v1", plural)
        client.create(type_, {"apiVersion": "v1", "kind": kind, "metadata": {"name": "undo-words"}}, "default")
        made.append(type_)
    try:
        core = "/resources/core/v1/"
        wanted = {
            f"{core}configmaps/default/undo-words/delete/": ("yes", "To create it again, select “Undo”"),
            f"{core}secrets/default/undo-words/delete/": ("no", "The console doesn't store Secrets."),
            f"{core}namespaces/-/default/delete/": ("no", "Its contents are deleted too."),
        }
        for address, (mark, words) in wanted.items():
            page = unescape(browser.get(address).content.decode())
            assert re.findall(r'data-undo="(\w*)"', page) == [mark], address
            assert words in page
        for plural, mark in (("configmaps", "yes"), ("secrets", "no"), ("serviceaccounts", "no")):
            chosen = {"action": "delete", "namespace": "default", "chosen": "/default/undo-words"}
            page = browser.post(f"{core}{plural}/bulk/", chosen).content.decode()
            assert re.findall(r'data-undo="(\w*)"', page) == [mark], plural
        # The promise of the first page holds.
        uid = re.search(
            r'name="uid" value="([^"]+)"', browser.get(f"{core}configmaps/default/undo-words/delete/").content.decode()
        )
        assert uid
        page = browser.post(
            f"{core}configmaps/default/undo-words/delete/", {"uid": uid[1]}, follow=True
        ).content.decode()
        assert re.search(r'<a href="/resources/undo/\w+/">Undo</a>', page)
    finally:
        client.delete(made[1], "undo-words", "default")

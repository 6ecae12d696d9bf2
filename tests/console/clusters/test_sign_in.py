"""Where people sign in, a session is of one cluster: it is not known at another, and neither signing in nor out
there touches it.
"""

import re
from uuid import uuid4

import pytest

from kube.errors import AlreadyExists
from tests.console.clusters.conftest import TWIN, mark
from tests.console.clusters.site import AWAY, HERE, OTHER, READER, Answer, Browser, Site, prefix, renamed
from tests.console.signin.people import token

OBJECT = f"/resources/core/v1/configmaps/default/{TWIN}/"


@pytest.fixture(scope="session")
def tokens(signing_in: Site) -> dict[str, str]:
    """By context: the token of a user who can read ConfigMaps there. The name is the same in both."""
    found = {}
    for context in (HERE, OTHER):
        client = signing_in.client(context)
        for group, plural, obj in (
            ("", "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "clerk"}}),
            (
                "rbac.authorization.k8s.io",
                "rolebindings",
                {
                    "apiVersion": "rbac.authorization.k8s.io/v1",
                    "kind": "RoleBinding",
                    "metadata": {"name": "clerk"},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
                    "subjects": [{"kind": "ServiceAccount", "name": "clerk", "namespace": "default"}],
                },
            ),
        ):
            try:
                client.create(client.find(group, "v1", plural), obj, "default")
            except AlreadyExists:
                continue
        found[context] = token(client, "default", "clerk")
    return found


def sign_in(web: Browser, context: str, word: str) -> Answer:
    page = web.get(f"{prefix(context)}/sign-in/")
    return web.post(f"{prefix(context)}/sign-in/", page.csrf, token=word)


def inside(web: Browser, context: str) -> bool:
    answer = web.get(f"{prefix(context)}{OBJECT}")
    if "/sign-in/" in answer.url:
        assert answer.url.startswith(f"{web.url}{prefix(context)}/sign-in/"), answer.url
        assert "data-of-" not in answer.text
        return False
    assert mark(context) in answer.text
    return True


def test_each_cluster_has_a_session_of_its_own(signing_in: Site, tokens: dict[str, str]) -> None:
    web = Browser(signing_in.url)
    assert not inside(web, HERE) and not inside(web, OTHER)
    assert sign_in(web, OTHER, tokens[OTHER]).status == 200
    assert inside(web, OTHER) and not inside(web, HERE)
    assert sign_in(web, HERE, tokens[HERE]).status == 200
    assert inside(web, HERE) and inside(web, OTHER)
    page = web.get("/clusters/?at=/").text
    assert len(re.findall(r">\s*as system:serviceaccount:default:clerk\s*<", page)) == 2 and "not signed in" in page
    out = web.get(OBJECT)
    web.post("/sign-out/", out.csrf)
    assert not inside(web, HERE) and inside(web, OTHER)


def test_a_token_of_one_cluster_is_worth_nothing_at_another(signing_in: Site, tokens: dict[str, str]) -> None:
    web = Browser(signing_in.url)
    assert sign_in(web, OTHER, tokens[HERE]).status == 401
    assert sign_in(web, HERE, tokens[OTHER]).status == 401
    assert sign_in(web, AWAY, tokens[HERE]).status == 503
    assert not inside(web, HERE) and not inside(web, OTHER)


def test_a_session_that_is_shown_to_another_cluster_is_not_known_there(
    signing_in: Site, tokens: dict[str, str]
) -> None:
    """A user renames their cookie to the other cluster's name: the session's row names its cluster."""
    web = Browser(signing_in.url)
    sign_in(web, OTHER, tokens[OTHER])
    own = web.cookie("session")
    name, dot, _tag = own.name.partition(".")
    assert dot
    stolen = Browser(signing_in.url)
    stolen.jar.set_cookie(renamed(own, name))
    assert not inside(stolen, HERE)
    for path in (
        "/stream?topic=x",
        f"/api{OBJECT}",
        f"/api/resources/core/v1/configmaps/watch/?namespace={uuid4().hex[:4]}",
    ):
        assert stolen.get(path).status in (401, 404), path
    assert inside(web, OTHER)


def test_what_one_cluster_said_of_a_programs_token_is_no_word_of_another(
    signing_in: Site, tokens: dict[str, str]
) -> None:
    """Asked in turns: the answer about a token is kept for some seconds."""
    program, api = Browser(signing_in.url), f"/api{OBJECT}"
    for _again in range(2):
        for context in (HERE, OTHER):
            mine = f"Bearer {tokens[context]}"
            answer = program.get(f"{prefix(context)}{api}", Authorization=mine)
            assert answer.status == 200 and mark(context) in answer.text
            elsewhere = OTHER if context == HERE else HERE
            assert program.get(f"{prefix(elsewhere)}{api}", Authorization=mine).status == 401
    # One server, known by two contexts: two clusters, with a word of its own each.
    assert program.get(f"{prefix(READER)}{api}", Authorization=f"Bearer {tokens[HERE]}").status == 200


def test_what_somebody_prefers_is_not_what_another_cluster_s_user_of_the_name_prefers(
    signing_in: Site, tokens: dict[str, str]
) -> None:
    web = Browser(signing_in.url)
    for context in (HERE, OTHER):
        sign_in(web, context, tokens[context])
    there = f"{prefix(OTHER)}/settings/"
    web.post(there, web.get(there).csrf, times="utc", namespace="kube-public")
    assert 'data-times="utc"' in web.get(there).text and 'value="kube-public"' in web.get(there).text
    here = web.get("/settings/").text
    assert 'data-times="relative"' in here and 'name="namespace" value=""' in here

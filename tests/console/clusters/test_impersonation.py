"""Impersonation is limited to one cluster, also with a cookie that was copied to another."""

from tests.console.clusters.conftest import TWIN, mark
from tests.console.clusters.site import HERE, OTHER, READER, Browser, Site, prefix, renamed

OBJECT = f"/resources/core/v1/configmaps/default/{TWIN}/"
NOBODY = "system:serviceaccount:default:of-no-rights"


def begin(web: Browser, context: str) -> None:
    page = web.get(f"{prefix(context)}/view-as/")
    answer = web.post(f"{prefix(context)}/view-as/", page.csrf, user=NOBODY, next=f"{prefix(context)}/namespaces/")
    assert answer.url == f"{web.url}{prefix(context)}/namespaces/", answer.url
    assert f"You are impersonating {NOBODY}" in answer.text


def test_it_is_of_one_cluster_and_stops_there(several: Site) -> None:
    web = Browser(several.url)
    begin(web, OTHER)
    assert web.get(f"{prefix(OTHER)}{OBJECT}").status == 403
    for context in (HERE, READER):
        assert "You are impersonating" not in web.get(f"{prefix(context)}/namespaces/").text
    here = web.get(OBJECT)
    assert here.status == 200 and mark(HERE) in here.text
    listed = web.get(f"{prefix(OTHER)}/clusters/?at=/").text
    assert f"as {NOBODY}" in listed
    page = web.get(f"{prefix(OTHER)}/namespaces/")
    assert web.post(f"{prefix(OTHER)}/view-as/stop/", page.csrf).url == f"{web.url}{prefix(OTHER)}/"
    assert mark(OTHER) in web.get(f"{prefix(OTHER)}{OBJECT}").text
    # The audit of that cluster has both.
    assert NOBODY in web.get(f"{prefix(OTHER)}/audit/").text and NOBODY not in web.get("/audit/").text


def test_a_cookie_that_is_moved_to_another_cluster_does_nothing_there(several: Site) -> None:
    """Neither as the impersonated user nor as oneself: no silent fallback to the user's own permissions."""
    web = Browser(several.url)
    begin(web, OTHER)
    own = web.cookie("session")
    moved = Browser(several.url)
    moved.jar.set_cookie(renamed(own, own.name.partition(".")[0]))
    for path in (OBJECT, f"/api{OBJECT}"):
        answer = moved.get(path)
        assert answer.status == 403 and "data-of-" not in answer.text, path
        assert NOBODY not in answer.text
    assert moved.get("/stream?topic=x").status == 403
    assert f"You are impersonating {NOBODY}" in web.get(f"{prefix(OTHER)}/namespaces/").text

"""One provider for all clusters, at which one address is registered: it leads on to the cluster for which the
sign-in was begun, and to no other.
"""

import html
import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.console.clusters.site import HERE, OTHER, READER, Answer, Browser, Site, prefix
from tests.console.signin.oidc.provider import Provider, query_of
from tests.oidc import PREFIX

ANNA = f"{PREFIX}anna@example.com"
BACK = "/sign-in/oidc/back/"


@pytest.fixture(autouse=True)
def _honest(idp: Provider) -> Iterator[None]:
    yield
    idp.seconds = 600


def begun(web: Browser, context: str, back: str = "") -> dict[str, str]:
    """What the provider is asked."""
    answer = web.step(f"{prefix(context)}/sign-in/oidc/{'?next=' + quote(back) if back else ''}")
    assert answer.status == 302, answer.text
    return query_of(answer.headers["location"])


def back(web: Browser, idp: Provider, query: dict[str, str]) -> Answer:
    """Where the provider leads, and on from there."""
    address = idp.authorize(query)
    assert address.startswith(f"{web.url}{BACK}?")
    return web.get(address.removeprefix(web.url))


def inside(web: Browser, context: str) -> bool:
    answer = web.get(f"{prefix(context)}/settings/")
    return "/sign-in/" not in answer.url and ANNA in answer.text


def test_one_address_is_registered_and_leads_on_to_the_cluster(signing_in: Site, idp: Provider) -> None:
    web = Browser(signing_in.url)
    asked = begun(web, OTHER, f"{prefix(OTHER)}/settings/?x=1")
    assert asked["redirect_uri"] == begun(web, HERE)["redirect_uri"] == f"{web.url}{BACK}"
    assert OTHER not in asked["state"] and OTHER.encode().hex() not in asked["state"]
    answer = back(web, idp, asked)
    assert answer.url == f"{web.url}{prefix(OTHER)}/settings/?x=1" and ANNA in answer.text
    assert inside(web, OTHER) and not inside(web, HERE) and not inside(web, READER)
    # It is used up.
    assert "Start again" in back(web, idp, asked).text


def test_a_cluster_that_does_not_know_the_provider_lets_nobody_in(signing_in: Site, idp: Provider) -> None:
    web = Browser(signing_in.url)
    answer = back(web, idp, begun(web, HERE))
    assert answer.status == 403 and "doesn't accept its ID token" in html.unescape(answer.text)
    assert not inside(web, HERE) and not inside(web, OTHER)


@pytest.mark.parametrize("to", [HERE, READER])
def test_a_state_that_was_made_for_one_cluster_signs_in_at_no_other(signing_in: Site, idp: Provider, to: str) -> None:
    web = Browser(signing_in.url)
    asked = begun(web, OTHER)
    word, mark = asked["state"].split(".")
    assert mark
    other = begun(Browser(signing_in.url), to)["state"].partition(".")[2]
    forged = {**asked, "state": f"{word}.{other}".rstrip(".")}
    answer = back(web, idp, forged)
    assert "wasn't started in this browser" in html.unescape(answer.text)
    assert answer.url.startswith(f"{web.url}{prefix(to)}{BACK}")
    assert not inside(web, OTHER) and not inside(web, to)


def test_a_sign_out_comes_back_to_its_cluster_by_the_one_address(signing_in: Site, idp: Provider) -> None:
    web = Browser(signing_in.url)
    back(web, idp, begun(web, OTHER))
    page = web.get(f"{prefix(OTHER)}/settings/")
    out = web.post(f"{prefix(OTHER)}/sign-out/", page.csrf)
    address = out.text.partition('http-equiv="refresh" content="1;url=')[2].partition('"')[0].replace("&amp;", "&")
    asked = query_of(address)
    assert asked["post_logout_redirect_uri"] == f"{web.url}/sign-in/"
    assert web.get(f"/sign-in/?state={asked['state']}").url.startswith(f"{web.url}{prefix(OTHER)}/sign-in/")
    assert not inside(web, OTHER)


def test_a_session_is_renewed_at_its_own_cluster(signing_in: Site, idp: Provider) -> None:
    """At the default one the new token would be refused, and the session over."""
    web = Browser(signing_in.url)
    idp.seconds = 6
    back(web, idp, begun(web, OTHER))
    before = len(idp.given)
    time.sleep(4.5)
    assert inside(web, OTHER)
    assert len(idp.given) > before and idp.forms[-1]["grant_type"] == "refresh_token"

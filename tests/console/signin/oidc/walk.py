"""The steps of a person who signs in, as their browser does them."""

from urllib.parse import urlsplit

from django.http import HttpResponse
from django.test import Client

from tests.console.signin.oidc.provider import Provider, query_of
from tests.console.signin.people import browser_of


def begun(browser: Client, back: str = "") -> str:
    """The provider's address that the button leads to."""
    answer = browser.get("/sign-in/oidc/", {"next": back} if back else {})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def returned(browser: Client, idp: Provider, address: str) -> HttpResponse:
    """What the console answers when the provider leads back."""
    return come_back(browser, idp.authorize(query_of(address)))


def come_back(browser: Client, address: str) -> HttpResponse:
    parts = urlsplit(address)
    answer: HttpResponse = browser.get(f"{parts.path}?{parts.query}")
    return answer


def in_by_oidc(idp: Provider) -> Client:
    """A browser that has just signed in."""
    browser = browser_of()
    answer = returned(browser, idp, begun(browser))
    assert answer.status_code == 302, answer.content
    return browser

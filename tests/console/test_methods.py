"""Every address of the console refuses a method that no view has, before it does anything."""

import pytest
from django.test import Client

from tests.console.signin.addresses import addresses

pytestmark = pytest.mark.django_db

#: What only reads for programs, whatever the method; and an address of no cluster, which is 404.
_OTHERS = {"/healthz", "/readyz", "/metrics", "/c/x"}


def test_a_method_that_no_view_has_is_refused_everywhere() -> None:
    browser = Client()
    answers = {
        address: browser.generic("PROPFIND", address).status_code
        for address in addresses("any")
        if address not in _OTHERS
    }
    assert len(answers) > 180
    assert {address: status for address, status in answers.items() if status != 405} == {}

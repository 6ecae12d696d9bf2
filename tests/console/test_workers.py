"""A part of a page that a thread makes is in the reader's language, has the reader's times, and leads to the same
cluster.
"""

from datetime import UTC, datetime

from django.urls import get_script_prefix, reverse, set_script_prefix
from django.utils import translation
from django.utils.translation import gettext as _

from console.prefer import times
from console.prefer.times import Style
from console.web.front import Workers


def localized(_place: int = 0) -> tuple[str, str]:
    return _("Settings"), times.words(datetime(2026, 11, 23, 0, 17, 10, tzinfo=UTC))


def test_each_gets_his_own_from_the_same_threads() -> None:
    with Workers(1) as pool:
        with translation.override("ko"), times.shown_as(Style("utc")):
            korean = list(pool.map(localized, range(2)))
        with translation.override("en"):
            english = pool.submit(localized).result()
    assert korean == [("설정", "2026-11-23T00:17:10Z")] * 2
    assert english == ("Settings", "2026-11-23 00:17:10")


def test_addresses_lead_to_the_cluster_of_the_page() -> None:
    before = get_script_prefix()
    with Workers(1) as pool:
        try:
            set_script_prefix("/c/other/")
            there = pool.submit(reverse, "pages:settings").result()
        finally:
            set_script_prefix(before)
        assert (there, pool.submit(reverse, "pages:settings").result()) == ("/c/other/settings/", "/settings/")

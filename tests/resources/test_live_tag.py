"""`{% live_since %}`: the position from which the page's stream continues."""

import re
import time

import redis
from django.template import Context, Template
from django.test import RequestFactory

from resources.changes import position

PAGE = Template("{% load resources %}<body {% live_since %}>")


def _milliseconds(html: str) -> int:
    found = re.fullmatch(r'<body data-live-since="(\d+)-0@[0-9a-f]{16}">', html)
    assert found, html
    return int(found[1])


def test_it_is_the_time_at_which_the_request_came(pipe: redis.Redis) -> None:
    request = RequestFactory().get("/")
    request.started = time.monotonic() - 3  # type: ignore[attr-defined]
    now = int(position().partition("-")[0])
    assert 3000 <= now - _milliseconds(PAGE.render(Context({"request": request}))) + 50 <= 3400


def test_a_request_of_unknown_age_looks_far_enough_back(pipe: redis.Redis) -> None:
    now = int(position().partition("-")[0])
    assert now - _milliseconds(PAGE.render(Context({}))) > 9000

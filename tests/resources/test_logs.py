"""Which part of a log is requested, and how it is split into events."""

import pytest

from resources.podlogs import LogPart, log_part
from resources.views.follow import in_batches


def test_what_makes_no_sense_is_as_if_it_were_not_there() -> None:
    query = {"tail": "7", "span": "-1", "since": "yesterday"}
    assert log_part(query) == LogPart(tail=500)
    assert log_part({"tail": "100", "span": "300", "since": "2026-01-02T03:04", "previous": "1"}) == LogPart(
        tail=100, span=300, moment="2026-01-02T03:04", previous=True
    )


def test_a_moment_is_in_utc_and_stands_before_a_span() -> None:
    wanted = LogPart(tail=100, span=300, moment="2026-01-02T03:04")
    assert wanted.options["since_time"] == "2026-01-02T03:04:00Z"
    assert wanted.options["since_seconds"] == 0
    assert wanted.kubectl == " --tail=100 --since-time=2026-01-02T03:04:00Z"
    assert LogPart(span=60).kubectl == " --since=60s"


@pytest.mark.parametrize("most", [1, 5, 7, 12, 100])
def test_no_line_is_lost_or_torn(most: int) -> None:
    text = b"one\ntwo\nand a longer one\n\nlast"
    pieces = list(in_batches(text, most))
    assert b"\n".join(pieces) == text
    assert all(len(piece) <= most or b"\n" not in piece for piece in pieces)

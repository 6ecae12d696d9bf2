"""Times of the API server."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from kube.objects import moment


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-11-27T03:04:05Z", datetime(2026, 11, 27, 3, 4, 5, tzinfo=UTC)),
        ("2026-11-27T03:04:05.123456Z", datetime(2026, 11, 27, 3, 4, 5, 123456, tzinfo=UTC)),
        ("2026-11-27T03:04:05+09:00", datetime(2026, 11, 27, 3, 4, 5, tzinfo=timezone(timedelta(hours=9)))),
        # An operator's own status can leave the offset out.
        ("2026-11-27T03:04:05", datetime(2026, 11, 27, 3, 4, 5, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
    ],
)
def test_what_is_a_time(text: str, found: datetime | None) -> None:
    assert moment(text) == found

"""The tests' own browser: a Chromium that hangs costs its context, not the run (tests/chromium.py)."""

from contextlib import suppress

import psutil
import pytest

from tests.chromium import Chromium, close


@pytest.mark.journey
def test_one_that_hangs_is_killed_and_replaced(chromium: Chromium) -> None:
    context = chromium.browser().new_context()
    context.new_page()
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "chrom" in process.name():
                process.suspend()
    with pytest.warns(UserWarning, match="killed"):
        close(context, seconds=1)
    assert chromium.browser().new_page().evaluate("1 + 1") == 2

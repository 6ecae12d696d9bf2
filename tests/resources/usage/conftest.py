"""A clean cache for each test, and the embedded cluster's namespaces."""

from collections.abc import Iterator

import pytest

from resources.usage import readings
from tests.resources.views.conftest import browser, namespace

__all__ = ["browser", "namespace"]


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Iterator[None]:
    readings.clear()
    yield
    readings.clear()

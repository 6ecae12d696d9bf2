"""One console and one cluster for all tutorials: those of the browser tests."""

from tests.e2e.conftest import browser, client, context, page, pytest_runtest_makereport, site

__all__ = ["browser", "client", "context", "page", "pytest_runtest_makereport", "site"]

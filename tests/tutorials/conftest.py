"""One console and one cluster for all tutorials: those of the browser tests."""

from tests.e2e.conftest import browser, chromium, client, context, contexts, page, pytest_runtest_makereport, site

__all__ = ["browser", "chromium", "client", "context", "contexts", "page", "pytest_runtest_makereport", "site"]

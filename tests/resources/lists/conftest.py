"""A namespace of each test's own, and a browser without script."""

from tests.resources.views.conftest import browser, namespace

__all__ = ["browser", "namespace"]

"""The browser and the namespace of tests/resources/views, here too."""

from tests.resources.views.conftest import browser, namespace

__all__ = ["browser", "namespace"]

"""The browser, the namespace and the people of tests/resources/views, here too."""

from tests.resources.views.conftest import browser, namespace
from tests.resources.views.test_rights import become, dev

__all__ = ["become", "browser", "dev", "namespace"]

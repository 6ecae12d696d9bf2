"""A namespace of each test's own."""

from tests.resources.views.conftest import namespace

__all__ = ["namespace"]

"""An app of its own for its table."""

from django.apps import AppConfig


class PreferConfig(AppConfig):
    name = "console.prefer"
    label = "prefer"

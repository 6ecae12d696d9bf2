"""An app of its own for its table."""

from importlib import import_module

from django.apps import AppConfig

from kube import spread


class ReachConfig(AppConfig):
    name = "console.reach"
    label = "reach"

    def ready(self) -> None:
        """Lists over all namespaces that are refused become lists of these."""
        spread.found_by(import_module("console.reach.finding").names)

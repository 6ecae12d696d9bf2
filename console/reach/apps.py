"""An app of its own for its table."""

from importlib import import_module

from django.apps import AppConfig

from kube import across_namespaces


class ReachConfig(AppConfig):
    name = "console.reach"
    label = "reach"

    def ready(self) -> None:
        """Lists over all namespaces that are refused become lists of these."""
        across_namespaces.set_finder(import_module("console.reach.discovery").names)

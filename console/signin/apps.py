"""The sign-in, an app of its own for its two tables."""

from importlib import import_module

from django.apps import AppConfig


class SignInConfig(AppConfig):
    name = "console.signin"
    label = "signin"

    def ready(self) -> None:
        """Who has to hear of a session's end, listens."""
        import_module("console.signin.clients")
        import_module("console.signin.signals")

"""OpenID Connect, an app of its own for its table."""

from importlib import import_module

from django.apps import AppConfig


class OidcConfig(AppConfig):
    name = "console.signin.oidc"
    label = "oidc"

    def ready(self) -> None:
        """Renewal hears which sessions are in use, and which have ended."""
        import_module("console.signin.oidc.renewal")

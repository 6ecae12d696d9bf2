"""The console app: pages, sign-in, and the ground floor they stand on."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from console.celery import app as celery  # noqa: F401  the application that every process sends tasks with
from console.web import language


@receiver(connection_created, dispatch_uid="console-nul")
def _opened(connection: Any, **_more: Any) -> None:
    # psycopg is only loaded for PostgreSQL.
    if connection.vendor == "postgresql":
        import_module("console.nul").strip_nul(connection.connection)


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        language.install_particles()
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            import_module("console.traces").begin()

"""The console app: pages, sign-in, and the ground floor they stand on."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings

from console import nul  # noqa: F401  makes untrusted text safe for every database
from console.celery import app as celery  # noqa: F401  the application that every process sends tasks with
from console.web import korean


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        korean.install()
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            import_module("console.traces").begin()

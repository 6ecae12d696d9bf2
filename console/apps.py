"""The console app: pages, sign-in, and the ground floor they stand on."""

from django.apps import AppConfig

from console.celery import app as celery  # noqa: F401  the application that tasks of every process are sent by


class ConsoleConfig(AppConfig):
    name = "console"

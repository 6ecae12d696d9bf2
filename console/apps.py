"""The console app: pages, sign-in, and the ground floor they stand on."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

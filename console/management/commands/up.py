"""`manage.py up`: what `make run` calls. Hands over to console.processes, which holds no Django and so stays small."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Start the console with everything it needs; Ctrl-C stops all."

    def run_from_argv(self, argv: list[str]) -> None:
        os.execv(sys.executable, [sys.executable, "-m", "console.processes", *argv[2:]])  # noqa: S606

    def handle(self, *args: Any, **options: Any) -> None:
        os.execv(sys.executable, [sys.executable, "-m", "console.processes", *map(str, args)])  # noqa: S606

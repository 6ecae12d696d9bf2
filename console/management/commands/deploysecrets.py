"""`manage.py deploysecrets`: creates the Secret that deploy/ mounts, with random values, unless it exists.

Run by the Job console-secrets as a ServiceAccount that can create Secrets in its namespace but not read them: it
detects an existing one by the API server's AlreadyExists. The values are never printed or stored in the repository.
"""

import os
import secrets
from typing import Any

import msgspec
from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from console.web.clusters import console_client
from kube.errors import AlreadyExists, KubeError


class Command(BaseCommand):
    help = "Make the Secret with the console's keys and passwords, unless it is there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default="console-secrets")
        parser.add_argument("--namespace", default=os.environ.get("POD_NAMESPACE", ""))
        parser.add_argument("--postgres", default="console-postgres", help="the host of PostgreSQL")
        parser.add_argument("--redis", default="console-redis", help="the host of Redis")

    def handle(self, *args: Any, **options: Any) -> None:
        name, namespace = options["name"], options["namespace"]
        if not namespace:
            raise CommandError("which namespace? Use --namespace, or set POD_NAMESPACE")
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "labels": {"app.kubernetes.io/part-of": "operator-console"}},
            "stringData": values(options["postgres"], options["redis"]),
        }
        try:
            # No discovery: this identity may do one thing.
            console_client().raw(
                "POST",
                f"/api/v1/namespaces/{namespace}/secrets",
                body=msgspec.json.encode(secret),
                content_type="application/json",
            )
        except AlreadyExists:
            self.stdout.write(f"the Secret {namespace}/{name} is there already and stays as it is")
        except KubeError as error:
            raise CommandError(f"the Secret {namespace}/{name} can't be made: {error}") from error
        else:
            self.stdout.write(f"made the Secret {namespace}/{name}")


def values(postgres: str, redis: str) -> dict[str, str]:
    """The Secret's keys: the settings' names, and the passwords that PostgreSQL, Redis and dex read.

    Hexadecimal digits only, since two of them become parts of addresses.
    """
    database, broker = secrets.token_hex(24), secrets.token_hex(24)
    return {
        "SECRET_KEY": secrets.token_hex(48),
        "POSTGRES_PASSWORD": database,
        "DATABASE_URL": f"postgres://console:{database}@{postgres}:5432/console",
        "REDIS_PASSWORD": broker,
        "REDIS_URL": f"redis://:{broker}@{redis}:6379/0",
        "OIDC_CLIENT_SECRET": secrets.token_hex(24),
    }

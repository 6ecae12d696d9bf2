"""Strips NUL characters from texts that are saved or searched.

PostgreSQL can't store NUL in texts (https://www.postgresql.org/docs/current/datatype-character.html) or \\u0000 in
jsonb; objects, catalogs and addresses can contain them. Without this, an untrusted object could break an index or a
page. SQLite stores them.
"""

from importlib import import_module
from typing import Any

from django.db.backends.signals import connection_created
from django.dispatch import receiver


@receiver(connection_created, dispatch_uid="console-nul")
def _opened(connection: Any, **_more: Any) -> None:
    # Where SQLite is, psycopg is not loaded.
    if connection.vendor == "postgresql":
        import_module("console.nul_dumpers").use(connection.connection)

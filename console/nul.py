"""PostgreSQL keeps no NUL character in texts (https://www.postgresql.org/docs/current/datatype-character.html) and no
\\u0000 in jsonb; Kubernetes, catalogs and addresses may have some. So that an object of a stranger's stops neither an
index nor a page, texts are kept, and looked for, without them. SQLite keeps them.
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

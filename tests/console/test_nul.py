"""NUL characters, which PostgreSQL takes in no text: what has them is kept and found all the same.

On both databases (test_postgres.py).
"""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEntry

pytestmark = pytest.mark.django_db


def stored(value: Any) -> Any:
    return value.replace("\0", "") if connection.vendor == "postgresql" and isinstance(value, str) else value


def test_texts_and_json_are_kept() -> None:
    texts = ["spec.a\0b", "\0", "\\\0", "a text of \\u0000 stays", "\\\\u0000", "\\\\\0", {"k\0ey": ["\0v"]}]
    entry = AuditEntry.objects.create(
        at=timezone.now(), cluster="c", user="an\0na", verb="patch", outcome="ok", diff=texts, words="an\0na patch"
    )
    entry.refresh_from_db()
    assert entry.user == stored("an\0na")
    assert entry.diff == [*map(stored, texts[:-1]), {stored("k\0ey"): [stored("\0v")]}]
    assert AuditEntry.objects.filter(words__icontains="an\0na", user="an\0na").get() == entry
    AuditEntry.objects.bulk_update([entry], ["words"])
    AuditEntry.objects.bulk_create([AuditEntry(at=timezone.now(), cluster="c", user="\0", verb="get", outcome="ok")])
    assert AuditEntry.objects.filter(user="\0").count() == 1


@pytest.mark.parametrize(
    "path",
    (
        "/operatorhub/?q=a%00b&category=%00&provider=%00",
        "/operatorhub/?catalog=%00&sort=%00",
        "/search/?q=a%00b&kind=%00",
        "/audit/?q=a%00b&user=%00&verb=%00&namespace=%00&name=%00",
        "/api/audit/?q=a%00b&user=%00",
        "/resources/core/v1/configmaps/?q=a%00b&namespace=default",
        "/palette/?q=a%00b",
    ),
)
def test_no_address_with_one_is_an_error(client: Client, cluster_kubeconfig: Any, redis_server: str, path: str) -> None:
    assert client.get(path, headers={"host": "localhost"}).status_code in (200, 400, 404)

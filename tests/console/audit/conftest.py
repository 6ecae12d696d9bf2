"""A browser without script on the embedded cluster, a namespace, and what the audit has of it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.audit.models import AuditEntry
from tests.resources.conftest import client, pipe  # noqa: F401  fixtures
from tests.resources.views.conftest import browser, config_map, namespace  # noqa: F401  fixtures
from tests.resources.views.test_rights import become, dev  # noqa: F401  fixtures

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def web(browser: Client, redis_server: str) -> Iterator[Client]:  # noqa: F811
    """The browser, with everything that pages ask; at the end nothing of a Secret stands in the audit."""
    yield browser
    with connection.cursor() as cursor:
        whole = str(cursor.execute("SELECT * FROM audit_auditentry").fetchall())
    for value in ("hunter2", "aHVudGVyMg"):
        assert value not in whole


def acts(namespace: str, **filters: str) -> list[AuditEntry]:  # noqa: F811
    """Oldest first."""
    return list(AuditEntry.objects.filter(namespace=namespace, **filters).order_by("at", "pk"))


def outcome_of(row: AuditEntry) -> tuple[str, str, str]:
    return row.verb, row.name, row.outcome


def entry(number: int = 0, **more: Any) -> AuditEntry:
    """The act of that minute, not saved: ann patched the ConfigMap shop/paint."""
    given = {
        "cluster": "here",
        "user": "ann",
        "verb": "patch",
        "version": "v1",
        "resource": "configmaps",
        "kind": "ConfigMap",
        "namespace": "shop",
        "name": "paint",
        "outcome": "ok",
        "source": "page",
        **more,
    }
    row = AuditEntry(at=BEGAN + timedelta(minutes=number), **given)
    row.words = f"{row.user} {row.verb} {row.qualified} {row.namespace} {row.name} {row.outcome}".lower()
    return row

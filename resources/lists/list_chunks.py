"""A whole list in chunks, however long it is, and however long that takes.

A continue token lives about five minutes. The server's refusal (410) brings another, with which the rest comes as it is
by then. https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Gone
from kube.objects import ObjectList
from kube.table import Table

CHUNK = 1000
#: Whole objects may have 1.5 MB each.
OBJECTS = 500
_TRIES = 3
Page = TypeVar("Page", Table, ObjectList)


def tables(
    client: ClusterClient,
    type_: ResourceType,
    namespace: str,
    *,
    labels: str = "",
    fields: str = "",
    include: str = "Metadata",
    go_on: bool = True,
) -> Iterator[Table]:
    """The chunks in the server's order.

    `go_on`: if the continue token has expired, continue with the current objects; else that raises Gone.
    """

    def ask(token: str) -> Table:
        return client.table(
            type_, namespace, labels=labels, fields=fields, limit=CHUNK, continue_=token, include=include
        )

    yield from _pages(ask, go_on)


def objects(
    client: ClusterClient, type_: ResourceType, namespace: str, *, labels: str = "", fields: str = ""
) -> Iterator[ObjectList]:
    """The same as whole objects."""

    def ask(token: str) -> ObjectList:
        return client.list(type_, namespace, labels=labels, fields=fields, limit=OBJECTS, continue_=token)

    yield from _pages(ask, go_on=True)


def _pages(ask: Callable[[str], Page], go_on: bool) -> Iterator[Page]:
    token, refused = "", 0
    while True:
        try:
            page = ask(token)
        except Gone as error:
            refused += 1
            if not go_on or not error.continue_ or refused > _TRIES:
                raise
            token = error.continue_
            continue
        yield page
        token, refused = page.continue_, 0
        if not token:
            return

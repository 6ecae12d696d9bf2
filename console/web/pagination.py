"""Pages of a list: as many rows as the user prefers (console/prefer/store.py), and the page that `?page=` asks for.

A list of objects of one type has its own length, chosen with its columns (resources/views/list_page.py).
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from console.prefer.store import preferences_of

Row = TypeVar("Row")


def paginate(request: HttpRequest, rows: "Sequence[Row] | QuerySet[Any, Row]") -> "Page[Row]":
    """`?page=` counts from 1. Text that isn't a number gives the first page, a number out of range the last one."""
    return Paginator(rows, preferences_of(request).size).get_page(request.GET.get("page"))

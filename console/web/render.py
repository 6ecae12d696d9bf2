"""How views answer: with a page, with a part of it where htmx asks for that, or with a file. Lists: page by page.

A list of objects of one type has its own length, chosen with its columns (resources/views/list_page.py).
"""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import Template
from django.utils.cache import patch_vary_headers
from django.utils.http import content_disposition_header

from console.prefer.store import preferences_of
from console.web.request import wants_fragment

Answer = TypeVar("Answer", bound=HttpResponseBase)
Row = TypeVar("Row")


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | object,
    *,
    fragment: str = "",
    part: bool = False,
    block: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or only a part of it for a request of htmx that wants one.

    `part`: that part is the block `part` of the template itself, which extends `skeleton`: base.html, or
    templates/part.html with nothing but that block. `block`: only this block of it.

    `context` is a mapping or a dataclass (its fields become the template's names, one level deep). Both paints of a
    part are one text, since the page includes the fragment or has it as a block.
    """
    names = dict(context if isinstance(context, Mapping) else _fields(context))
    names["skeleton"] = only(block) if block else skeleton(request) if part or fragment else "base.html"
    chosen = fragment if fragment and wants_fragment(request) else template
    response = render(request, chosen, names, status=status)
    patch_vary_headers(response, ["HX-Request"])
    # Pages show live state of the moment: never from a cache, the browser's back-forward cache aside.
    response.headers.setdefault("Cache-Control", "no-cache, private")
    return response


def skeleton(request: HttpRequest) -> str:
    """What a page with a block `part` extends: base.html, or for htmx a template with that block alone."""
    return "part.html" if wants_fragment(request) else "base.html"


@cache
def only(block: str) -> Template:
    """What a template extends to be drawn as this block alone."""
    return Template(f"{{% block {block} %}}{{% endblock %}}")


def paginate(request: HttpRequest, rows: "Sequence[Row] | QuerySet[Any, Row]") -> "Page[Row]":
    """As many rows as the user prefers (console/prefer/store.py), of the page that `?page=` asks for.

    It counts from 1. Text that isn't a number gives the first page, a number out of range the last one.
    """
    return Paginator(rows, preferences_of(request).size).get_page(request.GET.get("page"))


def as_file(answer: Answer, name: str) -> Answer:
    """The answer as a file that the browser saves under this name, and keeps nowhere else."""
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _fields(context: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(context):
        raise TypeError(f"a context is a mapping or a dataclass, not {type(context).__name__}")
    return {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}

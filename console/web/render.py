"""How views answer: with a page, with a part of it where htmx asks for that, or with a file."""

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import content_disposition_header

from console.web.request import wants_fragment

Answer = TypeVar("Answer", bound=HttpResponseBase)


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | object,
    *,
    fragment: str = "",
    part: bool = False,
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or `fragment` for a request of htmx that wants a part. With `part` that is the template's own
    block `part` (templates/part.html).

    `context` is a mapping or a dataclass (its fields become the template's names, one level deep). Both paints of a
    part are one text, since the page includes the fragment.
    """
    names = context if isinstance(context, Mapping) else _fields(context)
    chosen = fragment if fragment and wants_fragment(request) else template
    response = render(request, chosen, {**names, "layout": layout(request) if part else ""}, status=status)
    patch_vary_headers(response, ["HX-Request"])
    # Pages show live state of the moment: never from a cache, the browser's back-forward cache aside.
    response.headers.setdefault("Cache-Control", "no-cache, private")
    return response


def layout(request: HttpRequest) -> str:
    """What a page that has a block `part` extends: the layout of the part alone for htmx, '' for the whole page."""
    return "part.html" if wants_fragment(request) else ""


def as_file(answer: Answer, name: str) -> Answer:
    """The answer as a file that the browser saves under this name, and keeps nowhere else."""
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _fields(context: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(context):
        raise TypeError(f"a context is a mapping or a dataclass, not {type(context).__name__}")
    return {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}

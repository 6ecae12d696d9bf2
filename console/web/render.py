"""One way to answer with HTML: the whole page, or only its part when htmx asks for that."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from console.web.request import wants_fragment


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | object,
    *,
    fragment: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or `fragment` for a request of htmx that wants a part.

    `context` is a mapping or a dataclass (its fields become the template's names, one level deep). Both paints of a part are
    one text, since the page includes the fragment.
    """
    names = context if isinstance(context, Mapping) else _fields(context)
    chosen = fragment if fragment and wants_fragment(request) else template
    response = render(request, chosen, dict(names), status=status)
    patch_vary_headers(response, ["HX-Request"])
    # Pages show live state of the moment: never from a cache, the browser's back-forward cache aside.
    response.headers.setdefault("Cache-Control", "no-cache, private")
    return response


def _fields(context: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(context):
        raise TypeError(f"a context is a mapping or a dataclass, not {type(context).__name__}")
    return {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}

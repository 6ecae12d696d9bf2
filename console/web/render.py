"""How views answer: with a page, with a part of it where htmx asks for that, or with a file."""

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import RequestContext, loader
from django.template.loader_tags import BlockNode
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
    block: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or only a part of it for a request of htmx that wants one.

    The part is the template's own `block`, or another template `fragment` that the page includes: both paints of a
    part are one text. `context` is a mapping or a dataclass (its fields become the template's names, one level deep).
    """
    names = dict(context if isinstance(context, Mapping) else _fields(context))
    if block and wants_fragment(request):
        response = HttpResponse(_render_block(request, template, block, names), status=status)
    else:
        chosen = fragment if fragment and wants_fragment(request) else template
        response = render(request, chosen, names, status=status)
    patch_vary_headers(response, ["HX-Request"])
    # Pages show live state of the moment: never from a cache, the browser's back-forward cache aside.
    response.headers.setdefault("Cache-Control", "no-cache, private")
    return response


def as_file(answer: Answer, name: str) -> Answer:
    """The answer as a file that the browser saves under this name, and keeps nowhere else."""
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _render_block(request: HttpRequest, template: str, name: str, names: dict[str, Any]) -> str:
    """One block of a page, without the page that it extends. (Django 6 has `{% partialdef %}` for it.)"""
    page = loader.get_template(template).template  # type: ignore[attr-defined]
    part = copy.copy(page)
    part.nodelist = next(node for node in page.nodelist.get_nodes_by_type(BlockNode) if node.name == name).nodelist
    return str(part.render(RequestContext(request, names)))


def _fields(context: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(context):
        raise TypeError(f"a context is a mapping or a dataclass, not {type(context).__name__}")
    return {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}

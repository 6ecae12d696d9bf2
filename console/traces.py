"""OpenTelemetry traces: a span for each Django request, each request to the API server and each task, with the request
ID.

Imported only where OTEL_EXPORTER_OTLP_ENDPOINT names a collector (console/apps.py); the OTEL_… variables are the
library's own (https://opentelemetry.io/docs/languages/sdk-configuration/). The spans are made here and not by its
instrumentations, which put whole addresses into them: a span has routes and paths, never a query, a header, a body or
an error's words. Attributes: https://opentelemetry.io/docs/specs/semconv/http/http-spans/

Open streams, followed logs and terminals aren't Django requests; their requests to the API server are root spans.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Token
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from opentelemetry import context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from console import request_id
from kube import recording
from kube.errors import KubeError
from kube.recording import target
from kube.requests import ApiRequest

#: Other methods are untrusted text.
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"))
_KEY = "console_trace"
# Only W3C's traceparent: baggage is untrusted text.
_passed_on = TraceContextTextMapPropagator()
_provider = TracerProvider(resource=Resource({}))
_tracer = _provider.get_tracer("operator-console")
#: By the task's id: begun and ended in one thread.
_tasks: dict[str, tuple[Span, Token[context.Context]]] = {}


def begin() -> None:
    """For the whole process, once. Its end sends what is left (atexit), or end()."""
    global _provider, _tracer
    _provider = TracerProvider(resource=_resource())
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = _provider.get_tracer("operator-console", settings.VERSION)
    recording.use_tracing(_around)
    before_task_publish.connect(_publish, dispatch_uid="console-traces")
    task_prerun.connect(_begin_task, dispatch_uid="console-traces")
    task_postrun.connect(_end_task, dispatch_uid="console-traces")


def end() -> None:
    """What is not sent yet is, for two seconds at most."""
    _provider.force_flush(2000)


def _resource() -> Resource:
    """OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES first."""
    found = Resource.create({SERVICE_VERSION: settings.VERSION})
    if str(found.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        found = found.merge(Resource({SERVICE_NAME: "operator-console"}))
    return found


def _started(
    name: str, kind: SpanKind, attributes: dict[str, str | int], parent: context.Context | None = None
) -> Span:
    if number := request_id.current():
        attributes["console.request_id"] = number
    return _tracer.start_span(name, parent, kind, attributes, record_exception=False, set_status_on_exception=False)


def _failed(span: Span, kind: str) -> None:
    """`kind` is a status, a reason of the API server's or a class, never a message."""
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


class TraceMiddleware:
    """Right behind the number's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        method = request.method if request.method in _METHODS else "_OTHER"
        parent = _passed_on.extract({"traceparent": request.headers.get("traceparent", "")})
        span = _started(
            method or "",
            SpanKind.SERVER,
            {"http.request.method": method or "", "url.scheme": request.scheme or ""},
            parent,
        )
        token = context.attach(set_span_in_context(span))
        try:
            response = self.get_response(request)
            if request.resolver_match is not None:
                route = f"/{request.resolver_match.route}"
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                _failed(span, str(response.status_code))
            return response
        finally:
            context.detach(token)
            span.end()


@contextmanager
def _around(request: ApiRequest) -> Iterator[recording.TracedCall]:
    """The span of a request to the API server, named by its path without the query.

    The API server can continue the trace.
    """
    span = _started(_name(request), SpanKind.CLIENT, {"http.request.method": request.method, "url.path": request.path})
    headers: dict[str, str] = {}
    _passed_on.inject(headers, set_span_in_context(span))
    call = recording.TracedCall(dataclasses.replace(request, headers=(*request.headers, *headers.items())))
    try:
        yield call
        if call.status:
            span.set_attribute("http.response.status_code", call.status)
        if call.status >= 400:
            _failed(span, str(call.status))
    except KubeError as error:
        if error.code:
            span.set_attribute("http.response.status_code", error.code)
        _failed(span, error.reason)
        raise
    except BaseException as error:
        _failed(span, type(error).__name__)
        raise
    finally:
        span.end()


def _name(request: ApiRequest) -> str:
    """GET pods, PATCH deployments/scale: few names for many objects."""
    found = target(request.path)
    if found is None:
        return f"{request.method} {request.path.split('/')[1]}"
    return f"{request.method} {found.plural}{f'/{found.subresource}' if found.subresource else ''}"


def _publish(headers: dict[str, Any] | None = None, **_more: Any) -> None:
    carrier: dict[str, str] = {}
    _passed_on.inject(carrier)
    if headers is not None and carrier:
        headers[_KEY] = carrier["traceparent"]


def _begin_task(task_id: str, task: Any, **_more: Any) -> None:
    parent = _passed_on.extract({"traceparent": str(getattr(task.request, _KEY, None) or "")})
    span = _started(
        f"run {task.name}", SpanKind.CONSUMER, {"messaging.system": "celery", "messaging.message.id": task_id}, parent
    )
    _tasks[task_id] = (span, context.attach(set_span_in_context(span)))


def _end_task(task_id: str, state: str | None = None, **_more: Any) -> None:
    if (begun := _tasks.pop(task_id, None)) is None:
        return
    span, token = begun
    context.detach(token)
    if state not in (None, "SUCCESS"):
        _failed(span, str(state))
    span.end()

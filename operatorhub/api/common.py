"""What the JSON views share: the user's cluster, the audit log, what a refusal of ours looks like."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any, cast

from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.web import audit
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from resources import yamltext

NAMESPACE = OpenApiParameter("namespace", str, description="'' = all namespaces")


class ProblemSerializer(serializers.Serializer[Any]):
    """What went wrong and what can be done, in the reader's language; `reason` is the API server's word."""

    status = serializers.IntegerField()
    title = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    advice = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)


class RefusedSerializer(serializers.Serializer[Any]):
    """Validation errors, by field."""

    status = serializers.IntegerField()
    title = serializers.CharField()
    errors = serializers.DictField(child=serializers.CharField())  # type: ignore[assignment]


def web(request: Request) -> ConsoleRequest:
    """The Django request, as console.web knows it."""
    return cast(ConsoleRequest, request._request)


def cluster(request: Request) -> ClusterClient:
    """The cluster with the signed-in user's credentials."""
    return web(request).cluster


def body(request: Request, wanted: type[serializers.Serializer[Any]] | None = None) -> Mapping[str, Any]:
    """The JSON object that was sent; {} for anything else.

    400 for a key that `wanted` does not have, lest it be dropped without a word.
    """
    sent = request.data if isinstance(request.data, dict) else {}
    if wanted is not None:
        known_keys("", sent, wanted().fields)
    return sent


def known_keys(where: str, sent: Mapping[str, Any], known: Collection[str]) -> None:
    """400, naming every key of `sent` that is not known. `where`: the field that holds them, '' for the whole."""
    unknown = sorted(str(key) for key in sent if key not in known)
    if unknown:
        words = _("Unknown fields: %(keys)s. Valid fields: %(known)s.")
        text = words % {"keys": ", ".join(unknown)[:500], "known": ", ".join(known)}
        raise ValidationError(f"{where}: {text}" if where else text)


def form(sent: Mapping[str, Any]) -> QueryDict:
    """A JSON object as a page would post it: the subjects read forms. True is "1", null and false are left out."""
    found = QueryDict(mutable=True)
    for key, value in sent.items():
        if isinstance(value, list):
            found.setlist(key, [str(item) for item in value])
        elif value is not None and value is not False:
            found[key] = "1" if value is True else str(value)
    return found


def as_yaml(value: Any) -> str:
    """A part of an object for the subjects, which read YAML: a text as it is, anything else as YAML."""
    return value if isinstance(value, str) else yamltext.dump(value)


def dry(request: Request) -> bool:
    """`dryRun` in the body: nothing is changed, the API server is only asked."""
    return body(request).get("dryRun") is True


def refused(title: str, errors: Mapping[str, str]) -> Response:
    """422: our own rules, by field."""
    return Response(
        {"status": 422, "title": title, "errors": {key: str(text) for key, text in errors.items()}}, status=422
    )


def audited(request: Request, verb: str, ref: str, *, dry_run: bool = False) -> AbstractContextManager[None]:
    """`with audited(request, verb, ref):` records the change in the audit log, also when it was refused."""
    return audit.recorded(web(request), verb, ref, dry_run=dry_run)

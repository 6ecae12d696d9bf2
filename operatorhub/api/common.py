"""What the JSON views share: the user's cluster, the audit log, refusals, and serializers of dataclasses.

A serializer has the fields that are named, typed as the dataclass types them, so that the schema documents what the
pages' functions return. These serializers are for answers only. Their fields are looked up on first use, not when the
module is loaded.
"""

import copy
import dataclasses
import re
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, ClassVar, Union, cast, get_args, get_origin, get_type_hints

from django.forms import BaseForm
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


def refused(title: str, errors: Mapping[str, str] | BaseForm) -> Response:
    """422: our own rules, by field; of a form the first error of each."""
    if isinstance(errors, BaseForm):
        errors = {field: str(found[0]) for field, found in errors.errors.items()}
    return Response(
        {"status": 422, "title": title, "errors": {key: str(text) for key, text in errors.items()}}, status=422
    )


def audited(request: Request, verb: str, ref: str, *, dry_run: bool = False) -> AbstractContextManager[None]:
    """`with audited(request, verb, ref):` records the change in the audit log, also when it was refused."""
    return audit.recorded(web(request), verb, ref, dry_run=dry_run)


Field = serializers.Field[Any, Any, Any, Any]
_LISTS = (tuple, list, frozenset, set, Sequence, Iterable)
_PLAIN: dict[Any, type[Field]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    bool: serializers.BooleanField,
    float: serializers.FloatField,
}

#: The schema's name of a nested class that was renamed: published names stay.
_PUBLISHED = {"SourcesDraftsChannelEntry": "SourcesDraftsEntry"}


class Shape(serializers.Serializer[Any]):
    """A response. `model` is the dataclass, `names` the fields and properties to include; () means all fields."""

    model: ClassVar[type]
    names: ClassVar[tuple[str, ...]] = ()
    more: ClassVar[Mapping[str, Field]] = {}

    def get_fields(self) -> dict[str, Field]:
        hints = hints_of(self.model)
        wanted = self.names or tuple(attribute.name for attribute in dataclasses.fields(self.model))
        found = {name: field(hints[name]) for name in wanted if name not in self.more}
        return {**found, **copy.deepcopy(dict(self.more))}


def shape(model: type, name: str, *names: str, **more: Field) -> type[Shape]:
    """The serializer of a dataclass; `name` is what the schema calls it.

    `more`: fields with serializers of their own.
    """
    return type(name, (Shape,), {"__doc__": model.__doc__, "model": model, "names": names, "more": more})


@lru_cache(maxsize=256)
def hints_of(model: type) -> Mapping[str, Any]:
    """The types of a class's fields and properties."""
    found = dict(get_type_hints(model))
    for name in dir(model):
        getter = getattr(getattr(model, name), "fget", None)
        if getter is not None:
            found[name] = get_type_hints(getter).get("return", Any)
    return found


@lru_cache(maxsize=256)
def _nested(model: type) -> type[Shape]:
    """Of a dataclass inside another one: named by where it is from, since several are called Channel."""
    place = "".join(part.capitalize() for part in re.split(r"[._]", model.__module__.removeprefix("operatorhub.")))
    name = f"{place}{model.__name__}"
    return shape(model, _PUBLISHED.get(name, name))


def field(hint: Any, **options: Any) -> Field:
    """The serializer field of a type. Types without a field of their own are passed through as JSON."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        rest = [item for item in inside if item is not type(None)]
        empty = {"allow_null": True} if len(rest) < len(inside) else {}
        texts = {str if item.__module__.startswith("django.utils.functional") else item for item in rest}
        options = {**options, **empty}
        return field(texts.pop(), **options) if len(texts) == 1 else serializers.JSONField(**options)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _nested(hint)(**options)
    if hint is str:
        return serializers.CharField(allow_blank=True, **options)
    if hint in _PLAIN:
        return _PLAIN[hint](**options)
    if origin in _LISTS:
        return _list(inside, **options)
    if origin in (dict, Mapping):
        return serializers.DictField(child=field(inside[1]), **options)
    return serializers.JSONField(**options)


def _list(inside: tuple[Any, ...], **options: Any) -> Field:
    """tuple[X, ...] is a list of X; a tuple of fixed parts is a list of whatever these are."""
    parts = {item for item in inside if item is not Ellipsis}
    return serializers.ListField(child=field(parts.pop()) if len(parts) == 1 else serializers.JSONField(), **options)

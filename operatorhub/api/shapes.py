"""Serializers of dataclasses: the fields that are named, typed as the dataclass types them.

What the subjects return is what the schema documents.

Only for answers. The fields are looked up when they are needed first, not when the module is loaded.
"""

import copy
import dataclasses
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from rest_framework import serializers

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

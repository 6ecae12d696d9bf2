"""Objects of the API as types: `read(obj, Pod).spec.node_name` instead of digging through nested mappings.

The types are in kube/types/. They hold the fields that the console reads, no others.
Reading never fails, whatever an object's author wrote: what isn't there, or isn't of the field's type, has the field's
default. A type's annotations say how a field is read:

- `str`: any scalar as text.
- `IntOrString`: an integer or text, as it is.
- `Text`: likewise, without white space around it, for what authors write by hand.
- `bool`, `int`, `float`: only that type; true isn't an integer. `bool | None`, `int | None`: None where it's missing.
- an ApiType: of anything but a mapping, its defaults. `ApiType | None`: of anything but a mapping, None; not of `{}`.
- `tuple[X, ...]`: those elements that can be read as X. `dict[str, X]`: likewise, by key. Of `X | None`: null too.
- `Any`: as it is.
"""

import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from kube.objects import items, text

# How the API spells these words: podIP, clusterIPs, installedCSV.
# https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-conventions
_ACRONYMS = {
    "cidr": "CIDR",
    "cidrs": "CIDRs",
    "csv": "CSV",
    "fs": "FS",
    "id": "ID",
    "ip": "IP",
    "ips": "IPs",
    "os": "OS",
    "url": "URL",
    "urls": "URLs",
}
_UNREADABLE: Any = object()
#: As of a port by number or name; also of numbers that are only shown. 0 is falsy, "0" isn't.
IntOrString = int | str
#: With white space around it, msgspec refuses it, and it is read field by field.
Text = Annotated[str, msgspec.Meta(pattern=r"(?s)\A(?!\s).*(?<!\s)\Z")]


def api_name(field: str) -> str:
    """pod_ips -> podIPs. A field that the API spells otherwise has its name by `msgspec.field(name=)`."""
    first, *others = field.rstrip("_").split("_")
    return first + "".join(_ACRONYMS.get(word, word.capitalize()) for word in others)


class ApiType(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """An object of the API, or a part of one, as far as the console reads it. Each field has a default."""


Read = TypeVar("Read", bound=ApiType)
_Reader = Callable[[Any], Any]


def read(value: object, type_: type[Read]) -> Read:
    """The value as `type_`; the defaults for anything but a mapping.

    msgspec reads what is as the type says, in C; only an object with a surprise in it is read again, field by field.
    """
    try:
        return msgspec.convert(value, type_)
    except (msgspec.ValidationError, UnicodeEncodeError):
        # UnicodeEncodeError: half of a surrogate pair in a key, as in JSON in an annotation.
        return _read_fields(value, type_)


def read_list(value: object, type_: type[Read]) -> tuple[Read, ...]:
    """Those elements of a list that are mappings; () for anything else."""
    return tuple(read(item, type_) for item in items(value))


def _read_fields(value: object, type_: type[Read]) -> Read:
    fields = value if isinstance(value, Mapping) else {}
    found = {name: read_field(fields.get(key)) for name, key, read_field in _field_readers(type_)}
    return type_(**{name: part for name, part in found.items() if part is not _UNREADABLE})


@cache
def _field_readers(type_: type[ApiType]) -> tuple[tuple[str, str, _Reader], ...]:
    return tuple((field.name, field.encode_name, _reader(field.type)) for field in msgspec.structs.fields(type_))


@cache
def _reader(annotation: Any) -> _Reader:
    """A function from a value to what a field of this annotation holds, or to _UNREADABLE."""
    if annotation is Any:
        return lambda value: value
    if annotation is Text:
        return lambda value: _UNREADABLE if (found := _as_text(value)) is _UNREADABLE else found.strip()
    if annotation == IntOrString:
        return lambda value: value if type(value) in (int, str) else _UNREADABLE
    if annotation is str:
        return _as_text
    if annotation in (bool, int, float):
        return lambda value: value if type(value) is annotation else _UNREADABLE
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return lambda value: tuple(_readable(_reader(arguments[0]), value)) if isinstance(value, list) else _UNREADABLE
    if origin is dict:
        return lambda value: _read_dict(value, _reader(arguments[1])) if isinstance(value, Mapping) else _UNREADABLE
    if origin in (Union, types.UnionType):
        (member,) = (argument for argument in arguments if argument is not type(None))
        read_member = _reader(member)
        return lambda value: None if value is None else read_member(value)
    return lambda value: read(value, annotation) if isinstance(value, Mapping) else _UNREADABLE


def _as_text(value: Any) -> Any:
    try:
        return text(value) if isinstance(value, str | int | float) else _UNREADABLE
    except ValueError:
        # Of more digits than Python writes: https://docs.python.org/3/library/stdtypes.html#int-max-str-digits
        return _UNREADABLE


def _readable(read_item: _Reader, values: list[Any]) -> list[Any]:
    return [found for value in values if (found := read_item(value)) is not _UNREADABLE]


def _read_dict(values: Mapping[Any, Any], read_value: _Reader) -> dict[str, Any]:
    return {str(key): found for key, value in values.items() if (found := read_value(value)) is not _UNREADABLE}

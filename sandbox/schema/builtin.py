"""Schemas of the built-in kinds: Kubernetes' own, from builtin.json.gz (made by tools/builtin_schemas.py).

The file is unpacked when the first built-in object is checked, and stays as one piece of JSON text; single schemas are
decoded when something refers to them, without descriptions, which no check reads. Documents for people and kubectl are
put together from the text (openapi.py), so nothing there is decoded at all.
"""

from __future__ import annotations

import functools
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from structural.gotypes import struct_fault

FILE = Path(__file__).with_name("builtin.json.gz")
_REF = re.compile(rb'"#/components/schemas/([^"]+)"')


class Content(msgspec.Struct, frozen=True):
    """The file. ``kinds``: "apps/v1/Deployment" → name in ``schemas``; ``parameters``: by x-kubernetes-action."""

    version: str
    kinds: dict[str, str]
    parameters: dict[str, list[msgspec.Raw]]
    schemas: dict[str, msgspec.Raw]


@functools.cache
def content() -> Content:
    """Read once; some 0.8 MB."""
    return msgspec.json.decode(gzip.decompress(FILE.read_bytes()), type=Content)


class Components(Mapping[str, dict[str, Any]]):
    """``components.schemas`` of every built-in kind: one for all of them, decoded name by name."""

    def __init__(self) -> None:
        self._decoded: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> dict[str, Any]:
        found = self._decoded.get(name)
        if found is None:
            found = self._decoded[name] = without_descriptions(msgspec.json.decode(content().schemas[name]))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(content().schemas)

    def __len__(self) -> int:
        return len(content().schemas)


COMPONENTS = Components()


def without_descriptions(schema: Any) -> Any:
    """The same schema; a property that is called "description" is an object and stays."""
    if isinstance(schema, dict):
        return {
            name: without_descriptions(value)
            for name, value in schema.items()
            if not (name == "description" and isinstance(value, str))
        }
    return [without_descriptions(item) for item in schema] if isinstance(schema, list) else schema


@functools.cache
def builtin(group: str, version: str, kind: str) -> dict[str, Any] | None:
    """The schema with ``components.schemas`` for its references; None when the kind is not built in.

    Never change it.
    """
    name = name_of(group, version, kind)
    return {**COMPONENTS[name], "components": {"schemas": COMPONENTS}} if name else None


def body_fault(name: str, obj: dict[str, Any]) -> str:
    """The first value of a component (DeleteOptions) that Go could not put into its struct; empty when all fit."""
    return struct_fault({**COMPONENTS[name], "components": {"schemas": COMPONENTS}}, name, obj)


def name_of(group: str, version: str, kind: str) -> str:
    """``io.k8s.api.apps.v1.Deployment``; "" for what is not built in."""
    return content().kinds.get(f"{group}/{version}/{kind}" if group else f"{version}/{kind}", "")


def with_references(names: Iterable[str]) -> dict[str, msgspec.Raw]:
    """The named schemas and all they refer to, as JSON text, by name."""
    schemas = content().schemas
    found: dict[str, msgspec.Raw] = {}
    open_ = {name for name in names if name in schemas}
    while open_:
        name = open_.pop()
        found[name] = schemas[name]
        open_ |= {match.decode() for match in _REF.findall(bytes(schemas[name]))} - found.keys()
    return dict(sorted(found.items()))

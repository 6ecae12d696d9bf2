"""A function that rules can call, declared without the CEL library, so that the tables can be read and tested alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: Kinds a parameter may have where Kubernetes' function takes any.
ANY = ("STRING", "INT", "DOUBLE", "BOOL", "MAP", "LIST")


class Function(NamedTuple):
    """One overload.

    ``parameters`` and ``result`` are names of CEL types; a method's first parameter is what it is called on.

    The implementation raises ValueError to make the rule fail with that message.
    """

    name: str
    parameters: tuple[str, ...]
    result: str
    run: Callable[..., Any]
    method: bool = True


def tagged(tag: str, value: Any, **more: Any) -> dict[str, Any]:
    """A value of one of Kubernetes' own CEL types. It travels as a map: equal values make equal maps."""
    return {"type()": tag, "value": value, **more}


def tag_of(value: Any) -> str:
    """The tag of such a value; empty for anything else."""
    return str(value.get("type()", "")) if isinstance(value, dict) else ""

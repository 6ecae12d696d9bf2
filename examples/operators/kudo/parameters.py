"""The values that templates see: the Instance's, else the defaults, each checked by its type. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from untrusted import yaml_bounds

from .version import OperatorVersion, Parameter

_WORDS = {"true": True, "false": False}


class ParameterError(Exception):
    """Every parameter that is wrong, in one text."""


def resolve(version: OperatorVersion, given: Mapping[str, str]) -> dict[str, Any]:
    """name → value; ParameterError. A parameter that is neither given, nor has a default, nor is required is empty."""
    problems = [_unknown(version, name) for name in given if name not in version.parameters]
    values: dict[str, Any] = {}
    for parameter in version.parameters.values():
        written = given.get(parameter.name, parameter.default)
        if written is None:
            if parameter.required:
                problems.append(f"parameter {parameter.name} is required and has no default")
            values[parameter.name] = ""
            continue
        try:
            values[parameter.name] = value(parameter, str(written))
        except ValueError as problem:
            problems.append(f"parameter {parameter.name}: {problem}")
    if problems:
        raise ParameterError("; ".join(problems))
    return values


def _unknown(version: OperatorVersion, name: str) -> str:
    known = ", ".join(sorted(version.parameters))
    return f"parameter {name} is not known to {version.name}; it has {known or 'none'}"


def value(parameter: Parameter, written: str) -> Any:
    """A text as its type says; ValueError for people.

    Numbers stay as they are written: a template puts them into text anyway.
    """
    if parameter.enum and written not in parameter.enum:
        raise ValueError(f"“{written}” is none of {', '.join(parameter.enum)}")
    if parameter.type == "integer":
        try:
            return int(written)
        except ValueError:
            raise ValueError(f"“{written}” is not a whole number") from None
    if parameter.type == "number":
        try:
            float(written)
        except ValueError:
            raise ValueError(f"“{written}” is not a number") from None
        return written
    if parameter.type == "boolean":
        if written not in _WORDS:
            raise ValueError(f"“{written}” is neither true nor false")
        return _WORDS[written]
    if parameter.type in ("array", "map"):
        wanted = list if parameter.type == "array" else dict
        try:
            found = yaml_bounds.load(written)
        except yaml.YAMLError:
            found = None
        if not isinstance(found, wanted):
            raise ValueError(f"this is not YAML of {'a list' if wanted is list else 'a map'}")
        return found
    return written

"""The inside of ``{{ … }}``: pipelines of Go's text/template, read once and evaluated as often as one likes.

.Params.NODE_COUNT | int | until        $i        eq .Params.MODE "fast"        (add 1 $i)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .functions import FUNCTIONS

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\"|`[^`]*`)|(?P<number>-?\d+(?:\.\d+)?)|(?P<variable>\$\w*(?:\.\w+)*)"
    r"|(?P<field>\.(?:\w+(?:\.\w+)*)?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[|()])|(?P<wrong>\S))"
)
_WORDS = {"true": True, "false": False, "nil": None}


class ExpressionError(ValueError):
    """What is wrong, without the place."""


@dataclass(frozen=True, slots=True)
class Scope:
    """``dot`` is Go's cursor; ``variables`` by name, ``$`` with the empty one."""

    dot: Any
    variables: Mapping[str, Any]

    def having(self, dot: Any, **variables: Any) -> Scope:
        """The same with another dot and more variables."""
        return Scope(dot, {**self.variables, **variables})


#: An expression: its value in a scope.
Expression = Callable[[Scope], Any]


def parse(source: str) -> Expression:
    """Raises ExpressionError."""
    tokens = _Tokens(source)
    found = _pipeline(tokens)
    if tokens.kind:
        raise ExpressionError(f"unexpected {tokens.text!r}")
    return found


class _Tokens:
    """A cursor over what was written; ``kind`` is empty at the end."""

    def __init__(self, source: str):
        self._found = [(str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(source.strip())]
        self._at = 0

    @property
    def kind(self) -> str:
        return self._found[self._at][0] if self._at < len(self._found) else ""

    @property
    def text(self) -> str:
        return self._found[self._at][1] if self.kind else "the end"

    def next(self) -> str:
        found = self.text
        self._at += 1
        return found


def _pipeline(tokens: _Tokens) -> Expression:
    found = _command(tokens, None)
    while tokens.text == "|" and tokens.kind == "mark":
        tokens.next()
        if tokens.kind != "name":
            raise ExpressionError(f"only a function may follow “|”, not {tokens.text!r}")
        found = _command(tokens, found)
    return found


def _command(tokens: _Tokens, piped: Expression | None) -> Expression:
    if tokens.kind == "name" and tokens.text not in _WORDS:
        name = tokens.next()
        function = FUNCTIONS.get(name)
        if function is None:
            raise ExpressionError(f"function {name!r} is not known")
        arguments = []
        while tokens.kind and tokens.text not in ("|", ")"):
            arguments.append(_operand(tokens))
        return _call(name, function, arguments + ([piped] if piped else []))
    found = _operand(tokens)
    if tokens.kind and tokens.text not in ("|", ")"):
        raise ExpressionError(f"{tokens.text!r} does not belong after a value")
    return found


def _call(name: str, function: Callable[..., Any], arguments: list[Expression]) -> Expression:
    def value(scope: Scope) -> Any:
        given = [argument(scope) for argument in arguments]
        try:
            return function(*given)
        except (TypeError, ValueError, LookupError, ArithmeticError) as problem:
            raise ExpressionError(f"{name}: {problem}") from None

    return value


def _operand(tokens: _Tokens) -> Expression:
    kind, found = tokens.kind, tokens.next()
    if kind == "string":
        written = found[1:-1] if found[0] == "`" else json.loads(found)
        return lambda _: written
    if kind == "number":
        number = float(found) if "." in found else int(found)
        return lambda _: number
    if kind == "name" and found in _WORDS:
        word = _WORDS[found]
        return lambda _: word
    if kind == "field":
        names = [part for part in found.split(".") if part]
        return lambda scope: _follow(scope.dot, names, "")
    if kind == "variable":
        name, *names = found[1:].split(".")
        return lambda scope: _follow(_variable(scope, name), names, f"${name}")
    if kind == "mark" and found == "(":
        inner = _pipeline(tokens)
        if tokens.next() != ")":
            raise ExpressionError("a “)” is missing")
        return inner
    raise ExpressionError("a value is missing" if not kind else f"unexpected {found!r}")


def _variable(scope: Scope, name: str) -> Any:
    if name not in scope.variables:
        raise ExpressionError(f"variable ${name} is not known")
    return scope.variables[name]


def _follow(value: Any, names: list[str], path: str) -> Any:
    for name in names:
        path = f"{path}.{name}"
        if not isinstance(value, Mapping) or name not in value:
            raise ExpressionError(f"there is no {path}")
        value = value[name]
    return value

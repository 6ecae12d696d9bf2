"""Go's text/template as packages of this form use it: ``if``, ``else if``, ``range``, ``with``, variables,
pipelines, ``{{-`` and ``-}}``.

Not here: define, template, block and break. Why it is written here and not taken from a library: docs/decisions/0015.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .expressions import Expression, ExpressionError, Scope, parse
from .functions import text, truth

_TAG = re.compile(r"\{\{(?P<left>-(?=\s))?(?P<inside>.*?)(?P<right>(?<=\s)-)?\}\}", re.DOTALL)
_ASSIGN = re.compile(r"^\$(\w+)\s*(?::=|=)\s*(.+)$", re.DOTALL)
_RANGE = re.compile(r"^\$(\w+)\s*(?:,\s*\$(\w+)\s*)?:=\s*(.+)$", re.DOTALL)


class TemplateError(Exception):
    """``str()`` names file and line."""

    def __init__(self, file: str, line: int, message: str):
        super().__init__(f"{file}, line {line}: {message}")
        self.file, self.line = file, line


@dataclass(slots=True, kw_only=True)
class _Block:
    """``word``: if, range, with, or empty for the whole file. ``names``: variables that it sets."""

    word: str
    line: int
    value: Expression | None = None
    names: tuple[str, ...] = ()
    body: list[_Node] = field(default_factory=list)
    otherwise: list[_Node] = field(default_factory=list)
    #: An ``else if`` is a block of its own in ``otherwise``, closed by the same ``end``.
    chained: bool = False
    in_else: bool = False

    def add(self, node: _Node) -> None:
        (self.otherwise if self.in_else else self.body).append(node)


@dataclass(frozen=True, slots=True)
class _Value:
    line: int
    value: Expression
    name: str = ""


_Node = str | _Value | _Block


def render(file: str, source: str, values: Mapping[str, Any]) -> str:
    """The template with ``values`` as its dot; TemplateError."""
    scope = Scope(values, {"": values})
    return "".join(_write(file, _read(file, source).body, scope))


def _read(file: str, source: str) -> _Block:
    stack = [_Block(word="", line=1)]
    end, trim = 0, False
    for tag in _TAG.finditer(source):
        plain = source[end : tag.start()]
        plain = plain.lstrip() if trim else plain
        stack[-1].add(plain.rstrip() if tag["left"] else plain)
        end, trim = tag.end(), bool(tag["right"])
        inside = tag["inside"].strip()
        line = source.count("\n", 0, tag.start()) + 1
        if inside.startswith("/*"):
            continue
        try:
            _take(stack, inside, line)
        except ExpressionError as problem:
            raise TemplateError(file, line, str(problem)) from None
    if len(stack) > 1:
        raise TemplateError(file, stack[-1].line, f"this {stack[-1].word} has no end")
    rest = source[end:]
    if "{{" in rest:
        raise TemplateError(file, source.count("\n", 0, end + rest.index("{{")) + 1, "“{{” is never closed")
    stack[-1].add(rest.lstrip() if trim else rest)
    return stack[0]


def _take(stack: list[_Block], inside: str, line: int) -> None:
    word, _, rest = inside.partition(" ")
    if word in ("if", "with", "range"):
        block = _open(word, rest.strip(), line)
        stack[-1].add(block)
        stack.append(block)
    elif word == "else":
        if len(stack) == 1 or stack[-1].in_else:
            raise ExpressionError("this else belongs to nothing")
        stack[-1].in_else = True
        if rest.strip():
            again, _, condition = rest.strip().partition(" ")
            if again != "if":
                raise ExpressionError(f"unexpected {again!r} after else")
            block = _open("if", condition, line)
            block.chained = True
            stack[-1].add(block)
            stack.append(block)
    elif word == "end":
        if len(stack) == 1:
            raise ExpressionError("this end belongs to nothing")
        while stack.pop().chained:
            pass
    elif word in ("define", "template", "block", "break", "continue"):
        raise ExpressionError(f"{word} is not known here")
    elif found := _ASSIGN.match(inside):
        stack[-1].add(_Value(line, parse(found[2]), found[1]))
    else:
        stack[-1].add(_Value(line, parse(inside)))


def _open(word: str, rest: str, line: int) -> _Block:
    if found := _RANGE.match(rest):
        names = tuple(name for name in (found[1], found[2]) if name)
        return _Block(word=word, line=line, value=parse(found[3]), names=names)
    return _Block(word=word, line=line, value=parse(rest))


def _write(file: str, nodes: list[_Node], scope: Scope) -> list[str]:
    written: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            written.append(node)
            continue
        try:
            value = node.value(scope) if node.value else None
        except ExpressionError as problem:
            raise TemplateError(file, node.line, str(problem)) from None
        if isinstance(node, _Value):
            if node.name:
                scope = scope.having(scope.dot, **{node.name: value})
            else:
                written.append(text(value))
        else:
            written += _block(file, node, value, scope)
    return written


def _block(file: str, block: _Block, value: Any, scope: Scope) -> list[str]:
    if block.word == "range":
        pairs = list(_pairs(file, block, value))
        if not pairs:
            return _write(file, block.otherwise, scope)
        written = []
        for key, item in pairs:
            given = (item,) if len(block.names) == 1 else (key, item)
            written += _write(file, block.body, scope.having(item, **dict(zip(block.names, given, strict=False))))
        return written
    if not truth(value):
        return _write(file, block.otherwise, scope)
    dot = value if block.word == "with" else scope.dot
    return _write(file, block.body, scope.having(dot, **dict.fromkeys(block.names, value)))


def _pairs(file: str, block: _Block, value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return sorted(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    if value is None:
        return []
    raise TemplateError(file, block.line, f"range can't go over {type(value).__name__} {text(value)!r}")

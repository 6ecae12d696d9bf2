"""Label selectors, as query parameters write them (k8s.io/apimachinery/pkg/labels): a scanner, a parser,
requirements.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from structural.metadata import label_value_faults, qualified_name_faults

from .errors import BadRequest

Matches = Callable[[Mapping[str, str]], bool]


class Selector:
    """A test of labels.

    ``has``: labels that all selected objects have, None for any value; an index finds these (store.py).
    """

    def __init__(self, tests: list[Matches], has: dict[str, str | None]):
        self._tests = tests
        self.has = has

    def __call__(self, labels: Mapping[str, str]) -> bool:
        return all(test(labels) for test in self._tests)


_SYMBOLS = frozenset("=!(),<>")
_OPERATORS = ("in", "notin", "=", "==", "!=", ">", "<")
_EXPECTED = "in, notin, =, ==, !=, gt, lt"
_END, _WORD = "end", "word"


class _Bad(ValueError):
    """A requirement is invalid."""


def _scan(text: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of each token: its kind is the symbol or keyword itself, or a word."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] in _SYMBOLS:
            size = 2 if text[at : at + 2] in ("==", "!=") else 1
            yield text[at : at + size], text[at : at + size]
            at += size
        else:
            end = at
            while end < len(text) and text[end] not in _SYMBOLS and not text[end].isspace():
                end += 1
            word = text[at:end]
            yield (word if word in ("in", "notin") else _WORD), word
            at = end


class _Parser:
    def __init__(self, text: str):
        self._tokens = list(_scan(text))
        self._at = 0
        #: Of Selector.
        self.has: dict[str, str | None] = {}

    def peek(self, values: bool = True) -> tuple[str, str]:
        """The next token; where ``values`` may stand, keywords are words."""
        kind, text = self._tokens[self._at] if self._at < len(self._tokens) else (_END, "")
        return (_WORD if values and kind in ("in", "notin") else kind), text

    def take(self, values: bool = True) -> tuple[str, str]:
        found = self.peek(values)
        self._at += 1
        return found

    def selector(self) -> list[Matches]:
        found: list[Matches] = []
        while True:
            kind, text = self.peek()
            if kind == _END:
                return found
            if kind not in (_WORD, "!"):
                raise _Bad(f"found '{text}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except _Bad as why:
                raise _Bad(f"unable to parse requirement: {why}") from None
            kind, text = self.take()
            if kind == _END:
                return found
            if kind != ",":
                raise _Bad(f"found '{text}', expected: ',' or 'end of string'")
            kind, text = self.peek()
            if kind not in (_WORD, "!"):
                raise _Bad(f"found '{text}', expected: identifier after ','")

    def _requirement(self) -> Matches:
        kind, key = self.take()
        absent = kind == "!"
        if absent:
            kind, key = self.take()
        if kind != _WORD:
            raise _Bad(f"found '{key}', expected: identifier")
        _check("<nil>", key, qualified_name_faults(key))
        if absent:
            return lambda labels: key not in labels
        if self.peek()[0] in (_END, ","):
            self.has.setdefault(key, None)
            return lambda labels: key in labels
        operator, text = self.take(values=False)
        if operator not in _OPERATORS:
            raise _Bad(f"found '{text}', expected: {_EXPECTED}")
        values = self._values() if operator in ("in", "notin") else {self._value()}
        if operator in ("in", "=", "=="):
            self.has[key] = next(iter(values)) if len(values) == 1 else self.has.get(key)
        return _requirement(key, operator, sorted(values))

    def _value(self) -> str:
        if self.peek()[0] in (_END, ","):
            return ""
        kind, text = self.take()
        if kind != _WORD:
            raise _Bad(f"found '{text}', expected: identifier")
        return text

    def _values(self) -> set[str]:
        kind, text = self.take()
        if kind != "(":
            raise _Bad(f"found '{text}' expected: '('")
        kind, text = self.peek()
        if kind == ")":
            self.take()
            return {""}
        if kind not in (_WORD, ","):
            raise _Bad(f"found '{text}', expected: ',', ')' or identifier")
        found = self._listed()
        self.take()
        return found

    def _listed(self) -> set[str]:
        """Up to the parenthesis; between two commas there is an empty value."""
        found: set[str] = set()
        while True:
            kind, text = self.take()
            if kind == _WORD:
                found.add(text)
                kind, text = self.peek()
                if kind == ")":
                    return found
                if kind != ",":
                    raise _Bad(f"found '{text}', expected: ',' or ')'")
            elif kind == ",":
                if not found:
                    found.add("")
                kind, _ = self.peek()
                if kind == ")":
                    return found | {""}
                if kind == ",":
                    self.take()
                    found.add("")
            else:
                raise _Bad(f"found '{text}', expected: ',', or identifier")


def _check(path: str, value: str, faults: list[str]) -> None:
    if faults:
        shown = json.dumps(value, ensure_ascii=False)
        raise _Bad(f"{path}: Invalid value: {shown}: {'; '.join(faults)}")


def _requirement(key: str, operator: str, values: list[str]) -> Matches:
    if operator in "<>":
        return _comparison(key, operator, values[0])
    for index, value in enumerate(values):
        _check(f"values[{index}][{key}]", value, label_value_faults(value))
    wanted = frozenset(values)
    if operator in ("in", "=", "=="):
        return lambda labels: labels.get(key) in wanted
    return lambda labels: labels.get(key) not in wanted


def _comparison(key: str, operator: str, value: str) -> Matches:
    try:
        limit = int(value)
    except ValueError:
        shown = json.dumps(value, ensure_ascii=False)
        why = "for 'Gt', 'Lt' operators, the value must be an integer"
        raise _Bad(f"values[0]: Invalid value: {shown}: {why}") from None
    sign = 1 if operator == ">" else -1

    def compare(labels: Mapping[str, str]) -> bool:
        try:
            return sign * (int(labels.get(key, "x")) - limit) > 0
        except ValueError:
            return False

    return compare


def label_selector(text: str) -> Selector | None:
    """A test of labels; None when everything matches. BadRequest when it cannot be parsed."""
    parser = _Parser(text)
    try:
        tests = parser.selector()
    except _Bad as why:
        raise BadRequest(str(why)) from None
    return Selector(tests, parser.has) if tests else None

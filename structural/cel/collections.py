"""Functions on lists: Kubernetes' lists library and CEL's sets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .declare import ANY, Function


def _same(item: Any, other: Any) -> bool:
    return bool(item == other) and isinstance(item, bool) == isinstance(other, bool)


def _is_sorted(items: list[Any]) -> bool:
    try:
        return all(not later < earlier for earlier, later in pairwise(items))
    except TypeError:
        raise ValueError("no such overload") from None


def _sum(items: list[Any]) -> Any:
    if not all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in items):
        raise ValueError("no such overload")
    return sum(items)


def _extreme(name: str) -> Any:
    def run(items: list[Any]) -> Any:
        if not items:
            raise ValueError(f"{name} called on empty list")
        try:
            return min(items) if name == "min" else max(items)
        except TypeError:
            raise ValueError("no such overload") from None

    return run


def _index_of(items: list[Any], wanted: Any) -> int:
    return next((index for index, item in enumerate(items) if _same(item, wanted)), -1)


def _last_index_of(items: list[Any], wanted: Any) -> int:
    return next((index for index in range(len(items) - 1, -1, -1) if _same(items[index], wanted)), -1)


def _holds(items: list[Any], wanted: list[Any]) -> bool:
    return all(any(_same(item, each) for item in items) for each in wanted)


FUNCTIONS: list[Function] = [
    Function("isSorted", ("LIST",), "BOOL", _is_sorted),
    Function("sum", ("LIST",), "DYN", _sum),
    Function("min", ("LIST",), "DYN", _extreme("min")),
    Function("max", ("LIST",), "DYN", _extreme("max")),
    *(Function("indexOf", ("LIST", kind), "INT", _index_of) for kind in ANY),
    *(Function("lastIndexOf", ("LIST", kind), "INT", _last_index_of) for kind in ANY),
    Function("sets.contains", ("LIST", "LIST"), "BOOL", _holds, False),
    Function("sets.equivalent", ("LIST", "LIST"), "BOOL", lambda a, b: _holds(a, b) and _holds(b, a), False),
    Function("sets.intersects", ("LIST", "LIST"), "BOOL", lambda a, b: any(_holds(a, [each]) for each in b), False),
]

"""One rule a file: `find(item, evidence)` yields the causes that it is sure of for one object of the tree, and nothing
else.

A rule is found by being here; its name is its file's. Texts that a rule recognises are cited in its docstring with
their upstream source.
"""

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from resources.causes.cause import Cause
from resources.causes.evidence import Evidence, Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`name`: its file's."""

    name: str
    find: Callable[[Item, Evidence], Iterable[Cause]]


@cache
def rules() -> tuple[Rule, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(Rule(name=name, find=import_module(f"{__name__}.{name}").find) for name in names)

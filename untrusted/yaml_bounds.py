"""YAML is judged event by event before it becomes nodes: how deep it is, and how many values it has with its aliases
written out.

libyaml's composer calls itself for each level and ends the process (SIGSEGV) at about 25,000 of them. Its parser keeps
a stack of its own, so events can be read to any depth; reading stops at the first event beyond a bound. Merge keys
(`<<`) are aliases and count as such.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.constructor import ConstructorError, SafeConstructor

#: Levels of lists and mappings. Kubernetes' own schemas have less than 60; kubectl and the API server take 10,000. Of
#: all code that calls itself for each level, writing YAML takes the most of the interpreter's 1,000 calls: it ends at
#: 270 levels below a page's own 150 calls.
LEVELS = 200
#: Keys and values of one document. An object of 1.5 MB, more than etcd takes, has no more than that.
VALUES = 500_000

Text = str | bytes
SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(SafeLoader):  # type: ignore[misc]
    """The safe loader, whose every failure is a yaml.YAMLError. 1:30 is text, as for Go's readers.

    YAML 1.1 has numbers to the base of 60, which PyYAML multiplies out: a megabyte of them took 50 s.
    """

    def construct_document(self, node: yaml.Node) -> Any:
        try:
            return super().construct_document(node)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # What a tag such as !!int or !!timestamp is put before may be anything.
            problem = f"a value doesn't fit its type: {error}"
            raise ConstructorError(problem=problem, problem_mark=node.start_mark) from error


def _number(construct: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda loader, node: node.value if ":" in node.value else construct(loader, node)


Loader.add_constructor("tag:yaml.org,2002:int", _number(SafeConstructor.construct_yaml_int))
Loader.add_constructor("tag:yaml.org,2002:float", _number(SafeConstructor.construct_yaml_float))


class TooComplex(yaml.MarkedYAMLError):
    """The text is too deep, or too large with its aliases written out."""


def check(text: Text, levels: int = LEVELS, values: int = VALUES, *, whole: bool = False) -> None:
    """Raises TooComplex, or yaml.YAMLError where the text isn't YAML. `values`: the limit of each document, or of all
    together if `whole`.
    """
    parser = SafeLoader(text)
    try:
        document = _Document(levels, values)
        while (event := parser.get_event()) is not None:
            if isinstance(event, yaml.DocumentStartEvent):
                document = _Document(levels, values - (document.count if whole else 0))
                values = document.values
            elif isinstance(event, yaml.NodeEvent):
                document.begin(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                document.end()
    finally:
        parser.dispose()


@dataclass(slots=True)
class _Value:
    """A value with its aliases written out: its keys and values in all, and its levels of lists and mappings."""

    anchor: str | None
    count: int = 1
    height: int = 0


class _Document:
    """Counts one document.

    `anchors`: each anchored value, None while it has not ended. `open`: the lists and mappings around a place.
    """

    def __init__(self, levels: int, values: int) -> None:
        self.levels = levels
        self.values = values
        self.count = 0
        self.anchors: dict[str, _Value | None] = {}
        self.open: list[_Value] = []

    def begin(self, event: Any) -> None:
        if isinstance(event, yaml.CollectionStartEvent):
            self.count += 1
            self.open.append(_Value(event.anchor, count=self.count - 1, height=1))
            if event.anchor is not None:
                self.anchors[event.anchor] = None
            self._judge(0, event.start_mark)
            return
        name = str(event.anchor)
        value = _Value(event.anchor)
        if isinstance(event, yaml.AliasEvent):
            meant = self.anchors.get(name, value)
            if meant is None:
                mark: Any = event.start_mark
                raise TooComplex(problem="this value contains itself", problem_mark=mark)
            value = meant
        elif event.anchor is not None:
            self.anchors[name] = value
        self.count += value.count
        self._raise(value.height)
        self._judge(value.height, event.start_mark)

    def end(self) -> None:
        value = self.open.pop()
        value.count = self.count - value.count
        if value.anchor is not None:
            self.anchors[value.anchor] = value
        self._raise(value.height)

    def _raise(self, height: int) -> None:
        if self.open:
            self.open[-1].height = max(self.open[-1].height, height + 1)

    def _judge(self, height: int, mark: Any) -> None:
        if len(self.open) + height > self.levels:
            raise TooComplex(problem=f"this is too deep: more than {self.levels} levels", problem_mark=mark)
        if self.count > self.values:
            problem = f"with its aliases written out this is too large: more than {self.values:,} values"
            raise TooComplex(problem=problem, problem_mark=mark)


def load(text: Text, loader: Any = Loader) -> Any:
    """The one document of the text, None where there is none. Raises yaml.YAMLError."""
    check(text)
    return yaml.load(text, Loader=loader)  # noqa: S506 - a subclass of the safe loader


def load_all(text: Text, loader: Any = Loader) -> Iterator[Any]:
    """The documents of the text. Raises yaml.YAMLError, at once where it is too complex."""
    check(text)
    return yaml.load_all(text, Loader=loader)


def compose_all(text: Text, loader: Any = Loader) -> Iterator[Any]:
    """The documents of the text as nodes, which know their places.

    Raises yaml.YAMLError, at once where it is too complex.
    """
    check(text)
    return yaml.compose_all(text, Loader=loader)

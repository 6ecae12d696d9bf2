"""Objects as YAML and back, the way kubectl writes and reads them; and where in a text a field stands.

Read as Kubernetes reads YAML: plain dates stay text, a key that stands twice is an error, only what JSON can say is
allowed.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import yaml

from untrusted import yaml_bounds


class YamlProblem(Exception):
    """The text isn't one object.

    `line` and `column` count from 1, 0 when the place is not known; `several`: it is more than one.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, several: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.several = several


class _Loader(yaml_bounds.Loader):
    """YAML 1.1 as kubectl reads it; mappings with the same key twice are refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Keys become texts at once: 1, 1.0 and true are one key to Python."""
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(problem="this is no mapping", problem_mark=node.start_mark)
        own = len(node.value) - sum(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value)
        self.flatten_mapping(node)
        found: dict[str, Any] = {}
        inherited = len(node.value) - own
        for place, (key_node, value_node) in enumerate(node.value):
            key = _key(self.construct_object(key_node, deep=True))
            if key in found and place > inherited:
                raise yaml.MarkedYAMLError(
                    problem=f"the key “{key}” stands here twice", problem_mark=key_node.start_mark
                )
            found[key] = self.construct_object(value_node, deep=deep)
        return found


# What go-yaml v2, which kubectl reads with, takes for something else than text; found by asking kubectl. Dates, times
# and a bare "=" are text.
_PLAIN = (
    ("bool", r"y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON|n|N|no|No|NO|false|False|FALSE|off|Off|OFF", "yYnNtTfFoO"),
    ("int", r"[-+]?(0[bB][01_]+|0[oO]?[0-7_]*|0[xX][0-9a-fA-F_]+|[0-9][0-9_]*)", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?", "-+0123456789."),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("merge", "<<", "<"),
)
_RESOLVERS: dict[str, list[tuple[str, re.Pattern[str]]]] = {"": [("tag:yaml.org,2002:null", re.compile("^$"))]}
for _name, _pattern, _firsts in _PLAIN:
    for _first in _firsts:
        _RESOLVERS.setdefault(_first, []).append((f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$")))
_Loader.yaml_implicit_resolvers = _RESOLVERS


# Python reads hexadecimal digits without end, but writes no number of more than 4,300 digits.
_MAX_DIGITS = 1000


def _number(loader: Any, node: yaml.ScalarNode) -> int | float | str:
    """Digits in four bases; 1e3 is 1000. What is out of a float's range, or has too many digits, is text."""
    text = str(loader.construct_scalar(node)).replace("_", "").lower()
    digits, sign = text.lstrip("+-"), -1 if text.startswith("-") else 1
    try:
        if len(digits) > _MAX_DIGITS:
            return str(node.value)
        if digits.startswith(("0b", "0o", "0x")):
            return sign * int(digits, 0)
        if digits.startswith("0") and digits.isdigit() and len(digits) > 1:
            return sign * int(digits, 8) if not set(digits) & {"8", "9"} else sign * int(digits)
        if digits.isdigit():
            return sign * int(digits)
        number = float(text.replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return str(node.value)
    if math.isinf(number) and "inf" not in text:
        return str(node.value)
    whole = "e" in text and "." not in text and number.is_integer()
    return int(number) if whole else number


def _boolean(loader: Any, node: yaml.ScalarNode) -> bool:
    return str(loader.construct_scalar(node)).lower() in ("y", "yes", "true", "on")


_Loader.add_constructor("tag:yaml.org,2002:int", _number)
_Loader.add_constructor("tag:yaml.org,2002:float", _number)
_Loader.add_constructor("tag:yaml.org,2002:bool", _boolean)


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Texts of several lines as blocks, no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def represent_text(dumper: Any, value: str) -> Any:
    style = "|" if "\n" in value and not any(line != line.rstrip() for line in value.split("\n")) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


Dumper.add_representer(str, represent_text)
# Quoted is what any reader might take for something else: YAML 1.1 by the book, and kubectl.
for _first, _found in _RESOLVERS.items():
    for _tag, _regexp in _found:
        Dumper.add_implicit_resolver(_tag, _regexp, [_first])


def dump(value: Any) -> str:
    """The value as YAML, keys in their own order, nothing folded."""
    text: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text.removesuffix("...\n")


def load(text: str) -> Any:
    """The one value in `text`; None when it is empty. Raises YamlProblem."""
    found = [value for _line, value in documents(text)]
    if len(found) > 1:
        words = "there is more than one document here; keep one and remove the others with their “---”"
        raise YamlProblem(words, several=True)
    return found[0] if found else None


def documents(text: str) -> list[tuple[int, Any]]:
    """Every value in `text`, with the line where it begins; empty documents are left out. Raises YamlProblem."""
    found: list[tuple[int, Any]] = []
    loader = None
    try:
        yaml_bounds.check(text, whole=True)
        loader = _Loader(text)
        while loader.check_node():
            node = loader.get_node()
            value = loader.construct_document(node)
            if value is not None:
                found.append((node.start_mark.line + 1, _json(value, "")))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part) or str(error)
        raise YamlProblem(words, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlProblem(str(error) or type(error).__name__) from error
    finally:
        if loader is not None:
            loader.dispose()
    return found


def load_object(text: str) -> dict[str, Any]:
    """The Kubernetes object in `text`. Raises YamlProblem if it isn't one."""
    value = load(text)
    if not isinstance(value, dict):
        raise YamlProblem("this is no object: it begins with apiVersion, kind and metadata", 1, 1)
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise YamlProblem(f"the object has no {key}", 1, 1)
    if not isinstance(value.get("metadata", {}), dict):
        raise YamlProblem("metadata must be an object with the name")
    return value


def _json(value: Any, path: str) -> Any:
    """The value with nothing in it but what JSON has, its aliases written out.

    Keys become texts, as Kubernetes does it.
    """
    if isinstance(value, dict):
        return {key: _json(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, f"{path}[{number}]") for number, item in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise YamlProblem(
        f"{path.lstrip('.') or 'the value'} is {value!r}, which Kubernetes has no word for; put it in quotes"
    )


def _key(key: Any) -> str:
    """As Kubernetes turns it into text."""
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float) and key.is_integer():
        return str(int(key))
    if isinstance(key, (str, int, float)):
        return str(key)
    raise yaml.YAMLError(f"a key must be a text, not {key!r}; put it in quotes")


def field_positions(text: str, paths: Sequence[tuple[str | int, ...]]) -> tuple[tuple[int, int], ...]:
    """Line and column of each path, from 1: of its key, or of the nearest that is there above it.

    (0, 0): the text can't be read.
    """
    try:
        documents = yaml_bounds.compose_all(text)
        root = next((node for node in documents if isinstance(node, yaml.MappingNode)), None)
    except yaml.YAMLError:
        root = None
    return tuple(_field_position(root, path) for path in paths)


def _field_position(node: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
    if node is None:
        return 0, 0
    mark = node.start_mark
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if str(pair[0].value) == str(step)), None)
            if found is None:
                break
            mark, node = found[0].start_mark, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            mark = node.start_mark
        else:
            break
    return mark.line + 1, mark.column + 1

"""Objects as YAML and back, the way kubectl writes and reads them.

Read as Kubernetes reads YAML: plain dates stay text, a key that stands twice is an error, only what JSON can say is allowed.
"""

import math
from typing import Any

import yaml

# An object of 1.5 MB, more than etcd takes, has no more values than that.
_VALUES = 500_000
_DEPTH = 100


class YamlProblem(Exception):
    """The text is no object. `line` and `column` count from 1, 0 when the place is not known."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML 1.1 without dates; mappings with the same key twice are refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _value in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = str(key_node.value)
            if key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key “{key}” stands here twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found


_Loader.yaml_implicit_resolvers = {
    # A bare "=" has a tag of its own in YAML 1.1, that no loader knows; real CRDs have it as text.
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("timestamp", "value")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Texts of several lines as blocks, no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, value: str) -> Any:
    style = "|" if "\n" in value and not any(line != line.rstrip() for line in value.split("\n")) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def dump(value: Any) -> str:
    """The value as YAML, keys in their own order, nothing folded."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text.removesuffix("...\n")


def load(text: str) -> Any:
    """The one value in `text`; None when it is empty. Raises YamlProblem."""
    try:
        documents = [value for value in yaml.load_all(text, Loader=_Loader) if value is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part) or str(error)
        raise YamlProblem(words, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlProblem(str(error) or type(error).__name__) from error
    if len(documents) > 1:
        raise YamlProblem("there is more than one document here; keep one and remove the others with their “---”")
    return _json(documents[0], "") if documents else None


def load_object(text: str) -> dict[str, Any]:
    """The Kubernetes object in `text`. Raises YamlProblem when it is none."""
    value = load(text)
    if not isinstance(value, dict):
        raise YamlProblem("this is no object: it begins with apiVersion, kind and metadata", 1, 1)
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise YamlProblem(f"the object has no {key}", 1, 1)
    if not isinstance(value.get("metadata", {}), dict):
        raise YamlProblem("metadata must be an object with the name")
    return value


def _json(value: Any, path: str, depth: int = 0, budget: list[int] | None = None) -> Any:
    """The value with nothing in it but what JSON has. Keys become texts, as Kubernetes does it.

    Aliases are written out, so a few lines could become billions of values, or never end: both are refused.
    """
    budget = [_VALUES] if budget is None else budget
    budget[0] -= 1
    if depth > _DEPTH or budget[0] < 0:
        raise YamlProblem("this is too deep or, with its aliases written out, too large for an object")
    if isinstance(value, dict):
        return {_key(key, path): _json(item, f"{path}.{key}", depth + 1, budget) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, f"{path}[{number}]", depth + 1, budget) for number, item in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise YamlProblem(
        f"{path.lstrip('.') or 'the value'} is {value!r}, which Kubernetes has no word for; put it in quotes"
    )


def _key(key: Any, path: str) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, (str, int, float)):
        return str(key)
    raise YamlProblem(f"a key of {path.lstrip('.') or 'the object'} is no text: {key!r}")

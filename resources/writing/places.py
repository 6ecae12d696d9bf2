"""Where in a text of YAML a field stands: what an error is marked at."""

from collections.abc import Sequence
from typing import Any

import yaml

from untrusted import yaml_bounds


def find(text: str, paths: Sequence[tuple[str | int, ...]]) -> tuple[tuple[int, int], ...]:
    """Line and column of each path, from 1: of its key, or of the nearest that is there above it.

    (0, 0): the text can't be read.
    """
    try:
        documents = yaml_bounds.compose_all(text)
        root = next((node for node in documents if isinstance(node, yaml.MappingNode)), None)
    except yaml.YAMLError:
        root = None
    return tuple(_place(root, path) for path in paths)


def _place(node: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
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

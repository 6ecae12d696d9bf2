"""The test files that are likely to notice a fault in a module: those that are called like it or import it."""

import ast
from functools import cache
from pathlib import Path

from tools.faults.repository import test_files

#: So many run.
MOST = 16
_BROWSER = ("tests/e2e/", "tests/tutorials/", "tests/image/")


def tests(file: str, root: Path) -> list[str]:
    """The likeliest first."""
    points = {path: _points(path, file, root) for path in test_files(root) if not path.startswith(_BROWSER)}
    return sorted((path for path in points if points[path]), key=lambda path: (-points[path], path))[:MOST]


def _points(test: str, file: str, root: Path) -> int:
    """0 for one that neither imports the module nor is called like it; more for each word that their paths share."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    name = module.rpartition(".")[2]
    is_called = name.strip("_") in Path(test).stem.removeprefix("test_")
    is_imported = module in _imports(root / test)
    shared = len(set(module.replace("_", ".").split(".")) & set(test.replace("_", "/").split("/")))
    return (is_called or is_imported) * (1 + shared + 3 * is_called + 3 * is_imported)


@cache
def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found

"""The test files that are likely to notice a fault in a module."""

import ast
from functools import cache
from pathlib import Path

from tools.faults.repository import product_files, test_files

#: How many test files run at most.
MOST = 16
#: Tests that open every address.
_WALK = "tests.console.signin.addresses"
_BROWSER = ("tests/e2e/", "tests/tutorials/", "tests/image/")


def find_related(file: str, root: Path) -> list[str]:
    """Those that are called like the module or its folder, that import it, or import what imports it; of a view
    those that open all. The likeliest first.
    """
    module = _module(file)
    others = {_module(path) for path in product_files(root) if module in _imports(root / path)}
    points = {path: _points(path, module, others, root) for path in test_files(root) if not path.startswith(_BROWSER)}
    found = sorted((path for path in points if points[path]), key=lambda path: (-points[path], path))[:MOST]
    # Reading these takes longest: they come last.
    return sorted(found, key=lambda path: path.startswith("tests/forms/"))


def _points(test: str, module: str, others: set[str], root: Path) -> int:
    package, *folders = module.split(".")
    name, stem, imported = set(_words(folders.pop())), set(_words(Path(test).stem)), _imports(root / test)
    found = 6 * (module in imported) + 4 * bool(name & stem) + 2 * bool(others & imported)
    found += 2 * bool(stem & set(_words(".".join(folders))))
    found += _WALK in imported and any(path.endswith(".urls") for path in others)
    shared = {package, *folders} & set(test.split("/"))
    return found + 3 * len(shared) if found else 0


def _words(name: str) -> list[str]:
    """`a.log_parser` → a, log, parser."""
    return [word for word in name.replace("_", ".").split(".") if word not in ("test", "")]


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found

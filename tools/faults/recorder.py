"""Records which blocks of the product run, in this process and in every Python process that it starts.

Copied as `sitecustomize.py` into a folder on PYTHONPATH. The product's modules are compiled with a mark at the start of
each block of each function: `__planted__[number] = 1`, a byte in a file that all processes map into their memory. The
pytest plugin reads and clears that file after each test file. So a console that one test file starts and another one
uses is counted for the one that uses it, which coverage.py's contexts can't tell.
"""

import ast
import builtins
import importlib.machinery
import json
import mmap
import os
import sys
from pathlib import Path
from typing import Any

MARKS = "__planted__"
#: A JSON object: `root` and `map` (paths), `cache` (a folder for bytecode), `first` (file → number of its line 0).
SETTINGS = "PLANTED_SETTINGS"


class Marker(ast.NodeTransformer):
    """Puts the marks into a module. `mark_of`: line of a statement → line of the mark that says that it ran."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.mark_of: dict[int, int] = {}
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.depth += 1
        docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        node.body = [*docstring, *self._block(node.body[len(docstring) :])]
        self.depth -= 1
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not self.depth or isinstance(node, ast.expr):
            return super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, self._block(statements))
        for handler in getattr(node, "handlers", []) or getattr(node, "cases", []):
            handler.body = self._block(handler.body)
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """With a mark at its start, and one after each statement that may leave the block."""
        found: list[ast.stmt] = []
        is_due = True
        line = 0
        for statement in statements:
            if is_due:
                line = statement.lineno
                found.append(self._mark(statement))
            self.mark_of[statement.lineno] = line
            is_due = hasattr(statement, "body") or isinstance(statement, ast.Match)
            found.append(self.visit(statement))
        return found

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        target = ast.Subscript(
            value=ast.Name(id=MARKS, ctx=ast.Load()),
            slice=ast.Constant(value=self.first + statement.lineno),
            ctx=ast.Store(),
        )
        mark = ast.copy_location(ast.Assign(targets=[target], value=ast.Constant(value=1)), statement)
        return ast.fix_missing_locations(mark)


def start(settings: dict[str, Any]) -> None:
    """From now on the product's modules are imported with marks."""
    with Path(settings["map"]).open("r+b") as file:
        setattr(builtins, MARKS, mmap.mmap(file.fileno(), 0))
    # Bytecode with marks is kept apart: a process without this module must never load it.
    sys.pycache_prefix = settings["cache"]
    loader: Any = importlib.machinery.SourceFileLoader
    compile_plain = loader.source_to_code
    root = f"{settings['root']}/"

    def source_to_code(self: Any, data: bytes, path: str, *, _optimize: int = -1) -> Any:
        first = settings["first"].get(str(path).removeprefix(root))
        if first is None:
            return compile_plain(self, data, path, _optimize=_optimize)
        tree = Marker(first).visit(ast.parse(data, path))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)

    loader.source_to_code = source_to_code


if __name__ == "sitecustomize" and os.environ.get(SETTINGS):
    start(json.loads(Path(os.environ[SETTINGS]).read_text(encoding="utf-8")))

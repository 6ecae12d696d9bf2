"""Faults of our own making: small changes of one statement, chosen by a seed.

Neither mutmut nor cosmic-ray chooses them. mutmut 3 leaves out functions with a decorator, so all views with a
permission check; cosmic-ray drops decorators, but no call and no `raise`. Both run the whole suite for each fault.
"""

import ast
import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.faults.repository import PACKAGES, product_files

#: Without these nothing works at all, or nothing changes.
_DECORATORS = {
    *("property", "staticmethod", "classmethod", "cached_property", "dataclass", "cache", "lru_cache", "overload"),
    *("contextmanager", "asynccontextmanager", "total_ordering", "wraps", "override", "final", "setter", "unique"),
    *("extend_schema", "extend_schema_view", "extend_schema_field", "extend_schema_serializer", "shared_task"),
    *("runtime_checkable", "abstractmethod", "task", "display"),
}
#: Calls for people who read logs.
_LOGS = {"debug", "info", "warning", "error", "exception", "log"}
_COMPARED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`start` and `end`: bytes of the file, what is `before` there becomes `after`."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The same as long as the file is."""
        text = f"{self.file}:{self.line}:{self.start}:{self.kind}:{self.before}:{self.after}"
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def planted(self, text: str) -> str:
        """The module with the fault."""
        data = text.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


class Finder(ast.NodeVisitor):
    """All faults that a module may have."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.data = text.encode()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Fault] = []
        self.visit(ast.parse(text))

    def visit(self, node: ast.AST) -> None:
        """Each statement, then what is in it."""
        for kind, make in MAKERS.items():
            for changed, after in make(node):
                self._add(kind, changed, after)
        if not _is_left_out(node):
            for child in ast.iter_child_nodes(node):
                self.visit(child)

    def _add(self, kind: str, node: ast.expr | ast.stmt, after: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        if kind == "decorator":
            start -= 1  # the @
        before = self.data[start:end].decode()
        if after != before:
            self.found.append(
                Fault(file=self.file, line=node.lineno, kind=kind, before=before, after=after, start=start, end=end)
            )


def _is_left_out(node: ast.AST) -> bool:
    """Annotations, asserts, text for people and what a type checker alone reads."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    return isinstance(node, ast.Assert | ast.AnnAssign | ast.arguments | ast.JoinedStr | ast.Import | ast.ImportFrom)


def _is_sound(fault: Fault, root: Path) -> bool:
    text = (root / fault.file).read_text(encoding="utf-8")
    try:
        compile(fault.planted(text), fault.file, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


Change = Iterator[tuple["ast.expr | ast.stmt", str]]


def _conditions(node: ast.AST) -> Change:
    if isinstance(node, ast.If | ast.IfExp | ast.While) and "TYPE_CHECKING" not in ast.unparse(node.test):
        yield node.test, f"(not ({ast.unparse(node.test)}))"


def _comparisons(node: ast.AST) -> Change:
    """Of instants `<` and `<=` say the same."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and "monotonic" not in ast.unparse(node):
        changed = ast.Compare(left=node.left, ops=[_COMPARED[type(node.ops[0])]], comparators=node.comparators)
        yield node, ast.unparse(changed)


def _connectives(node: ast.AST) -> Change:
    if isinstance(node, ast.BoolOp):
        other: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, f"({ast.unparse(ast.BoolOp(op=other, values=node.values))})"


def _calls(node: ast.AST) -> Change:
    """A call for its effect, also one that is awaited; and a refusal."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        yield node, "pass"
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call) and _name(call) not in _LOGS | {"__init__", "setattr", "register", "__setattr__"}:
            yield node, "pass"


def _results(node: ast.AST) -> Change:
    if not isinstance(node, ast.Return) or node.value is None:
        return
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield node, f"return {not value.value}"
    elif isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield node, f"return not ({ast.unparse(value)})"
    elif isinstance(value, ast.ListComp | ast.List | ast.DictComp | ast.Dict | ast.Tuple):
        yield node, _empty(value)
    elif not (isinstance(value, ast.Constant) and value.value is None):
        yield node, "return None"


def _empty(value: ast.expr) -> str:
    if isinstance(value, ast.Tuple):
        return "return ()"
    return "return []" if isinstance(value, ast.ListComp | ast.List) else "return {}"


def _constants(node: ast.AST) -> Change:
    """A small number is one more, a larger one (a limit, say) ten times as much; True and False of an argument."""
    # Of frozen dataclasses and the like no test is to be expected.
    if (
        isinstance(node, ast.keyword)
        and node.arg not in ("frozen", "slots", "kw_only")
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, bool)
    ):
        yield node.value, str(not node.value.value)
    if isinstance(node, ast.Assign | ast.BinOp | ast.Compare | ast.Subscript):
        for child in ast.iter_child_nodes(node):
            number = child.value if isinstance(child, ast.Constant) else None
            if isinstance(child, ast.Constant) and isinstance(number, int | float) and not isinstance(number, bool):
                yield child, str(number + 1 if number < 3 else number * 10)


def _decorators(node: ast.AST) -> Change:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for decorator in node.decorator_list:
            if _name(decorator) not in _DECORATORS:
                yield decorator, "# dropped"


def _name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


MAKERS: dict[str, Callable[[ast.AST], Change]] = {
    "condition": _conditions,
    "call": _calls,
    "comparison": _comparisons,
    "result": _results,
    "decorator": _decorators,
    "and/or": _connectives,
    "constant": _constants,
}


def choose(root: Path, count: int, seed: int) -> list[Fault]:
    """As many from each package and of each kind as can be, and at most one in a module.

    All lines have the same chance, whether a test runs them or not.
    """
    faults: list[Fault] = []
    files = product_files(root)
    for place, package in enumerate(PACKAGES):
        own = [path for path in files if path.startswith(f"{package}/")]
        number = count // len(PACKAGES) + (place < count % len(PACKAGES))
        faults += _choose(root, own, number, random.Random(f"{seed} {package}"))  # noqa: S311 - to be repeatable
    return faults


def _choose(root: Path, files: list[str], count: int, chance: random.Random) -> list[Fault]:
    of: dict[str, list[Fault]] = {kind: [] for kind in MAKERS}
    for path in files:
        for fault in Finder(path, (root / path).read_text(encoding="utf-8")).found:
            of[fault.kind].append(fault)
    kinds = list(MAKERS)
    chance.shuffle(kinds)
    chosen: list[Fault] = []
    rounds = 0
    while len(chosen) < count and rounds < count * len(kinds):
        kind = kinds[rounds % len(kinds)]
        rounds += 1
        taken = {fault.file for fault in chosen}
        left = [fault for fault in of[kind] if fault.file not in taken]
        if left and _is_sound(fault := chance.choice(left), root):
            chosen.append(fault)
    return sorted(chosen, key=lambda fault: (fault.file, fault.line))

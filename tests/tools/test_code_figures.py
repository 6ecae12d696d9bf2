"""What stays as it is: lines that fit, and calls whose arguments are distinguishable."""

import ast
import re

from tools import code_figures

ROOT = code_figures.ROOT


def test_a_call_with_more_than_five_arguments_names_them() -> None:
    for path in code_figures.python_files(*code_figures.PRODUCT):
        for call in code_figures.calls(ast.parse(path.read_text(encoding="utf-8"))):
            assert not code_figures.has_many_arguments(call), (
                f"{path.relative_to(ROOT)}:{call.lineno}: name the arguments"
            )


def test_what_counts() -> None:
    def counts(call: str) -> bool:
        return code_figures.has_many_arguments(next(code_figures.calls(ast.parse(call))))

    assert counts("made(a, b, c, d, e, f)")
    assert not counts("made(a, b, c, d, e, last=f)")
    assert not counts("log.info('%s %s %s %s %s', a, b, c, d, e, f)")
    assert not counts("rows.values_list('a', 'b', 'c', 'd', 'e', 'f')")
    assert not counts("group(name, icon, *first, *second, *third, *fourth)")


def has_many_positional_fields(node: ast.AST) -> bool:
    """Whether it is a dataclass with more than four fields that can be given by position."""
    if not isinstance(node, ast.ClassDef):
        return False
    decorators = [ast.unparse(item) for item in node.decorator_list if "dataclass" in ast.unparse(item)]
    fields = [
        item
        for item in node.body
        if isinstance(item, ast.AnnAssign) and not re.search(r"\bClassVar\b|init=False", ast.unparse(item))
    ]
    return bool(decorators) and "kw_only=True" not in decorators[0] and len(fields) > 4


def test_a_dataclass_with_more_than_four_fields_takes_keywords() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in code_figures.python_files()}
    for path in (path for path, text in texts.items() if "dataclass" in text):
        for node in ast.walk(ast.parse(texts[path])):
            assert not has_many_positional_fields(node), f"{path.relative_to(ROOT)}:{node.lineno}: add kw_only=True"


def test_which_dataclass_takes_keywords() -> None:
    fields = "".join(f"    field{number}: int\n" for number in range(5))

    def counts(decorator: str) -> bool:
        return has_many_positional_fields(ast.parse(f"{decorator}\nclass Made:\n{fields}").body[0])

    assert counts("@dataclass")
    assert counts("@dataclasses.dataclass(frozen=True)")
    assert not counts("@dataclass(frozen=True, kw_only=True)")
    assert not counts("@decorated")

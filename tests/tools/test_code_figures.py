"""What stays as it is: lines that fit, and calls whose arguments are distinguishable."""

import ast

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

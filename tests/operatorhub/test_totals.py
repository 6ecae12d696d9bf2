"""How the operators are, in numbers."""

from typing import Any

from operatorhub.running.installed_operators import Operator, totals
from operatorhub.running.updates import Update


def operator(title: str, state: str, **more: Any) -> Operator:
    return Operator(
        uid="1",
        namespace="apps",
        csv=f"{title}.v1",
        title=title,
        version="1.0.0",
        provider="",
        state=state,
        word="",
        reason="",
        apis=(),
        subscription="",
        package="",
        channel="",
        created="",
        **more,
    )


def test_each_counts_where_it_runs() -> None:
    found = totals(
        [
            operator("a", "done"),
            operator("a", "done", runs_in="elsewhere"),
            operator("b", "running"),
            operator("c", "failed"),
            operator("d", "asks"),
            operator("e", "done", update=Update(state="asks", word="Update available")),
        ]
    )
    assert (found.total, found.succeeded, found.working, found.failures, found.questions) == (5, 2, 1, 1, 2)
    assert [item.title for item in found.asking] == ["d", "e"]
    assert [item.title for item in found.failed] == ["c"]


def test_only_the_first_are_named() -> None:
    found = totals([operator(str(number), "failed") for number in range(40)])
    assert (found.failures, len(found.failed)) == (40, 5)

"""How the installed operators are, in numbers: what the overview says of them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from operatorhub.running.installed_operators import Operator
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """`failed`, `asking`: the first failed ones and the first that need approval; the numbers count all."""

    total: int
    succeeded: int
    working: int
    failed: tuple[Operator, ...]
    asking: tuple[Operator, ...]
    failures: int
    questions: int


def totals(operators: Iterable[Operator]) -> Totals:
    """Copies are counted where they run only."""
    own = [operator for operator in operators if not operator.runs_in]
    counts = Counter(operator.state for operator in own)
    failed = tuple(operator for operator in own if operator.state == FAILED)
    # An update that waits for approval asks too, although the present version runs well.
    asking = tuple(
        operator
        for operator in own
        if operator.state == ASKS or (operator.update is not None and operator.update.state == ASKS)
    )
    return Totals(
        total=len(own),
        succeeded=counts[DONE],
        working=counts[RUNNING],
        failed=failed[:_NAMED],
        asking=asking[:_NAMED],
        failures=len(failed),
        questions=len(asking),
    )

"""The table of faults for docs/testing.md."""

from collections.abc import Iterable

from tools.faults.choose import Fault
from tools.faults.notes import EQUIVALENT, NOTES
from tools.faults.stages import MAKE_TEST, STAGES, Results, Stage

BEGIN, END = "<!-- faults -->", "<!-- end of faults -->"
_LONGEST = 60


def table(faults: list[Fault], results: Results) -> str:
    """Markdown: a row for each fault, and the sums."""
    rows = ["| fault | instead of | is | noticed by | make test | whole suite |", "|---|---|---|---|---|---|"]
    for fault in faults:
        cells = [f"{fault.file}:{fault.line}", _code(fault.before), _code(fault.after), _test(fault, results)]
        cells += [_by(fault, stages, results) for stages in (MAKE_TEST, STAGES)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, "", *_sums(faults, results), *_notes(faults)])


def _sums(faults: list[Fault], results: Results) -> list[str]:
    same = sum(fault.key in EQUIVALENT for fault in faults)
    whole = sum(_by(fault, STAGES, results) == "yes" for fault in faults)
    ours = sum(_by(fault, MAKE_TEST, results) == "yes" for fault in faults)
    unsure = sum(_by(fault, STAGES, results) == "?" for fault in faults)
    if unsure:
        return [
            f"Of {len(faults)} faults {whole} are noticed so far; for {unsure} (`?`) not all tests have run. "
            "So nothing is said yet of what `make test` notices of what the whole suite does.",
        ]
    share = f"{100 * ours / whole:.0f} %" if whole else "–"
    changes = f"; {same} {'changes' if same == 1 else 'change'} nothing" if same else ""
    return [f"Of {len(faults)} faults the whole suite notices {whole} and `make test` {ours}: {share}{changes}."]


def _notes(faults: list[Fault]) -> list[str]:
    notes = {**NOTES, **EQUIVALENT}
    found = [(fault, notes[fault.key]) for fault in faults if fault.key in notes]
    return ["", *(f"- {fault.file}:{fault.line}: {note}" for fault, note in found)] if found else []


def _test(fault: Fault, results: Results) -> str:
    """The stage and the file."""
    stage, test = results.noticed(fault)
    file = test.partition("::")[0].removeprefix("tests/").removesuffix(".py")
    return f"{stage}: {file}" if test else "–"


def _by(fault: Fault, stages: Iterable[Stage], results: Results) -> str:
    """yes, no, ? where not all has run, or – where it changes nothing."""
    if fault.key in EQUIVALENT:
        return "–"
    found = [results.test(fault, stage.name) for stage in stages]
    if any(found):
        return "yes"
    return "?" if None in found else "no"


def _code(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{line[:_LONGEST]}{'…' if len(line) > _LONGEST else ''}`"


def put(page: str, text: str) -> str:
    """The page with the table between its marks, at its end where it has none yet."""
    if BEGIN not in page:
        page = f"{page.rstrip()}\n\n{BEGIN}\n{END}\n"
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{text}\n{END}{after}"

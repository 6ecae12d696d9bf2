"""The table of faults for docs/testing.md."""

from tools.faults.choose import Fault
from tools.faults.notes import NOTES
from tools.faults.verdicts import BROWSER, MAKE_TEST, TUTORIALS, UNITS, WHOLE, Group, Verdicts

BEGIN, END = "<!-- faults -->", "<!-- end of faults -->"
#: What journeys notice, all browser tests do.
ALL = (*MAKE_TEST, *WHOLE)
_LONGEST = 60


def table(faults: list[Fault], verdicts: Verdicts) -> str:
    """Markdown: a row for each fault, and the sums."""
    rows = [
        "| fault | instead of | is | units | browser | tutorials | make test | whole suite |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for fault in faults:
        cells = [f"{fault.file}:{fault.line}", _code(fault.before), _code(fault.after)]
        cells += [_cell(fault, group, verdicts) for group in (UNITS, BROWSER, TUTORIALS)]
        cells += [_by(fault, groups, verdicts) for groups in (MAKE_TEST, ALL)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, "", *_sums(faults, verdicts), *_notes(faults)])


def _sums(faults: list[Fault], verdicts: Verdicts) -> list[str]:
    ours = [fault for fault in faults if _by(fault, MAKE_TEST, verdicts) == "yes"]
    whole = [fault for fault in faults if _by(fault, ALL, verdicts) == "yes"]
    unsure = [fault for fault in faults if "?" in (_by(fault, ALL, verdicts), _by(fault, MAKE_TEST, verdicts))]
    if unsure:
        return [
            f"Of {len(faults)} faults {len(whole)} are noticed so far; for {len(unsure)} (`?`) not all tests that may "
            "notice it have run. So nothing is said yet of what `make test` notices of what the whole suite does.",
        ]
    share = f"{100 * len(ours) / len(whole):.0f} %" if whole else "–"
    return [f"Of {len(faults)} faults the whole suite notices {len(whole)} and `make test` {len(ours)}: {share}."]


def _notes(faults: list[Fault]) -> list[str]:
    found = [(fault, NOTES[fault.key]) for fault in faults if fault.key in NOTES]
    return ["", *(f"- {fault.file}:{fault.line}: {note}" for fault, note in found)] if found else []


def _cell(fault: Fault, group: Group, verdicts: Verdicts) -> str:
    """The file that noticed it, or by how many it was not."""
    verdict = verdicts.verdict(fault, group)
    if verdict.test:
        return verdict.test.partition("::")[0].removeprefix("tests/").removesuffix(".py")
    if not verdict.left:
        return f"no ({verdict.ran} files)" if verdict.ran else "no (none runs it)"
    return f"? ({verdict.ran} of {verdict.ran + verdict.left} files)" if verdict.ran else "–"


def _by(fault: Fault, groups: tuple[Group, ...], verdicts: Verdicts) -> str:
    """yes, no, or ? where not all has run."""
    found = [verdicts.verdict(fault, group) for group in groups if group.exists(verdicts.recording.root)]
    if any(verdict.test for verdict in found):
        return "yes"
    return "?" if any(verdict.is_open for verdict in found) else "no"


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

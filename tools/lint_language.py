#!/usr/bin/env python3
"""Plain words: fails on odd idiom in texts and on names that say nothing, beyond what tools/language_counts.json
records.

Reads messages (of templates and Python), docstrings, comments, Markdown and the Korean translation, and the names of
modules, classes, functions and loop variables. What it looks for, and what may stand with which reason, is in
tools/language.toml.

A ratchet: each check has a count per folder. A higher count than recorded fails; a lower one must be recorded, so that
it never rises again.

    tools/lint_language.py                what is new (part of `make lint`)
    tools/lint_language.py --record       record lower counts (a higher one is fixed, or edited by hand with a reason)
    tools/lint_language.py --counts       the table of docs/language.md
    tools/lint_language.py --list [TEXT]  every place, or those of checks and files that contain TEXT
"""

import argparse
import ast
import fnmatch
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.repository_files import repository_files  # noqa: E402 - the tree isn't a package of the environment

RULES_FILE = ROOT / "tools/language.toml"
COUNTS_FILE = ROOT / "tools/language_counts.json"

CLASS_CHECK = "class name in three places"
MIN_CLASS_PLACES = 3
INTERFACE, DOCS = "interface", "docs"
#: Classes of these names mean the same wherever they stand.
FRAMEWORK_CLASSES = {"Migration", "Meta", "Command", "Media"}
GETTEXT = {"_", *(f"{prefix}gettext{suffix}" for prefix in ("", "n", "p", "np") for suffix in ("", "_lazy", "_noop"))}
TEMPLATE_MESSAGE = re.compile(
    r"""\{%\s*(?:trans|translate)\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
    r"""|\{%\s*blocktrans(?:late)?\b[^%]*%\}(?P<block>.*?)\{%\s*endblocktrans(?:late)?\s*%\}"""
    r"""|\b_\("(?P<call>[^"]*)"\)"""
    r"""|(?P<comment>\{#.*?#\}|\{%\s*comment\b.*?endcomment\s*%\})""",
    re.DOTALL,
)
COMMENT = re.compile(r"^(?P<code>[^#]*)#(?P<text>.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`area`: "interface", "docs" or the folder whose count it is in."""

    check: str
    area: str
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.check}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Prose of a file, with the line where it begins."""

    area: str
    line: int
    text: str


class Rules:
    """tools/language.toml, compiled."""

    def __init__(self, content: str) -> None:
        data = tomllib.loads(content)
        phrases = data["phrase"]
        self.advice: dict[str, str] = {phrase["name"]: phrase["say"] for phrase in phrases}
        self.phrases = {
            phrase["name"]: re.compile(phrase["match"].replace(" ", r"\s+"), re.IGNORECASE) for phrase in phrases
        }
        self.any_phrase = re.compile("|".join(pattern.pattern for pattern in self.phrases.values()), re.IGNORECASE)
        self.bindings = set(data["names"]["bindings"])
        self.functions = set(data["names"]["functions"])
        self.banned_modules = set(data["modules"]["banned"])
        self.noun_modules = set(data["modules"]["nouns"])
        self.allowed: list[dict[str, str]] = data["allowed"]
        if unreasoned := [entry for entry in self.allowed if not entry.get("reason")]:
            raise ValueError(f"allowed without a reason: {unreasoned}")

    def is_allowed(self, finding: Finding) -> bool:
        return any(
            fnmatch.fnmatch(finding.path, entry["file"])
            and entry.get("check", finding.check) == finding.check
            and entry.get("text", "").lower() in finding.text.lower()
            for entry in self.allowed
        )

    def is_bad_module(self, stem: str) -> bool:
        """Whether the last word of a module's name is a participle or a preposition."""
        word = stem.removeprefix("test_").rsplit("_", 1)[-1]
        return word in self.banned_modules or (word.endswith(("ed", "ing")) and word not in self.noun_modules)


def area_of(path: str) -> str:
    """The folder whose count a file's names, docstrings and comments are in."""
    if path.endswith(".md"):
        return DOCS
    if path.startswith("locale/"):
        return INTERFACE
    return path.split("/", 1)[0] if "/" in path else "root"


def markdown_texts(source: str) -> Iterator[Text]:
    """The whole text; code, links' targets and generated comments are blanked, so that lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", "\0", match.group())

    for pattern in (r"(?ms)^```.*?^```", r"(?m)^    .*$", r"`[^`\n]*`", r"\]\([^)\n]*\)", r"(?s)<!--.*?-->"):
        source = re.sub(pattern, blank, source)
    yield Text(area=DOCS, line=1, text=source)


def template_texts(source: str, area: str) -> Iterator[Text]:
    for match in TEMPLATE_MESSAGE.finditer(source):
        yield Text(
            area=area if match["comment"] else INTERFACE,
            line=source.count("\n", 0, match.start()) + 1,
            text=match[match.lastgroup or 0],
        )


def translation_texts(source: str) -> Iterator[Text]:
    """Translations only: the original is read where it stands."""
    is_translation = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith("msg"):
            is_translation = line.startswith("msgstr")
        if is_translation:
            yield Text(area=INTERFACE, line=number, text=line)


def comment_texts(source: str, nodes: list[ast.AST], area: str) -> Iterator[Text]:
    """Comments, neighbouring lines as one text. Lines within a string of several lines are none."""
    lines = source.splitlines()
    in_string: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and (node.end_lineno or 0) > node.lineno:
            in_string.update(range(node.lineno, node.end_lineno or 0))
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.lstrip()
        if stripped.startswith("#") and number not in in_string:
            block.append(stripped)
            continue
        if block:
            yield Text(area=area, line=number - len(block), text="\n".join(text.lstrip("#: ") for text in block))
            block = []
        if "  # " in line and number not in in_string:
            yield Text(area=area, line=number, text=line.rsplit("  # ", 1)[1])


def python_texts(source: str, nodes: list[ast.AST], area: str) -> Iterator[Text]:
    """Docstrings, comments and messages."""
    yield from comment_texts(source, nodes, area)
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
                yield Text(area=area, line=docstring.lineno, text=str(docstring.value.value))
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            for argument in node.args if name in GETTEXT else []:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield Text(area=INTERFACE, line=argument.lineno, text=argument.value)


def bound_names(nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Variables and arguments, each where it is bound."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def python_names(nodes: list[ast.AST], path: str, rules: Rules) -> Iterator[Finding]:
    """Names of modules, functions, variables; and every class, for what is counted over the whole tree."""
    area = area_of(path)
    if rules.is_bad_module(Path(path).stem):
        yield Finding(check="module is no noun", area=area, path=path, line=1, text=path)
    for name, line in bound_names(nodes):
        if name in rules.bindings:
            yield Finding(check=f"name `{name}`", area=area, path=path, line=line, text=name)
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in rules.functions:
            yield Finding(check=f"function `{node.name}`", area=area, path=path, line=node.lineno, text=node.name)
    for node in ast.iter_child_nodes(nodes[0]):
        if isinstance(node, ast.ClassDef) and node.name not in FRAMEWORK_CLASSES:
            yield Finding(check=CLASS_CHECK, area=area, path=path, line=node.lineno, text=node.name)


def read(path: str, source: str, rules: Rules) -> list[Finding]:
    """All findings of one file, allowed ones left out."""
    texts: list[Text] = []
    findings: list[Finding] = []
    if path.endswith(".md"):
        texts = [*markdown_texts(source)]
    elif path.endswith(".html"):
        texts = [*template_texts(source, area_of(path))]
    elif path.endswith(".po"):
        texts = [*translation_texts(source)]
    elif path.endswith(".py"):
        nodes = [*ast.walk(ast.parse(source))]
        texts = [*python_texts(source, nodes, area_of(path))]
        findings = [*python_names(nodes, path, rules)]
    for text in texts:
        if not rules.any_phrase.search(text.text):
            continue
        for name, pattern in rules.phrases.items():
            for match in pattern.finditer(text.text):
                line = text.line + text.text.count("\n", 0, match.start())
                near = " ".join(text.text[max(0, match.start() - 30) : match.end() + 30].replace("\0", "").split())
                findings.append(Finding(check=name, area=text.area, path=path, line=line, text=near))
    return [finding for finding in findings if not rules.is_allowed(finding)]


def repeated_classes(findings: list[Finding]) -> list[Finding]:
    """Without classes whose name stands in fewer than three places. Tests' own classes are not counted."""
    classes = [finding for finding in findings if finding.check == CLASS_CHECK and not is_test(finding.path)]
    places = Counter(finding.text for finding in classes)
    repeated = [finding for finding in classes if places[finding.text] >= MIN_CLASS_PLACES]
    return [finding for finding in findings if finding.check != CLASS_CHECK] + repeated


def is_test(path: str) -> bool:
    return path.startswith(("tests/", "bench/")) or "/tests/" in path or "/conformance/" in path


def tracked_files() -> list[str]:
    """Those that are read: not Django's migrations, which are generated."""
    return [path for path in repository_files("*.py", "*.html", "*.md", "*.po") if "/migrations/" not in path]


def _read_files(paths: list[str]) -> list[Finding]:
    rules = Rules(RULES_FILE.read_text())
    return [finding for path in paths for finding in read(path, (ROOT / path).read_text(), rules)]


def all_findings() -> list[Finding]:
    paths = tracked_files()
    with ProcessPoolExecutor(2) as pool:
        findings = [finding for part in pool.map(_read_files, (paths[::2], paths[1::2])) for finding in part]
    return sorted(repeated_classes(findings), key=lambda finding: (finding.check, finding.path, finding.line))


Counts = dict[str, dict[str, int]]


def counted(findings: list[Finding]) -> Counts:
    """check → area → how many."""
    counts: Counts = {}
    for finding in findings:
        areas = counts.setdefault(finding.check, {})
        areas[finding.area] = areas.get(finding.area, 0) + 1
    return counts


def differences(counts: Counts, recorded: Counts) -> Iterator[tuple[str, str, int, int]]:
    """Check, area, count, recorded count, where the two differ."""
    for check in sorted({*counts, *recorded}):
        now, before = counts.get(check, {}), recorded.get(check, {})
        for area in sorted({*now, *before}):
            if now.get(area, 0) != before.get(area, 0):
                yield check, area, now.get(area, 0), before.get(area, 0)


def lower(counts: Counts, recorded: Counts) -> Counts:
    """The counts to record: never higher than recorded, but for checks that are new."""
    result: Counts = {}
    for check, areas in counts.items():
        limits = recorded.get(check, areas)
        lowered = {area: min(count, limits.get(area, 0)) for area, count in areas.items()}
        result[check] = {area: count for area, count in lowered.items() if count}
    return result


def table(findings: list[Finding], checks: list[str]) -> str:
    """Markdown: a line for each check."""
    columns = {"interface": INTERFACE, "docs": DOCS}
    rows = ["| | interface | docs | code | tests | all |", "|---|--:|--:|--:|--:|--:|"]
    totals: Counter[str] = Counter()
    for check in checks:
        mine = [finding for finding in findings if finding.check == check]
        cells = Counter(columns.get(finding.area) or ("tests" if is_test(finding.path) else "code") for finding in mine)
        totals.update(cells)
        rows.append(f"| {check} | {' | '.join(str(cells[name]) for name in ORDER)} | {len(mine)} |")
    rows.append(f"| **all** | {' | '.join(str(totals[name]) for name in ORDER)} | {totals.total()} |")
    return "\n".join(rows)


ORDER = (INTERFACE, DOCS, "code", "tests")


def report(findings: list[Finding], rules: Rules) -> int:
    """Prints what differs from the record; 1 if anything does."""
    recorded = json.loads(COUNTS_FILE.read_text())
    changes = [*differences(counted(findings), recorded)]
    higher = [change for change in changes if change[2] > change[3]]
    for check, area, count, before in higher:
        print(f"{area}: “{check}” {count} times, {before} recorded. Say instead: {rules.advice.get(check, 'a noun')}")
        for finding in findings:
            if finding.check == check and finding.area == area:
                print(f"  {finding}")
    if changes and not higher:
        print(
            "\n".join(f"{area}: “{check}” {count} times, {before} recorded" for check, area, count, before in changes)
        )
        print("Lower than recorded. Run: python tools/lint_language.py --record, and commit tools/language_counts.json")
    return 1 if changes else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--list", nargs="?", const="", metavar="TEXT")
    options = parser.parse_args()
    rules = Rules(RULES_FILE.read_text())
    findings = all_findings()
    if options.list is not None:
        print("\n".join(str(finding) for finding in findings if options.list in f"{finding.path}: {finding.check}"))
        return 0
    if options.counts:
        print(table(findings, sorted({*rules.phrases, *(finding.check for finding in findings)})))
        return 0
    if options.record:
        recorded = json.loads(COUNTS_FILE.read_text()) if COUNTS_FILE.exists() else {}
        counts = lower(counted(findings), recorded)
        COUNTS_FILE.write_text(json.dumps(counts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return report(findings, rules)


if __name__ == "__main__":
    sys.exit(main())

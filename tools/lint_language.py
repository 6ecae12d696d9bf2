#!/usr/bin/env python3
"""Plain words: fails on odd idiom in texts and on names that say nothing.

Reads messages (of templates and Python), docstrings, comments, Markdown and the Korean translation, and the names of
modules, classes, functions and loop variables. What it looks for, and what may stand with which reason, is in
tools/language.toml.
"""

import ast
import fnmatch
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

CLASS_CHECK = "class name in three places"
API_TYPES = "kube/types/"
MIN_CLASS_PLACES = 3
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
    check: str
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.check}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Prose of a file, with the line where it begins. `is_message`: users read it in the interface."""

    line: int
    text: str
    is_message: bool = False


class Rules:
    """tools/language.toml, compiled."""

    def __init__(self, content: str) -> None:
        data = tomllib.loads(content)
        phrases = data["phrase"]
        self.advice: dict[str, str] = {phrase["name"]: phrase["say"] for phrase in phrases}
        self.phrases = {
            phrase["name"]: re.compile(phrase["match"].replace(" ", r"\s+"), re.IGNORECASE) for phrase in phrases
        }
        self.message_phrases = {phrase["name"] for phrase in phrases if phrase.get("where") == "messages"}
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


def markdown_texts(source: str) -> Iterator[Text]:
    """The whole text; code, links' targets and generated comments are blanked, so that lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", "\0", match.group())

    for pattern in (r"(?ms)^```.*?^```", r"(?m)^    .*$", r"`[^`\n]*`", r"\]\([^)\n]*\)", r"(?s)<!--.*?-->"):
        source = re.sub(pattern, blank, source)
    yield Text(line=1, text=source)


def template_texts(source: str) -> Iterator[Text]:
    for match in TEMPLATE_MESSAGE.finditer(source):
        yield Text(
            is_message=not match["comment"],
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
            yield Text(line=number, text=line, is_message=True)


def comment_texts(source: str, nodes: list[ast.AST]) -> Iterator[Text]:
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
            yield Text(line=number - len(block), text="\n".join(text.lstrip("#: ") for text in block))
            block = []
        if "  # " in line and number not in in_string:
            yield Text(line=number, text=line.rsplit("  # ", 1)[1])


def python_texts(source: str, nodes: list[ast.AST]) -> Iterator[Text]:
    """Docstrings, comments and messages."""
    yield from comment_texts(source, nodes)
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
                yield Text(line=docstring.lineno, text=str(docstring.value.value))
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            for argument in node.args if name in GETTEXT else []:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield Text(line=argument.lineno, text=argument.value, is_message=True)


def bound_names(nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Variables and arguments, each where it is bound."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def python_names(nodes: list[ast.AST], path: str, rules: Rules) -> Iterator[Finding]:
    """Names of modules, functions, variables; and every class, for what is counted over the whole tree."""
    if rules.is_bad_module(Path(path).stem):
        yield Finding(check="module is no noun", path=path, line=1, text=path)
    for name, line in bound_names(nodes):
        if name in rules.bindings:
            yield Finding(check=f"name `{name}`", path=path, line=line, text=name)
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in rules.functions:
            yield Finding(check=f"function `{node.name}`", path=path, line=node.lineno, text=node.name)
    for node in ast.iter_child_nodes(nodes[0]):
        if isinstance(node, ast.ClassDef) and node.name not in FRAMEWORK_CLASSES:
            yield Finding(check=CLASS_CHECK, path=path, line=node.lineno, text=node.name)


def read(path: str, source: str, rules: Rules) -> list[Finding]:
    """All findings of one file, allowed ones left out."""
    texts: list[Text] = []
    findings: list[Finding] = []
    if path.endswith(".md"):
        texts = [*markdown_texts(source)]
    elif path.endswith(".html"):
        texts = [*template_texts(source)]
    elif path.endswith(".po"):
        texts = [*translation_texts(source)]
    elif path.endswith(".py"):
        nodes = [*ast.walk(ast.parse(source))]
        texts = [*python_texts(source, nodes)]
        findings = [*python_names(nodes, path, rules)]
    for text in texts:
        if not rules.any_phrase.search(text.text):
            continue
        for name, pattern in rules.phrases.items():
            if name in rules.message_phrases and not text.is_message:
                continue
            for match in pattern.finditer(text.text):
                line = text.line + text.text.count("\n", 0, match.start())
                near = " ".join(text.text[max(0, match.start() - 30) : match.end() + 30].replace("\0", "").split())
                findings.append(Finding(check=name, path=path, line=line, text=near))
    return [finding for finding in findings if not rules.is_allowed(finding)]


def repeated_classes(findings: list[Finding]) -> list[Finding]:
    """Without classes whose name stands in fewer than three places.

    Not counted: tests' own classes, and the types of the API, which have its names.
    """
    classes = [
        finding
        for finding in findings
        if finding.check == CLASS_CHECK and not is_test(finding.path) and not finding.path.startswith(API_TYPES)
    ]
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


def main() -> int:
    advice = Rules(RULES_FILE.read_text()).advice
    findings = all_findings()
    for finding in findings:
        print(f"{finding} | say: {advice.get(finding.check, 'a noun that says what it is')}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

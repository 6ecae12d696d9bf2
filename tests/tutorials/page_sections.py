"""A page of docs/tutorials as a test reads it: its sections, and in each what is clicked and what is typed. Pure.

docs/tutorials/README.md documents the convention: numbered lists are clicked, `console` blocks are typed, YAML blocks
whose first line is a file's name are saved under it, and hidden comments say what a test can't guess.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
#: What a comment before a block may say. until: the command is repeated until its output is this; fails: it ends with
#: an error; background: it stays, in a terminal of its own; both: who clicks needs it too; embedded, real: only on such
#: a cluster; slow: only where all is asked for.
MARKS = frozenset({"until", "fails", "background", "both", "embedded", "real", "slow"})
_FENCE = re.compile(r"```(\w*)$")
_COMMENT = re.compile(r"<!-- ([\w ]+) -->$")
_ITEM = re.compile(r"\d+\. ")
_FILE = re.compile(r"# (\S+\.yaml)$")
_TOKEN = re.compile(
    r"\*\*(?P<label>[^*]+)\*\*(?::"
    r" `(?P<value>[^`]*)`)?|(?<!\*)\*(?P<words>[^*]+)\*(?!\*)|\[[^\]]*\]\(http://localhost:9000(?P<path>/[^)]*)\)"
)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing done or seen in the page.

    `does`: click, fill (`value` into the field `label`), see (`label` appears), open (`label` is a path).
    """

    does: str
    label: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A line for a shell, what it prints (None: not stated), and its marks."""

    line: str
    output: str | None
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class File:
    name: str
    text: str


@dataclass(slots=True)
class Section:
    """From one heading to the next."""

    title: str
    marks: frozenset[str] = frozenset()
    acts: list[list[Act]] = field(default_factory=list)
    typed: list[Command | File] = field(default_factory=list)


def pages(language: str = "en") -> list[str]:
    """The names of all tutorials, in the order of docs/tutorials/README.md."""
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    found = list(dict.fromkeys(re.findall(r"\]\((\d[\w-]*)\.md\)", index)))
    return [name if language == "en" else f"{name}.{language}" for name in found]


def sections(text: str) -> list[Section]:
    """The parts under `## ` headings; the text above the first one is an introduction that isn't run."""
    found: list[Section] = []
    marks: frozenset[str] = frozenset()
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("## "):
            found.append(Section(line.removeprefix("## ")))
        elif comment := _COMMENT.match(line):
            marks = frozenset(comment[1].split())
            if marks - MARKS:
                raise ValueError(f"unknown marks: {sorted(marks - MARKS)}")
            continue
        elif fence := _FENCE.match(line):
            block = []
            for inner in lines:
                if inner == "```":
                    break
                block.append(inner)
            if found:
                found[-1].typed += _typed(fence[1], block, marks)
        elif found and _ITEM.match(line):
            found[-1].acts.append(acts(line))
        elif found and found[-1].acts and line.startswith("   "):
            found[-1].acts[-1] += acts(line)
        elif found and marks and line and not found[-1].acts and not found[-1].typed:
            found[-1].marks = marks
        if line:
            marks = frozenset()
    return found


def acts(line: str) -> list[Act]:
    """**Bold** is clicked, **bold**: `code` is filled in, *italic* is seen, an address of the console is opened."""
    found = []
    for token in _TOKEN.finditer(line):
        if token["label"] is not None:
            label, value = token["label"], token["value"]
            found.append(Act("click", label) if value is None else Act("fill", label, value))
        elif token["words"] is not None:
            found.append(Act("see", token["words"]))
        else:
            found.append(Act("open", token["path"]))
    return found


def _typed(language: str, block: list[str], marks: frozenset[str]) -> list[Command | File]:
    if language == "yaml" and block and (name := _FILE.match(block[0])):
        return [File(name[1], "\n".join(block) + "\n")]
    return _commands(block, marks) if language == "console" else []


def _commands(block: list[str], marks: frozenset[str]) -> list[Command | File]:
    found: list[Command | File] = []
    command: list[str] = []
    output: list[str] = []

    def close() -> None:
        if command:
            found.append(Command("\n".join(command), "\n".join(output) if output else None, marks))
        command.clear()
        output.clear()

    for line in block:
        if line.startswith("$ "):
            close()
            command.append(line.removeprefix("$ "))
        elif command and command[-1].endswith("\\") and not output:
            command.append(line)
        else:
            output.append(line)
    close()
    return found


def matches(expected: str, printed: str) -> bool:
    """Whether a command printed this: `…` stands for anything in a line, a line of `…` for any lines; runs of blanks
    are one.
    """
    pattern = ""
    for line in expected.splitlines():
        words = " ".join(line.split())
        pattern += (
            r"(?:.*\n)*?" if words == "…" else ".*".join(re.escape(part) for part in words.split("…")).strip() + r" ?\n"
        )
    plain = "".join(" ".join(line.split()) + "\n" for line in printed.splitlines() if line.strip())
    return re.fullmatch(pattern, plain) is not None

"""tools/lint_language.py: what it finds in each kind of file, what it lets stand, and that counts only fall."""

import json
from pathlib import Path

import pytest

from tools import lint_language
from tools.lint_language import Finding, Rules, counted, differences, lower, read, repeated_classes

RULES = Rules("""
    allowed = [{file = "docs/old.md", check = "may not", text = "this may not", reason = "quoted"}]
    [[phrase]]
    name = "may not"
    match = '\\bmay not\\b'
    say = "can't"
    [names]
    bindings = ["one"]
    functions = ["told"]
    [modules]
    banned = ["about"]
    nouns = ["setting"]
    """)
MAY_NOT = "may not"


def found(path: str, source: str) -> list[tuple[str, str, int]]:
    """Check, area and line of each finding but classes."""
    findings = read(path, source, RULES)
    return [(finding.check, finding.area, finding.line) for finding in findings if "class" not in finding.check]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("kube/x.py", '"""It may\nnot."""\n', (MAY_NOT, "kube", 1)),
        ("kube/x.py", "a = 1\n# Users may\n# not.\n", (MAY_NOT, "kube", 2)),
        ("kube/x.py", "a = 1  # may not\n", (MAY_NOT, "kube", 1)),
        ("kube/x.py", 'a = _("You may not.")\n', (MAY_NOT, "interface", 1)),
        ("kube/x.py", 'a = ngettext("May not.", "All.", 2)\n', (MAY_NOT, "interface", 1)),
        ("kube/x.py", 'def f():\n    """Fine.\n\n    You may not."""\n', (MAY_NOT, "kube", 4)),
        ("templates/x.html", '\n{% translate "You may not" %}', (MAY_NOT, "interface", 2)),
        (
            "templates/x.html",
            "{% blocktranslate with a=b %}You may not{% endblocktranslate %}",
            (MAY_NOT, "interface", 1),
        ),
        ("templates/x.html", "{# It may not #}", (MAY_NOT, "templates", 1)),
        ("locale/ko/LC_MESSAGES/django.po", 'msgid "x"\nmsgstr "may not"\n', (MAY_NOT, "interface", 2)),
        ("docs/x.md", "a\n\nIt may\nnot\n", (MAY_NOT, "docs", 3)),
        ("README.md", "You may not", (MAY_NOT, "docs", 1)),
        ("kube/x.py", "for one in []: pass\n", ("name `one`", "kube", 1)),
        ("kube/x.py", "a = [one for one in []]\n", ("name `one`", "kube", 1)),
        ("kube/x.py", "def f(one): ...\n", ("name `one`", "kube", 1)),
        ("kube/x.py", "def told(): ...\n", ("function `told`", "kube", 1)),
        ("kube/about.py", "", ("module is no noun", "kube", 1)),
        ("tests/kube/test_about.py", "", ("module is no noun", "tests", 1)),
        ("kube/way_going.py", "", ("module is no noun", "kube", 1)),
    ],
)
def test_what_is_found(path: str, source: str, expected: tuple[str, str, int]) -> None:
    assert found(path, source) == [expected]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("kube/x.py", 'text = """\n# may not\n"""\n'),
        ("kube/x.py", 'text = "may not"\n'),
        ("kube/x.py", "for plan in []: pass\n"),
        ("kube/setting.py", ""),
        ("docs/x.md", "`may not`, [x](may not)\n\n    may not\n\n```\nmay not\n```\n<!-- may not -->\n"),
        ("locale/ko/LC_MESSAGES/django.po", 'msgid "may not"\nmsgstr "x"\n'),
        ("templates/x.html", "<p>may not</p>"),
    ],
)
def test_what_is_not_a_finding(path: str, source: str) -> None:
    assert found(path, source) == []


def test_an_allowed_text_stands_in_its_file_only() -> None:
    assert found("docs/old.md", "this may not") == []
    assert found("docs/new.md", "this may not") != []


def test_nothing_is_allowed_without_a_reason() -> None:
    with pytest.raises(ValueError, match="reason"):
        Rules(
            'phrase = []\nallowed = [{file = "*"}]\n[names]\nbindings = []\nfunctions = []\n[modules]\nbanned ='
            " []\nnouns = []"
        )


def test_a_class_name_is_reported_where_it_stands_in_three_places() -> None:
    sources = {
        "kube/a.py": "class Wish: ...\nclass Plan: ...\n",
        "tools/b.py": "class Wish: ...\nclass Plan: ...\n",
        "console/c.py": "class Wish: ...\n",
        "tests/d.py": "class Plan: ...\n",
    }
    findings = [finding for path, source in sources.items() for finding in read(path, source, RULES)]
    assert [finding.text for finding in repeated_classes(findings)] == ["Wish"] * 3


def test_counts_only_fall() -> None:
    recorded = {"may not": {"kube": 2, "tools": 1}}
    now = {"may not": {"kube": 3}, "new": {"docs": 4}}
    assert lower(now, recorded) == {"may not": {"kube": 2}, "new": {"docs": 4}}
    assert [*differences(now, recorded)] == [
        ("may not", "kube", 3, 2),
        ("may not", "tools", 0, 1),
        ("new", "docs", 4, 0),
    ]


@pytest.mark.parametrize(("recorded", "words"), [(1, ""), (2, "--record"), (0, "Say instead: can't")])
def test_the_report(
    recorded: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = Finding(check=MAY_NOT, area="kube", path="kube/x.py", line=1, text="may not")
    record = tmp_path / "counts.json"
    record.write_text(json.dumps({MAY_NOT: {"kube": recorded}}))
    monkeypatch.setattr(lint_language, "COUNTS_FILE", record)
    assert counted([finding]) == {MAY_NOT: {"kube": 1}}
    assert lint_language.report([finding], RULES) == (0 if recorded == 1 else 1)
    assert words in capsys.readouterr().out


def test_the_rules_of_the_tree_are_read() -> None:
    rules = Rules(lint_language.RULES_FILE.read_text())
    assert rules.is_bad_module("told") and not rules.is_bad_module("signing")
    assert all(rules.advice.values())

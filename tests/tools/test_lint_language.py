"""tools/lint_language.py: what it finds in each kind of file, and what it lets stand."""

import pytest

from tools import lint_language
from tools.lint_language import Finding, Rules, read, repeated_classes

RULES = Rules("""
    allowed = [{file = "docs/old.md", check = "may not", text = "this may not", reason = "quoted"}]
    [[phrase]]
    name = "may not"
    match = '\\bmay not\\b'
    say = "can't"
    [[phrase]]
    name = "thing"
    match = '\\bthing\\b'
    say = "the noun"
    where = "messages"
    [names]
    bindings = ["one"]
    functions = ["told"]
    [modules]
    banned = ["about"]
    nouns = ["setting"]
    """)
MAY_NOT = "may not"


def found(path: str, source: str) -> list[tuple[str, int]]:
    """Check and line of each finding but classes."""
    findings = read(path, source, RULES)
    return [(finding.check, finding.line) for finding in findings if "class" not in finding.check]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("kube/x.py", '"""It may\nnot."""\n', (MAY_NOT, 1)),
        ("kube/x.py", "a = 1\n# Users may\n# not.\n", (MAY_NOT, 2)),
        ("kube/x.py", "a = 1  # may not\n", (MAY_NOT, 1)),
        ("kube/x.py", 'a = _("You may not.")\n', (MAY_NOT, 1)),
        ("kube/x.py", 'a = ngettext("May not.", "All.", 2)\n', (MAY_NOT, 1)),
        ("kube/x.py", 'def f():\n    """Fine.\n\n    You may not."""\n', (MAY_NOT, 4)),
        ("templates/x.html", '\n{% translate "You may not" %}', (MAY_NOT, 2)),
        (
            "templates/x.html",
            "{% blocktranslate with a=b %}You may not{% endblocktranslate %}",
            (MAY_NOT, 1),
        ),
        ("templates/x.html", "{# It may not #}", (MAY_NOT, 1)),
        ("locale/ko/LC_MESSAGES/django.po", 'msgid "x"\nmsgstr "may not"\n', (MAY_NOT, 2)),
        ("docs/x.md", "a\n\nIt may\nnot\n", (MAY_NOT, 3)),
        ("README.md", "You may not", (MAY_NOT, 1)),
        ("kube/x.py", "for one in []: pass\n", ("name `one`", 1)),
        ("kube/x.py", "a = [one for one in []]\n", ("name `one`", 1)),
        ("kube/x.py", "def f(one): ...\n", ("name `one`", 1)),
        ("kube/x.py", "def told(): ...\n", ("function `told`", 1)),
        ("kube/about.py", "", ("module is no noun", 1)),
        ("tests/kube/test_about.py", "", ("module is no noun", 1)),
        ("kube/way_going.py", "", ("module is no noun", 1)),
        ("kube/x.py", '"""A thing."""\na = _("A thing")\n', ("thing", 2)),
        ("templates/x.html", '{# A thing #}\n{% translate "A thing" %}', ("thing", 2)),
    ],
)
def test_what_is_found(path: str, source: str, expected: tuple[str, int]) -> None:
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
        "kube/a.py": "class Row: ...\nclass Plan: ...\n",
        "tools/b.py": "class Row: ...\nclass Plan: ...\n",
        "console/c.py": "class Row: ...\n",
        "tests/d.py": "class Plan: ...\n",
    }
    findings = [finding for path, source in sources.items() for finding in read(path, source, RULES)]
    assert [finding.text for finding in repeated_classes(findings)] == ["Row"] * 3


def test_a_finding_fails_the_lint_with_what_to_write_instead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = Finding(check="mend", path="kube/x.py", line=1, text="mend it")
    monkeypatch.setattr(lint_language, "all_findings", lambda: [finding])
    assert lint_language.main() == 1
    printed = capsys.readouterr().out
    assert "kube/x.py:1" in printed and "fix" in printed
    monkeypatch.setattr(lint_language, "all_findings", list)
    assert lint_language.main() == 0


def test_the_rules_of_the_tree_are_read() -> None:
    rules = Rules(lint_language.RULES_FILE.read_text())
    assert rules.is_bad_module("told") and not rules.is_bad_module("signing")
    assert all(rules.advice.values())

"""What `make audit` makes of its tools' answers: a weakness is never taken for a network that is away, nor the other
way round.
"""

import sys

import pytest

from tools import run_audit
from tools.run_audit import FINE, KNOWN, NOT_ASKED, judged

# As the tools print them.
PIP_WEAK = (
    "Found 2 known vulnerabilities in 1 package\nName   Version ID             Fix Versions\ndjango 5.0.0  "
    " PYSEC-2024-28  5.0.2\n"
)
PIP_FINE = "No known vulnerabilities found\n"
PIP_AWAY = "ERROR:pip_audit._cli:a2wsgi: Dependency not found on PyPI and could not be audited: a2wsgi (1.10.10)\n"
NPM_WEAK = (
    "# npm audit report\n\nlodash  <4.17.21\nSeverity: high\nCommand Injection -"
    " https://github.com/advisories/GHSA-35jh-r3h4-6jhm\n\n1 high severity vulnerability\n"
)
NPM_FINE = "found 0 vulnerabilities\n"
NPM_AWAY = "npm warn audit 405 Method Not Allowed - POST\nnpm error audit endpoint returned an error\n"


@pytest.mark.parametrize(
    ("code", "output", "wanted"),
    [
        (1, PIP_WEAK, KNOWN),
        (0, PIP_FINE, FINE),
        (1, PIP_AWAY, NOT_ASKED),
        (1, NPM_WEAK, KNOWN),
        (0, NPM_FINE, FINE),
        (1, NPM_AWAY, NOT_ASKED),
        (0, NPM_WEAK, KNOWN),
    ],
)
def test_each_answer_is_what_it_is(code: int, output: str, wanted: int) -> None:
    assert judged(code, output) == wanted


def test_a_tool_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_audit.asked("x packages", ["/no/such/program"]) == NOT_ASKED
    assert "x packages: NOT ASKED" in capsys.readouterr().out
    assert run_audit.asked("x packages", [sys.executable, "-c", "print('1 vulnerability')"]) == KNOWN
    assert "KNOWN WEAKNESSES" in capsys.readouterr().out

"""O14: ages as kubectl prints them, in the reader's language, and the same by the server and by the browser."""

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.template import Context, Template

from console.prefer import times

NOW = datetime(2026, 11, 23, tzinfo=UTC)
AGE_JS = Path(__file__).resolve().parents[2] / "static/js/live/age.js"
MINUTE, HOUR, DAY = 60, 3600, 86400
#: From duration_test.go of k8s.io/apimachinery.
KUBECTL = {
    1: "1s",
    70: "70s",
    119: "119s",
    190: "3m10s",
    3 * MINUTE: "3m",
    10 * MINUTE - 1: "9m59s",
    10 * MINUTE: "10m",
    47 * MINUTE: "47m",
    3 * HOUR + 40 * MINUTE: "3h40m",
    4 * HOUR: "4h",
    9 * HOUR: "9h",
    2 * DAY: "2d",
    2 * DAY + 4 * HOUR: "2d4h",
    8 * DAY: "8d",
    367 * DAY: "367d",
    365 * 2 * DAY + 25 * DAY: "2y25d",
    365 * 8 * DAY + 2 * DAY: "8y",
}
KOREAN = {45: "45초", 190: "3분 10초", 3 * MINUTE: "3분", 28 * MINUTE: "28분", 4 * HOUR: "4시간", 12 * DAY: "12일"}


def age_text(seconds: int) -> str:
    return times.age(NOW - timedelta(seconds=seconds), NOW)


@pytest.mark.parametrize(("seconds", "words"), KUBECTL.items())
def test_o14_ages_are_kubectls(seconds: int, words: str) -> None:
    """O14: 3m, not 3 minutes ago."""
    assert age_text(seconds) == words


def korean(_context: str, text: str) -> str:
    return {"s m h d y": "초 분 시간 일 년", "%(first)s%(second)s": "%(first)s %(second)s"}[text]


def test_o14_ages_are_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """O14: 28분, not 28m. A translation with another number of units is ignored."""
    monkeypatch.setattr(times, "pgettext", korean)
    assert {seconds: age_text(seconds) for seconds in KOREAN} == KOREAN
    monkeypatch.setattr(times, "pgettext", lambda _context, text: "초 분" if " " in text else text)
    assert age_text(190) == "3m10s"


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_o14_the_browser_says_the_same() -> None:
    """O14: ages tick in the browser, in the same words."""
    program = f"""
        import {{ age, words }} from {json.dumps(AGE_JS.as_uri())};
        const korean = words({{ ageUnits: "초 분 시간 일 년", agePair: "%1 %2" }});
        const [english, here] = {json.dumps([list(KUBECTL), list(KOREAN)])};
        console.log(JSON.stringify([english.map((one) => age(one, words({{}}))), here.map((one) => age(one, korean))]));
    """
    command = ["node", "--input-type=module", "-e", program]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    assert found == [list(KUBECTL.values()), list(KOREAN.values())]


def test_o14_a_page_tells_the_browser_its_units() -> None:
    """O14: for the ages that tick."""
    shown = Template("{% load console %}{% age_units as ages %}{{ ages.units }}|{{ ages.pair }}").render(Context())
    assert shown == "s m h d y|%1%2"

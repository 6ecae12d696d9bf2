"""A test that fails among others is tried once more, alone (decision 13)."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools import run_tests, second_tries

ROOT = Path(__file__).resolve().parents[2]
# As a project of its own, so that neither our settings nor our fixtures have a say.
PLAIN = ["-q", "-c", "/dev/null", "-p", "no:django", "-p", "no:cov"]
SHAKY = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("words", ["of two words"])
def test_shaky(words):
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first

def test_good():
    count = Path(__file__).with_name("count")
    count.write_text((count.read_text() if count.exists() else "") + "x")
"""


def _project(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (folder / "test_it.py").write_text(text)
    monkeypatch.setattr(run_tests, "CACHE", folder / "cache")
    monkeypatch.setattr(second_tries, "RECORD", folder / "second_tries.json")
    return [*PLAIN, f"--rootdir={folder}", str(folder / "test_it.py")]


def test_what_passes_alone_counts_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, counts = run_tests.run_again(["-n", "2", *_project(tmp_path, SHAKY, monkeypatch)])
    assert code == 0
    assert counts == {"passed": 2}
    output = capfd.readouterr().out
    assert re.search(r"PASSED \S*test_it.py::test_shaky", output)
    assert "1 of 1 passed only at the second try" in output
    # The one that was good is not run again.
    assert (tmp_path / "count").read_text() == "x"


def test_the_third_time_a_second_try_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Issue 20: each is noted with its day, in a file that is committed."""
    arguments = ["-n", "2", *_project(tmp_path, SHAKY, monkeypatch)]
    for number in range(3):
        (tmp_path / "seen").unlink(missing_ok=True)
        code, counts = run_tests.run_again(arguments)
        noted = json.loads((tmp_path / "second_tries.json").read_text())
        ((test, days),) = noted.items()
        assert test.endswith("::test_shaky[of two words]")
        assert len(days) == number + 1
        assert (code, counts.get("failed", 0)) == ((0, 0) if number < 2 else (1, 1))
    assert counts["passed"] == 1, "each test counts once"
    assert "third time" in capfd.readouterr().out


def test_what_fails_twice_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = "def test_bad():\n    assert False\n\ndef test_good():\n    pass\n"
    code, counts = run_tests.run_again(_project(tmp_path, bad, monkeypatch))
    assert code == 1
    assert counts == {"passed": 1, "failed": 1}


def test_many_failures_are_no_accident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    many = (
        f"import pytest\n\n@pytest.mark.parametrize('n', range({run_tests.AGAIN + 1}))\ndef test_bad(n):\n    assert"
        " False\n"
    )
    code, counts = run_tests.run_again(_project(tmp_path, many, monkeypatch))
    assert code == 1
    assert counts == {"failed": run_tests.AGAIN + 1}
    assert "once more" not in capfd.readouterr().out


def test_a_file_that_breaks_both_times_counts_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its second run says "1 error" and nothing else; the closing line of all said "0 failed"."""
    arguments = ["-n", "2", *_project(tmp_path, "import no_such_module\n", monkeypatch)]
    (tmp_path / "test_other.py").write_text("def test_good():\n    pass\n")
    code, counts = run_tests.run_again([*arguments[:-1], str(tmp_path)])
    assert code != 0
    assert counts["passed"] == 1
    assert sum(counts.get(word, 0) for word in ("failed", "error", "errors")) == 1


def test_a_file_that_breaks_at_once_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _counts = run_tests.run_again(_project(tmp_path, "import no_such_module\n", monkeypatch))
    assert code != 0


TWO_LANES = """
import sys
from concurrent.futures import ThreadPoolExecutor
from tools import run_tests, second_tries

run_tests.PYTEST = [sys.executable, "-uc", "import time; print('begun', flush=True); time.sleep(300)"]
run_tests.ends_all_it_starts()
with ThreadPoolExecutor(1) as beside:
    beside.submit(lambda: [run_tests.run([]) for _suite in range(3)])
    run_tests.run([])
"""


def test_ctrl_c_ends_every_lane() -> None:
    """A lane in a thread of its own started its next suite, and the program waited for it."""
    with subprocess.Popen(
        [sys.executable, "-c", TWO_LANES], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            assert [process.stdout.readline() for _lane in range(2)] == ["begun\n"] * 2
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
            assert "begun" not in process.stdout.read(), "another suite began"
        finally:
            process.kill()

"""Issue 20: a suite is left out where nothing that it depends on has changed since it passed, and only there."""

from pathlib import Path
from unittest.mock import Mock

import grimp
import pytest

from tools import code_figures, run_real_tests, run_tests, suites
from tools.suites import DEPLOYMENT, EMBEDDED, FORMS, OPERATORS, SUITES, Suite

PARALLEL = ["-q", "-n", "2"]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Of one file that it depends on."""
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    monkeypatch.setattr(suites, "RECORD", tmp_path / "passed.json")
    monkeypatch.setattr(Suite, "paths", lambda _suite: ["code.py"])
    (tmp_path / "code.py").write_text("first")
    return Suite(name="some", tests=("tests/some",), programs=())


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """With which words pytest was begun; it passes, unless a word is `bad`."""
    found: list[list[str]] = []

    def run_again(words: list[str], *_others: object) -> tuple[int, dict[str, int]]:
        found.append(words)
        return (1, {"failed": 1}) if "bad" in words else (0, {"passed": 7})

    monkeypatch.setattr(run_tests, "run_again", run_again)
    return found


def test_a_suite_runs_again_when_a_file_has_changed(suite: Suite, tmp_path: Path, ran: list[list[str]]) -> None:
    output: list[str] = []
    assert run_tests.run_suite(suite, PARALLEL, output.append) == (0, {"passed": 7})
    assert run_tests.run_suite(suite, PARALLEL, output.append) == (0, {})
    assert ran == [[*PARALLEL, *suite.words]]
    assert len(output) == 1 and "some" in output[0] and "7 tests" in output[0], "what is left out is said"
    run_tests.run_suite(suite, PARALLEL, output.append, is_whole=True)
    assert len(ran) == 2
    (tmp_path / "code.py").write_text("second")
    run_tests.run_suite(suite, PARALLEL, output.append)
    assert len(ran) == 3


def test_a_suite_that_fails_is_not_noted(suite: Suite, ran: list[list[str]]) -> None:
    for _time in range(2):
        assert run_tests.run_suite(suite, ["bad"], str)[0] == 1
    assert len(ran) == 2 and not suites.RECORD.exists()


def test_what_changes_while_a_suite_runs_has_not_passed(suite: Suite, tmp_path: Path) -> None:
    digest = suite.digest()
    (tmp_path / "code.py").write_text("changed meanwhile")
    suites.note(suite, digest, 7)
    assert not suite.passed()


@pytest.mark.parametrize("suite_", SUITES, ids=lambda item: item.name)
def test_a_suite_depends_on_all_that_it_imports(suite_: Suite) -> None:
    """Its tests, its programs with their data, helpers of tests, and what these import in turn."""
    found = set(suite_.paths())
    assert {"uv.lock", "tests/options.py", "tests/api.py", "tests/processes.py", "console/processes/parts.py"} <= found
    assert {"sandbox/store.py", "structural/patterns.py", "untrusted/yaml_bounds.py"} <= found
    others = ("templates/", "static/", "docs/", "tests/e2e/")
    assert not [path for path in found if path.startswith(others) and not path.startswith(suite_.files or "-")]


def test_tests_beside_a_program_are_not_part_of_it() -> None:
    assert "sandbox/tests/conftest.py" in EMBEDDED.paths()
    assert not [path for path in OPERATORS.paths() if path.startswith(("sandbox/tests/", "sandbox/conformance/"))]


def test_data_belongs_to_a_program() -> None:
    assert "examples/operators/images.toml" in EMBEDDED.paths()
    assert any(path.startswith("examples/operators/packages/") for path in OPERATORS.paths())


def test_forms_are_made_of_templates_and_translations_too() -> None:
    found = set(FORMS.paths())
    assert {"resources/forms/schema.py", "locale/ko/LC_MESSAGES/django.po"} <= found
    assert any(path.startswith("templates/resources/") for path in found)


def test_a_deployment_is_made_of_manifests_and_of_what_they_start() -> None:
    found = set(DEPLOYMENT.paths())
    assert {"deploy/Containerfile", "docker-compose.yml", "console/settings.py", "console/asgi.py"} <= found


def test_what_a_landing_asks_of_a_real_cluster_is_part_of_the_whole() -> None:
    for chosen, whole in (
        (run_real_tests.LANDING_PRODUCT, run_real_tests.PRODUCT),
        (run_real_tests.LANDING_HUB, run_real_tests.HUB),
    ):
        assert not [path for path in chosen if not (run_real_tests.ROOT / path).is_file()]
        assert all(path.startswith(whole) for path in chosen)


def test_imports_are_those_of_the_files_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """grimp's cache mixes up runs over different packages."""
    built = Mock(wraps=grimp.build_graph)
    monkeypatch.setattr(grimp, "build_graph", built)
    suites._graph.__wrapped__()
    code_figures.static_figures()
    assert [call.kwargs["cache_dir"] for call in built.call_args_list] == [None] * 2

"""S2, S10: untrusted YAML neither ends the process nor takes long, wherever it is read."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from examples.operators.kudo import package as kudo
from examples.operators.kudo.version import PackageError
from resources import yamltext
from resources.writing import rewrite
from sandbox import bodies
from sandbox.catalog import fbc, manifests
from untrusted import yaml_bounds

ROOT = Path(__file__).resolve().parents[2]
NESTED = {"flow list": "[", "flow mapping": "{a: ", "block list": "- ", "complex key": "? ", "mixed": "- ? [{a: "}
LEVELS = (25_000, 1_000_000)


def outcome(read: Callable[[], Any]) -> BaseException | None:
    """What reading raised in a thread, whose stack is the smaller one."""
    found: list[BaseException | None] = []

    def run() -> None:
        try:
            read()
            found.append(None)
        except BaseException as error:
            found.append(error)

    thread = Thread(target=run)
    began = time.process_time()
    thread.start()
    thread.join()
    assert time.process_time() - began < 5
    return found[0]


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("opening", NESTED.values(), ids=NESTED)
def test_s2_no_depth_ends_the_process(opening: str, levels: int) -> None:
    text = opening * levels
    assert isinstance(outcome(lambda: yaml_bounds.load(text)), yaml.YAMLError)
    assert isinstance(outcome(lambda: list(yaml_bounds.load_all(text.encode()))), yaml.YAMLError)
    assert isinstance(outcome(lambda: list(yaml_bounds.compose_all(text))), yaml.YAMLError)
    assert isinstance(outcome(lambda: yamltext.documents(text)), yamltext.YamlProblem)


@pytest.mark.parametrize("opening", NESTED.values(), ids=NESTED)
def test_s2_every_reader_refuses_what_is_too_deep(opening: str, tmp_path: Path) -> None:
    text = opening * 25_000
    file = tmp_path / "deep.yaml"
    file.write_text(text)
    assert isinstance(outcome(lambda: bodies.from_yaml(text.encode())), bodies.Unrecognized)
    assert outcome(lambda: bodies.duplicates(text.encode(), bodies.YAML, True)) is None
    assert isinstance(outcome(lambda: list(manifests.documents(file))), ValueError)
    assert isinstance(outcome(lambda: list(fbc.blobs(file))), ValueError)
    assert isinstance(outcome(lambda: kudo._yaml(file)), PackageError)
    assert yamltext.field_positions(text, [("spec",)]) == ((0, 0),)
    assert rewrite.rewrite(text, {"a": 1}) == "a: 1\n"


BOMBS = {
    "aliases": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)),
    "levels by aliases": (
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} {'[' * 40}*a{n - 1}{']' * 40}\n" for n in range(1, 50))
    ),
    "merge keys that double": (
        "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: v}}\n" for n in range(1, 60))
    ),
    "merge keys that add": (
        "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n}\n  <<: *a{n - 1}\n  k{n}: v\n" for n in range(1, 20_000))
    ),
    "itself": "a: &a [*a]\n",
    "itself as a key": "&a {*a : 1}\n",
    "itself merged": "a: &a {<<: *a}\n",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_s10_nothing_grows_by_aliases_or_merge_keys(text: str) -> None:
    assert isinstance(outcome(lambda: yaml_bounds.load(text)), yaml_bounds.TooComplex)
    problem = outcome(lambda: yamltext.documents(text))
    assert isinstance(problem, yamltext.YamlProblem)
    assert problem.line
    assert isinstance(outcome(lambda: bodies.from_yaml(text.encode())), bodies.Unrecognized)


NUMBERS = {
    "base 60": "1" + ":1" * 500_000,
    "base 60 of a float": "1" + ":1" * 500_000 + ".0",
    "digits": "1" * 1_000_000,
}


@pytest.mark.parametrize("text", NUMBERS.values(), ids=NUMBERS)
def test_s10_no_number_takes_long(text: str) -> None:
    """S10: PyYAML multiplies out numbers to the base of 60: 1 MB took 50 s."""
    for read in (yaml_bounds.load, yamltext.documents, lambda text: bodies.from_yaml(text.encode())):
        assert isinstance(outcome(lambda read=read: read(text)), (type(None), yaml.YAMLError, bodies.Unrecognized))  # type: ignore[misc]
    assert yaml_bounds.load("{port: 22:22, time: 1:30.5, ten: 10}") == {"port": "22:22", "time": "1:30.5", "ten": 10}


ODD_TAGS = (
    "int ''",
    "int x",
    "int [a]",
    "int {=: 5}",
    "float ''",
    "bool x",
    "timestamp x",
    "map x",
    "map [ab]",
    "set [a]",
    "omap x",
)


@pytest.mark.parametrize(
    "value", [*(f"!!{tag}" for tag in ODD_TAGS), "2001-99-99", "2001-01-01 01:01:01 +99", "9" * 5000]
)
def test_a_value_that_is_not_of_its_type_is_a_problem_of_the_text(value: str) -> None:
    """It was a TypeError, an AttributeError or an IndexError: an answer of 500 to an import of YAML."""
    text = f"a: {value}"
    assert isinstance(outcome(lambda: yaml_bounds.load(text)), (type(None), yaml.YAMLError))
    assert isinstance(outcome(lambda: yamltext.documents(text)), (type(None), yamltext.YamlProblem))
    assert isinstance(outcome(lambda: bodies.from_yaml(text.encode())), (type(None), bodies.Unrecognized))


@pytest.mark.parametrize("text", ["{" + '"a":1,' * 80_000 + '"b":1}', "[" + '{"a":1,"a":1},' * 35_000 + "1]"])
def test_s10_keys_that_come_twice_are_found_in_no_time(text: str) -> None:
    assert outcome(lambda: bodies.duplicates(text.encode(), "application/json", True)) is None


def test_depth_and_number_are_counted_exactly() -> None:
    yaml_bounds.check("[" * 5 + "]" * 5, levels=5)
    with pytest.raises(yaml_bounds.TooComplex):
        yaml_bounds.check("[" * 6 + "]" * 6, levels=5)
    yaml_bounds.check("- a\n- a\n---\n- a\n- a\n", values=3)
    with pytest.raises(yaml_bounds.TooComplex):
        yaml_bounds.check("- a\n- a\n- a\n", values=3)
    yaml_bounds.check("a: &x [1, 2]\nb: *x\n", levels=2, values=9)
    with pytest.raises(yaml_bounds.TooComplex):
        yaml_bounds.check("a: &x [[1], 2]\nb: [*x]\n", levels=3)
    with pytest.raises(yaml_bounds.TooComplex):
        yaml_bounds.check("a: &x [1, 2]\nb: *x\nc: *x\n", values=9)


def test_s2_yaml_is_read_by_no_other_way() -> None:
    """A new reader goes through untrusted.yaml_bounds. What reads its own files is listed with the reason."""
    own = {
        "sandbox/seed.py": "its own file",
        "sandbox/olm/seed.py": "its own file",
        "sandbox/olmv1/seed.py": "its own file",
        "sandbox/agent/access.py": "the kubeconfig of whoever started it",
        "examples/operators/access.py": "the kubeconfig of whoever started it",
    }
    calls = ("yaml.load", "yaml.safe_load", "yaml.compose", "yaml.parse", "yaml.scan", "yaml.full_load")
    folders = ("console", "kube", "operatorhub", "examples", "resources", "sandbox", "structural")
    found = {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if not {ROOT / "sandbox/tests", ROOT / "examples/operators/tests"} & set(path.parents)
        and any(call in path.read_text() for call in calls)
    }
    assert found == set(own)

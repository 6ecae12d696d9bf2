#!/usr/bin/env python3
"""`make code-figures`: prints the table "Code figures" of docs/architecture.md.

- Product: console, operatorhub, resources, kube. A module's importers are counted by grimp within these four.
- Calls: with more than five positional arguments, without log lines and lists of literals.
- Files behind a page: those of the product that run Python while one request is answered, on the embedded cluster.
"""

import ast
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The tree isn't installed in the environment, and tests.environment says where Django's settings are.
from tests import environment, processes  # noqa: E402, I001

import django  # noqa: E402
import grimp  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402

from tests.operatorhub.person import Person  # noqa: E402
from tools.repository_files import repository_files  # noqa: E402

PRODUCT = ("console", "operatorhub", "resources", "kube")
MAX_POSITIONAL = 5
MAX_WIDTH = 120
_DIGGERS = {"mapping", "text", "items"}
_LOGGING = {"debug", "info", "warning", "error", "exception", "log"}
_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: figures
  namespace: default
spec:
  replicas: 1
  selector:
    matchLabels: {app: figures}
  template:
    metadata:
      labels: {app: figures}
    spec:
      containers:
        - name: main
          image: nginx:1
"""


def python_files(*folders: str) -> list[Path]:
    """Tracked files without Django's migrations, which are generated."""
    paths = repository_files(*(f"{folder}/*.py" for folder in folders)) if folders else repository_files("*.py")
    return [ROOT / path for path in paths if "/migrations/" not in path]


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def has_many_arguments(call: ast.Call) -> bool:
    """More than five positional ones, of which a reader can't see which is which.

    Log lines don't count, nor do the words of a list at the end, as in `values_list("a", "b", …)`.
    """
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    plain = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
    while plain and isinstance(plain[-1], ast.Constant):
        plain.pop()
    return name not in _LOGGING and len(plain) > MAX_POSITIONAL


def has_form_base(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Form") for base in node.bases)


def static_figures() -> dict[str, int]:
    """Name of a figure → its value, from the source alone."""
    graph = grimp.build_graph(*PRODUCT, cache_dir=None)
    modules = [module for module in graph.modules if ".migrations" not in module]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in python_files(*PRODUCT)}
    lines = [line for path in python_files() for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [path.read_text(encoding="utf-8") for path in trees]
    css = [ROOT / path for path in repository_files("static/css/*.css")]
    digging = [tree for path, tree in trees.items() if path.relative_to(ROOT).parts[0] in ("operatorhub", "resources")]
    return {
        "product modules": len(modules),
        "product modules with one importer": sum(
            len(graph.find_modules_that_directly_import(module)) == 1 for module in modules
        ),
        "calls with more than five positional arguments": sum(
            has_many_arguments(call) for tree in trees.values() for call in calls(tree)
        ),
        "`# fmt: skip` and `# fmt: off`": sum(bool(re.search(r"# fmt: (skip|off)", line)) for line in lines),
        "lines of Python over 120 characters": sum(len(line) > MAX_WIDTH for line in lines),
        "modules that ask for a watch": sum(
            bool(re.search(r"""["']watch["']: |watch=(True|"true")""", text)) for text in texts
        ),
        "locks (a cache of one's own mostly has one)": sum(
            len(re.findall(r"\bR?Lock\(\)|default_factory=(?:threading\.)?R?Lock\b", text)) for text in texts
        ),
        "`django.forms` forms": sum(has_form_base(node) for tree in trees.values() for node in ast.walk(tree)),
        "digging by mapping(), text(), items() in operatorhub and resources": sum(
            is_digging(call) for tree in digging for call in calls(tree)
        ),
        "templates": len(repository_files("templates/*.html")),
        "lines of CSS": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in css),
    }


def is_digging(call: ast.Call) -> bool:
    """By the helper's own name, or by its module's: objects.text()."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "objects":
        return function.attr in _DIGGERS
    return isinstance(function, ast.Name) and function.id in _DIGGERS


def files_of(work: Callable[[], object]) -> int:
    """How many files of the product run Python during `work`, in whichever thread."""
    seen: set[str] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        seen.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    roots = tuple(str(ROOT / folder) + os.sep for folder in PRODUCT)
    return sum(name.startswith(roots) for name in seen)


def page_figures() -> dict[str, int]:
    """Files behind three requests of a browser without JavaScript, each asked once before it is counted."""
    data, packages = environment.FOLDER, ROOT / "examples/operators/packages"
    with processes.redis(data / "redis.sock"), processes.sandbox(data / "sandbox", packages):
        django.setup()
        setup_test_environment()
        call_command("migrate", verbosity=0)
        kind = "/resources/apps/v1/deployments/"
        person, form = Person(), "/resources/core/v1/serviceaccounts/new/?namespace=default"
        person.open(f"{kind}new-yaml/?namespace=default").press("Create", text=_DEPLOYMENT)
        page = person.url
        for address in (page, "/operatorhub/"):
            assert person.open(address).status == 200, person.words
        person.open(form).press("Create", **{"s:/metadata/name": "first"})
        submit = Person().open(form)
        return {
            "files behind an object's page (a Deployment)": files_of(lambda: person.open(page)),
            "files behind the catalog": files_of(lambda: person.open("/operatorhub/")),
            "files behind a form's submit and the page it leads to (a ServiceAccount)": files_of(
                lambda: submit.press("Create", **{"s:/metadata/name": "second"})
            ),
        }


def main() -> None:
    figures = static_figures() | page_figures()
    print("| figure | now |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:,} |")


if __name__ == "__main__":
    main()

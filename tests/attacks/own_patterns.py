"""The product's own regular expressions, and texts on which those that go back and try again take long."""

import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import console
import kube
import operatorhub
import resources
import structural
import untrusted

Pattern = re.Pattern[str] | re.Pattern[bytes]
#: Long enough that steps which grow with the square of the length are seen, short enough for hundreds of patterns.
LENGTH = 4_000
SECONDS = 0.003
_PACKAGES = (console, kube, operatorhub, resources, structural, untrusted)
#: What patterns repeat, beside the words that stand in them.
_PIECES = (
    "a",
    "A",
    "1",
    " ",
    "\n",
    ".",
    "-",
    ":",
    "/",
    "[",
    "(",
    '"',
    "'",
    "`",
    "~",
    "<",
    "=",
    "_",
    "a.",
    "1.",
    "-1.",
    ", ",
    "a1",
)


def patterns() -> Iterator[tuple[str, Pattern, frozenset[str]]]:
    """(module.name, pattern, its methods that are called) of each that a module has compiled for all its calls."""
    seen = set[int]()
    for package in _PACKAGES:
        for module_info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if re.search(r"\.(__main__|[aw]sgi|migrations)", module_info.name):
                continue
            try:
                module = importlib.import_module(module_info.name)
            except ImportError:  # a package that is not always there: traces, the demonstration's Redis
                continue
            source = Path(str(module.__file__)).read_text()
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern) and id(value) not in seen:
                    seen.add(id(value))
                    called = frozenset(
                        re.findall(rf"\b{name}\.((?:full)?match|search|sub|split|finditer|findall)\(", source)
                    )
                    yield f"{module_info.name}.{name}", value, called or frozenset({"search"})


def texts(pattern: Pattern) -> Iterator[str]:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    words = [*dict.fromkeys(re.findall(r"[A-Za-z]{2,}|[^\sA-Za-z0-9\\^$*+?|]", source))][:12]
    for head, piece in itertools.product(("", *words[:2]), dict.fromkeys((*_PIECES, *words))):
        yield head + piece * (LENGTH // len(piece)) + "\n!"


def slow(pattern: Pattern, methods: frozenset[str]) -> str:
    """The text on which it takes long, shortened; "" where there is none."""
    # What finds all places searches from each, as `search` does where there is none.
    anchored = methods <= {"match", "fullmatch"}
    calls = [
        getattr(pattern, method) for method in (methods if anchored else {*methods & {"match", "fullmatch"}, "search"})
    ]
    for text, call in itertools.product(texts(pattern), calls):
        given = text if isinstance(pattern.pattern, str) else text.encode()
        if all(_seconds(call, given) > SECONDS for _try in range(6)):
            return f"{text[:12]!r}…{text[-4:]!r}"
    return ""


def _seconds(call: Callable[[str | bytes], object], text: str | bytes) -> float:
    began = time.thread_time()
    call(text)
    return time.thread_time() - began

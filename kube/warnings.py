"""Collects the `Warning` headers of the API server: from deprecated versions, admission webhooks and policies.

They are dropped outside of `collected()`. Only warnings of writes are collected: a read of a deprecated version would
repeat the same one on every page. https://kubernetes.io/blog/2020/09/03/warnings/ and RFC 9111, 5.5 as of RFC 7234:
`299 - "text"`.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kube import limits

_collecting: ContextVar[list[str] | None] = ContextVar("collecting", default=None)
# Code, agent, quoted text with backslashes before quotes and backslashes; a date may follow.
_WARNING = re.compile(r'\s*\d{3}\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)')


@contextmanager
def collected() -> Iterator[list[str]]:
    """A list to which the warnings of this thread's writes are added, each text once."""
    texts: list[str] = []
    token = _collecting.set(texts)
    try:
        yield texts
    finally:
        _collecting.reset(token)


def collect(headers: Iterable[str]) -> None:
    """Add the warnings of an answer's headers. Text that isn't a warning is ignored."""
    texts = _collecting.get()
    if texts is None:
        return
    for header in headers:
        for text in parse(header):
            if text not in texts and len(texts) < limits.WARNINGS.value:
                texts.append(text)


def parse(header: str) -> tuple[str, ...]:
    """The texts of one header, which may hold several warnings: `299 - "one", 299 - "two"`."""
    found, at = [], 0
    while match := _WARNING.match(header, at):
        found.append(re.sub(r"\\(.)", r"\1", match[1]))
        at = match.end()
    return tuple(text for text in found if text)

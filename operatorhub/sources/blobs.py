"""A file of many documents, one after the other: JSON objects in a row, or YAML divided by `---`.

Only one of them is in memory at a time.

An unreadable document is reported with its line, and skipped.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec

from kube import limits
from resources import yamltext
from untrusted import json_bounds

# A bundle whose manifests are inside: the largest known are 6 MB; gRPC's limit for OLM is 4 MB.
_CHUNK = 1024 * 1024
# A string at once, so that braces in it do not count; a lone quote is a string that isn't closed yet.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}"]', re.S)
_DIVIDER = re.compile(rb"---(\s|$)")


@dataclass(frozen=True, slots=True)
class Blob:
    """`value` {} and `problem` in words where it can't be read.

    `raw`: the bytes it was made of; `line`: where it begins.
    """

    line: int
    raw: bytes
    value: Mapping[str, Any]
    problem: str = ""


def read(stream: BinaryIO) -> Iterator[Blob]:
    """Every document of the stream. JSON where it begins with a brace, else YAML."""
    first = stream.read(_CHUNK)
    if first.startswith(b"\xef\xbb\xbf"):
        first = first[3:]
    yield from _json(first, stream) if first.lstrip()[:1] == b"{" else _yaml(first, stream)


def _json(buffer: bytes, stream: BinaryIO) -> Iterator[Blob]:
    line, ended = 1, False
    while True:
        start = buffer.find(b"{")
        if start < 0 and not ended:
            more = stream.read(_CHUNK)
            buffer, ended = buffer + more, not more
            continue
        between = buffer[:start] if start >= 0 else buffer
        if between.strip():
            at = line + between[: len(between) - len(between.lstrip())].count(b"\n")
            yield Blob(at, between[:100], {}, f"this is no JSON: {between.strip()[:60].decode(errors='replace')}")
        line += between.count(b"\n")
        if start < 0:
            return
        end, buffer, ended = _end(buffer[start:], stream, ended)
        if end:
            yield _decoded(line, buffer[:end])
        else:
            # Its braces do not close: the next object begins where a line begins with one.
            found = buffer.find(b"\n{", 1)
            end = found + 1 if found >= 0 else len(buffer)
            yield Blob(
                line,
                buffer[:100],
                {},
                f"the object that begins here does not end, or is larger than {limits.CATALOG_BLOB.value // 2**20} MiB",
            )
        line += buffer.count(b"\n", 0, end)
        buffer = buffer[end:]


def _end(buffer: bytes, stream: BinaryIO, ended: bool) -> tuple[int, bytes, bool]:
    """Where the object that begins the buffer ends, 0 when it does not; the buffer, longer by what was read; and
    whether that was all.
    """
    depth = place = 0
    while True:
        for token in _TOKEN.finditer(buffer, place):
            word = buffer[token.start() : token.start() + 1]
            if word == b'"' and token.end() - token.start() == 1:
                place = token.start()
                break
            place = token.end()
            depth += (word == b"{") - (word == b"}")
            if not depth:
                return place, buffer, ended
        else:
            place = len(buffer)
        if ended or len(buffer) > limits.CATALOG_BLOB.value:
            return 0, buffer, ended
        more = stream.read(_CHUNK)
        buffer, ended = buffer + more, not more


def _decoded(line: int, raw: bytes) -> Blob:
    try:
        value = json_bounds.load(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return Blob(line, raw[:100], {}, str(error))
    return Blob(line, raw, value)


def _yaml(first: bytes, stream: BinaryIO) -> Iterator[Blob]:
    lines: list[bytes] = []
    size, begins = 0, 1
    for number, line in enumerate(_lines(first, stream), 1):
        if _DIVIDER.match(line):
            yield from _document(begins, lines, size)
            lines, size, begins = [line], len(line), number
        else:
            size += len(line)
            if size <= limits.CATALOG_BLOB.value:
                lines.append(line)
    yield from _document(begins, lines, size)


def _lines(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    rest = first
    while rest:
        *whole, rest = rest.split(b"\n")
        yield from (line + b"\n" for line in whole)
        more = stream.read(_CHUNK)
        if not more:
            break
        rest += more
    if rest:
        yield rest


def _document(line: int, lines: list[bytes], size: int) -> Iterator[Blob]:
    raw = b"".join(lines)
    if size > limits.CATALOG_BLOB.value:
        yield Blob(
            line,
            raw[:100],
            {},
            f"the document that begins here is larger than {limits.CATALOG_BLOB.value // 2**20} MiB",
        )
        return
    try:
        for _line, value in yamltext.documents(raw.decode()):
            yield Blob(line, raw, value) if isinstance(value, dict) else Blob(line, raw[:100], {}, "this is no object")
    except (yamltext.YamlProblem, ValueError) as error:
        at = line + max(getattr(error, "line", 0) - 1, 0)
        yield Blob(at, raw[:100], {}, str(error))

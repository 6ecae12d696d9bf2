"""What a node has on its disk: entries with their versions, and who belongs to the cluster.

An entry is ``[counter, writer, value]``: of two entries the one with the greater (counter, writer) is the newer one. A
value of None is a deleted key. Entries are appended to a file and read back at the start; the last line may be half
written.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

#: counter, writer, value
Entry = list[Any]


@dataclass(frozen=True, slots=True)
class Config:
    """The members of the cluster, by name, with their URLs. A greater epoch is newer; 0: there is none."""

    epoch: int = 0
    members: Mapping[str, str] = field(default_factory=dict)

    @property
    def majority(self) -> int:
        return len(self.members) // 2 + 1

    def as_json(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "members": dict(self.members)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Config:
        return cls(int(found.get("epoch", 0)), dict(found.get("members") or {}))


def newer(entry: Entry | None, other: Entry | None) -> bool:
    """Whether ``entry`` comes after ``other``."""
    if entry is None or other is None:
        return entry is not None
    return (entry[0], entry[1]) > (other[0], other[1])


def merge(dumps: list[dict[str, Entry]]) -> dict[str, Entry]:
    """The newest entry of each key."""
    found: dict[str, Entry] = {}
    for dump in dumps:
        found |= {key: entry for key, entry in dump.items() if newer(entry, found.get(key))}
    return found


class Store:
    """``fresh``: the disk was empty at the start."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self._log, self._members = folder / "entries.jsonl", folder / "members.json"
        self.entries: dict[str, Entry] = {}
        for key, entry in self._read():
            self.put(key, entry, write=False)
        self.config, self.previous = self._read_config()
        self.fresh = not self.config.epoch
        with contextlib.suppress(OSError):  # on a full disk it stays as it is
            self._rewrite()
        self._file: FileIO = FileIO(self._log, "a")

    def put(self, key: str, entry: Entry, *, write: bool = True) -> None:
        """Keeps the entry if it is newer; it is handed to the operating system before this returns.

        OSError: the disk is full, and nothing has changed.
        """
        if not newer(entry, self.entries.get(key)):
            return
        if write:
            self._append((json.dumps([key, entry]) + "\n").encode())
        self.entries[key] = entry

    def adopt(self, config: Config, previous: Config | None = None) -> None:
        """Another membership; ``previous`` until the data has moved over. OSError, and nothing has changed."""
        new = self._members.with_suffix(".new")
        known = {**config.as_json(), "previous": previous.as_json() if previous else None}
        new.write_text(json.dumps(known), encoding="utf-8")
        new.replace(self._members)
        self.config, self.previous = config, previous

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _append(self, line: bytes) -> None:
        """Writes the whole line or, on an error, truncates the file: half a line would corrupt the next one."""
        size = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self._file.truncate(size)
            raise

    def _read(self) -> Iterator[tuple[str, Entry]]:
        if not self._log.exists():
            return
        for line in self._log.read_text(encoding="utf-8").splitlines():
            try:
                key, entry = json.loads(line)
            except ValueError:
                continue  # the process was killed while it wrote
            yield key, entry

    def _read_config(self) -> tuple[Config, Config | None]:
        try:
            found = json.loads(self._members.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Config(), None
        return Config.from_json(found), Config.from_json(found["previous"]) if found.get("previous") else None

    def _rewrite(self) -> None:
        """Without what has been written over."""
        new = self._log.with_suffix(".new")
        with new.open("w", encoding="utf-8") as target:
            target.writelines(json.dumps([key, entry]) + "\n" for key, entry in self.entries.items())
        new.replace(self._log)

"""From the events of a watch to changes: simultaneous events of one object become one change."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.conf import settings
from django.utils import translation

from kube import last_applied
from kube.discovery import ResourceType
from kube.watch import WatchEvent
from resources.changes import Change
from resources.lists.entries import include, state_of, stateful

# A state's reason may be any text of an operator's, however long.
_REASON = 500


@dataclass(frozen=True, slots=True)
class Read:
    """What a burst held.

    `version`: of its last event, '' when it said none; `columns`: (digest, JSON) when they are others than before.
    """

    changes: tuple[Change, ...]
    version: str
    columns: tuple[str, bytes] | None


class Rows:
    """Of one type. `columns`: digest of those that rows have now."""

    def __init__(self, type_: ResourceType, columns: str = "") -> None:
        self.type = type_
        self.columns = columns
        self._stateful = stateful(type_)

    @property
    def include(self) -> str:
        """What a watch has to bring with each row."""
        return include(self.type)

    def learn(self, definitions: Any) -> tuple[str, bytes] | None:
        """columnDefinitions as the server sent them; None when they are those that are known."""
        text = msgspec.json.encode(definitions)
        digest = hashlib.blake2b(text, digest_size=6).hexdigest()
        if digest == self.columns:
            return None
        self.columns = digest
        return digest, text

    def read(self, burst: Sequence[WatchEvent]) -> Read:
        """A server that can't make Tables sends plain objects: then there is no row, and pages list again."""
        version, columns = "", None
        found: list[tuple[str, dict[str, Any], dict[str, Any], str]] = []
        for event in burst:
            document = event.table()
            is_table = document.get("kind") == "Table"
            if is_table and (definitions := document.get("columnDefinitions")):
                columns = self.learn(definitions) or columns
            for row in document.get("rows") or () if is_table else ({"object": document},):
                metadata = (row.get("object") or {}).get("metadata") or {}
                version = str(metadata.get("resourceVersion") or version)
                if event.type != "BOOKMARK":
                    found.append((event.type, row if is_table else {}, metadata, self.columns))
        return Read(tuple(self._change(*parts) for parts in merged(found)), version, columns)

    def _change(self, kind: Any, row: dict[str, Any], metadata: dict[str, Any], columns: str) -> Change:
        metadata.pop("managedFields", None)
        if metadata.get("annotations"):
            metadata["annotations"] = last_applied.without_last_applied(metadata["annotations"])
        return Change(
            kind=kind,
            uid=str(metadata.get("uid") or ""),
            name=str(metadata.get("name") or ""),
            namespace=str(metadata.get("namespace") or ""),
            row=self._row(row, metadata) if row and kind != "DELETED" else b"",
            columns=columns,
            version=str(metadata.get("resourceVersion") or ""),
        )

    def _row(self, row: dict[str, Any], metadata: dict[str, Any]) -> bytes:
        """Of the object only the metadata is passed on; its state is computed here, where the whole object is known."""
        found: dict[str, Any] = {"cells": row.get("cells"), "object": {"metadata": metadata}}
        if self._stateful:
            found["health"] = self._states(row.get("object") or {})
        return msgspec.json.encode(found)

    def _states(self, obj: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
        """For each language; only the reason has one, so where there is none the state is judged once."""
        found: dict[str, tuple[str, str]] = {}
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                state = state_of(self.type, obj)
            state_and_reason = (state.state, state.reason[:_REASON])
            if not state.reason:
                return {other: state_and_reason for other, _name in settings.LANGUAGES}
            found[language] = state_and_reason
        return found


def merged(
    events: list[tuple[str, dict[str, Any], dict[str, Any], str]],
) -> list[tuple[str, dict[str, Any], dict[str, Any], str]]:
    """Of each object its last event, as ADDED where it was made among these.

    An object without a uid is left as it came.
    """
    last: dict[str, int] = {}
    made: set[str] = set()
    for place, (kind, _row, metadata, _columns) in enumerate(events):
        uid = metadata.get("uid") or f"#{place}"
        last[uid] = place
        if kind == "ADDED":
            made.add(uid)
    if len(last) == len(events):
        return events
    return [
        ("ADDED" if kind == "MODIFIED" and metadata.get("uid") in made else kind, row, metadata, columns)
        for kind, row, metadata, columns in (events[place] for place in sorted(last.values()))
    ]

"""A topic, a change of an object in it, and the change's place in the topic's stream."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, unquote

Kind = Literal["ADDED", "MODIFIED", "DELETED", "RESYNC", "PAUSED", "RESUMED"]
# A row may be as big as its object's annotations. Bigger ones are not sent: the page lists again where it shows the
# object.
ROW_BYTES = 32 * 1024
_TEXTS = (b"k", b"u", b"n", b"s", b"c", b"v", b"t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What may be followed: one type in one namespace ('' = all). `group` is 'core' for the empty one.

    Its text is its name in addresses and in Redis.
    """

    cluster: str
    group: str
    version: str
    plural: str
    namespace: str = ""

    def __str__(self) -> str:
        """'<cluster>/<group>/<version>/<plural>/<namespace or ->', without spaces, so that a page can list several."""
        return f"{quote(self.cluster, safe='/:@')}/{self.group}/{self.version}/{self.plural}/{self.namespace or '-'}"

    @classmethod
    def parse(cls, text: str) -> "Topic":
        """Raises ValueError. The cluster's name may hold slashes, the other parts can't."""
        parts = text.rsplit("/", 4)
        if len(parts) != 5 or not all(parts):
            raise ValueError(f"{text!r} is no topic: <cluster>/<group or core>/<version>/<plural>/<namespace or ->")
        cluster, group, version, plural, namespace = parts
        return cls(
            cluster=unquote(cluster),
            group=group,
            version=version,
            plural=plural,
            namespace="" if namespace == "-" else namespace,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happened to one object; RESYNC: changes may have been missed, list again, at least as new as `version`;
    PAUSED: the topic can't be watched just now, `text` says why; RESUMED: it can again.

    `row`: JSON of a Table row, {"cells": […], "object": {"metadata": …}, "health": {language: [state, reason]}};
    `health` only of kinds that have states, in English and in each language whose words differ; empty when there is
    none to send. `columns`: digest of the columns the cells belong to. `version`: the object's resourceVersion (of a
    DELETED: that of its end), by which nothing older is shown after something newer.
    """

    kind: Kind
    uid: str = ""
    name: str = ""
    namespace: str = ""
    row: bytes = b""
    columns: str = ""
    version: str = ""
    text: str = ""

    def strings(self) -> list[Any]:
        """Field, value, field, value … as they stand in the stream."""
        found: list[Any] = ["k", self.kind]
        if self.uid:
            found += ("u", self.uid)
        if self.name:
            found += ("n", self.name)
        if self.namespace:
            found += ("s", self.namespace)
        if self.row and len(self.row) <= ROW_BYTES:
            found += ("r", self.row)
        if self.columns:
            found += ("c", self.columns)
        if self.version:
            found += ("v", self.version)
        if self.text:
            found += ("t", self.text)
        return found

    @classmethod
    def from_fields(cls, fields: Mapping[bytes, bytes]) -> "Change":
        text = {key: fields.get(key, b"").decode() for key in _TEXTS}
        kind: Any = text[b"k"]
        return cls(
            kind=kind,
            uid=text[b"u"],
            name=text[b"n"],
            namespace=text[b"s"],
            row=fields.get(b"r", b""),
            columns=text[b"c"],
            version=text[b"v"],
            text=text[b"t"],
        )


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """A change as it stands in the stream.

    `number`: consecutive within the topic, so that a reader notices what was trimmed before it came; 0: unknown.
    """

    topic: str
    id: str
    change: Change
    number: int = 0

    @classmethod
    def from_fields(cls, topic: str, id_: bytes, fields: Mapping[bytes, bytes]) -> "StreamEntry":
        return cls(topic, id_.decode(), Change.from_fields(fields), int(fields.get(b"i", b"0")))


def milliseconds(id_: str) -> int:
    """Of '1700000000000-3' or '1700000000000-3@epoch'; 0 for anything else."""
    number = id_.partition("@")[0].partition("-")[0]
    return int(number) if number.isdigit() else 0


def order(id_: str) -> tuple[int, int]:
    """An entry's place among those of all streams. '1700000000000' is before all of that millisecond."""
    time, _, number = id_.partition("-")
    return int(time), int(number or 0)

"""One act on many objects: deleting them, or changing their labels or annotations.

Each has its own result; one refusal stops no other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import uid_of
from kube.recording import with_current_context
from resources.lists import listing
from resources.lists.listing import Query

DELETE, LABEL, ANNOTATE = "delete", "label", "annotate"
ACTIONS = (DELETE, LABEL, ANNOTATE)
_KEY = re.compile(r"[A-Za-z0-9.\-_/]{1,317}")
_workers = Workers(6, thread_name_prefix="bulk")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selected object. `uid` '': any object that has the name now."""

    uid: str
    namespace: str
    name: str

    @classmethod
    def read(cls, value: str) -> "Chosen | None":
        """`uid/namespace/name`, as the rows' boxes hold it; None for anything else."""
        parts = value.split("/")
        return cls(*parts) if len(parts) == 3 and parts[2] else None

    @property
    def value(self) -> str:
        return f"{self.uid}/{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Result:
    """`error`: None if the action was done. `waits`: the object still exists, because of its finalizers."""

    chosen: Chosen
    error: KubeError | None = None
    waits: bool = False

    @property
    def outcome(self) -> str:
        """For the audit log."""
        return self.error.reason if self.error else "ok"


class BadChange(ValueError):
    """A line of the changes that says nothing. Its text is `line`."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


def read_changes(text: str) -> dict[str, str | None]:
    """As kubectl's label takes them, one a line: `key=value` sets, `key-` removes. Raises BadChange.

    What keys and values may be is the API server's to say; here only what can't be understood is refused.
    """
    found: dict[str, str | None] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals and key.endswith("-") and _KEY.fullmatch(key[:-1]):
            found[key[:-1]] = None
        elif equals and _KEY.fullmatch(key):
            found[key] = value.strip()
        else:
            raise BadChange(line)
    return found


def matching(client: ClusterClient, type_: ResourceType, namespace: str, query: Query) -> list[Chosen]:
    """All that a list's filters leave, limits.BULK_OBJECTS + 1 at most: so that it shows when there are too many."""
    found = listing.matching(client, type_, namespace, query)[: limits.BULK_OBJECTS.value + 1]
    return [Chosen(entry.uid, entry.namespace, entry.name) for entry in found]


def carry_out(
    client: ClusterClient,
    type_: ResourceType,
    chosen: Sequence[Chosen],
    action: str,
    changes: dict[str, str | None] | None = None,
    *,
    dry_run: bool = False,
) -> tuple[Result, ...]:
    """Some at once, in the order given. An object that is gone already counts as deleted."""

    def one(wanted: Chosen) -> Result:
        try:
            if action == DELETE:
                left = client.delete(type_, wanted.name, wanted.namespace, uid=wanted.uid, dry_run=dry_run)
                return Result(wanted, waits="metadata" in left and bool(uid_of(left)) and not dry_run)
            metadata: dict[str, Any] = {"labels" if action == LABEL else "annotations": changes or {}}
            if wanted.uid:
                # Never a namesake that was made since: the API server refuses another uid.
                metadata["uid"] = wanted.uid
            client.patch(type_, wanted.name, {"metadata": metadata}, wanted.namespace, dry_run=dry_run)
        except NotFound as error:
            return Result(wanted, None if action == DELETE else error)
        except KubeError as error:
            return Result(wanted, error)
        return Result(wanted)

    return tuple(_workers.map(with_current_context(one), chosen))


def kubectl(type_: ResourceType, chosen: Iterable[Chosen], action: str, changes: Sequence[str]) -> Iterator[str]:
    """The same as commands, one a namespace. `changes` are quoted for a shell."""
    by_namespace: dict[str, list[str]] = {}
    for item in chosen:
        by_namespace.setdefault(item.namespace, []).append(item.name)
    for namespace, names in by_namespace.items():
        parts = ["kubectl", action, type_.qualified, *(["-n", namespace] if namespace else []), *names, *changes]
        yield " ".join([*parts, *(["--overwrite"] if action != DELETE else [])])

"""The shape of a built-in kind's rules, named after the strategies in kubernetes/pkg/registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structural.causes import FieldCause

if TYPE_CHECKING:
    from ..store import Store

Object = dict[str, Any]


def _nothing(*_: Any) -> None:
    return None


def _valid(*_: Any) -> list[FieldCause]:
    return []


Check = Callable[[Object, "Object | None"], Iterable[FieldCause]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """``defaults(obj)`` runs on every write; ``create(obj, store)`` and ``update(obj, old)`` before validation.

    ``validate(obj, old)`` returns causes (``old``: None on create); ``validate_subresource`` takes its place in writes
    of a subresource. ``allocate(obj, old, store)`` comes after validation. ``counted(obj)`` is what generations count.
    ``grace(obj)`` is the default grace of a deletion, ``delete(obj)`` may still change what is about to be deleted.
    ``returns_deleted``: an immediate deletion answers with the object, not with a Status.
    """

    defaults: Callable[[Object], None] = _nothing
    create: Callable[[Object, Store], None] = _nothing
    update: Callable[[Object, Object], None] = _nothing
    validate: Check = _valid
    validate_subresource: Mapping[str, Check] = field(default_factory=dict)
    allocate: Callable[[Object, Object | None, Store], None] = _nothing
    counted: Callable[[Object], Any] | None = None
    grace: Callable[[Object], int] | None = None
    delete: Callable[[Object], None] = _nothing
    returns_deleted: bool = False
    #: children stay unless the client says otherwise
    orphans: bool = False
    #: PUT makes the object where there is none
    creates_on_update: bool = False
    #: DNS labels instead of DNS subdomains as names ("label", "label1035"), or anything that fits in a path ("path").
    names: str = "subdomain"


NONE = Strategy()

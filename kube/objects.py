"""Values that come back from lists: plain dicts for objects, with what belongs to the list beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KubeObject = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectList:
    """One page.

    `continue_` asks for the next ('' = last page); `remaining` is the server's count of what is left, None if unknown.

    `within`: the only namespaces that were read, since the user can't list all (kube/across_namespaces.py); () if no
    namespace was left out.
    """

    items: list[KubeObject]
    resource_version: str
    continue_: str
    remaining: int | None
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The answer of an access review."""

    allowed: bool
    reason: str = ""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def name_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("name") or "")


def namespace_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("namespace") or "")


def uid_of(obj: KubeObject) -> str:
    return str((obj.get("metadata") or {}).get("uid") or "")

"""Objects as plain dicts, and what is done with them without a cluster: lists, names, merge patches, annotations with
copies of the object, redaction. Pure.
"""

import re
from collections.abc import Callable, Mapping
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


# Annotations in which a program stores a copy of the whole object, to compare with later. Sources: kubectl apply; kopf,
# AnnotationsDiffBaseStorage (each operator has its own prefix and key); banzaicloud/k8s-objectmatcher;
# rancher/wrangler.
_COPY_NAMES = frozenset(("last-applied-configuration", "last-applied", "last-handled-configuration", "last-handled"))
_COPY_KEYS = frozenset(("objectset.rio.cattle.io/applied",))


def is_last_applied(annotation: str) -> bool:
    """Whether an annotation of this key holds a copy of its object."""
    return annotation.rpartition("/")[2] in _COPY_NAMES or annotation in _COPY_KEYS


def without_last_applied(annotations: Any) -> dict[str, Any]:
    """A new mapping of the other annotations; {} if it isn't a mapping.

    The copy in a Secret has its values. In another object, or in an older version of the same one, the copy is wrong:
    kopf skips an object whose copy equals it, as already handled.
    """
    return {key: value for key, value in mapping(annotations).items() if not is_last_applied(str(key))}


def merge_patch(old: Any, new: Any) -> Any:
    """The smallest merge patch that turns `old` into `new`; {} when they are equal.

    RFC 7386: null removes, mappings merge, everything else, lists too, is replaced whole.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif value != old[key]:
            patch[key] = merge_patch(old[key], value)
    return patch


def apply_merge(target: Any, patch: Any) -> Any:
    """`target` with the merge patch laid over it; neither is changed."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge(result.get(key), value)
    return result


MASKED = "••••••"
#: Keys whose values are probably secret.
SENSITIVE_NAMES = re.compile(
    r"(pass(word|wd|phrase)?|pwd|token|(secret|access|api|private|encryption)[-_]?key|client[-_]?secret)$", re.I
)


def redacted(value: Any, mask: Callable[[str], str]) -> Any:
    """A new value in which each text under a name like `password` is replaced by what `mask` returns for it."""
    if isinstance(value, list):
        return [redacted(part, mask) for part in value]
    if not isinstance(value, Mapping):
        return value
    # An environment variable: {name, value}.
    is_named = isinstance(value.get("name"), str) and bool(SENSITIVE_NAMES.search(value["name"]))
    return {
        key: mask(part)
        if isinstance(part, str) and part and (SENSITIVE_NAMES.search(str(key)) or (is_named and key == "value"))
        else redacted(part, mask)
        for key, part in value.items()
    }

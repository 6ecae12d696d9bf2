"""Annotations in which a program stores a copy of the whole object, to compare with later. Pure.

The copy in a Secret has its values. In another object, or in an older version of the same one, the copy is wrong: kopf
skips an object whose copy equals it, as already handled. Sources: kubectl apply; kopf, AnnotationsDiffBaseStorage (each
operator has its own prefix and key); banzaicloud/k8s-objectmatcher; rancher/wrangler.
"""

from collections.abc import Mapping
from typing import Any

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NAMES = frozenset(("last-applied-configuration", "last-applied", "last-handled-configuration", "last-handled"))
_WHOLE = frozenset(("objectset.rio.cattle.io/applied",))


def is_last_applied(annotation: str) -> bool:
    """Whether an annotation of this key holds a copy of its object."""
    return annotation.rpartition("/")[2] in _NAMES or annotation in _WHOLE


def without_last_applied(annotations: Any) -> dict[str, Any]:
    """A new mapping of the other annotations; {} if it isn't a mapping."""
    if not isinstance(annotations, Mapping):
        return {}
    return {key: value for key, value in annotations.items() if not is_last_applied(str(key))}

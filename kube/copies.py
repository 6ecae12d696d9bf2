"""Annotations in which a program keeps a copy of the whole object, to compare with the next time. Pure.

No person wrote them, of a Secret they hold the values, and in another object, or an older version of the same, they are
a lie: kopf takes an object whose copy equals it for one that it has seen to, and does nothing for it. Sources: kubectl
apply; kopf, AnnotationsDiffBaseStorage (prefix and key are each operator's own); banzaicloud/k8s-objectmatcher;
rancher/wrangler.
"""

from collections.abc import Mapping
from typing import Any

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NAMES = frozenset(("last-applied-configuration", "last-applied", "last-handled-configuration", "last-handled"))
_WHOLE = frozenset(("objectset.rio.cattle.io/applied",))


def is_copy(annotation: str) -> bool:
    """Whether an annotation of this key holds one."""
    return annotation.rpartition("/")[2] in _NAMES or annotation in _WHOLE


def without(annotations: Any) -> dict[str, Any]:
    """A new mapping of all others; {} for what is no mapping."""
    if not isinstance(annotations, Mapping):
        return {}
    return {key: value for key, value in annotations.items() if not is_copy(str(key))}

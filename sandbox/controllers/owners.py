"""Who owns what: ownerReferences, selectors, and the children that a controller finds by both.

Children are read from the store each time, never from a cache of events: a controller sees its own writes at once, so
it needs none of the expectations that kube-controller-manager keeps against making a Pod twice.
"""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..objects import Object, dig


def owner_reference(owner: Object) -> Object:
    """The controller reference that a child of ``owner`` carries."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def controller_of(obj: Object) -> Object | None:
    """The ownerReference of the controller, None when there is none."""
    for reference in obj["metadata"].get("ownerReferences") or []:
        if reference.get("controller"):
            return dict(reference)
    return None


def owned_by(obj: Object, owner: Object) -> bool:
    """Whether ``owner`` is the controller of ``obj``."""
    reference = controller_of(obj)
    return reference is not None and reference["uid"] == owner["metadata"]["uid"]


def selector_text(selector: Any) -> str:
    """A LabelSelector as query parameters write it; empty when it selects everything."""
    if not isinstance(selector, dict):
        return ""
    terms = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for rule in selector.get("matchExpressions") or []:
        key, values = rule.get("key"), ",".join(rule.get("values") or [])
        match rule.get("operator"):
            case "In":
                terms.append(f"{key} in ({values})")
            case "NotIn":
                terms.append(f"{key} notin ({values})")
            case "Exists":
                terms.append(str(key))
            case "DoesNotExist":
                terms.append(f"!{key}")
    return ",".join(terms)


def children(cluster: Cluster, resource: str, owner: Object, selector: Any) -> list[Object]:
    """The objects that ``selector`` selects and ``owner`` controls; those without a controller are adopted."""
    wanted = selector_text(selector)
    if not wanted:
        return []
    found = []
    namespace = owner["metadata"]["namespace"]
    for obj in cluster.list(resource, namespace, labels=wanted):
        reference = controller_of(obj)
        if reference is None and not obj["metadata"].get("deletionTimestamp") and not is_going(owner):
            present = obj["metadata"].get("ownerReferences") or []
            change = {"metadata": {"ownerReferences": [*present, owner_reference(owner)]}}
            found.append(cluster.patch(resource, obj["metadata"]["name"], change, namespace))
        elif reference is not None and reference["uid"] == owner["metadata"]["uid"]:
            found.append(obj)
    return found


def is_going(obj: Object) -> bool:
    """Whether a deletion has begun."""
    return bool(obj["metadata"].get("deletionTimestamp"))


def annotation(obj: Object, key: str) -> str:
    """An annotation's value, empty when there is none."""
    return str((dig(obj, "metadata", "annotations") or {}).get(key, ""))

"""Label selectors between their two forms: the text of a query, and the `LabelSelector` in objects.

The sandbox has selectors of its own: a judge that shares code with the judged finds no bugs.
https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from collections.abc import Mapping
from typing import Any


def from_labels(labels: Mapping[str, str]) -> str:
    """`{"app": "web", "tier": "db"}` → 'app=web,tier=db'."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def from_selector(selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector (matchLabels, matchExpressions) as text. An empty one selects everything: ''."""
    if not selector:
        return ""
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for rule in selector.get("matchExpressions") or ():
        key, values = rule.get("key"), ",".join(rule.get("values") or ())
        match rule.get("operator"):
            case "In":
                parts.append(f"{key} in ({values})")
            case "NotIn":
                parts.append(f"{key} notin ({values})")
            case "Exists":
                parts.append(str(key))
            case "DoesNotExist":
                parts.append(f"!{key}")
    return ",".join(parts)

"""An object as people read it: without managedFields, and a Secret without its values unless they were asked for."""

from typing import Any

from django.utils.translation import gettext as _

from kube.objects import KubeObject, without_last_applied

MASK = "••••••"


def in_order(obj: KubeObject) -> KubeObject:
    """apiVersion first, as kubectl prints it: the API server writes kinds of its own with `kind` first."""
    return {**{key: obj[key] for key in ("apiVersion", "kind") if key in obj}, **obj}


def shown(obj: KubeObject, masked: bool) -> KubeObject:
    """`masked`: values of `data` and `stringData` are dots. The object itself is not changed."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    found: dict[str, Any] = {**in_order(obj), "metadata": metadata}
    if masked:
        for part in ("data", "stringData"):
            if isinstance(found.get(part), dict):
                found[part] = dict.fromkeys(found[part], MASK)
        if metadata.get("annotations"):
            found["metadata"] = {**metadata, "annotations": without_last_applied(metadata["annotations"])}
    return found


def compared(before: KubeObject, *others: KubeObject) -> tuple[KubeObject, ...]:
    """A Secret and others of the same name, all without values.

    A value of `others` that differs from `before` is marked as changed.
    """

    def hidden(obj: KubeObject) -> KubeObject:
        found = shown(obj, True)
        for part in ("data", "stringData"):
            values, known = (item.get(part) for item in (obj, before))
            if isinstance(values, dict):
                known = known if isinstance(known, dict) else {}
                found[part] = {
                    key: MASK if key not in known or known[key] == value else _("%(value)s (changed)") % {"value": MASK}
                    for key, value in values.items()
                }
        return found

    return (shown(before, True), *(hidden(obj) for obj in others))

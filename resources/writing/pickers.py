"""Names to choose from in a form: of any kind, in the object's namespace, as far as this user may list them; and
keys of a Secret or ConfigMap.

Values are never part of an answer. A list of thousands is searched page by page and cut at what a person can look
through.
"""

from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound

LIMIT = 200
_PAGE = 500
_PAGES = 20
_KEYED = frozenset({"Secret", "ConfigMap"})


@dataclass(frozen=True, slots=True)
class Names:
    """`whole`: these are all there are, whatever was typed."""

    names: tuple[str, ...]
    whole: bool


def type_of(client: ClusterClient, group: str, kind: str) -> ResourceType:
    """The kind; group '' is any group, Kubernetes' own first. Raises NotFound."""
    if group:
        return client.find_kind(group, kind)
    found = sorted(
        (type_ for type_ in client.types() if type_.kind == kind), key=lambda type_: (type_.group != "", type_.group)
    )
    if not found:
        raise NotFound(f"the cluster serves no kind {kind!r}", object_ref=kind)
    return client.find_kind(found[0].group_or_core, kind)


def names(client: ClusterClient, type_: ResourceType, namespace: str, *, wanted: str = "", selector: str = "") -> Names:
    """At most LIMIT names that have `wanted` in them, and match the label selector.

    Raises KubeError, Forbidden above all.
    """
    found: list[str] = []
    token, wanted = "", wanted.strip().lower()
    for _ in range(_PAGES):
        page = client.table(type_, namespace, labels=selector, limit=_PAGE, continue_=token)
        page_names = (str((row.object.get("metadata") or {}).get("name") or "") for row in page.rows)
        found += [name for name in page_names if name and wanted in name.lower()]
        token = page.continue_
        if not token or len(found) > LIMIT:
            break
    return Names(tuple(sorted(found)[:LIMIT]), whole=not token and not wanted and len(found) <= LIMIT)


def keys(client: ClusterClient, type_: ResourceType, namespace: str, name: str) -> Names:
    """The keys that stand in the Secret's or ConfigMap's data, its values left behind; none of another kind.

    Raises KubeError.
    """
    if type_.kind not in _KEYED or type_.group:
        return Names((), whole=True)
    obj = client.get(type_, name, namespace)
    found = {key for part in ("data", "binaryData") for key in obj.get(part) or {}}
    return Names(tuple(sorted(found)), whole=True)

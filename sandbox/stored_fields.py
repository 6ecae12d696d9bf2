"""One top-level field of a stored object replaced in its bytes, where a controller alone owns it.

Aggregated roles hold megabytes when there are many operators; the usual write decodes, copies, compares, validates and
encodes all of it. What is written here comes from objects that were admitted, so it needs no validation.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .cluster import Cluster
from .objects import now
from .store import StoreEntry


def replace_field(cluster: Cluster, resource: str, name: str, field: str, value: bytes) -> int | None:
    """Puts the JSON ``value`` into ``field`` of an object without a namespace; the version that it has then.

    None, and nothing done, unless the manager of ``cluster`` owns that field alone: then the usual write is needed.
    """
    store = cluster.verbs.store
    entry = store.get(resource, "", name)
    if entry is None:
        return None
    fields = msgspec.json.decode(entry.data, type=dict[str, msgspec.Raw])
    metadata: dict[str, Any] = msgspec.json.decode(fields["metadata"])
    owners = [owner for owner in metadata.get("managedFields") or [] if f"f:{field}" in (owner.get("fieldsV1") or {})]
    alone = len(owners) == 1 and (owners[0]["manager"], owners[0]["operation"]) == (cluster.manager, "Update")
    if field not in fields or not alone or metadata.get("deletionTimestamp"):
        return None
    version = store.next_version()
    owners[0]["time"] = now()
    metadata["resourceVersion"] = str(version)
    fields["metadata"] = msgspec.Raw(msgspec.json.encode(metadata))
    fields[field] = msgspec.Raw(value)
    store.put(
        resource,
        StoreEntry(
            namespace="",
            name=name,
            version=version,
            data=msgspec.json.encode(fields),
            labels=entry.labels,
            uid=entry.uid,
        ),
    )
    return version

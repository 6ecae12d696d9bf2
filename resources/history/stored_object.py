"""What the history keeps of an object: what people and operators say with it, without heartbeats and without passwords.

Left out: managedFields and what the server counts; in the status every time, observedGeneration and resourceVersions,
so that an operator that only says "still the same, now" makes no history. Values under names like `password` are
replaced by dots and a short keyed digest: that one changed is seen, what it was is not. A Secret is not kept at all.
"""

import hashlib
import hmac
import re
import zlib
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.conf import settings

from kube.fields import Path
from kube.objects import MASKED as MASKED
from kube.objects import KubeObject, items, mapping, redacted, text, without_last_applied

_METADATA = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp")
_LEADER = "control-plane.alpha.kubernetes.io/leader"
_STATUS_NOISE = re.compile(r"observedGeneration|.*[rR]esourceVersion|last(Transition|Update|Heartbeat|Probe)Time")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_SALT = b"resources.history"


def skipped(obj: Mapping[str, Any]) -> bool:
    """Objects that have no history: Secrets, copies that OLM makes of a CSV in every namespace, locks of leader
    elections.
    """
    if obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1":
        return True
    metadata = mapping(obj.get("metadata"))
    return "olm.copiedFrom" in mapping(metadata.get("labels")) or _LEADER in mapping(metadata.get("annotations"))


def clean(obj: Mapping[str, Any]) -> KubeObject:
    """A new object with what is kept; `obj` is not changed."""
    metadata = mapping(obj.get("metadata"))
    kept_metadata: dict[str, Any] = {key: metadata[key] for key in _METADATA if metadata.get(key)}
    if "annotations" in kept_metadata:
        kept_metadata["annotations"] = without_last_applied(kept_metadata["annotations"])
        if not kept_metadata["annotations"]:
            del kept_metadata["annotations"]
    made: dict[str, Any] = {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "metadata": kept_metadata}
    for key, value in obj.items():
        if key not in made:
            made[key] = _status(value) if key == "status" else value
    hidden: KubeObject = redacted(made, _dots)
    return hidden


def _status(value: Any) -> Any:
    """Without times and what only counts."""
    if isinstance(value, Mapping):
        return {
            key: _status(part)
            for key, part in value.items()
            if not _STATUS_NOISE.fullmatch(str(key)) and not (isinstance(part, str) and _TIME.fullmatch(part))
        }
    return [_status(part) for part in value] if isinstance(value, list) else value


def _dots(value: str) -> str:
    if value.startswith(MASKED):
        return value
    key = settings.SECRET_KEY.encode() + _SALT
    return f"{MASKED} {hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:8]}"


def hidden(value: Any) -> bool:
    """Whether this stands for a value that was not kept."""
    return isinstance(value, str) and value.startswith(f"{MASKED} ")


def unmasked(value: Any, live: Any) -> Any:
    """`value` with the live object's values in the places of those that were not kept; where there is none the place
    is left out.
    """
    if isinstance(value, dict):
        other = live if isinstance(live, dict) else {}
        pairs = ((key, unmasked(part, other.get(key))) for key, part in value.items())
        return {key: part for key, part in pairs if not hidden(part)}
    if isinstance(value, list):
        others = live if isinstance(live, list) else []
        return [unmasked(part, _counterpart(part, place, others)) for place, part in enumerate(value)]
    return live if hidden(value) and isinstance(live, str) else value


def _counterpart(part: Any, place: int, others: list[Any]) -> Any:
    """The item that stands for the same thing, by its name or else its place."""
    if isinstance(part, dict) and isinstance(part.get("name"), str):
        return next((other for other in others if isinstance(other, dict) and other.get("name") == part["name"]), None)
    return others[place] if place < len(others) else None


def any_hidden(value: Any) -> bool:
    if isinstance(value, dict):
        return any(any_hidden(part) for part in value.values())
    return any(any_hidden(part) for part in value) if isinstance(value, list) else hidden(value)


def writer(
    obj: Mapping[str, Any], paths: Collection[Path], since: datetime | None = None
) -> tuple[str, datetime | None]:
    """The manager that made a change, and when, by managedFields; '' where that isn't recorded.

    `paths` were changed; `since`: time of the previous change.

    The writer of a field that exists is among its owners. A removed field has no owner: only a manager whose fields
    changed since then can have removed it.
    """
    entries = items(mapping(obj.get("metadata")).get("managedFields"))
    newest = max((text(entry.get("time")) for entry in entries), default="")
    last = [entry for entry in entries if text(entry.get("time")) == newest]
    if not last:
        return "", None
    status = all(path and path[0] == "status" for path in paths)
    last.sort(key=lambda entry: (*_owned(entry, paths), (text(entry.get("subresource")) == "status") == status))
    when = _moment(newest)
    present = [path for path in paths if _has(obj, path)]
    if present:
        known = _owned(last[-1], present)[0] > 0
    else:
        known = not paths or since is None or (when is not None and when > since.replace(microsecond=0))
    return (text(last[-1].get("manager"))[:253], when) if known else ("", None)


def _moment(value: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC)


def _has(value: Any, path: Path) -> bool:
    for step in path:
        if isinstance(value, Mapping) and str(step) in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return False
    return True


def _owned(entry: Mapping[str, Any], paths: Collection[Path]) -> tuple[int, int]:
    """(how many of the paths are this manager's, how many steps of all paths are).

    An item of a list goes by a key: its list is looked for.
    """
    whole = steps = 0
    for path in paths:
        names = path[: next((place for place, step in enumerate(path) if isinstance(step, int)), len(path))]
        fields, depth = mapping(entry.get("fieldsV1")), 0
        for name in names:
            if f"f:{name}" not in fields:
                break
            fields, depth = mapping(fields[f"f:{name}"]), depth + 1
            if not fields:
                depth = len(names)  # an atomic value belongs to its owner with all that is in it
                break
        whole += depth == len(names)
        steps += depth
    return whole, steps


def packed(value: Any) -> bytes:
    return zlib.compress(msgspec.json.encode(value), 6)


def unpacked(data: bytes | memoryview) -> Any:
    """The object that was packed; None for b''."""
    return msgspec.json.decode(zlib.decompress(bytes(data))) if data else None

"""What the history keeps of an object: what people and operators say with it, without heartbeats and without passwords.

Left out: managedFields and what the server counts; in the status every time, observedGeneration and resourceVersions, so that an operator that only says
"still the same, now" makes no history. Values under names like `password` are replaced by dots and a short keyed digest: that one changed is seen, what it
was is not. A Secret is not kept at all.
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

from kube.hidden import MASKED as MASKED
from kube.hidden import masked
from kube.objects import KubeObject
from resources.state.health import items, mapping, text

_METADATA = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp")
NOISE = frozenset(("kubectl.kubernetes.io/last-applied-configuration", "control-plane.alpha.kubernetes.io/leader"))
_STATUS_NOISE = re.compile(r"observedGeneration|.*[rR]esourceVersion|last(Transition|Update|Heartbeat|Probe)Time")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_SALT = b"resources.history"


def skipped(obj: Mapping[str, Any]) -> bool:
    """Objects that have no history: Secrets, copies that OLM makes of a CSV in every namespace, locks of leader elections."""
    if obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1":
        return True
    metadata = mapping(obj.get("metadata"))
    return "olm.copiedFrom" in mapping(metadata.get("labels")) or "control-plane.alpha.kubernetes.io/leader" in mapping(
        metadata.get("annotations")
    )


def clean(obj: Mapping[str, Any]) -> KubeObject:
    """A new object with what is kept; `obj` is not changed."""
    metadata = mapping(obj.get("metadata"))
    kept: dict[str, Any] = {key: metadata[key] for key in _METADATA if metadata.get(key)}
    notes = {key: value for key, value in mapping(kept.get("annotations")).items() if key not in NOISE}
    kept.pop("annotations", None)
    if notes:
        kept["annotations"] = notes
    made: dict[str, Any] = {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "metadata": kept}
    for key, value in obj.items():
        if key not in made:
            made[key] = _status(value) if key == "status" else value
    hidden: KubeObject = masked(made, _dots)
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
    """`value` with the live object's values in the places of those that were not kept; where there is none the place is left out."""
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


def writer(obj: Mapping[str, Any], parts: Collection[str]) -> tuple[str, datetime | None]:
    """Who wrote the object last, and when, by managedFields. `parts` (metadata, spec, status …) were changed: of two in the same second, who writes most of them."""
    newest: tuple[str, int, bool, str] = ("", 0, False, "")
    status = set(parts) <= {"status"}
    for entry in items(mapping(obj.get("metadata")).get("managedFields")):
        fields = mapping(entry.get("fieldsV1"))
        owned = sum(f"f:{part}" in fields for part in parts)
        fits = (text(entry.get("subresource")) == "status") == status
        newest = max(newest, (text(entry.get("time")), owned, fits, text(entry.get("manager"))))
    try:
        when = datetime.fromisoformat(newest[0].replace("Z", "+00:00")) if newest[0] else None
    except ValueError:
        when = None
    return newest[3][:253], when.replace(tzinfo=when.tzinfo or UTC) if when else None


def packed(value: Any) -> bytes:
    return zlib.compress(msgspec.json.encode(value), 6)


def unpacked(data: bytes | memoryview) -> Any:
    """b'' is None."""
    return msgspec.json.decode(zlib.decompress(bytes(data))) if data else None

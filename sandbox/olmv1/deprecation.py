"""The four conditions about deprecation. Pure.

Source: operator-controller, SetDeprecationStatus in
internal/operator-controller/controllers/clusterextension_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]
ConditionValue = tuple[str, str, str]

_UNKNOWN = "deprecation status unknown: catalog data unavailable"


def conditions(entries: list[Object] | None, catalog: Object, installed: str) -> Iterator[tuple[str, ConditionValue]]:
    """(type, (status, reason, message)).

    ``entries``: of olm.deprecations, None when no catalog was read; ``installed``: a bundle's name.
    """
    if entries is None:
        for type_ in ("Deprecated", "PackageDeprecated", "ChannelDeprecated"):
            yield type_, ("Unknown", "DeprecationStatusUnknown", _UNKNOWN)
        reason, words = ("DeprecationStatusUnknown", _UNKNOWN) if installed else ("Absent", "no bundle installed yet")
        yield "BundleDeprecated", ("Unknown", reason, words)
        return
    channels = catalog.get("channels") or []
    messages: dict[str, list[str]] = {"package": [], "channel": [], "bundle": []}
    for entry in entries:
        reference, message = entry["reference"], entry.get("message", "")
        kind, name = reference["schema"].removeprefix("olm."), reference.get("name", "")
        wanted = {
            "package": True,
            "channel": not channels or name in channels,
            "bundle": bool(installed) and name == installed,
        }
        if message and wanted.get(kind):
            messages[kind].append(message)
    every = [message for kind in ("package", "channel", "bundle") for message in messages[kind]]
    yield "Deprecated", _condition(every, "not deprecated")
    yield "PackageDeprecated", _condition(messages["package"], "package not deprecated")
    yield "ChannelDeprecated", _condition(messages["channel"], "channel not deprecated")
    if not installed:
        yield "BundleDeprecated", ("Unknown", "Absent", "no bundle installed yet")
    else:
        yield "BundleDeprecated", _condition(messages["bundle"], "bundle not deprecated")


def _condition(messages: list[str], otherwise: str) -> ConditionValue:
    return ("True", "Deprecated", "\n".join(messages)) if messages else ("False", "NotDeprecated", otherwise)

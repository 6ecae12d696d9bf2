"""A file-based catalog with attack inputs in every text: packages, channels, entries, deprecations, bundles."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from tests.attacks.objects import ALL, PARTS, csv, definition
from tests.attacks.texts import KEYS

#: These are names of files and parts of addresses; catalogs and OLM let them be anything.
ODD = (
    "<img data-atk src=x onerror=atk()>",
    '"><script data-atk>atk()',
    "..",
    ".",
    "%2e%2e",
    "javascript:atk()",
    "{{7777*7777}}",
    "\x1b[2J",
    "\u202egnp",
    "a b",
    *KEYS,
)


def blobs() -> Iterator[dict[str, Any]]:
    yield from _package("full", ALL, 0)
    for number, text in enumerate(PARTS):
        yield from _package(f"p{number}", text, number)
    for number, name in enumerate(ODD):
        yield from _package(name, name, number)


def _package(name: str, text: str, number: int) -> Iterator[dict[str, Any]]:
    channel, bundle = text.splitlines()[0][:80].strip() or "stable", f"{name}.v1.0.{number}"
    icon = {
        "base64data": base64.b64encode(
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='atk()'><path d='M0 0'/></svg>"
        ).decode(),
        "mediatype": "image/svg+xml",
    }
    yield {"schema": "olm.package", "name": name, "defaultChannel": channel, "description": text, "icon": icon}
    entry = {"name": bundle, "replaces": text[:80] + "!", "skips": [text[:80] + "?"], "skipRange": text[:80]}
    yield {"schema": "olm.channel", "package": name, "name": channel, "entries": [entry]}
    manifest = base64.b64encode(json.dumps(csv(bundle, text, number)).encode()).decode()
    properties: list[dict[str, Any]] = [
        {"type": "olm.package", "value": {"packageName": name, "version": f"1.0.{number}"}},
        {"type": "olm.bundle.object", "value": {"data": manifest}},
        {"type": "olm.package.required", "value": {"packageName": text, "versionRange": text}},
        {"type": "olm.gvk.required", "value": {"group": text, "version": text, "kind": text}},
        {"type": "olm.maxOpenShiftVersion", "value": text},
        {"type": text, "value": text},
    ]
    if name == "full":
        crd = base64.b64encode(json.dumps(definition()).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": crd}})
    yield {
        "schema": "olm.bundle",
        "package": name,
        "name": bundle,
        "image": f"atk.example.com/{number}:1",
        "properties": properties,
        "relatedImages": [{"name": text, "image": text}],
    }
    deprecations = [
        {"reference": {"schema": "olm.package"}, "message": text},
        {"reference": {"schema": "olm.bundle", "name": bundle}, "message": text},
    ]
    yield {"schema": "olm.deprecations", "package": name, "entries": deprecations}


def archive() -> bytes:
    return b"\n".join(json.dumps(blob).encode() for blob in blobs())

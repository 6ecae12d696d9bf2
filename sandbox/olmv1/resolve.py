"""Resolves a ClusterExtension to a bundle.

Pure: from the blobs of the catalogs to one bundle, or to the words of why there is none.

Source: operator-controller, internal/operator-controller/resolve/catalog.go and catalogmetadata/filter/successors.go.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from ..catalog.versions import Version
from ..catalog.versions import within as skips
from . import ranges

Object = dict[str, Any]


class Unresolved(Exception):
    """No bundle, or more than one; the message is operator-controller's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogPackage:
    """A package in one catalog."""

    catalog: str
    priority: int
    channels: list[Object]
    bundles: list[Object]
    deprecations: list[Object] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ResolvedBundle:
    """The bundle, and what its package says is deprecated."""

    bundle: Object
    version: str
    deprecations: list[Object]


def package(catalog: str, priority: int, name: str, blobs: list[Object]) -> CatalogPackage:
    """The blobs of one package."""
    mine = [blob for blob in blobs if blob.get("package") == name]
    of = {
        schema: [item for item in mine if item["schema"] == schema]
        for schema in ("olm.channel", "olm.bundle", "olm.deprecations")
    }
    entries = [entry for item in of["olm.deprecations"] for entry in item["entries"]]
    return CatalogPackage(
        catalog=catalog, priority=priority, channels=of["olm.channel"], bundles=of["olm.bundle"], deprecations=entries
    )


def version_of(bundle: Object) -> str:
    """The version in its olm.package property."""
    return next((str(prop["value"]["version"]) for prop in bundle["properties"] if prop["type"] == "olm.package"), "")


def objects_of(bundle: Object) -> list[Object]:
    """The objects that it carries."""
    data = [prop["value"]["data"] for prop in bundle["properties"] if prop["type"] == "olm.bundle.object"]
    return [json.loads(base64.b64decode(item)) for item in data]


def resolve(wanted: Object, packages: list[CatalogPackage], installed: Object | None) -> ResolvedBundle:
    """``wanted``: spec.source.catalog; ``installed``: status.install.bundle. Raises Unresolved."""
    asked = str(wanted.get("version") or "")
    try:
        if asked:
            ranges.within("0.0.0", asked)
    except ranges.BadRange as error:
        raise Unresolved(f'desired version range "{asked}" is invalid: {error}') from error
    found: list[tuple[Object, CatalogPackage]] = []
    for package in packages:
        fitting = [bundle for bundle in package.bundles if _fits(bundle, package, wanted, installed)]
        if not fitting:
            continue
        fitting.sort(key=lambda bundle: Version(version_of(bundle)), reverse=True)
        fitting.sort(key=lambda bundle: deprecated(bundle, package))
        best = fitting[0]
        if found and deprecated(best, package) != deprecated(*found[-1]):
            if deprecated(best, package):
                continue
            found = []
        found.append((best, package))
    found.sort(key=lambda pair: -pair[1].priority)
    if len(found) > 1 and found[0][1].priority != found[1][1].priority:
        found = found[:1]
    if len(found) != 1:
        raise Unresolved(_words(wanted, installed, [package.catalog for _, package in found]))
    bundle, home = found[0]
    for property_ in bundle["properties"]:
        if property_["type"] in ("olm.package.required", "olm.gvk.required", "olm.constraint"):
            why = (
                f'bundle "{bundle["name"]}" has a dependency declared via property "{property_["type"]}" which is'
                " currently not supported"
            )
            raise Unresolved(f'validating bundle "{bundle["name"]}": {why}')
    return ResolvedBundle(bundle, version_of(bundle), home.deprecations)


def deprecated(bundle: Object, package: CatalogPackage) -> bool:
    """Whether the package deprecates this bundle."""
    references = [deprecation["reference"] for deprecation in package.deprecations]
    return any(
        reference["schema"] == "olm.bundle" and reference.get("name") == bundle["name"] for reference in references
    )


def _fits(bundle: Object, package: CatalogPackage, wanted: Object, installed: Object | None) -> bool:
    channels = [
        channel for channel in package.channels if not wanted.get("channels") or channel["name"] in wanted["channels"]
    ]
    if wanted.get("channels") and not any(
        entry["name"] == bundle["name"] for channel in channels for entry in channel["entries"]
    ):
        return False
    if wanted.get("version") and not ranges.within(version_of(bundle), wanted["version"]):
        return False
    if installed is None or wanted.get("upgradeConstraintPolicy") == "SelfCertified":
        return True
    if version_of(bundle) == installed["version"]:
        return True
    entries = [entry for channel in channels for entry in channel["entries"] if entry["name"] == bundle["name"]]
    return any(_follows(entry, installed) for entry in entries)


def _follows(entry: Object, installed: Object) -> bool:
    name = installed["name"]
    if entry.get("replaces") == name or name in (entry.get("skips") or []):
        return True
    return bool(entry.get("skipRange")) and skips(installed["version"], entry["skipRange"])


def _words(wanted: Object, installed: Object | None, catalogs: list[str]) -> str:
    message = f'error upgrading from currently installed version "{installed["version"]}": ' if installed else ""
    message += (
        f"{'found' if len(catalogs) > 1 else 'no'} bundles {'' if len(catalogs) > 1 else 'found '}for package"
        f' "{wanted["packageName"]}" '
    )
    if wanted.get("version"):
        message += f'matching version "{wanted["version"]}" '
    if wanted.get("channels"):
        message += f"in channels [{' '.join(wanted['channels'])}] "
    if len(catalogs) > 1:
        message += f"in multiple catalogs with the same priority [{' '.join(sorted(catalogs))}] "
    return message.strip()

"""A package of a catalog that the console read itself, as a PackageManifest would tell it: so that pages need to
know one shape only. Pure.

https://github.com/operator-framework/operator-lifecycle-manager/blob/master/pkg/package-server/apis/operators/v1/packagemanifest_types.go
"""

from collections.abc import Mapping
from typing import Any

from operatorhub.csv import items, mapping
from operatorhub.sources.drafts import Channel, Graph

_SPEC = (
    "displayName",
    "version",
    "provider",
    "keywords",
    "installModes",
    "customresourcedefinitions",
    "apiservicedefinitions",
    "description",
    "links",
    "maintainers",
    "maturity",
    "minKubeVersion",
    "nativeAPIs",
    "icon",
)


def status(
    graph: Graph, csvs: Mapping[str, Mapping[str, Any]], namespace: str, catalog: str, title: str
) -> dict[str, Any]:
    """`csvs`: the channels' newest ones, by their names."""
    return {
        "catalogSource": catalog,
        "catalogSourceNamespace": namespace,
        "catalogSourceDisplayName": title,
        "packageName": graph.package,
        "defaultChannel": graph.default,
        "channels": [_channel(channel, csvs) for channel in graph.channels],
        **_deprecation(graph.deprecated),
    }


def desc(csv: Mapping[str, Any]) -> dict[str, Any]:
    """`currentCSVDesc` of a CSV."""
    spec = mapping(csv.get("spec"))
    found = {key: spec[key] for key in _SPEC if key in spec}
    images = [str(item["image"]) for item in items(spec.get("relatedImages")) if item.get("image")]
    return {
        **found,
        "annotations": dict(mapping(mapping(csv.get("metadata")).get("annotations"))),
        "relatedImages": images,
    }


def _channel(channel: Channel, csvs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    current = channel.entries[0].name if channel.entries else ""
    description = desc(csvs.get(current, {}))
    if channel.entries:
        description.setdefault("version", channel.entries[0].version)
    entries = [
        {"name": entry.name, "version": entry.version, **_deprecation(entry.deprecated)} for entry in channel.entries
    ]
    return {
        "name": channel.name,
        "currentCSV": current,
        "currentCSVDesc": description,
        "entries": entries,
        **_deprecation(channel.deprecated),
    }


def _deprecation(words: str) -> dict[str, Any]:
    return {"deprecation": {"message": words}} if words else {}

"""The files of a bundle's metadata/ combined: annotations, and properties including dependencies.

Pure.

Source: operator-registry, pkg/registry/parse.go (addMetadata) and registry_to_model.go
(ObjectsAndPropertiesFromBundle).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]

_ANNOTATIONS = tuple(
    f"operators.operatorframework.io.bundle.{name}.v1" for name in ("package", "channels", "channel.default")
)


@dataclass(kw_only=True)
class Metadata:
    """`annotations` with their whole names; `properties` as an olm.bundle blob lists them, what is required
    included.
    """

    annotations: Object = field(default_factory=dict)
    properties: list[Object] = field(default_factory=list)


def merge(files: Iterable[Any]) -> Metadata:
    """`files`: the first document of every file of metadata/, in the order of the file names, None for what can't be
    read.

    opm goes by what a file holds, not by its name: the first file with annotations, the first with dependencies and the
    first with properties count, which may be one file. A list of which an entry isn't an object counts as none.
    """
    annotations: Object = {}
    dependencies: list[Object] = []
    properties: list[Object] = []
    for file in files:
        if not isinstance(file, Mapping):
            continue
        annotations = annotations or _annotations(file)
        dependencies = dependencies or _objects(file.get("dependencies"))
        properties = properties or _objects(file.get("properties"))
    requirements = [_requirement(dependency) for dependency in dependencies]
    return Metadata(annotations=annotations, properties=[*properties, *requirements])


def _annotations(file: Object) -> Object:
    found = file.get("annotations")
    return found if isinstance(found, Mapping) and any(found.get(name) for name in _ANNOTATIONS) else {}


def _objects(value: Any) -> list[Object]:
    return value if isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value) else []


def _requirement(dependency: Object) -> Object:
    """olm.gvk becomes olm.gvk.required and olm.package olm.package.required; other types stay."""
    kind, value = dependency.get("type"), dependency.get("value")
    if kind == "olm.package":
        value = value if isinstance(value, Mapping) else {}
        value = {"packageName": value.get("packageName", ""), "versionRange": str(value.get("version", ""))}
    return {"type": f"{kind}.required" if kind in ("olm.gvk", "olm.package") else kind, "value": value}

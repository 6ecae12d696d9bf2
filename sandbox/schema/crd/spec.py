"""Names, versions, columns and subresources of a CustomResourceDefinition.

Where all versions say the same, the API server keeps it once, at the top of the spec, and complains about it there: a CRD
with one version is refused for ``spec.validation.openAPIV3Schema``, which nobody wrote.
"""

from __future__ import annotations

from typing import Any

from structural.causes import Cause
from structural.dns import label_faults, subdomain_faults
from structural.words import INVALID, duplicate, forbidden, invalid, not_supported, required, to_json, too_many

from .defaults import check_defaults
from .expressions import find_field
from .openapi_rules import check_keywords, unsupported
from .structural import check_structural

Object = dict[str, Any]

_COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"]
_COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]
_AT_ROOT = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
    "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations"
)
_NOT_AT_ROOT = (
    "enum", "maxProperties", "minProperties", "allOf", "oneOf", "anyOf", "not", "additionalProperties", "default", "nullable",
    "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)  # fmt: skip
_MOST_SELECTABLE = 8
_GONE = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in spec.versions until a storage "
    "migration ensures no data remains persisted in {0} and removes {0} from status.storedVersions"
)


def shared(versions: list[Object], key: str) -> bool:
    """Whether every version has this, and all the same."""
    first = versions[0].get(key) if versions else None
    return bool(first) and all(version.get(key) == first for version in versions)


def check_names(names: Object, path: str) -> list[Cause]:
    """What kinds and resources may be called."""
    causes = [required(f"{path}.{key}") for key in ("plural", "singular", "kind", "listKind") if not names.get(key)]
    for key in ("plural", "singular", "kind", "listKind"):
        name = names.get(key) or ""
        kind = key in ("kind", "listKind")
        faults = label_faults(name.lower() if kind else name) if name else ""
        if faults:
            mixed = "may have mixed case, but should otherwise match: " if kind else ""
            causes.append(invalid(f"{path}.{key}", name, mixed + faults))
    for key in ("shortNames", "categories"):
        for index, name in enumerate(names.get(key) or []):
            if faults := label_faults(name):
                causes.append(invalid(f"{path}.{key}[{index}]", name, faults))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        causes.append(invalid(f"{path}.listKind", names["listKind"], "kind and listKind may not be the same"))
    return causes


def check_group(spec: Object) -> list[Cause]:
    """Group and scope."""
    causes: list[Cause] = []
    group, scope = spec.get("group") or "", spec.get("scope") or ""
    if not group:
        causes.append(required("spec.group"))
    elif faults := subdomain_faults(group):
        causes.append(invalid("spec.group", group, faults))
    elif "." not in group:
        causes.append(invalid("spec.group", group, "should be a domain with at least one dot"))
    if not scope:
        causes.append(required("spec.scope"))
    elif scope not in ("Cluster", "Namespaced"):
        causes.append(not_supported("spec.scope", scope, ["Cluster", "Namespaced"]))
    return causes


def check_versions(spec: Object) -> list[Cause]:
    """Every version: its name, schema, columns, subresources; one of them stored."""
    versions = spec.get("versions") or []
    causes = [
        required(f"spec.versions[{index}].schema.openAPIV3Schema")
        for index, version in enumerate(versions)
        if not isinstance((version.get("schema") or {}).get("openAPIV3Schema"), dict)
    ]
    for index, version in enumerate(versions):
        if faults := label_faults(version.get("name") or ""):
            causes.append(invalid(f"spec.versions[{index}].name", version.get("name") or "", faults))
        if version.get("deprecationWarning") is not None and not version.get("deprecated"):
            place = f"spec.versions[{index}].deprecationWarning"
            causes.append(invalid(place, version["deprecationWarning"], "can only be set for deprecated versions"))
    for key in ("schema", "subresources", "additionalPrinterColumns", "selectableFields"):
        causes += _check_part(versions, key)
    if versions and (faults := label_faults(versions[0].get("name") or "")):
        causes.append(invalid("spec.version", versions[0].get("name") or "", faults))
    names = [version.get("name") for version in versions]
    if len(set(names)) != len(names):
        causes.append(_of_versions(versions, "must contain unique version names"))
    if sum(bool(version.get("storage")) for version in versions) != 1:
        causes.append(_of_versions(spec.get("versions"), "must have exactly one version marked as storage version"))
    return causes


def _of_versions(versions: list[Object] | None, detail: str) -> Cause:
    """Versions are repeated under Go's names; their schemas are left out, as where they are all the same."""
    shown = [
        {
            "Name": version.get("name") or "",
            "Served": bool(version.get("served")),
            "Storage": bool(version.get("storage")),
            "Deprecated": bool(version.get("deprecated")),
            "DeprecationWarning": version.get("deprecationWarning"),
            "Schema": None,
            "Subresources": None,
            "AdditionalPrinterColumns": None,
            "SelectableFields": None,
        }
        for version in versions or []
    ]
    text = "null" if versions is None else to_json(shown, in_order=True)
    return Cause("spec.versions", INVALID, f"Invalid value: {text}: {detail}")


def check_stored(spec: Object, known: list[str] | None = None) -> list[Cause]:
    """The versions that objects are stored in. ``known`` to the status; for a new CRD, the first that says so."""
    versions = spec.get("versions") or []
    now = [version.get("name") for version in versions if version.get("storage")]
    stored = now[:1] if known is None else known
    if not stored:
        return [invalid("status.storedVersions", None, "must have at least one stored version")]
    causes: list[Cause] = []
    left = {name: index for index, name in enumerate(stored)}
    for version in versions:
        name = version.get("name") or ""
        if left.pop(name, None) is None and version.get("storage"):
            causes.append(invalid("status.storedVersions", stored, f"must have the storage version {name}"))
    return causes + [
        invalid(f"status.storedVersions[{index}]", name, _GONE.format(name)) for name, index in left.items()
    ]


def _check_part(versions: list[Object], key: str) -> list[Cause]:
    """One subject of all versions; told once where it is the same in all of them."""
    once = shared(versions, key)
    causes: list[Cause] = []
    for index, version in enumerate(versions[:1] if once else versions):
        top = "validation" if key == "schema" else key
        place = f"spec.{top}" if once else f"spec.versions[{index}].{key}"
        value = version.get(key)
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if not value:
            continue
        if key == "schema" and isinstance(schema, dict):
            status = (version.get("subresources") or {}).get("status") is not None
            causes += check_schema(schema, f"{place}.openAPIV3Schema", status)
        elif key == "subresources":
            causes += _check_scale(value.get("scale"), f"{place}.scale")
        elif key == "additionalPrinterColumns":
            for number, column in enumerate(value):
                causes += _check_column(column, f"{place}[{number}]")
        elif key == "selectableFields" and isinstance(schema, dict):
            causes += _check_selectable(value, schema, place)
    return causes


def check_schema(schema: Object, path: str, status: bool) -> list[Cause]:
    """One schema. Defaults are looked at only when the structure is sound, rules only when all else is."""
    causes: list[Cause] = []
    if status and schema.get("type") not in (None, "", "object"):
        detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        causes.append(invalid(f"{path}.type", schema["type"], detail))
    elif status and any(schema.get(name) for name in _NOT_AT_ROOT):
        detail = f"only [{_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled"
        causes.append(invalid(path, schema, detail))
    if schema.get("nullable"):
        causes.append(forbidden(f"{path}.nullable", "nullable cannot be true at the root"))
    if unsupported(schema):
        return causes + check_keywords(schema, path, compile_rules=False)  # it has no structure to look at
    found = check_structural(schema, path) or check_defaults(schema, path)
    return causes + found + check_keywords(schema, path, compile_rules=not found)


def _check_path(text: str, place: str, roots: tuple[str, ...], detail: str) -> list[Cause]:
    if not text.startswith("."):
        return [invalid(place, text, "must be a simple json path starting with .")]
    return [] if text.startswith(roots) else [invalid(place, text, detail)]


def _check_scale(scale: Object | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if scale is None:
        return causes
    for key, roots, detail in (
        ("specReplicasPath", (".spec.",), "should be a json path under .spec"),
        ("statusReplicasPath", (".status.",), "should be a json path under .status"),
        ("labelSelectorPath", (".spec.", ".status."), "should be a json path under either .spec or .status"),
    ):
        text = scale.get(key) or ""
        if text:
            causes += _check_path(text, f"{path}.{key}", roots, detail)
        elif key != "labelSelectorPath":
            causes.append(required(f"{path}.{key}"))
    return causes


def _check_column(column: Object, path: str) -> list[Cause]:
    causes: list[Cause] = [] if column.get("name") else [required(f"{path}.name")]
    kind, format_, text = column.get("type") or "", column.get("format") or "", column.get("jsonPath") or ""
    detail = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not kind:
        causes.append(required(f"{path}.type", detail))
    elif kind not in _COLUMN_TYPES:
        causes.append(invalid(f"{path}.type", kind, detail))
    if format_ and format_ not in _COLUMN_FORMATS:
        causes.append(invalid(f"{path}.format", format_, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    if not text:
        causes.append(required(f"{path}.JSONPath"))
    elif not text.startswith("."):
        causes.append(invalid(f"{path}.JSONPath", text, "must be a simple json path starting with ."))
    return causes


def _check_selectable(fields: list[Object], schema: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, item in enumerate(fields):
        place, text = f"{path}[{index}].jsonPath", item.get("jsonPath") or ""
        found = find_field(text, schema) if text and "[" not in text else None
        if not text:
            causes.append(required(place))
            continue
        if found is None:
            causes.append(invalid(place, text, "is an invalid path: does not refer to a valid field"))
            continue
        if text.startswith(".metadata"):
            causes.append(invalid(place, text, "must not point to fields in metadata"))
        if found.get("type") not in ("string", "boolean", "integer"):
            detail = (
                "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are "
                "allowed."
            )
            causes.append(invalid(place, text, detail))
        if text in seen:
            causes.append(duplicate(place, text))
        seen.add(text)
    if len(seen) > _MOST_SELECTABLE:
        causes.append(too_many(path, len(seen), _MOST_SELECTABLE))
    return causes

"""Whether a CustomResourceDefinition can be served. It has been prepared: names that can be derived are filled in.

A CRD is refused where what follows would fail or mean nothing: names and paths could not be served, pruning and
defaulting have no structure to follow, a rule or a pattern can't be read. A real API server refuses more
(apiextensions-apiserver, pkg/apis/apiextensions/validation).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from structural.causes import FieldCause
from structural.dns import label_faults, subdomain_faults
from structural.patterns import fault
from structural.rules import available
from structural.words import forbidden, invalid, not_supported, required

from .crd_defaults import check_defaults

Object = dict[str, Any]
Causes = Iterator[FieldCause]

_TYPES = ["array", "boolean", "integer", "number", "object", "string"]
_COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"]
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_APPROVAL = "api-approved.kubernetes.io"


def check_crd(crd: Object, old: Object | None = None) -> list[FieldCause]:
    """Complaints about a CRD that is created or changed, but for those about its metadata and what stays."""
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        return [required("spec")]
    stored = (crd.get("status") or {}).get("storedVersions") if old is not None else None
    name, plural = (crd.get("metadata") or {}).get("name") or "", (spec.get("names") or {}).get("plural") or ""
    causes = [*_group(crd, spec), *_names(spec.get("names") or {}), *_versions(spec), *_stored(spec, stored)]
    if old is None and name and name != f"{plural}.{spec.get('group') or ''}":
        causes.append(invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    strategy = (spec.get("conversion") or {}).get("strategy")
    if strategy not in (None, "None", "Webhook"):
        causes.append(not_supported("spec.conversion.strategy", strategy, ["None", "Webhook"]))
    if spec.get("preserveUnknownFields"):
        text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        causes.append(invalid("spec.preserveUnknownFields", True, text))
    return causes


def _group(crd: Object, spec: Object) -> Causes:
    group, scope = spec.get("group") or "", spec.get("scope") or ""
    if not group:
        yield required("spec.group")
    elif faults := subdomain_faults(group):
        yield invalid("spec.group", group, faults)
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    if not scope:
        yield required("spec.scope")
    elif scope not in ("Cluster", "Namespaced"):
        yield not_supported("spec.scope", scope, ["Cluster", "Namespaced"])
    is_kubernetes = f".{group}".endswith((".k8s.io", ".kubernetes.io"))
    if is_kubernetes and not ((crd.get("metadata") or {}).get("annotations") or {}).get(_APPROVAL):
        yield required(f"metadata.annotations[{_APPROVAL}]", "protected groups must have approval annotation")


def _names(names: Object) -> Causes:
    """Checks the names of kinds and resources."""
    for key in ("plural", "singular", "kind", "listKind"):
        name = names.get(key) or ""
        if not name:
            yield required(f"spec.names.{key}")
        elif faults := label_faults(name.lower() if key in ("kind", "listKind") else name):
            yield invalid(f"spec.names.{key}", name, faults)
    for key in ("shortNames", "categories"):
        for index, name in enumerate(names.get(key) or []):
            if faults := label_faults(name):
                yield invalid(f"spec.names.{key}[{index}]", name, faults)
    if names.get("kind") and names["kind"] == names.get("listKind"):
        yield invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same")


def _versions(spec: Object) -> Causes:
    """Every version: its name, schema, columns; one of them stored."""
    versions = spec.get("versions") or []
    schemas = [(version.get("schema") or {}).get("openAPIV3Schema") for version in versions]
    is_same = all(schema == schemas[0] for schema in schemas)
    tables = [version.get("additionalPrinterColumns") or [] for version in versions]
    has_same_columns = all(columns == tables[0] for columns in tables)
    for index, (version, schema) in enumerate(zip(versions, schemas, strict=True)):
        at = f"spec.versions[{index}]"
        if faults := label_faults(version.get("name") or ""):
            yield invalid(f"{at}.name", version.get("name") or "", faults)
        if not isinstance(schema, dict):
            yield required(f"{at}.schema.openAPIV3Schema")
        elif not is_same or index == 0:
            # The API server keeps what all versions say once, at the top of the spec, and complains about it there.
            place = f"{'spec.validation' if is_same else f'{at}.schema'}.openAPIV3Schema"
            causes = list(_schema(schema, place))
            if schema.get("type") not in (None, "object"):
                causes.append(invalid(f"{place}.type", schema["type"], "must be object at the root"))
            yield from causes or check_defaults(schema, place)
        if not has_same_columns or index == 0:
            yield from _columns(tables[index], f"{'spec' if has_same_columns else at}.additionalPrinterColumns")
    names = [version.get("name") for version in versions]
    if len(set(names)) != len(names):
        yield invalid("spec.versions", names, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid("spec.versions", names, "must have exactly one version marked as storage version")


def _columns(columns: list[Object], path: str) -> Causes:
    for index, column in enumerate(columns):
        kind, source, text = column.get("type") or "", column.get("jsonPath") or "", f"must be one of {_COLUMN_TYPES}"
        if not column.get("name"):
            yield required(f"{path}[{index}].name")
        if kind not in _COLUMN_TYPES:
            yield invalid(f"{path}[{index}].type", kind, text) if kind else required(f"{path}[{index}].type", text)
        if not source:
            yield required(f"{path}[{index}].JSONPath")
        elif not source.startswith("."):
            yield invalid(f"{path}[{index}].JSONPath", source, "must be a simple json path starting with .")


def _stored(spec: Object, known: list[str] | None) -> Causes:
    """The versions that objects are stored in. ``known`` to the status; for a new CRD, the first that says so."""
    versions = spec.get("versions") or []
    now = [version.get("name") for version in versions if version.get("storage")]
    stored = now[:1] if known is None else known
    if not stored:
        yield invalid("status.storedVersions", None, "must have at least one stored version")
    for name in now if stored else ():
        if name not in stored:
            yield invalid("status.storedVersions", stored, f"must have the storage version {name}")
    for index, name in enumerate(stored):
        if name not in [version.get("name") for version in versions]:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions"
            )
            yield invalid(f"status.storedVersions[{index}]", name, text)


def _schema(schema: Object, path: str, is_structure: bool = True) -> Causes:
    """Every part of the structure has a type; lists have items; patterns and rules can be read."""
    kind, list_type = schema.get("type") or "", schema.get("x-kubernetes-list-type")
    is_open = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    yield from (forbidden(f"{path}.{name}", f"{name} is not supported") for name in _UNSUPPORTED if schema.get(name))
    if kind and kind not in _TYPES:
        yield not_supported(f"{path}.type", kind, _TYPES)
    elif is_structure and not kind and not is_open:
        yield required(f"{path}.type", "must not be empty")
    if is_structure and kind == "array" and not isinstance(schema.get("items"), dict):
        yield required(f"{path}.items", "must be specified")
    if list_type == "map" and not schema.get("x-kubernetes-list-map-keys"):
        yield required(f"{path}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
    if list_type is not None and list_type not in ("atomic", "set", "map"):
        yield not_supported(f"{path}.x-kubernetes-list-type", list_type, ["atomic", "set", "map"])
    if schema.get("pattern") and (why := fault(schema["pattern"])):
        yield invalid(f"{path}.pattern", schema["pattern"], f"must be a valid regular expression, but isn't: {why}")
    yield from _rules(schema.get("x-kubernetes-validations") or [], f"{path}.x-kubernetes-validations")
    for name, inner in (schema.get("properties") or {}).items():
        yield from _schema(inner, f"{path}.properties[{name}]", is_structure)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from _schema(schema[name], f"{path}.{name}", is_structure)
    for name in ("allOf", "oneOf", "anyOf"):
        for index, inner in enumerate(schema.get(name) or []):
            yield from _schema(inner, f"{path}.{name}[{index}]", is_structure=False)
    if isinstance(schema.get("not"), dict):
        yield from _schema(schema["not"], f"{path}.not", is_structure=False)


def _rules(rules: list[Object], path: str) -> Causes:
    """Checks that rules are given and are CEL. Type errors are found only when a rule runs."""
    for index, rule in enumerate(rules):
        at = f"{path}[{index}]"
        if not (rule.get("rule") or "").strip():
            yield required(f"{at}.rule", "rule is not specified")
        for keyword in ("rule", "messageExpression"):
            source = rule.get(keyword) or ""
            if why := _malformed(source, bool(rule.get("optionalOldSelf"))):
                yield invalid(f"{at}.{keyword}", source, f"compilation failed: {why}")


def _malformed(source: str, is_optional: bool) -> str:
    """Why the text isn't CEL; empty when it is, or when nothing here can tell."""
    if not source.strip() or not available():
        return ""
    expressions = importlib.import_module("structural.cel.expressions")
    try:
        expressions.compile_expression(source, is_optional)
    except expressions.Malformed as error:
        return str(error)
    except expressions.Unsupported:
        return ""
    return ""

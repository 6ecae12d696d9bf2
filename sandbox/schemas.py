"""The schema that validates an object: the CRD version's, or the built-in kind's. Checks are structural's."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections import OrderedDict
from typing import Any

from structural.causes import FieldCause

from .errors import BadRequest
from .objects import Object, decode, dig, encode
from .resources import Resource
from .store import Store, StoreEntry

#: sandbox.schema; a sandbox without it checks nothing.
schema: Any = importlib.import_module("sandbox.schema") if importlib.util.find_spec("sandbox.schema") else None

CRDS = "customresourcedefinitions.apiextensions.k8s.io"
#: Decoded CRDs that are kept; one of the largest known (Argo CD) takes some 10 MB decoded.
MAX_CACHED_CRDS = 24


class Schemas:
    """Schemas by resource and version, decoded when first needed."""

    def __init__(self, store: Store):
        self._store = store
        self._cached: OrderedDict[tuple[str, str], dict[str, dict[str, Any]]] = OrderedDict()
        #: By CRD: the version of it that was read last, and what its schemas are known by: another CRD of that name has
        #: others.
        self._generations: dict[str, tuple[int, str]] = {}

    def schema_of(self, resource: Resource) -> dict[str, Any] | None:
        """The OpenAPI v3 schema; None when the kind has none (then nothing is checked)."""
        return self._version(resource, resource.version)

    def _version(self, resource: Resource, version: str) -> dict[str, Any] | None:
        if not resource.custom and schema is None:
            return None
        if not resource.custom:
            builtin: dict[str, Any] | None = schema.builtin(resource.group, resource.version, resource.kind)
            return builtin
        entry = self._store.get(CRDS, "", resource.custom)
        if entry is None:
            return None
        known = self._generations.get(resource.custom)
        if known is None or known[0] != entry.version:
            crd = decode(entry.data)
            known = (entry.version, f"{dig(crd, 'metadata', 'uid')}/{dig(crd, 'metadata', 'generation') or 1}")
            self._generations[resource.custom] = known
            self._cache((resource.custom, known[1]), crd)
        versions = self._cached.get((resource.custom, known[1]))
        if versions is None:
            versions = self._cache((resource.custom, known[1]), decode(entry.data))
        self._cached.move_to_end((resource.custom, known[1]))
        return versions.get(version)

    def _cache(self, key: tuple[str, str], crd: Object) -> dict[str, dict[str, Any]]:
        if key not in self._cached:
            self._cached[key] = {
                version["name"]: dig(version, "schema", "openAPIV3Schema") or {}
                for version in dig(crd, "spec", "versions") or []
            }
            while len(self._cached) > MAX_CACHED_CRDS:
                self._cached.popitem(last=False)
        return self._cached[key]

    def read(self, resource: Resource, entry: StoreEntry) -> bytes:
        """An object that was stored under an older schema: pruned and defaulted as that version's says now.

        Another version that is asked for only prunes: its defaults are for what is written in it.
        """
        obj = decode(entry.data)
        found = self._version(resource, str(obj.get("apiVersion")).rpartition("/")[2])
        if found is not None and schema is not None:
            schema.prepare(found, obj)
        if resource.reshaped and schema is not None:
            schema.prune_unknown(self.schema_of(resource) or {}, obj)
        obj["apiVersion"] = resource.api_version
        return encode(obj)

    def store(self, resource: Resource, obj: Object) -> None:
        """Drops fields that the stored version's schema doesn't have."""
        found = self._version(resource, resource.storage_version) if resource.reshaped else None
        if found is not None and schema is not None:
            schema.prepare(found, obj)

    def prepare(
        self, resource: Resource, obj: Object, validation: str, problems: tuple[str, ...] = (), patched: bool = False
    ) -> list[str]:
        """Prunes and defaults in place; returns warnings. BadRequest for unknown fields when ``Strict``.

        ``problems`` were found when the body was read (keys that come twice).
        """
        found = self.schema_of(resource)
        unknown: list[str] = []
        if found is not None and schema is not None:
            try:
                unknown = [f'unknown field "{path}"' for path in schema.prepare(found, obj)]
            except schema.Malformed as fault:
                raise Undecodable(resource, str(fault)) from None
        unknown = _joined(unknown, problems, bool(resource.custom) or patched)
        if not unknown or validation == "Ignore":
            return []
        if validation == "Strict":
            raise strict_error(resource, unknown)
        return unknown

    def validate(
        self, resource: Resource, obj: Object, old: Object | None, subresource: str, warnings: list[str]
    ) -> list[FieldCause]:
        """What the schema (and its CEL rules) finds wrong; in ``warnings`` what was wrong before and may stay."""
        found = self.schema_of(resource)
        if found is None or schema is None:
            return []
        causes = [FieldCause(*cause) for cause in schema.validate(found, obj, old, subresource, warnings)]
        if not resource.custom:
            # Go's decoder passes over null wherever it stands; an Event's eventTime is null more often than not.
            causes = [cause for cause in causes if not _NULL.search(cause.message)]
            if resource.key in _KNOWN_BETTER:
                causes = [cause for cause in causes if cause.reason != "FieldValueRequired"]
            _check_types(resource, causes)
        return causes


def _joined(unknown: list[str], twice: tuple[str, ...], apart: bool) -> list[str]:
    """Both kinds of oddities in the order of the decoder, to which a built-in kind's unknown key is just unknown.

    ``apart``: text and object are looked at one after the other.
    """
    if apart:
        return [*twice, *unknown]
    known = [problem for problem in twice if problem.replace("duplicate", "unknown") not in unknown]
    return unknown + known


#: Kinds whose own rules say what is required.
_KNOWN_BETTER = frozenset(
    {CRDS, "rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io"}
)
_NULL = re.compile(r"in body must be of type \w+: \"?null")
_TYPE = re.compile(r"in body must be of type (\w+): \"?(\w+)")
_GO_TYPES = {"integer": "int32", "boolean": "bool", "object": "map[string]interface {}", "array": "[]interface {}"}


def _check_types(resource: Resource, causes: list[FieldCause]) -> None:
    """Wrong types in built-in kinds are refused where the body is decoded: 400, in Go's words."""
    for cause in causes:
        found = _TYPE.search(cause.message) if cause.reason == "FieldValueTypeInvalid" else None
        if found is None:
            continue
        wanted, given = found.groups()
        shown = {"integer": "number", "boolean": "bool"}.get(given, given)
        raise BadRequest(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: json: cannot'
            f" unmarshal {shown} into Go struct field {resource.kind}.{cause.field} of type"
            f" {_GO_TYPES.get(wanted, wanted)}"
        )


class Undecodable(BadRequest):
    """400: the body isn't an object of the kind. ``why``: the reason without the kind and version that it claims."""

    def __init__(self, resource: Resource, why: str, kind: str = "", version: str = ""):
        self.why = why
        super().__init__(
            f'{kind or resource.kind} in version "{version or resource.version}" cannot be handled as a '
            f"{resource.kind}: {why}"
        )


_FAULT = re.compile(r"json: cannot unmarshal (\w+)(?: [\d.]+)? into Go struct field \S+ of type (.*)")
_GIVEN = {"number": "int64", "array": "slice", "object": "map"}


def struct_fault(why: str) -> str:
    """The same fault as it's worded for an object that is decoded already (apimachinery runtime/converter.go)."""
    found = _FAULT.fullmatch(why)
    if found is None:
        return why
    given, wanted = _GIVEN.get(found[1], found[1]), found[2]
    if wanted.startswith("[]"):
        return f"cannot restore slice from {given}"
    if wanted.startswith("map["):
        return f"cannot restore map from {given}"
    return f"cannot restore struct from: {given}" if "." in wanted else f"cannot convert {given} to {wanted}"


def strict_error(resource: Resource, problems: list[str]) -> Undecodable:
    """400 of fieldValidation=Strict."""
    return Undecodable(resource, f"strict decoding error: {', '.join(problems)}")

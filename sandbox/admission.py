"""The rules that hold for every kind: type, name, namespace, metadata, status, generation.

Wording follows kube-apiserver (registry/rest/create.go, update.go; apimachinery/pkg/api/validation).
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from .errors import BadRequest, Cause, Conflict, Invalid, NotFound, forbidden
from .objects import Object, copy, decode, dig, now
from .resources import Resource
from .store import Store

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(f"^{_LABEL}$")
_DNS_SUBDOMAIN = re.compile(rf"^{_LABEL}(\.{_LABEL})*$")
_DNS_1035 = re.compile(r"^[a-z]([-a-z0-9]*[a-z0-9])?$")
_QUALIFIED = re.compile(r"^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$")
_LABEL_VALUE = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")

_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_LABEL_1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_QUALIFIED_TEXT = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ANNOTATIONS_LIMIT = 256 * 1024


def check_type(resource: Resource, obj: Any) -> None:
    """The body must be an object of the kind and version of the path."""
    if not isinstance(obj, dict):
        raise BadRequest("the request body must be a JSON object")
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    if not api_version and not resource.custom:
        obj["apiVersion"] = api_version = resource.api_version
    if not kind and not resource.custom:
        obj["kind"] = kind = resource.kind
    if not kind:
        raise BadRequest("Object 'Kind' is missing in 'unstructured object has no kind'")
    if api_version != resource.api_version:
        raise BadRequest(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({resource.api_version})"
        )
    if kind != resource.kind:
        raise BadRequest(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: no kind "{kind}" '
            f'is registered for version "{api_version}"'
        )
    if not isinstance(obj.setdefault("metadata", {}) or {}, dict):
        raise BadRequest("metadata must be an object")
    if obj["metadata"] is None:
        obj["metadata"] = {}


def new_metadata(resource: Resource, namespace: str, obj: Object) -> None:
    """What the server decides about a new object."""
    metadata = obj["metadata"]
    _agree_namespace(resource, namespace, metadata)
    if metadata.get("resourceVersion"):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    for name in ("uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"):
        metadata.pop(name, None)
    if not metadata.get("name") and not metadata.get("generateName"):
        raise Invalid(
            resource.kind,
            "",
            [("metadata.name", "FieldValueRequired", "Required value: name or generateName is required")],
            resource.group,
        )
    metadata["uid"] = str(uuid.uuid4())
    metadata["creationTimestamp"] = now()
    if resource.generations:
        metadata["generation"] = 1
    for name in ("labels", "annotations", "finalizers", "ownerReferences", "managedFields"):
        if name in metadata and not metadata[name]:
            del metadata[name]


def _agree_namespace(resource: Resource, namespace: str, metadata: Object) -> None:
    if not resource.namespaced:
        metadata.pop("namespace", None)
        return
    if metadata.get("namespace", namespace) != namespace and metadata.get("namespace"):
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    metadata["namespace"] = namespace


def check_namespace(store: Store, resource: Resource, namespace: str) -> None:
    """New objects need a namespace that exists and is not on its way out."""
    if not resource.namespaced:
        return
    if not namespace:
        raise BadRequest("an empty namespace may not be set during creation")
    entry = store.get("namespaces", "", namespace)
    if entry is None:
        raise NotFound("namespaces", namespace)
    if b'"deletionTimestamp"' in entry.data and dig(decode(entry.data), "metadata", "deletionTimestamp"):
        refusal = forbidden(
            resource.plural,
            "",
            f"unable to create new content in namespace {namespace} because it is being terminated",
            resource.group,
        )
        refusal.details = {
            "kind": resource.plural,
            **({"group": resource.group} if resource.group else {}),
            "causes": [
                {
                    "reason": "NamespaceTerminating",
                    "message": f"namespace {namespace} is being terminated",
                    "field": "metadata.namespace",
                }
            ],
        }
        raise refusal


def check_names(resource: Resource, namespace: str, name: str, obj: Object) -> None:
    """Name and namespace in the body must be those of the path."""
    metadata = obj["metadata"]
    _agree_namespace(resource, namespace, metadata)
    present = metadata.setdefault("name", name)
    if present != name:
        raise BadRequest(
            f"the name of the object ({present}) does not match the name on the URL ({name})"
        )


def check_version(resource: Resource, old: Object, obj: Object) -> None:
    """Optimistic concurrency: a resourceVersion or uid in the body must be the stored one."""
    metadata, stored = obj["metadata"], old["metadata"]
    version = metadata.get("resourceVersion")
    if version and version != stored["resourceVersion"]:
        raise Conflict(resource.plural, stored["name"], resource.group)
    uid = metadata.get("uid")
    if uid and uid != stored["uid"]:
        raise Conflict(
            resource.plural,
            stored["name"],
            resource.group,
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {stored['uid']}",
        )


def keep_metadata(resource: Resource, old: Object, obj: Object) -> None:
    """Puts back what an update cannot change."""
    metadata, stored = obj["metadata"], old["metadata"]
    for name in (
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
        "generateName",
        "managedFields",
    ):
        if name in stored:
            metadata[name] = stored[name]
        else:
            metadata.pop(name, None)
    metadata.pop("selfLink", None)
    for name in ("labels", "annotations", "finalizers", "ownerReferences"):
        if name in metadata and not metadata[name]:
            del metadata[name]


def reset_status(resource: Resource, obj: Object, old: Object | None) -> None:
    """Main-resource writes do not touch the status of kinds that have a status subresource."""
    if not resource.status:
        return
    obj.pop("status", None)
    if old is not None and "status" in old:
        obj["status"] = copy(old["status"])


def only_subresource(resource: Resource, old: Object, obj: Object, subresource: str) -> Object:
    """``old`` with just what a write to the subresource may change."""
    result: Object = copy(old)
    if subresource == "finalize":
        result.setdefault("spec", {})["finalizers"] = dig(obj, "spec", "finalizers") or []
        return result
    if "status" in obj:
        result["status"] = obj["status"]
    else:
        result.pop("status", None)
    if not resource.custom and resource.key in ("pods", "nodes", "persistentvolumes", "persistentvolumeclaims", "namespaces"):
        for name in ("labels", "annotations", "finalizers"):
            if name in obj["metadata"]:
                result["metadata"][name] = obj["metadata"][name]
            else:
                result["metadata"].pop(name, None)
    return result


def count_generation(resource: Resource, old: Object, obj: Object) -> None:
    """Anything but metadata and (with a status subresource) status is the spec."""
    if not resource.generations:
        return

    def spec(value: Object) -> Object:
        left_out = {"metadata", "apiVersion", "kind"} | ({"status"} if resource.status else set())
        return {key: item for key, item in value.items() if key not in left_out}

    if spec(obj) != spec(old):
        obj["metadata"]["generation"] = int(old["metadata"].get("generation") or 0) + 1


def metadata_causes(resource: Resource, obj: Object, old: Object | None, names: str) -> list[Cause]:
    """What is wrong with the metadata."""
    metadata = obj["metadata"]
    causes: list[Cause] = []
    if old is None:
        causes += _name_causes(metadata.get("name", ""), names)
    for key, value in (metadata.get("labels") or {}).items():
        causes += _label_causes("metadata.labels", key, value)
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        causes += _key_causes("metadata.annotations", key.lower())
    if sum(len(key) + len(str(value)) for key, value in annotations.items()) > ANNOTATIONS_LIMIT:
        causes.append(
            Cause("metadata.annotations", "FieldValueTooLong", f"Too long: may not be more than {ANNOTATIONS_LIMIT} bytes")
        )
    if old is not None and dig(old, "metadata", "deletionTimestamp"):
        causes += _finalizer_causes(metadata, old["metadata"])
    for index, owner in enumerate(metadata.get("ownerReferences") or []):
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(name):
                causes.append(
                    Cause(
                        f"metadata.ownerReferences[{index}].{name}",
                        "FieldValueInvalid",
                        f'Invalid value: "": {name} must not be empty',
                    )
                )
    return causes


def _finalizer_causes(metadata: Object, stored: Object) -> list[Cause]:
    added = [name for name in metadata.get("finalizers") or [] if name not in (stored.get("finalizers") or [])]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    text = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"
    return [Cause("metadata.finalizers", "FieldValueForbidden", text + listed + "}")]


def _name_causes(name: str, names: str) -> list[Cause]:
    limit = 253 if names == "subdomain" else 63
    if names == "path":
        bad = "/" in name or "%" in name or name in (".", "..")
        return [_invalid("metadata.name", name, "may not contain '/' or '%'")] if bad else []
    pattern, text = {
        "subdomain": (_DNS_SUBDOMAIN, _SUBDOMAIN_TEXT),
        "label": (_DNS_LABEL, _LABEL_TEXT),
        "label1035": (_DNS_1035, _LABEL_1035_TEXT),
    }[names]
    causes = []
    if len(name) > limit:
        causes.append(_invalid("metadata.name", name, f"must be no more than {limit} bytes"))
    if not pattern.match(name):
        causes.append(_invalid("metadata.name", name, text))
    return causes


def _invalid(field: str, value: str, text: str) -> Cause:
    return Cause(field, "FieldValueInvalid", f'Invalid value: "{value}": {text}')


def _key_causes(field: str, key: str) -> list[Cause]:
    prefix, slash, name = key.rpartition("/")
    causes = []
    if slash and not _DNS_SUBDOMAIN.match(prefix):
        causes.append(_invalid(field, key, f"prefix part {_SUBDOMAIN_TEXT}"))
    if not name:
        causes.append(_invalid(field, key, "name part must be non-empty"))
    elif len(name) > 63:
        causes.append(_invalid(field, key, "name part must be no more than 63 bytes"))
    elif not _QUALIFIED.match(name):
        causes.append(_invalid(field, key, _QUALIFIED_TEXT))
    return causes


def _label_causes(field: str, key: str, value: Any) -> list[Cause]:
    causes = _key_causes(field, key)
    text = str(value)
    if len(text) > 63:
        causes.append(_invalid(field, text, "must be no more than 63 bytes"))
    elif not _LABEL_VALUE.match(text):
        causes.append(_invalid(field, text, _VALUE_TEXT))
    return causes

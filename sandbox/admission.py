"""The rules that hold for every kind: name, namespace, metadata, status, generation. Type: typemeta.py.

Wording follows kube-apiserver (registry/rest/create.go, update.go; apimachinery/pkg/api/validation).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from .errors import BadRequest, Conflict, Invalid, NotFound, Plain, forbidden
from .objects import Object, copy, decode, dig, now
from .resources import Resource
from .store import Store


def new_metadata(resource: Resource, namespace: str, obj: Object) -> None:
    """The metadata fields that the server sets on a new object."""
    metadata = obj["metadata"]
    _agree_namespace(resource, namespace, metadata)
    for name in ("uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"):
        metadata.pop(name, None)
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


def check_deletable(resource: Resource, name: str) -> None:
    """Namespaces that a cluster cannot be without (plugin/namespace/lifecycle)."""
    if resource.key == "namespaces" and name in ("default", "kube-system", "kube-public"):
        raise forbidden(resource.plural, name, "this namespace may not be deleted")


def check_served(resource: Resource, obj: Object) -> None:
    """A custom resource whose definition is being deleted takes no new objects."""
    if resource.custom and "create" not in resource.verbs:
        why = "create not allowed while custom resource definition is terminating"
        raise forbidden(resource.plural, obj["metadata"].get("name", ""), why, resource.group)


def check_namespace(store: Store, resource: Resource, namespace: str, name: str) -> None:
    """New objects need a namespace that exists and isn't terminating."""
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
            name,
            f"unable to create new content in namespace {namespace} because it is being terminated",
            resource.group,
        )
        refusal.details = {
            **(refusal.details or {}),
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
    present = metadata.get("name")
    if not present:
        raise BadRequest(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if present != name:
        raise BadRequest(f"the name of the object ({present}) does not match the name on the URL ({name})")


def check_version(resource: Resource, old: Object, obj: Object, unconditional: bool, patched: bool = False) -> None:
    """Optimistic concurrency: a resourceVersion or uid in the body must be the stored one.

    ``unconditional``: none need be given. Updates of custom resources must have one.
    """
    metadata, stored = obj["metadata"], old["metadata"]
    version = metadata.get("resourceVersion")
    if not version and resource.custom and not unconditional:
        text = "Invalid value: 0: must be specified for an update"
        cause = ("metadata.resourceVersion", "FieldValueInvalid", text)
        raise Invalid(resource.plural, stored["name"], [cause], resource.group)
    if version and not str(version).isdecimal():
        raise Plain(f'strconv.ParseUint: parsing "{version}": invalid syntax')
    if version and version != stored["resourceVersion"]:
        raise Conflict(resource.plural, stored["name"], resource.group)
    uid = metadata.get("uid")
    if uid and uid != stored["uid"] and patched:
        cause = ("metadata.uid", "FieldValueInvalid", f'Invalid value: "{uid}": field is immutable')
        raise Invalid(resource.kind, stored["name"], [cause, cause], resource.group)
    if uid and uid != stored["uid"]:
        raise Conflict(
            resource.plural,
            stored["name"],
            resource.group,
            f"StorageError: invalid object, Code: 4, Key: /registry/{resource.plural}"
            f"/{stored['namespace'] + '/' if 'namespace' in stored else ''}{stored['name']}, ResourceVersion: 0, "
            f"AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {stored['uid']}",
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
    """Main-resource writes do not touch the status of kinds that have a status subresource, nor a Namespace's
    finalizers.
    """
    if resource.key == "namespaces" and old is not None:
        obj["spec"] = copy(old.get("spec") or {})
    if not resource.status:
        return
    obj.pop("status", None)
    if old is not None and "status" in old:
        obj["status"] = copy(old["status"])


def only_subresource(resource: Resource, old: Object, obj: Object, subresource: str) -> Object:
    """``old`` with just what a write to the subresource may change."""
    result: Object = copy(old)
    if subresource == "ephemeralcontainers":
        wanted = dig(obj, "spec", "ephemeralContainers")
        result["spec"] = {**result["spec"], "ephemeralContainers": wanted} if wanted else result["spec"]
        return result
    if subresource == "binding":
        result["spec"] = {**result["spec"], "nodeName": dig(obj, "spec", "nodeName")}
        return result
    if subresource == "finalize":
        result["spec"] = {**(result.get("spec") or {}), "finalizers": dig(obj, "spec", "finalizers")}
        if not result["spec"]["finalizers"]:
            del result["spec"]["finalizers"]
        return result
    if "status" in obj:
        result["status"] = obj["status"]
    else:
        result.pop("status", None)
    if resource.key == "deployments.apps" and "annotations" in obj["metadata"]:
        result["metadata"]["annotations"] = obj["metadata"]["annotations"]
    if not resource.custom and resource.key in (
        "pods",
        "nodes",
        "persistentvolumes",
        "persistentvolumeclaims",
        "namespaces",
    ):
        for name in ("labels", "annotations", "finalizers"):
            if name in obj["metadata"]:
                result["metadata"][name] = obj["metadata"][name]
            else:
                result["metadata"].pop(name, None)
    return result


def count_generation(
    resource: Resource, old: Object, obj: Object, counted: Callable[[Object], Any] | None = None
) -> None:
    """Anything but metadata and (with a status subresource) status is the spec, unless ``counted`` returns the parts
    that count.
    """
    if not resource.generations:
        return

    def spec(value: Object) -> Any:
        left_out = {"metadata", "apiVersion", "kind"} | ({"status"} if resource.status else set())
        return {key: item for key, item in value.items() if key not in left_out}

    counted = counted or spec
    if counted(obj) != counted(old):
        obj["metadata"]["generation"] = int(old["metadata"].get("generation") or 0) + 1

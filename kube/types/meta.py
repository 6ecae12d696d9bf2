"""What objects of all kinds have: metadata, owners, conditions, selectors."""

from collections.abc import Mapping
from typing import Any

from kube.reader import ApiType


class OwnerReference(ApiType, frozen=True):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(ApiType, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int | None = None
    creation_timestamp: str = ""
    deletion_timestamp: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()

    @property
    def controller(self) -> OwnerReference:
        """The owner that manages the object; one without a name where there is none."""
        return next((owner for owner in self.owner_references if owner.controller), OwnerReference())


class ManagedFieldsEntry(ApiType, frozen=True):
    """`fields_v1`: a tree of the fields, by keys like `f:spec`."""

    manager: str = ""
    subresource: str = ""
    time: str = ""
    fields_v1: dict[str, Any] = {}


class ManagedMeta(ApiType, frozen=True):
    """The part of ObjectMeta that is read for single objects only: reading it takes longer than all the rest."""

    managed_fields: tuple[ManagedFieldsEntry, ...] = ()


class Condition(ApiType, frozen=True):
    """`phase`, `last_update_time`: of a ClusterServiceVersion, in place of the type and time. `severity`: of some
    operators."""

    type: str = ""
    phase: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    severity: str = ""
    last_transition_time: str = ""
    last_update_time: str = ""
    observed_generation: int | None = None


class ObjectReference(ApiType, frozen=True):
    """Also of what refers by fewer fields: LocalObjectReference, keys of a Secret or ConfigMap."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    key: str = ""


class TypedLocalObjectReference(ApiType, frozen=True):
    api_group: str = ""
    kind: str = ""
    name: str = ""


class Object(ApiType, frozen=True):
    """Of any kind, by what all kinds have."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        return self.api_version.rpartition("/")[2]


class LabelSelectorRequirement(ApiType, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """False for an operator that Kubernetes doesn't have."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels
        return False


class LabelSelector(ApiType, frozen=True):
    match_labels: dict[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        """An empty selector matches everything."""
        return not self.match_labels and not self.match_expressions

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(labels.get(key) == value for key, value in self.match_labels.items()) and all(
            expression.matches(labels) for expression in self.match_expressions
        )


class TypicalSpec(ApiType, frozen=True):
    suspend: bool = False
    paused: bool = False


class TypicalStatus(ApiType, frozen=True):
    """As most operators write it. `conditions`: a list, or of some operators a mapping by type.

    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
    """

    phase: str = ""
    state: str = ""
    reason: str = ""
    message: str = ""
    ready: bool | None = None
    observed_generation: int | None = None
    conditions: Any = None


class TypicalObject(Object, frozen=True):
    spec: TypicalSpec = TypicalSpec()
    status: TypicalStatus = TypicalStatus()

    @property
    def is_behind(self) -> bool:
        """Whether who reports the status has not yet seen the newest spec."""
        seen, newest = self.status.observed_generation, self.metadata.generation
        return seen is not None and newest is not None and seen < newest

"""The Pod template of a workload: where it is, and its containers' environment variables as rows of a form. Pure.

Source of the fields: the API types EnvVar and EnvFromSource of the group core.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping
from kube.reader import read, read_list
from kube.types.core import Container, EnvFromSource, EnvVar, PodSpec
from kube.types.meta import ObjectMeta, ObjectReference

#: Types whose Pod template can be changed, and the fields that lead to its spec.
PATHS = {
    ("apps", "Deployment"): ("spec", "template", "spec"),
    ("apps", "StatefulSet"): ("spec", "template", "spec"),
    ("apps", "DaemonSet"): ("spec", "template", "spec"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
}

VALUE, SECRET, CONFIG_MAP, POD_FIELD, RESOURCE, OTHER = "value", "Secret", "ConfigMap", "field", "resource", "other"
#: Source of a variable → its field in valueFrom, and the field of that one that the row's value is.
_SOURCES = {
    SECRET: ("secretKeyRef", "key"),
    CONFIG_MAP: ("configMapKeyRef", "key"),
    POD_FIELD: ("fieldRef", "fieldPath"),
    RESOURCE: ("resourceFieldRef", "resource"),
}
#: Kind of an object all of whose keys become variables → its field in envFrom.
_WHOLE = {SECRET: "secretRef", CONFIG_MAP: "configMapRef"}
#: Lists of containers in a Pod's spec that have variables.
CONTAINER_LISTS = ("containers", "initContainers")


def path_of(type_: ResourceType) -> tuple[str, ...]:
    """The fields that lead to the spec of the Pod template; () for a type without one that can be changed."""
    return PATHS.get((type_.group, type_.kind), ())


def spec_of(workload: KubeObject, path: tuple[str, ...]) -> Mapping[str, Any]:
    found: Any = workload
    for key in path:
        found = mapping(found).get(key)
    return mapping(found)


def patch(workload: KubeObject, path: tuple[str, ...], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A merge patch of the Pod template's spec. Lists are sent whole, so the version must be the one that was read."""
    body: dict[str, Any] = dict(changes)
    for key in reversed(path):
        body = {key: body}
    return {**body, "metadata": {"resourceVersion": read(workload.get("metadata"), ObjectMeta).resource_version}}


def effect(type_: ResourceType) -> str:
    """What a change of the template does, as a sentence."""
    return _("Its next Job uses the change.") if type_.kind == "CronJob" else _("Its Pods are replaced.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable.

    `source_name`: the Secret or ConfigMap. `value`: its key, the path of the Pod's field, the container's resource, or
    the value itself. `was`: the name when the page was made, '' for a new one.
    """

    name: str = ""
    source: str = VALUE
    source_name: str = ""
    value: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSource:
    """A Secret or ConfigMap all of whose keys are variables, with `prefix` in front of their names."""

    kind: str = CONFIG_MAP
    name: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The variables of one container."""

    container: str
    variables: tuple[Variable, ...]
    whole_sources: tuple[WholeSource, ...]


def environments(pod_spec: Mapping[str, Any]) -> tuple[Environment, ...]:
    """One for each container, init containers last."""
    spec = read(pod_spec, PodSpec)
    return tuple(
        Environment(
            container=container.name,
            variables=tuple(_variable(variable) for variable in container.env),
            whole_sources=tuple(source for entry in container.env_from if (source := _whole_source(entry)).name),
        )
        for container in (*spec.containers, *spec.init_containers)
    )


def container_names(pod_spec: Mapping[str, Any], part: str) -> list[str]:
    """Of one of CONTAINER_LISTS, in its order."""
    return [container.name for container in read_list(pod_spec.get(part), Container)]


def environment_digest(pod_spec: Mapping[str, Any]) -> str:
    """Differs when anyone has changed the variables. The version of a workload changes with its status, too."""
    parts = [
        [container.get("name"), container.get("env"), container.get("envFrom")]
        for part in CONTAINER_LISTS
        for container in items(pod_spec.get(part))
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def environment_changes(pod_spec: Mapping[str, Any], wanted: Iterable[Environment]) -> dict[str, Any]:
    """The lists of containers of the Pod's spec that differ, whole; {} for no change.

    Containers that are not `wanted`, and what a row doesn't show, stay as they are.
    """
    by_container = {environment.container: environment for environment in wanted}
    found = {}
    for part in CONTAINER_LISTS:
        before = items(pod_spec.get(part))
        names = container_names(pod_spec, part)
        after = [_container(container, by_container.get(name)) for container, name in zip(before, names, strict=True)]
        if after != before:
            found[part] = after
    return found


def _container(before: Mapping[str, Any], wanted: Environment | None) -> dict[str, Any]:
    if wanted is None:
        return dict(before)
    left, variables = items(before.get("env")), []
    for variable in wanted.variables:
        old = next((entry for entry in left if variable.was and entry.get("name") == variable.was), {})
        left = [entry for entry in left if entry is not old]
        variables.append(_entry(variable, old))
    known = items(before.get("envFrom"))
    sources = []
    for source in wanted.whole_sources:
        old = next(
            (entry for entry in known if _whole_source(read(entry, EnvFromSource)) == source), whole_entry(source)
        )
        sources.append(dict(old))
    sources += [dict(entry) for entry in known if not _whole_source(read(entry, EnvFromSource)).name]
    after = {key: value for key, value in before.items() if key not in ("env", "envFrom")}
    return {**after, **({"env": variables} if variables else {}), **({"envFrom": sources} if sources else {})}


def _variable(variable: EnvVar) -> Variable:
    name, given = variable.name, variable.value_from
    found = Variable(name=name, value=variable.value.replace("\r\n", "\n"), was=name)
    if given is None:
        return found
    if secret := given.secret_key_ref:
        return replace(found, source=SECRET, source_name=secret.name, value=secret.key)
    if config := given.config_map_key_ref:
        return replace(found, source=CONFIG_MAP, source_name=config.name, value=config.key)
    if given.field_ref.field_path:
        return replace(found, source=POD_FIELD, value=given.field_ref.field_path)
    if given.resource_field_ref.resource:
        return replace(found, source=RESOURCE, value=given.resource_field_ref.resource)
    return replace(found, source=OTHER)


def _entry(variable: Variable, before: Mapping[str, Any]) -> dict[str, Any]:
    """`before` is what it was, {} for a new one."""
    if before and _variable(read(before, EnvVar)) == variable:
        return dict(before)
    if variable.source == OTHER:
        return {**before, "name": variable.name}
    if variable.source == VALUE:
        return {"name": variable.name, "value": variable.value}
    part, key = _SOURCES[variable.source]
    reference = {**mapping(mapping(before.get("valueFrom")).get(part)), key: variable.value}
    if variable.source in _WHOLE:
        reference["name"] = variable.source_name
    return {"name": variable.name, "valueFrom": {part: reference}}


def _whole_source(entry: EnvFromSource) -> WholeSource:
    reference = entry.secret_ref or entry.config_map_ref or ObjectReference()
    return WholeSource(kind=SECRET if entry.secret_ref else CONFIG_MAP, name=reference.name, prefix=entry.prefix)


def whole_entry(source: WholeSource) -> dict[str, Any]:
    return {_WHOLE[source.kind]: {"name": source.name}, **({"prefix": source.prefix} if source.prefix else {})}

"""…/<object>/add-to-workload/: gives a workload the data of this Secret or ConfigMap: its keys as environment variables
of the Pod template, or as files in a volume.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import items, name_of
from kube.reader import read, read_list
from kube.types.core import Container, Volume
from resources.acting import pod_templates
from resources.history import writes
from resources.place import Place, place_of

ENVIRONMENT, FILES = "environment", "files"
#: Workloads of each type to choose from.
_MAX_WORKLOADS = 500
_DNS_LABEL_LENGTH = 63


class CannotAdd(ValueError):
    """Why it can't be added, in words for the user; `field`: whose input is wrong, '' for none."""

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(words)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """The Secret or ConfigMap."""

    kind: str
    name: str

    @property
    def volume(self) -> dict[str, Any]:
        """The fields of a Volume, without its name."""
        return {"secret": {"secretName": self.name}} if self.kind == "Secret" else {"configMap": {"name": self.name}}

    @property
    def volume_name(self) -> str:
        """A DNS label of the object's name, which may be longer and may contain dots."""
        return re.sub(r"[^a-z0-9-]", "-", f"{self.kind.lower()}-{self.name}")[:_DNS_LABEL_LENGTH].rstrip("-")


class WorkloadSourceForm(forms.Form):
    """What is typed; `workloads`: (plural/name, label) of those to choose from."""

    workload = forms.ChoiceField(error_messages={"required": gettext_lazy("Select a workload.")})
    container = forms.CharField(required=False, max_length=63)
    use = forms.ChoiceField(
        choices=[
            (ENVIRONMENT, gettext_lazy("Environment variables")),
            (FILES, gettext_lazy("Files in a volume")),
        ],
        initial=ENVIRONMENT,
    )
    key_prefix = forms.CharField(
        required=False,
        max_length=253,
        validators=[
            RegexValidator(
                r"^[A-Za-z_][A-Za-z0-9_.-]*$",
                gettext_lazy("Use letters, digits, “_”, “-” and “.”; don't begin with a digit."),
            )
        ],
    )
    path = forms.CharField(required=False, max_length=1024)

    def __init__(self, data: Any, workloads: list[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["workload"].choices = workloads  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        path = found.get("path", "")
        if found.get("use") == FILES and "path" not in self.errors and (not path.startswith("/") or ":" in path):
            self.add_error("path", _("Enter an absolute path without “:”, such as /etc/settings."))
        return found


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The form; a POST changes the workload, whose controller replaces its Pods."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.group or place.type.kind not in ("Secret", "ConfigMap"):
        words = _("Only Secrets and ConfigMaps can be added to a workload; %(kind)s can't.")
        raise NotFound(words % {"kind": place.type.kind})
    place.get(request.cluster)
    types = _types(request.cluster)
    workloads = _workloads(request.cluster, types, namespace)
    form = WorkloadSourceForm(request.POST if request.method == "POST" else None, workloads)
    if request.method != "POST":
        return _page(request, place, form)
    return _save(request, place, form, types) if form.is_valid() else _page(request, place, form, status=422)


def _page(
    request: ConsoleRequest, place: Place, form: WorkloadSourceForm, problem: Problem | None = None, status: int = 200
) -> HttpResponse:
    context = {"place": place, "form": form, "problem": problem}
    return render.page(request, "resources/add_to_workload.html", context, status=status)


def _types(client: ClusterClient) -> dict[str, ResourceType]:
    """Types that can be given one, as far as the cluster serves them, by their plurals."""
    served = {}
    for group, kind in pod_templates.PATHS:
        with suppress(KubeError):
            type_ = client.find_kind(group, kind)
            served[type_.plural] = type_
    return served


def _workloads(client: ClusterClient, types: Mapping[str, ResourceType], namespace: str) -> list[tuple[str, str]]:
    """Those that the user can list, at most _MAX_WORKLOADS of each type."""
    found = []
    for plural, type_ in types.items():
        try:
            listed = client.list(type_, namespace, limit=_MAX_WORKLOADS).items
        except KubeError:
            # Not the user's to list.
            continue
        found += [(f"{plural}/{name_of(item)}", f"{type_.kind} {name_of(item)}") for item in listed]
    return found


def _save(
    request: ConsoleRequest, place: Place, form: WorkloadSourceForm, types: Mapping[str, ResourceType]
) -> HttpResponse:
    client = request.cluster
    plural, _slash, name = form.cleaned_data["workload"].partition("/")
    workload = Place(types[plural], place.namespace, name)
    path = pod_templates.path_of(workload.type)
    try:
        before = workload.get(client)
        changes = _changes(pod_templates.spec_of(before, path), place, form.cleaned_data)
        change = pod_templates.patch(before, path, changes)
        with audit.recorded(request, "set", workload.ref):
            after = client.patch(workload.type, workload.name, change, workload.namespace)
    except CannotAdd as error:
        form.add_error(error.field or None, str(error))
        return _page(request, place, form, status=422)
    except KubeError as error:
        problem = explain(error)
        return _page(request, place, form, problem, problem.status)
    back = writes.wrote(client, "set", workload, before, after)
    words = _("%(source)s “%(name)s” added to %(kind)s “%(workload)s”.")
    words %= {
        "source": place.type.kind,
        "name": place.name,
        "kind": workload.type.kind,
        "workload": workload.name,
    }
    writes.add_message(request, f"{words} {pod_templates.effect(workload.type)}", back)
    return HttpResponseRedirect(workload.url())


def _changes(pod_spec: Mapping[str, Any], place: Place, typed: dict[str, Any]) -> dict[str, Any]:
    source = DataSource(kind=place.type.kind, name=place.name)
    if typed["use"] == FILES:
        return as_files(pod_spec, source, container=typed["container"], path=typed["path"])
    return as_environment(pod_spec, source, container=typed["container"], prefix=typed["key_prefix"])


def as_environment(pod_spec: Mapping[str, Any], source: DataSource, *, container: str, prefix: str) -> dict[str, Any]:
    """The Pod template's changed fields. `container`: its name, '' for all. Raises CannotAdd."""
    entry = pod_templates.whole_entry(pod_templates.WholeSource(kind=source.kind, name=source.name, prefix=prefix))
    containers = []
    for item, is_chosen in _containers(pod_spec, container):
        present = items(item.get("envFrom"))
        if is_chosen and entry not in present:
            containers.append({**item, "envFrom": [*present, entry]})
        else:
            containers.append(dict(item))
    if containers == items(pod_spec.get("containers")):
        raise CannotAdd(_("The workload already has these environment variables."))
    return {"containers": containers}


def as_files(pod_spec: Mapping[str, Any], source: DataSource, *, container: str, path: str) -> dict[str, Any]:
    """As as_environment, but with a volume, mounted read-only at `path`."""
    volumes = [dict(volume) for volume in items(pod_spec.get("volumes"))]
    names = [volume.name for volume in read_list(volumes, Volume)]
    name = next((name for name, volume in zip(names, volumes, strict=True) if _is_of(volume, source)), "")
    if not name:
        name = _unused(source.volume_name, set(names))
        volumes.append({"name": name, **source.volume})
    containers = []
    for item, is_chosen in _containers(pod_spec, container):
        if not is_chosen:
            containers.append(dict(item))
            continue
        chosen = read(item, Container)
        if any(mount.mount_path.rstrip("/") == path.rstrip("/") for mount in chosen.volume_mounts):
            words = _("The container “%(name)s” already has a volume at this path.")
            raise CannotAdd(words % {"name": chosen.name}, "path")
        mount = {"name": name, "mountPath": path, "readOnly": True}
        containers.append({**item, "volumeMounts": [*items(item.get("volumeMounts")), mount]})
    return {"containers": containers, "volumes": volumes}


def _containers(pod_spec: Mapping[str, Any], wanted: str) -> list[tuple[Mapping[str, Any], bool]]:
    """Each container of the Pod template, and whether it is meant."""
    found = items(pod_spec.get("containers"))
    names = pod_templates.container_names(pod_spec, "containers")
    if wanted and wanted not in names:
        words = _("The workload has no container “%(name)s”. Its containers: %(names)s.")
        raise CannotAdd(words % {"name": wanted, "names": ", ".join(names)}, "container")
    return [(container, wanted in ("", name)) for container, name in zip(found, names, strict=True)]


def _is_of(volume: Mapping[str, Any], source: DataSource) -> bool:
    """Whether the volume has all keys of the source, and nothing else."""
    return {key: value for key, value in volume.items() if key != "name"} in (
        source.volume,
        # As the API server completes it.
        {key: {**value, "defaultMode": 0o644} for key, value in source.volume.items()},
    )


def _unused(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"-{number}"
        free = name[: _DNS_LABEL_LENGTH - len(ending)] + ending
    return free

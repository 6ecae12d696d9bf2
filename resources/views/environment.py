"""…/<object>/environment/: the environment variables of a workload's containers, edited in rows."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import Forbidden, Invalid, KubeError, NotFound
from kube.objects import KubeObject
from resources.acting import pod_templates
from resources.acting.pod_templates import (
    CONFIG_MAP,
    OTHER,
    POD_FIELD,
    RESOURCE,
    SECRET,
    VALUE,
    Environment,
    Variable,
    WholeSource,
)
from resources.history import writes
from resources.place import Place, place_of
from resources.writing import pickers

#: Kinds of objects that have values, and their types.
_OBJECTS = {SECRET: "secrets", CONFIG_MAP: "configmaps"}
#: Where the API server says that a row is wrong: spec.template.spec.containers[0].env[2].name
_CAUSE = re.compile(r"\.(?P<part>containers|initContainers)\[(?P<at>\d+)\]\.(?P<list>env|envFrom)\[(?P<row>\d+)\]")


class VariableForm(forms.Form):
    """One variable. Empty rows are left out."""

    name = forms.CharField(
        required=False,
        max_length=1000,
        # As the API server since Kubernetes 1.34; an older one takes fewer characters.
        validators=[RegexValidator(r"^[ -<>-~]+$", gettext_lazy("Use letters, digits and signs other than “=”."))],
    )
    source = forms.ChoiceField(
        choices=[
            (VALUE, gettext_lazy("Value")),
            (SECRET, gettext_lazy("Key of a Secret")),
            (CONFIG_MAP, gettext_lazy("Key of a ConfigMap")),
            (POD_FIELD, gettext_lazy("Field of the Pod")),
            (RESOURCE, gettext_lazy("Resource of the container")),
            (OTHER, gettext_lazy("Set in YAML")),
        ],
        initial=VALUE,
    )
    source_name = forms.CharField(required=False, max_length=253)
    value = forms.CharField(required=False, strip=False)
    was = forms.CharField(required=False, max_length=1000)

    @property
    def is_empty(self) -> bool:
        return not any(self.data.get(field) for field in ("name", "source_name", "value"))

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        source = found.get("source")
        if not found.get("name"):
            self.add_error("name", _("Enter a name."))
        if source in _OBJECTS and not found.get("source_name"):
            self.add_error("source_name", _("Enter the name of the %(kind)s.") % {"kind": source})
        if source == OTHER and not found.get("was"):
            self.add_error("source", _("Select the source of the value."))
        if source not in (VALUE, OTHER) and not found.get("value"):
            self.add_error("value", _("This field is required."))
        return found

    @property
    def variable(self) -> Variable:
        typed = self.cleaned_data
        return Variable(
            name=typed["name"],
            source=typed["source"],
            source_name=typed["source_name"] if typed["source"] in _OBJECTS else "",
            value="" if typed["source"] == OTHER else typed["value"].replace("\r\n", "\n"),
            was=typed["was"],
        )


class WholeSourceForm(forms.Form):
    """An object all of whose keys are variables. Empty rows are left out."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in (CONFIG_MAP, SECRET)], initial=CONFIG_MAP)
    name = forms.CharField(required=False, max_length=253)
    key_prefix = forms.CharField(required=False, max_length=253)

    @property
    def is_empty(self) -> bool:
        return not any(self.data.get(field) for field in ("name", "key_prefix"))

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if not found.get("name"):
            self.add_error("name", _("Enter the name of the %(kind)s.") % {"kind": found.get("kind", "")})
        return found

    @property
    def whole_source(self) -> WholeSource:
        typed = self.cleaned_data
        return WholeSource(kind=typed["kind"], name=typed["name"], prefix=typed["key_prefix"])


@dataclass(frozen=True, slots=True)
class ContainerForms:
    """The rows of one container."""

    container: str
    variables: tuple[VariableForm, ...]
    whole_sources: tuple[WholeSourceForm, ...]

    @property
    def forms(self) -> "Iterable[VariableForm | WholeSourceForm]":
        return (*self.variables, *self.whole_sources)

    @property
    def variable_rows(self) -> tuple[VariableForm, ...]:
        """With an empty one to fill in; so have whole_source_rows."""
        return (*self.variables, VariableForm())

    @property
    def whole_source_rows(self) -> tuple[WholeSourceForm, ...]:
        return (*self.whole_sources, WholeSourceForm())

    @property
    def environment(self) -> Environment:
        return Environment(
            container=self.container,
            variables=tuple(form.variable for form in self.variables),
            whole_sources=tuple(form.whole_source for form in self.whole_sources),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentPage:
    """`read`: the digest of the variables that the rows were made of. `names`: of Secrets and ConfigMaps, by kind."""

    place: Place
    containers: tuple[ContainerForms, ...]
    read: str
    names: Mapping[str, tuple[str, ...]]
    problem: Problem | None = None


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The rows; a POST saves them, or adds an empty one (`more`)."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if not pod_templates.path_of(place.type):
        words = _("Only workloads have environment variables that can be changed; %(kind)s doesn't.")
        raise NotFound(words % {"kind": place.type.kind})
    obj = place.get(request.cluster)
    pod_spec = pod_templates.spec_of(obj, pod_templates.path_of(place.type))
    present = pod_templates.environments(pod_spec)
    if request.method != "POST":
        return _page(request, place, pod_spec, tuple(_stored(item) for item in present))
    typed = tuple(_typed(request.POST, item.container) for item in present)
    if "more" in request.POST:
        return _page(request, place, pod_spec, typed)
    if not all(form.is_valid() for container in typed for form in container.forms):
        return _page(request, place, pod_spec, typed, status=422)
    if request.POST.get("read") != pod_templates.environment_digest(pod_spec):
        return _page(request, place, pod_spec, typed, _changed_meanwhile())
    if not _has_sources(request.cluster, place, typed, present):
        return _page(request, place, pod_spec, typed, status=422)
    return _save(request, place, obj, typed)


def _stored(present: Environment) -> ContainerForms:
    return ContainerForms(
        present.container,
        tuple(VariableForm(initial=asdict(variable)) for variable in present.variables),
        tuple(
            WholeSourceForm(initial={"kind": source.kind, "name": source.name, "key_prefix": source.prefix})
            for source in present.whole_sources
        ),
    )


def _typed(post: QueryDict, container: str) -> ContainerForms:
    """The rows of one container, without those that are empty."""
    variables = [VariableForm(row) for row in _rows(post, f"{container}-variable", VariableForm.base_fields)]
    sources = [WholeSourceForm(row) for row in _rows(post, f"{container}-whole", WholeSourceForm.base_fields)]
    return ContainerForms(
        container,
        tuple(form for form in variables if not form.is_empty),
        tuple(form for form in sources if not form.is_empty),
    )


def _rows(post: QueryDict, prefix: str, fields: Iterable[str]) -> list[dict[str, str]]:
    """Each field is sent once a row."""
    columns = {field: post.getlist(f"{prefix}-{field}") for field in fields}
    return [dict(zip(columns, row, strict=True)) for row in zip_longest(*columns.values(), fillvalue="")]


def _page(
    request: ConsoleRequest,
    place: Place,
    pod_spec: Mapping[str, Any],
    containers: tuple[ContainerForms, ...],
    problem: Problem | None = None,
    status: int = 200,
) -> HttpResponse:
    page = EnvironmentPage(
        place=place,
        containers=containers,
        read=pod_templates.environment_digest(pod_spec),
        names={kind: _names(request.cluster, place, plural) for kind, plural in _OBJECTS.items()},
        problem=problem,
    )
    status = problem.status if problem else status
    return render.page(request, "resources/environment.html", {"page": page}, status=status)


def _names(client: ClusterClient, place: Place, plural: str) -> tuple[str, ...]:
    try:
        return pickers.names(client, client.find("", "v1", plural), place.namespace).names
    except KubeError:
        # They can be typed all the same.
        return ()


def _changed_meanwhile() -> Problem:
    return Problem(
        status=409,
        title=_("Another user changed these variables"),
        advice=_("Your input is still here. If you save again, it replaces the other user's change."),
        detail="",
    )


def _has_sources(
    client: ClusterClient, place: Place, typed: Iterable[ContainerForms], present: Iterable[Environment]
) -> bool:
    """Whether the objects and keys of new rows exist, as far as the user may read them; else they have an error."""
    known = {item.container: item for item in present}
    right = True
    for container in typed:
        before = known[container.container]
        for form in container.variables:
            variable = form.variable
            if variable.source in _OBJECTS and variable not in before.variables:
                error = _key_error(client, place, variable)
                if error:
                    form.add_error(*error)
                    right = False
        for source_form in container.whole_sources:
            source = source_form.whole_source
            if source not in before.whole_sources and _keys(client, place, source.kind, source.name) is None:
                source_form.add_error("name", _not_there(source.kind, source.name))
                right = False
    return right


def _key_error(client: ClusterClient, place: Place, variable: Variable) -> tuple[str, str] | None:
    """The field and what is wrong with it."""
    keys = _keys(client, place, variable.source, variable.source_name)
    if keys is None:
        return "source_name", _not_there(variable.source, variable.source_name)
    if keys and variable.value not in keys:
        words = _("%(kind)s “%(name)s” has no such key. Its keys: %(keys)s.")
        names = {"kind": variable.source, "name": variable.source_name, "keys": ", ".join(keys)}
        return "value", words % names
    return None


def _not_there(kind: str, name: str) -> str:
    return _("There is no %(kind)s “%(name)s” in this namespace.") % {"kind": kind, "name": name}


def _keys(client: ClusterClient, place: Place, kind: str, name: str) -> tuple[str, ...] | None:
    """None where the object doesn't exist; () where the user can't read its keys."""
    try:
        return pickers.keys(client, client.find("", "v1", _OBJECTS[kind]), place.namespace, name).names
    except NotFound:
        return None
    except Forbidden:
        return ()


def _save(request: ConsoleRequest, place: Place, before: KubeObject, typed: tuple[ContainerForms, ...]) -> HttpResponse:
    client, path = request.cluster, pod_templates.path_of(place.type)
    pod_spec = pod_templates.spec_of(before, path)
    changes = pod_templates.environment_changes(pod_spec, [container.environment for container in typed])
    if not changes:
        return HttpResponseRedirect(place.url())
    try:
        with audit.recorded(request, "set", place.ref):
            after = client.patch(place.type, place.name, pod_templates.patch(before, path, changes), place.namespace)
    except Invalid as error:
        if _show_causes(error, pod_spec, typed):
            return _page(request, place, pod_spec, typed, status=422)
        return _page(request, place, pod_spec, typed, explain(error))
    except KubeError as error:
        return _page(request, place, pod_spec, typed, explain(error))
    back = writes.wrote(client, "set", place, before, after)
    words = _("Environment variables of %(kind)s “%(name)s” saved.") % {"kind": place.type.kind, "name": place.name}
    writes.add_message(request, f"{words} {pod_templates.effect(place.type)}", back)
    return HttpResponseRedirect(place.url())


def _show_causes(error: Invalid, pod_spec: Mapping[str, Any], typed: Iterable[ContainerForms]) -> bool:
    """Puts each cause at its row; False where one belongs to none."""
    rows = {container.container: container for container in typed}
    for cause in error.causes:
        found = _CAUSE.search(cause.field)
        if not found:
            return False
        container = rows[pod_templates.container_names(pod_spec, found["part"])[int(found["at"])]]
        forms_of_list = container.variables if found["list"] == "env" else container.whole_sources
        forms_of_list[int(found["row"])].add_error("name", cause.message)
    return bool(error.causes)

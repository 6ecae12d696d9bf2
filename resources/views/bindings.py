"""/resources/rbac.authorization.k8s.io/v1/rolebindings/new-binding/ and …/clusterrolebindings/…: binds a role to
subjects.
"""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, KubeError, NotFound
from resources.place import Place, place_of
from resources.writing import bindings
from resources.writing.bindings import RoleBindingForm


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?namespace=`, `?role=Kind/name`, `?from=` a binding to begin with; a POST creates it, or adds (`more`) or
    takes away (`less`) a subject. A binding with more subjects than the form has rows is continued as YAML.
    """
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    if place.type.group != bindings.GROUP or place.type.kind not in bindings.FORMS:
        raise NotFound(_("Only role bindings grant roles; %(kind)s doesn't.") % {"kind": place.type.kind})
    form_class = bindings.FORMS[place.type.kind]
    if request.method != "POST":
        form = _begin(request, place)
        if len(form.rows) > form.max_rows:
            query = {"namespace": place.namespace} if place.namespace else {}
            return HttpResponseRedirect(place.kind_url("new-yaml", **query, **{"from": request.GET["from"]}))
        return _page(request, place, form)
    form = form_class(request.POST)
    if "more" in request.POST or request.POST.get("less"):
        return _page(request, place, form_class(initial=form.typed, rows=form.typed_rows))
    return _create(request, place, form) if form.is_valid() else _page(request, place, form)


def _begin(request: ConsoleRequest, place: Place) -> RoleBindingForm:
    if name := request.GET.get("from", ""):
        obj = Place(place.type, place.namespace, name).get(request.cluster)
        return bindings.from_binding(obj, place.type.kind)
    kind, _slash, role = request.GET.get("role", "").partition("/")
    role_kind = kind if kind in bindings.ROLES else bindings.CLUSTER_ROLE
    initial = {"namespace": place.namespace, "role_kind": role_kind, "role": role}
    return bindings.FORMS[place.type.kind](initial=initial)


def _create(request: ConsoleRequest, place: Place, form: RoleBindingForm) -> HttpResponse:
    obj = bindings.build(form.cleaned_data)
    made = Place(place.type, form.cleaned_data.get("namespace", ""), form.cleaned_data["name"])
    try:
        with audit.recorded(request, "create", made.ref):
            request.cluster.create(place.type, obj, made.namespace)
    except KubeError as error:
        if words := name_error(error):
            form.add_error("name", words)
        return _page(request, place, form, None if words else explain(error))
    names = {"kind": place.type.kind, "name": made.name}
    messages.success(request, _("%(kind)s “%(name)s” created.") % names)
    return HttpResponseRedirect(made.url())


def name_error(error: KubeError) -> str:
    """Why the API server refuses the name of a new object; '' where it refuses something else."""
    if isinstance(error, AlreadyExists):
        return explain(error).title
    return "; ".join(cause.message for cause in error.causes if cause.field == "metadata.name")


def _page(request: ConsoleRequest, place: Place, form: RoleBindingForm, problem: Problem | None = None) -> HttpResponse:
    roles = bindings.roles(request.cluster, form.typed.get("namespace") or "")
    context = {"place": place, "form": form, "roles": roles, "problem": problem}
    status = problem.status if problem else 422 if form.is_bound and not form.is_valid() else 200
    return render.page(request, "resources/binding_new.html", context, status=status)

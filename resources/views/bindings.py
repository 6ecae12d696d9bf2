"""/resources/rbac.authorization.k8s.io/v1/rolebindings/new-binding/ and …/clusterrolebindings/…: binds a role to
subjects.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Invalid, KubeError, NotFound
from resources.place import Place, place_of
from resources.writing import bindings
from resources.writing.bindings import ROLES, SUBJECTS, BindingInput, Subject

_MOST = 100


@dataclass(frozen=True, slots=True)
class SubjectLine:
    number: int
    subject: Subject
    error: str
    namespace_error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingPage:
    """`roles`: (kind, name) to choose from."""

    place: Place
    typed: BindingInput
    roles: tuple[tuple[str, str], ...]
    errors: Mapping[str, str]
    problem: Problem | None = None
    subject_kinds: tuple[str, ...] = SUBJECTS

    @property
    def role_kinds(self) -> tuple[str, ...]:
        return ROLES[:1] if self.typed.whole else ROLES

    @property
    def lines(self) -> tuple[SubjectLine, ...]:
        get = self.errors.get
        return tuple(
            SubjectLine(number, subject, get(f"subject-{number}", ""), get(f"subject-{number}-namespace", ""))
            for number, subject in enumerate(self.typed.subjects)
        )


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?namespace=`, `?role=Kind/name`, `?from=` a binding to begin with; a POST creates it, or adds (`more`) or
    takes away (`less`) a subject.
    """
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    if place.type.group != bindings.GROUP or place.type.kind not in ("RoleBinding", "ClusterRoleBinding"):
        raise NotFound(_("Only role bindings grant roles; %(kind)s doesn't.") % {"kind": place.type.kind})
    if request.method != "POST":
        return _page(request, place, _begin(request, place))
    typed, post = _typed(request, place), request.POST
    if "more" in post:
        return _page(request, place, replace(typed, subjects=(*typed.subjects, Subject())[:_MOST]))
    if less := post.get("less", ""):
        left = tuple(subject for number, subject in enumerate(typed.subjects) if str(number) != less)
        return _page(request, place, replace(typed, subjects=left or (Subject(),)))
    if errors := bindings.problems(typed):
        return _page(request, place, typed, errors)
    return _create(request, place, typed)


def _begin(request: ConsoleRequest, place: Place) -> BindingInput:
    if name := request.GET.get("from", ""):
        return bindings.from_binding(
            {**Place(place.type, place.namespace, name).get(request.cluster), "kind": place.type.kind}
        )
    kind, _slash, role = request.GET.get("role", "").partition("/")
    whole = place.type.kind == "ClusterRoleBinding"
    return BindingInput(
        whole=whole,
        namespace="" if whole else place.namespace,
        name="",
        role_kind=kind if kind in ROLES else "ClusterRole",
        role=role,
    )


def _typed(request: ConsoleRequest, place: Place) -> BindingInput:
    post = request.POST
    whole = place.type.kind == "ClusterRoleBinding"
    count = int(post["rows"]) if post.get("rows", "").isdecimal() and len(post["rows"]) < 6 else 1
    subjects = tuple(
        Subject(
            kind if (kind := post.get(f"kind-{number}", "")) in SUBJECTS else "User",
            post.get(f"subject-{number}", "").strip(),
            post.get(f"namespace-{number}", "").strip(),
        )
        for number in range(min(count, _MOST))
    )
    kind = post.get("role-kind", "")
    return BindingInput(
        whole=whole,
        namespace="" if whole else post.get("namespace", "").strip(),
        name=post.get("name", "").strip(),
        role_kind=kind if kind in ROLES else "ClusterRole",
        role=post.get("role", "").strip(),
        subjects=subjects or (Subject(),),
    )


def _create(request: ConsoleRequest, place: Place, typed: BindingInput) -> HttpResponse:
    made = Place(place.type, typed.namespace, typed.name)
    try:
        with audit.recorded(request, "create", made.ref):
            request.cluster.create(place.type, bindings.build(typed), typed.namespace)
    except KubeError as error:
        errors: dict[str, str] = {}
        if isinstance(error, AlreadyExists):
            errors["name"] = explain(error).title
        elif isinstance(error, Invalid):
            of_name = [cause.message for cause in error.causes if cause.field == "metadata.name"]
            errors = {"name": "; ".join(of_name)} if of_name else {}
        return _page(request, place, typed, errors, None if errors else explain(error))
    names = {"kind": place.type.kind, "name": typed.name}
    messages.success(request, _("%(kind)s “%(name)s” created.") % names)
    return HttpResponseRedirect(made.url())


def _page(
    request: ConsoleRequest,
    place: Place,
    typed: BindingInput,
    errors: Mapping[str, str] | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    offered = bindings.roles(request.cluster, typed.namespace, typed.whole)
    page = BindingPage(place=place, typed=typed, roles=offered, errors=errors or {}, problem=problem)
    status = problem.status if problem else 422 if errors else 200
    return render.page(request, "resources/binding_new.html", {"page": page}, status=status)

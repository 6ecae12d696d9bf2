"""/operators/<namespace>/groups/: the OperatorGroup of a namespace: what its operators watch, changed with its
consequences in view.
"""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from operatorhub import olm
from operatorhub.admin import groups as subject
from operatorhub.views.deletion import Deletion, Line, ask
from resources import live_topics


def _refused(request: ConsoleRequest, verb: str, namespace: str, name: str = "") -> str:
    return refusal(request.cluster, verb, olm.type_of(request.cluster, olm.GROUPS), namespace, name)


@require_safe
def groups(request: ConsoleRequest, namespace: str) -> HttpResponse:
    """Live by the namespace's groups and CSVs."""
    page = subject.read(request.cluster, namespace)
    context = {
        "page": page,
        "topics": live_topics.topics(request.cluster, *olm.type_names(olm.GROUPS, olm.CSVS), namespace=namespace),
        "create_refused": _refused(request, "create", namespace),
        "edit_refused": _refused(request, "patch", namespace),
    }
    return render.page(request, "operatorhub/groups.html", context, part=True)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, namespace: str, name: str = "") -> HttpResponse:
    """Create or edit a group. `try` does a dry run, `save` saves it."""
    page = subject.read(request.cluster, namespace)
    old = next((group for group in page.groups if group.name == name), None)
    if name and old is None:
        raise NotFound(
            _("The OperatorGroup “%(name)s” doesn't exist in the namespace “%(namespace)s”.")
            % {"name": name, "namespace": namespace}
        )
    form = subject.OperatorGroupForm(request.POST if request.method == "POST" else None, namespace, old)
    problem = None
    if form.is_valid():
        problem = _send(request, form)
        if problem is None and "save" in request.POST:
            messages.success(request, _("OperatorGroup “%(name)s” saved.") % {"name": form.cleaned_data["name"]})
            return HttpResponseRedirect(reverse("operatorhub:groups", args=[namespace]))
    context = {
        "page": page,
        "old": old,
        "form": form,
        "problem": problem,
        "namespace": namespace,
        "effects": subject.effects(page, form) if form.is_valid() else (),
        "kubectl": subject.kubectl(form) if form.is_valid() else "",
        "refused": _refused(request, "patch" if old else "create", namespace, name),
    }
    status = problem.status if problem else 422 if form.errors else 200
    return render.page(request, "operatorhub/group.html", context, status=status)


def _send(request: ConsoleRequest, form: subject.OperatorGroupForm) -> Problem | None:
    """Saved, or tried as a dry run."""
    is_dry_run, ref = "save" not in request.POST, olm.ref(olm.GROUPS, form.namespace, form.cleaned_data["name"])
    try:
        with audit.recorded(request, "patch" if form.old else "create", ref, dry_run=is_dry_run):
            subject.save(request.cluster, form, dry_run=is_dry_run)
    except KubeError as error:
        return explain(error)
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Without a group OLM installs and updates nothing in the namespace."""
    page = subject.read(request.cluster, namespace)
    old = next((group for group in page.groups if group.name == name), None)
    if old is None:
        return HttpResponseRedirect(reverse("operatorhub:groups", args=[namespace]))
    problem = None
    if request.method == "POST":
        try:
            with audit.recorded(request, "delete", olm.ref(olm.GROUPS, namespace, name)):
                subject.delete(request.cluster, old, request.POST.get("uid", ""))
        except KubeError as error:
            problem = explain(error)
        if problem is None:
            messages.success(request, _("OperatorGroup “%(name)s” deleted.") % {"name": name})
            return HttpResponseRedirect(reverse("operatorhub:groups", args=[namespace]))
    back = reverse("operatorhub:groups", args=[namespace])
    # Without its group each operator of the namespace fails; with another group left, OLM begins to work again.
    members = () if len(page.groups) > 1 else page.members
    return ask(
        request,
        Deletion(
            title=_("Delete OperatorGroup %(name)s?") % {"name": name},
            trail=(
                Line(_("Installed operators"), reverse("operatorhub:installed")),
                Line(_("Operator groups"), back),
                Line(name, reverse("operatorhub:group", args=[namespace, name])),
            ),
            submit=_("Delete"),
            back=back,
            effects=(Line(_deletion_effect(len(page.groups), len(members))),),
            affected=tuple(Line(member.title) for member in members),
            way="group",
            uid=old.uid,
            kubectl=f"kubectl delete {olm.GROUPS}.{olm.GROUP} {name} -n {namespace}",
            refused=_refused(request, "delete", namespace, name),
            problem=problem,
        ),
    )


def _deletion_effect(groups: int, members: int) -> str:
    if groups > 1:
        return _(
            "The namespace still has another OperatorGroup. OLM resumes in this namespace when only one OperatorGroup "
            "is left."
        )
    if members:
        return _("These operators lose their watched namespaces. OLM marks them as failed and no longer updates them:")
    return _("This namespace has no operators. OLM installs nothing here until there is an OperatorGroup again.")

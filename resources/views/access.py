"""/resources/core/v1/namespaces/-/<name>/access/: who has access to a namespace.

Below it are the pages that give access and take it away.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Page
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.signin.impersonation import can_impersonate
from console.web import audit, render
from console.web.access import AccessRequest, can
from console.web.errors import Problem, explain
from console.web.render import paginate
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import AlreadyExists, Conflict, Forbidden, KubeError, NotFound
from kube.objects import KubeObject, items, uid_of
from resources.access import (
    ACCOUNT,
    CHOICES,
    CUSTOM,
    GROUP,
    KINDS,
    LEVEL_LABELS,
    OTHER_ROLES,
    USER,
    GrantForm,
    Member,
    NamespaceAccess,
    RoleGrant,
    Subject,
    level_sentences,
    read_access,
    read_role,
    role_bindings,
    role_names,
    role_sentences,
    without,
)
from resources.history import writes
from resources.place import Place, place_of
from resources.writing.bindings import GROUP as RBAC

_MAX_TRIES = 9


@dataclass(frozen=True, slots=True)
class Filter:
    """A chip above the table."""

    label: str
    count: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class GrantRow:
    """`remove_url`: '' where this user can't take it away here."""

    grant: RoleGrant
    binding_url: str
    role_url: str
    remove_url: str = ""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """`preview_url`: '' where this user can't act as others. `is_reader`: it's the reader."""

    member: Member
    grants: tuple[GrantRow, ...]
    preview_url: str = ""
    is_reader: bool = False

    @property
    def marks(self) -> tuple[tuple[str, str, str], ...]:
        """(level, its label, mark), for each column."""
        labels = {**LEVEL_LABELS, CUSTOM: _("Custom")}
        return tuple((level, str(labels[level]), mark) for level, mark in self.member.marks)


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of one kind on this page; `count`: on all pages."""

    kind: str
    label: str
    count: int
    rows: tuple[MemberRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPage:
    """`request`: the text for an administrator, where access can't be seen or given. `hidden_system`: rows left out."""

    place: Place
    access: NamespaceAccess
    sections: tuple[Section, ...] = ()
    filters: tuple[Filter, ...] = ()
    query: str = ""
    kind: str = ""
    can_give: bool = False
    request: AccessRequest | None = None
    hidden_system: int = 0
    system_url: str = ""
    shown: "Page[Member] | None" = None
    previous_url: str = ""
    next_url: str = ""

    @property
    def give_url(self) -> str:
        return self.place.url("access-give")

    @property
    def kubectl(self) -> str:
        return f"kubectl get rolebindings -n {self.place.name} -o wide"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleCard:
    """`field`: where its name is typed, with `offers` to choose from; None where it is known."""

    choice: str
    label: str
    words: tuple[str, ...]
    field: forms.BoundField | None = None
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePage:
    """`binding`: the RoleBinding's place; `others`: how many stay in it."""

    place: Place
    binding: Place
    subject: Subject
    role: str
    others: int
    version: str
    problem: Problem | None = None

    @property
    def way(self) -> str:
        """How it is undone, for console/_undo.html."""
        return "back" if self.others else "again"

    @property
    def kubectl(self) -> str:
        if not self.others:
            return f"kubectl delete {self.binding.kubectl}"
        return f"kubectl edit {self.binding.kubectl}"


@require_safe
def access(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?q=` a part of a name, `?kind=`, `?system=1` with the control plane's own, `?page=`."""
    place = _namespace(request, group, version, plural, name)
    client = request.cluster
    found = read_access(client, name)
    can_give = _can(client, "create", name)
    missing: tuple[str, ...] = ()
    if found.refused:
        missing = (_("See who has access"),)
    elif not can_give:
        missing = (_("Give others access"),)
    ask = (
        AccessRequest(user=client.user, cluster=client.name, namespace=name, role="admin", missing=missing)
        if missing
        else None
    )
    page = _shown(request, AccessPage(place=place, access=found, can_give=can_give, request=ask))
    return render.page(request, "resources/access.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def give(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The form; a POST creates the RoleBinding."""
    place = _namespace(request, group, version, plural, name)
    form = GrantForm(name, request.POST if request.method == "POST" else None)
    return _give(request, place, form) if form.is_valid() else _give_page(request, place, form)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """Asks for confirmation; a POST removes the subject from the binding, or deletes one without other subjects."""
    place = _namespace(request, group, version, plural, name)
    binding = Place(role_bindings(request.cluster), name, request.GET.get("binding", ""))
    subject = _asked(request, name)
    obj = binding.get(request.cluster)
    left = without(obj, subject)
    role = str((obj.get("roleRef") or {}).get("name") or "")
    if len(left) == len(obj.get("subjects") or ()):
        messages.info(request, _("“%(name)s” no longer has this access.") % {"name": subject.label})
        return HttpResponseRedirect(place.url("access"))
    page = RemovePage(
        place=place,
        binding=binding,
        subject=subject,
        role=role,
        others=len(left),
        version=str(obj["metadata"].get("resourceVersion") or ""),
    )
    if request.method != "POST":
        return render.page(request, "resources/access_remove.html", {"page": page})
    return _remove(request, page, obj, left)


def _namespace(request: ConsoleRequest, group: str, version: str, plural: str, name: str) -> Place:
    """Of a namespace that is there, as far as this user can tell."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace="-", name=name)
    if (place.type.group, place.type.kind) != ("", "Namespace"):
        raise NotFound(_("Only namespaces have an access page; %(kind)s has none.") % {"kind": place.type.kind})
    with suppress(Forbidden):
        place.get(request.cluster)
    return place


def _can(client: ClusterClient, verb: str, namespace: str) -> bool:
    try:
        return can(client, verb, role_bindings(client), namespace).allowed
    except KubeError:
        return True  # The page behind it tells.


def _shown(request: ConsoleRequest, page: AccessPage) -> AccessPage:
    """The part of the members that was asked for."""
    query, kind = request.GET.get("q", "").strip()[:200], request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    asked = {"q": query, "kind": kind, "system": request.GET.get("system", "")}

    def url(**changed: str) -> str:
        parameters = {key: value for key, value in {**asked, **changed}.items() if value}
        return f"?{urlencode(parameters)}" if parameters else "?"

    known = page.access.members
    members = known if asked["system"] == "1" else tuple(member for member in known if not member.is_system)
    named = tuple(member for member in members if query.casefold() in member.subject.label.casefold())
    filters = [Filter(_("Everyone"), len(named), url(kind=""), not kind)]
    counts = {}
    for each, label in _labels().items():
        counts[each] = sum(member.subject.kind == each for member in named)
        filters.append(Filter(label, counts[each], url(kind=each), kind == each))
    chosen = tuple(member for member in named if kind in ("", member.subject.kind))
    shown = paginate(request, chosen)
    rows = _rows(request.cluster, page.place, tuple(shown))
    sections = tuple(
        Section(each, label, counts[each], tuple(row for row in rows if row.member.subject.kind == each))
        for each, label in _labels().items()
    )
    return replace(
        page,
        sections=tuple(section for section in sections if section.rows),
        filters=tuple(filters),
        query=query,
        kind=kind,
        hidden_system=len(known) - len(members),
        system_url=url(system="1"),
        shown=shown,
        previous_url=url(page=str(shown.previous_page_number())) if shown.has_previous() else "",
        next_url=url(page=str(shown.next_page_number())) if shown.has_next() else "",
    )


def _labels() -> dict[str, str]:
    return {USER: _("People"), GROUP: _("Groups"), ACCOUNT: _("Service accounts")}


def _rows(client: ClusterClient, place: Place, members: tuple[Member, ...]) -> tuple[MemberRow, ...]:
    own, everywhere = role_bindings(client), client.find(RBAC, "v1", "clusterrolebindings")
    roles = {kind: client.find_kind(RBAC, kind) for kind in ("ClusterRole", "Role")}
    may_remove = _can(client, "update", place.name) or _can(client, "delete", place.name)
    may_preview = not client.by and can_impersonate(client)

    def row(member: Member, grant: RoleGrant) -> GrantRow:
        binding = Place(everywhere, "", grant.binding) if grant.everywhere else Place(own, place.name, grant.binding)
        role_type = roles.get(grant.role_kind)
        role = Place(role_type, place.name if role_type.namespaced else "", grant.role).url() if role_type else ""
        subject = member.subject
        query = {"binding": grant.binding, "kind": subject.kind, "name": subject.name, "home": subject.namespace}
        url = "" if grant.everywhere or not may_remove else place.url("access-remove", **query)
        return GrantRow(grant, binding.url(), role, url)

    return tuple(
        MemberRow(
            member,
            tuple(row(member, grant) for grant in member.grants),
            _preview_url(place, member.subject) if may_preview else "",
            is_reader=member.subject.user_name == client.user,
        )
        for member in members
    )


def _preview_url(place: Place, subject: Subject) -> str:
    who = {"group": subject.name} if subject.kind == GROUP else {"user": subject.user_name}
    return f"{reverse('signin:view-as')}?{urlencode({**who, 'next': place.url()})}"


def _give(request: ConsoleRequest, place: Place, form: GrantForm) -> HttpResponse:
    client, type_ = request.cluster, role_bindings(request.cluster)
    for number in range(1, _MAX_TRIES + 1):
        obj = form.binding(number)
        binding = Place(type_, place.name, obj["metadata"]["name"])
        try:
            made = client.create(type_, obj, place.name)
        except AlreadyExists as error:
            live = writes.current_object(client, binding) or {}
            if live.get("roleRef") == obj["roleRef"] and _has_subject(live, form.subject):
                words = _("“%(name)s” already has this role through the binding %(binding)s.")
                words %= {"name": form.subject.name, "binding": binding.name}
                form.add_error("name", words)
                return _give_page(request, place, form)
            if number == _MAX_TRIES:
                audit.record(request, "create", binding.ref, error.reason)
                return _give_page(request, place, form, problem=explain(error))
            continue
        except KubeError as error:
            audit.record(request, "create", binding.ref, error.reason)
            return _give_page(
                request, place, form, problem=_refusal(error, form), is_refused=isinstance(error, Forbidden)
            )
        audit.record(request, "create", binding.ref, "ok")
        back = writes.wrote(client, "create", binding, None, made)
        words = _("“%(name)s” now has the role “%(role)s” in %(namespace)s.")
        words %= {"name": form.subject.name, "role": form.cleaned_data["role"], "namespace": place.name}
        writes.add_message(request, words, back)
        break
    return HttpResponseRedirect(place.url("access"))


def _has_subject(binding: KubeObject, subject: Subject) -> bool:
    return len(without(binding, subject)) < len(items(binding.get("subjects")))


def _refusal(error: KubeError, form: GrantForm) -> Problem:
    """In plain words where the role would give more than the giver has."""
    problem = explain(error)
    if _is_escalation(error):
        title = _("You can't give the role “%(role)s”") % {"role": form.cleaned_data["role"]}
        advice = _("The role grants more permissions than you have. Choose a smaller role, or send the request below.")
        return replace(problem, title=title, advice=advice)
    return problem


def _is_escalation(error: KubeError) -> bool:
    """https://kubernetes.io/docs/reference/access-authn-authz/rbac/#restrictions-on-role-binding-creation-or-update"""
    return isinstance(error, Forbidden) and "not currently held" in error.message


def _give_page(
    request: ConsoleRequest, place: Place, form: GrantForm, problem: Problem | None = None, *, is_refused: bool = False
) -> HttpResponse:
    """`is_refused`: the page has a text for an administrator."""
    client = request.cluster
    context = {
        "place": place,
        "form": form,
        "cards": [_card(client, form, choice) for choice in CHOICES],
        "problem": problem,
        "text": form.request(client.user, client.name) if is_refused else "",
    }
    status = problem.status if problem else 422 if form.errors else 200
    return render.page(request, "resources/access_give.html", context, status=status)


def _card(client: ClusterClient, form: GrantForm, choice: str) -> RoleCard:
    label = str(CHOICES[choice])
    if choice in LEVEL_LABELS:
        role = read_role(client, choice)
        return RoleCard(choice=choice, label=label, words=role_sentences(role) if role else level_sentences(choice))
    kind = OTHER_ROLES[choice]
    words = _("Choose a role by name. Operators add roles for their own resource types.")
    if kind == "Role":
        words = _("Applies to this namespace only.")
    offers = role_names(client, kind, form.namespace if kind == "Role" else "")
    return RoleCard(choice=choice, label=label, words=(words,), field=form.role_field(choice), offers=offers)


def _asked(request: ConsoleRequest, namespace: str) -> Subject:
    get = request.GET
    kind = get.get("kind", "")
    return Subject(kind, get.get("name", ""), (get.get("home") or namespace) if kind == ACCOUNT else "")


def _remove(
    request: ConsoleRequest, page: RemovePage, obj: KubeObject, left: list[Mapping[str, object]]
) -> HttpResponse:
    """What the reader was asked about: its version is sent, and a newer one is a conflict."""
    client, binding = request.cluster, page.binding
    version = request.POST.get("version", "")
    verb = "patch" if left else "delete"
    try:
        after = None
        with audit.recorded(request, verb, binding.ref):
            if not version:
                raise Conflict(_("The form didn't include the binding's version. Reload the page."))
            if left:
                metadata = {**obj["metadata"], "resourceVersion": version}
                after = client.replace(binding.type, {**obj, "metadata": metadata, "subjects": left}, page.place.name)
            else:
                client.delete(binding.type, binding.name, page.place.name, uid=uid_of(obj), resource_version=version)
    except KubeError as error:
        problem = explain(error)
        if isinstance(error, Conflict):
            advice = _(
                "The binding %(name)s changed since you opened this page. Review its current state and try again."
            )
            problem = replace(problem, advice=advice % {"name": binding.name}, detail="")
        shown = replace(page, problem=problem)
        return render.page(request, "resources/access_remove.html", {"page": shown}, status=problem.status)
    back = writes.wrote(client, verb, binding, obj, after)
    words = _("“%(name)s” no longer has the role “%(role)s” in %(namespace)s.")
    words %= {"name": page.subject.label, "role": page.role, "namespace": page.place.name}
    writes.add_message(request, words, back)
    return HttpResponseRedirect(page.place.url("access"))

"""The form of a RoleBinding or ClusterRoleBinding: which role, where, for whom.

Pure but for the names of roles that are offered.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of
from kube.reader import read
from kube.types.cluster import RoleBinding

GROUP = "rbac.authorization.k8s.io"
USER, SERVICE_ACCOUNT = "User", "ServiceAccount"
SUBJECTS = (USER, "Group", SERVICE_ACCOUNT)
CLUSTER_ROLE, ROLE = "ClusterRole", "Role"
ROLES = (CLUSTER_ROLE, ROLE)
_OFFERED = 500


class RowForm(forms.Form):
    """A row of a RowsForm. Its number stands behind the names of its fields: kind-0."""

    def add_prefix(self, field_name: str) -> str:
        return f"{field_name}-{self.prefix}"


class RowsForm(forms.Form):
    """A form with as many rows as its data say (`rows`)."""

    row_class: type[RowForm]
    max_rows: int

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        initial: dict[str, Any] | None = None,
        rows: Iterable[dict[str, Any]] = ({},),
    ) -> None:
        super().__init__(data, files, initial=initial)
        if data is not None:
            text = data.get("rows", "")
            count = int(text) if text.isdecimal() and len(text) < 6 else 1
            rows = [{}] * max(1, min(count, self.max_rows))
        self.rows = [self.row_class(data, files, initial=row, prefix=str(n)) for n, row in enumerate(rows)]

    def is_valid(self) -> bool:
        # All, so that each row shows its errors.
        return all([super().is_valid(), *(row.is_valid() for row in self.rows)])

    @property
    def typed(self) -> dict[str, Any]:
        """For the `initial` of a form that shows the same, unchecked."""
        return {field.name: field.value() for field in self}

    @property
    def typed_rows(self) -> list[dict[str, Any]]:
        """The rows with another one (`more`), or without one (`less`: its number)."""
        left = [row for row in self.rows if row.prefix != self.data.get("less")]
        rows: list[dict[str, Any]] = [{field.name: field.value() for field in row} for row in left]
        if "more" in self.data or not rows:
            rows.append({})
        return rows[: self.max_rows]


class SubjectForm(RowForm):
    """`namespace`: of a service account. Rows without a subject are left out."""

    kind = forms.TypedChoiceField(
        choices=[(kind, kind) for kind in SUBJECTS], required=False, empty_value=USER, initial=USER
    )
    subject = forms.CharField(required=False)
    namespace = forms.CharField(required=False)


class RoleBindingForm(RowsForm):
    row_class = SubjectForm
    max_rows = 100

    namespace = forms.CharField(error_messages={"required": gettext_lazy("Choose a namespace.")})
    name = forms.CharField(max_length=253, error_messages={"required": gettext_lazy("Enter a name.")})
    role_kind = forms.TypedChoiceField(
        choices=[(kind, kind) for kind in ROLES], required=False, empty_value=CLUSTER_ROLE, initial=CLUSTER_ROLE
    )
    role = forms.CharField(error_messages={"required": gettext_lazy("Choose a role.")})

    def add_prefix(self, field_name: str) -> str:
        return field_name.replace("_", "-")

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("role") and found.get("role_kind") == ROLE and "namespace" not in self.fields:
            words = _("A Role applies only in its namespace. For the whole cluster, choose a ClusterRole.")
            self.add_error("role", words)
        subjects: list[dict[str, str]] = []
        for row in self.rows:
            if not row.is_valid() or not row.cleaned_data["subject"]:
                continue
            subject = dict(row.cleaned_data)
            if subject["kind"] == SERVICE_ACCOUNT and not (subject["namespace"] or found.get("namespace")):
                row.add_error("namespace", _("Enter the namespace of the service account."))
            if subject in subjects:
                row.add_error("subject", _("This subject is already listed."))
            subjects.append(subject)
        if not subjects:
            self.rows[0].add_error("subject", _("Enter who gets the role."))
        return {**found, "subjects": subjects}


class ClusterRoleBindingForm(RoleBindingForm):
    namespace = None  # type: ignore[assignment]


FORMS = {"RoleBinding": RoleBindingForm, "ClusterRoleBinding": ClusterRoleBindingForm}


def from_binding(obj: KubeObject, kind: str) -> RoleBindingForm:
    """With all of an existing binding but its name, to make another of it."""
    binding = read(obj, RoleBinding)
    initial = {
        "namespace": binding.metadata.namespace,
        "role_kind": binding.role_ref.kind or CLUSTER_ROLE,
        "role": binding.role_ref.name,
    }
    rows = [
        {"kind": subject.kind, "subject": subject.name, "namespace": subject.namespace} for subject in binding.subjects
    ]
    return FORMS[kind](initial=initial, rows=rows or [{}])


def build(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The object to create; a ClusterRoleBinding where `typed` has no namespace."""
    scope = {"namespace": typed["namespace"]} if "namespace" in typed else {}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding" if scope else "ClusterRoleBinding",
        "metadata": {"name": typed["name"], **scope},
        "roleRef": {"apiGroup": GROUP, "kind": typed["role_kind"], "name": typed["role"]},
        "subjects": [_subject(subject, typed.get("namespace", "")) for subject in typed["subjects"]],
    }


def _subject(typed: Mapping[str, str], namespace: str) -> Mapping[str, str]:
    subject = {"kind": typed["kind"], "name": typed["subject"]}
    if typed["kind"] == SERVICE_ACCOUNT:
        return {**subject, "namespace": typed["namespace"] or namespace}
    return {**subject, "apiGroup": GROUP}


def roles(client: ClusterClient, namespace: str) -> tuple[tuple[str, str], ...]:
    """(kind, name) of the roles that can be given, as far as this user may see them; Roles of the namespace first."""
    found: list[tuple[str, str]] = []
    for kind in ((ROLE,) if namespace else ()) + (CLUSTER_ROLE,):
        try:
            table = client.table(client.find_kind(GROUP, kind), namespace if kind == ROLE else "", limit=_OFFERED)
        except KubeError:
            continue
        names = [name_of(row.object) for row in table.rows]
        # Those of the control plane itself are rarely meant.
        found += [(kind, name) for name in sorted(names, key=lambda name: (name.startswith("system:"), name))]
    return tuple(found)

"""A RoleBinding or ClusterRoleBinding as a small form asks for it: which role, where, for whom.

Pure but for the names of roles that are offered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of
from kube.reader import read
from kube.types.cluster import RoleBinding

GROUP = "rbac.authorization.k8s.io"
SUBJECTS = ("User", "Group", "ServiceAccount")
ROLES = ("ClusterRole", "Role")
_OFFERED = 500


@dataclass(frozen=True, slots=True)
class Subject:
    """`namespace`: of a service account only."""

    kind: str = "User"
    name: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingInput:
    """What stands in the form. `whole`: it is a ClusterRoleBinding, and `namespace` is ''."""

    whole: bool
    namespace: str = ""
    name: str = ""
    role_kind: str = "ClusterRole"
    role: str = ""
    subjects: tuple[Subject, ...] = (Subject(),)


def from_binding(obj: KubeObject) -> BindingInput:
    """What an existing binding says, to make another of it: all but its name."""
    binding = read(obj, RoleBinding)
    subjects = tuple(Subject(subject.kind, subject.name, subject.namespace) for subject in binding.subjects)
    return BindingInput(
        whole=binding.kind == "ClusterRoleBinding",
        namespace=binding.metadata.namespace,
        name="",
        role_kind=binding.role_ref.kind or "ClusterRole",
        role=binding.role_ref.name,
        subjects=subjects or (Subject(),),
    )


def problems(typed: BindingInput) -> dict[str, str]:
    """By the control they belong to: name, namespace, role, subject-0, subject-0-namespace."""
    found: dict[str, str] = {}
    if not typed.name:
        found["name"] = _("Enter a name.")
    if not typed.whole and not typed.namespace:
        found["namespace"] = _("Choose a namespace.")
    if not typed.role:
        found["role"] = _("Choose a role.")
    elif typed.whole and typed.role_kind == "Role":
        found["role"] = _("A Role applies only in its namespace. For the whole cluster, choose a ClusterRole.")
    given = [subject for subject in typed.subjects if subject.name]
    if not given:
        found["subject-0"] = _("Enter who gets the role.")
    for number, subject in enumerate(typed.subjects):
        if subject.name and subject.kind == "ServiceAccount" and not (subject.namespace or typed.namespace):
            found[f"subject-{number}-namespace"] = _("Enter the namespace of the service account.")
        if subject.name and subject in typed.subjects[:number]:
            found[f"subject-{number}"] = _("This subject is already listed.")
    return found


def build(typed: BindingInput) -> dict[str, Any]:
    """The object to create."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ClusterRoleBinding" if typed.whole else "RoleBinding",
        "metadata": {"name": typed.name, **({} if typed.whole else {"namespace": typed.namespace})},
        "roleRef": {"apiGroup": GROUP, "kind": typed.role_kind, "name": typed.role},
        "subjects": [_subject(subject, typed) for subject in typed.subjects if subject.name],
    }


def _subject(subject: Subject, typed: BindingInput) -> Mapping[str, str]:
    if subject.kind == "ServiceAccount":
        return {"kind": subject.kind, "name": subject.name, "namespace": subject.namespace or typed.namespace}
    return {"kind": subject.kind, "name": subject.name, "apiGroup": GROUP}


def roles(client: ClusterClient, namespace: str, whole: bool) -> tuple[tuple[str, str], ...]:
    """(kind, name) of the roles that can be given, as far as this user may see them; Roles of the namespace first."""
    found: list[tuple[str, str]] = []
    for kind in (("Role",) if namespace and not whole else ()) + ("ClusterRole",):
        try:
            table = client.table(client.find_kind(GROUP, kind), namespace if kind == "Role" else "", limit=_OFFERED)
        except KubeError:
            continue
        names = [name_of(row.object) for row in table.rows]
        # Those of the control plane itself are rarely meant.
        found += [(kind, name) for name in sorted(names, key=lambda name: (name.startswith("system:"), name))]
    return tuple(found)

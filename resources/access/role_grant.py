"""What the form Give access holds, what is wrong with it, and the RoleBinding that it makes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from console.reach.discovery import is_name
from console.web.access import binding_name, request_text
from kube.kubectl import Command, CommandArgument, Commands
from resources.access.grants import ACCOUNT, GROUP, KINDS, LEVELS, USER, Subject
from resources.writing import bindings

#: What the form's choice of a role may be beside view, edit and admin: by which kind's name the role is typed.
OTHER_ROLES = {"other-cluster-role": "ClusterRole", "other-role": "Role"}
CHOICES = (*LEVELS, *OTHER_ROLES)
_MAX_NAME = 253
_ACCOUNT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_FLAGS = {USER: "--user", GROUP: "--group"}
_ROLE_FLAGS = {"ClusterRole": "--clusterrole", "Role": "--role"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gift:
    """`account_namespace`: of a service account. `role`: the name, where `choice` is one of OTHER_ROLES."""

    kind: str = USER
    name: str = ""
    account_namespace: str = ""
    choice: str = "view"
    role: str = ""

    @property
    def subject(self) -> Subject:
        return Subject(self.kind, self.name, self.account_namespace if self.kind == ACCOUNT else "")

    @property
    def role_kind(self) -> str:
        return OTHER_ROLES.get(self.choice, "ClusterRole")

    @property
    def role_name(self) -> str:
        return self.role if self.choice in OTHER_ROLES else self.choice


def problems(gift: Gift) -> dict[str, str]:
    """By field: name, account-namespace, and the choice of a role."""
    found: dict[str, str] = {}
    if wrong := _wrong_name(gift):
        found["name"] = wrong
    if gift.kind == ACCOUNT and not is_name(gift.account_namespace):
        found["account-namespace"] = _("Enter the namespace of the service account.")
    if gift.choice in OTHER_ROLES and not gift.role:
        found[gift.choice] = _("Enter the name of a role.")
    elif _CONTROL.search(gift.role) or "/" in gift.role or "%" in gift.role or len(gift.role) > _MAX_NAME:
        found[gift.choice] = _("“%(name)s” isn't a valid role name.") % {"name": gift.role[:100]}
    return found


def _wrong_name(gift: Gift) -> str:
    if not gift.name:
        return {
            USER: _("Enter a user name."),
            GROUP: _("Enter a group name."),
            ACCOUNT: _("Enter the name of a service account."),
        }[gift.kind]
    if gift.kind == ACCOUNT:
        valid = len(gift.name) <= _MAX_NAME and _ACCOUNT_NAME.fullmatch(gift.name)
        return "" if valid else _("Use lowercase letters, digits, hyphens, and dots.")
    if _CONTROL.search(gift.name) or len(gift.name) > _MAX_NAME:
        return _("Use at most %(number)d characters, and no line breaks.") % {"number": _MAX_NAME}
    if gift.kind == USER and gift.name.startswith("system:serviceaccount:"):
        return _("This is a service account. Choose “Service account” above.")
    return ""


def build(gift: Gift, namespace: str, number: int = 1) -> dict[str, Any]:
    """The RoleBinding to create; `number`: of another try where the name is taken."""
    name = binding_name(gift.name, gift.role_name)
    subject = bindings.Subject(gift.kind, gift.name, gift.account_namespace)
    typed = bindings.BindingInput(
        whole=False,
        namespace=namespace,
        name=name if number == 1 else f"{name}-{number}",
        role_kind=gift.role_kind,
        role=gift.role_name,
        subjects=(subject,),
    )
    return bindings.build(typed)


def kubectl(gift: Gift, namespace: str) -> Commands:
    """The same with kubectl, for each choice of the form."""
    commands = tuple(_commands(gift, namespace))
    return Commands(commands, frozenset({gift.kind, gift.choice}))


def _commands(gift: Gift, namespace: str) -> Iterator[Command]:
    for kind in KINDS:
        for choice in CHOICES:
            role: tuple[str | CommandArgument, ...] = (f"-{choice} --clusterrole={choice}",)
            if choice in OTHER_ROLES:
                typed = gift.role if choice == gift.choice else ""
                flag = _ROLE_FLAGS[OTHER_ROLES[choice]]
                role = (
                    CommandArgument(choice, typed, "-", "-ROLE"),
                    CommandArgument(choice, typed, f" {flag}=", f" {flag}=ROLE"),
                )
            who: tuple[str | CommandArgument, ...]
            if kind == ACCOUNT:
                who = (
                    CommandArgument(
                        "account-namespace",
                        gift.account_namespace,
                        " --serviceaccount=",
                        f" --serviceaccount={namespace}",
                    ),
                    CommandArgument("name", gift.name, ":", ":NAME"),
                )
            else:
                who = (CommandArgument("name", gift.name, f" {_FLAGS[kind]}=", f" {_FLAGS[kind]}=NAME"),)
            rest = (CommandArgument("name", gift.name, " ", " NAME"), *role, *who, f" -n {namespace}")
            yield Command("kubectl create rolebinding", ticks=(frozenset({kind}), frozenset({choice})), rest=rest)


def gift_request(gift: Gift, user: str, cluster: str, namespace: str) -> str:
    """The text by which an administrator is asked to give this in one's place."""
    words = {"name": gift.subject.label, "role": gift.role_name, "namespace": namespace, "cluster": cluster}
    wish = _("“%(name)s” needs the role “%(role)s” in the namespace “%(namespace)s” of the cluster “%(cluster)s”.")
    return request_text(wish % words, user, (), str(kubectl(gift, namespace)))

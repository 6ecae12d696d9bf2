"""Impersonation of another user by the Impersonate-* headers (apiserver pkg/endpoints/filters/impersonation).

There are two ways to be allowed: the verb ``impersonate`` on the user and each group, or, constrained, the verb
``impersonate:user-info`` on them together with ``impersonate-on:user-info:<verb>`` on what is asked for. The
constrained one is tried first, unless the other one has allowed the same user before: the message of a refusal depends
on that.
"""

from __future__ import annotations

from collections.abc import Callable

from .errors import BadRequest, Forbidden
from .http import ANONYMOUS, Request, User
from .rbac import Attributes
from .tokens import account_user

Check = Callable[[User, Attributes], None]
_AUTHENTICATION = "authentication.k8s.io"


class Impersonation:
    """``check(user, attributes)`` raises Forbidden."""

    def __init__(self, check: Check):
        self._check = check
        #: users that the plain verb ``impersonate`` has allowed
        self._plain: set[str] = set()

    def act(self, request: Request, user: User, asked: Attributes) -> User:
        """The impersonated user; ``user`` when there are no such headers."""
        wanted = _wanted(request)
        if wanted is None:
            return user
        ways = [self._constrained, self._legacy]
        if user.name in self._plain:
            ways.reverse()
        refusals: list[Forbidden] = []
        for way in ways:
            try:
                way(user, wanted, asked)
            except Forbidden as refused:
                refusals.append(refused)
            else:
                return _complete(wanted)
        raise refusals[0]

    def _legacy(self, user: User, wanted: User, _: Attributes) -> None:
        self._check_each(user, wanted, "impersonate", "")
        self._plain.add(user.name)

    def _constrained(self, user: User, wanted: User, asked: Attributes) -> None:
        mode = "user-info"
        if wanted.name.startswith(("system:serviceaccount:", "system:node:")):
            if wanted.groups or wanted.uid or wanted.extra:
                self._legacy(user, wanted, asked)
                return
            mode = "arbitrary-node" if wanted.name.startswith("system:node:") else "serviceaccount"
        self._check(user, asked._replace(verb=f"impersonate-on:{mode}:{asked.verb}"))
        self._check_each(user, wanted, f"impersonate:{mode}", _AUTHENTICATION)

    def _check_each(self, user: User, wanted: User, verb: str, group: str) -> None:
        parts = wanted.name.split(":")
        if wanted.name.startswith("system:serviceaccount:") and len(parts) == 4:
            self._check(
                user,
                Attributes(
                    verb=verb,
                    group=group,
                    resource="serviceaccounts",
                    subresource="",
                    namespace=parts[2],
                    name=parts[3],
                ),
            )
        elif group and wanted.name.startswith("system:node:"):
            self._check(
                user, Attributes(verb=verb, group=group, resource="nodes", subresource="", namespace="", name=parts[-1])
            )
        else:
            self._check(
                user,
                Attributes(verb=verb, group=group, resource="users", subresource="", namespace="", name=wanted.name),
            )
        if wanted.uid:
            self._check(
                user,
                Attributes(
                    verb=verb, group=_AUTHENTICATION, resource="uids", subresource="", namespace="", name=wanted.uid
                ),
            )
        for name in wanted.groups:
            self._check(
                user, Attributes(verb=verb, group=group, resource="groups", subresource="", namespace="", name=name)
            )
        for key, values in wanted.extra.items():
            for value in values:
                self._check(
                    user,
                    Attributes(
                        verb=verb,
                        group=_AUTHENTICATION,
                        resource="userextras",
                        subresource=key,
                        namespace="",
                        name=value,
                    ),
                )


def _wanted(request: Request) -> User | None:
    """Just what the headers say; None without any."""
    name = request.headers.get("impersonate-user", "")
    uid = request.headers.get("impersonate-uid", "")
    groups = request.header_values("impersonate-group")
    extra: dict[str, list[str]] = {}
    for key, value in request.headers_with_prefix("impersonate-extra-"):
        extra.setdefault(key, []).append(value)
    if name:
        return User(name, tuple(groups), uid, extra)
    if groups or extra or uid:
        listed = ", ".join(f'"{group}"' for group in groups)
        raise BadRequest(
            f'requested &user.DefaultInfo{{Name:"", UID:"{uid}", Groups:[]string{{{listed}}}, '
            "Extra:map[string][]string(nil)} without impersonating a user name"
        )
    return None


def _complete(wanted: User) -> User:
    """With the groups that the server adds to every user."""
    if wanted.name == ANONYMOUS.name:
        return ANONYMOUS
    groups = wanted.groups
    parts = wanted.name.split(":")
    if not groups and wanted.name.startswith("system:serviceaccount:") and len(parts) == 4:
        groups = account_user(parts[2], parts[3]).groups
    if "system:authenticated" not in groups:
        groups = (*groups, "system:authenticated")
    return User(wanted.name, groups, wanted.uid, wanted.extra)

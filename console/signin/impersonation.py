"""Impersonation: rows in the database, found by a random word in the browser's signed cookie, limited to one session;
and the form, which the API server checks field by field before an impersonation starts.

The word only selects a row, and the row only adds impersonation headers to the credentials of its session. A forged or
copied word gains no permission that the API server wouldn't grant. A browser with a word but no active row gets no
client until the user chooses Stop: a silent fallback to the user's own, greater permissions could let them delete
objects that they think they view as another user (docs/decisions/0024-impersonation.md).
"""

import hashlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils import timezone
from django.utils.translation import gettext as _

from console.audit import recorder
from console.signin import sessions, signals
from console.signin.models import Impersonation, Session
from console.web import clusters
from console.web.access import can
from console.web.errors import SWITCHED
from console.web.front import place_of
from kube import limits
from kube.client import ClusterClient
from kube.config import ClusterConfig, impersonated_config, is_header_value
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, Unauthorized

log = logging.getLogger("console.signin")

_WORD = "console_acting"
#: Key in the ASGI scope under which console/signin/guard.py caches the impersonation of a connection.
SCOPE = "console.acting"
# Ended rows are kept for so long, so that a browser that returns late can show whom it impersonated.
_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """`by` acts as `user`.

    `over`: not any more, and nothing but Stop is answered; `withdrawn`: since the API server said so.
    """

    key: str
    cluster: str
    by: str
    user: str
    groups: tuple[str, ...]
    member_of: tuple[str, ...]
    over: bool = False
    withdrawn: bool = False

    @property
    def mark(self) -> str:
        """By which a page tells as whom it was made; it opens nothing."""
        return self.key[:16]


def impersonation_of(request: HttpRequest) -> Acting | None:
    """The browser's impersonation; None without one."""
    if found := getattr(request, "scope", {}).get(SCOPE):
        return found  # type: ignore[no-any-return]
    if not (word := request.session.get(_WORD)):
        return None
    key = _key(str(word))
    row = Impersonation.objects.filter(key=key).first()
    person: sessions.Person | None = getattr(request, "person", None)
    if row is None or row.session != (person.session if person else "") or _elsewhere(request, row):
        # Of another session or cluster, or deleted: reveal none of it.
        return Acting(key=key, cluster="", by="", user="", groups=(), member_of=(), over=True)
    over = row.until <= timezone.now()
    return Acting(
        key=key,
        cluster=row.cluster,
        by=row.by,
        user=row.user,
        groups=tuple(row.groups),
        member_of=tuple(row.member_of),
        over=over,
        withdrawn=row.withdrawn,
    )


def begin(
    request: HttpRequest, client: ClusterClient, user: str, groups: Iterable[str], member_of: Iterable[str]
) -> Acting:
    """`client`: of who acts. Forms that were made before are of another and can't be sent any more."""
    now = timezone.now()
    person: sessions.Person | None = getattr(request, "person", None)
    until = person.until if person else now + timedelta(hours=settings.SIGN_IN_HOURS)
    word = secrets.token_urlsafe(32)
    row = Impersonation.objects.create(
        key=_key(word),
        session=person.session if person else "",
        cluster=client.name,
        by=client.user,
        user=user,
        groups=list(groups),
        member_of=list(member_of),
        began_at=now,
        until=until,
    )
    Impersonation.objects.filter(until__lt=now - _KEPT).delete()
    _switch(request, word)
    log.info("user=%s acts as %s until %s", row.by, row.user, until.isoformat(timespec="seconds"))
    return Acting(
        key=row.key,
        cluster=row.cluster,
        by=row.by,
        user=row.user,
        groups=tuple(row.groups),
        member_of=tuple(row.member_of),
    )


def leave(request: HttpRequest) -> None:
    """Oneself again, whatever became of the row. Asks no cluster."""
    if word := request.session.get(_WORD):
        key = _key(str(word))
        gone, _each = Impersonation.objects.filter(key=key).delete()
        if gone:
            signals.ended.send(sender=Impersonation, session=key)
    _switch(request, "")


def withdraw(key: str) -> None:
    """Ends an impersonation that the API server no longer allows; its browser shows the reason."""
    row = living().filter(key=key).first()
    if row is not None and living().filter(key=key).update(until=timezone.now(), withdrawn=True):
        note_stop(row.cluster, row.by, row.user, row.groups, "withdrawn")
        signals.ended.send(sender=Impersonation, session=key)


def living() -> QuerySet[Impersonation]:
    """With those whose session is over, they are over too."""
    within = Q(session="") | Q(session__in=sessions.living().values("key"))
    return Impersonation.objects.filter(within, until__gt=timezone.now())


def over(keys: Iterable[str]) -> set[str]:
    """Those of these sessions and impersonations that are over."""
    left = sessions.over(keys)
    return left - set(living().filter(key__in=left).values_list("key", flat=True)) if left else left


def owners(keys: Iterable[str]) -> set[str]:
    """The sessions in which these impersonations act."""
    return set(Impersonation.objects.filter(key__in=list(keys)).exclude(session="").values_list("session", flat=True))


def lives(key: str) -> bool:
    return not over([key])


def _elsewhere(request: HttpRequest, row: Impersonation) -> bool:
    """Whether it belongs to another cluster than the address.

    False for a cluster that the console no longer has: its client is refused (clients.py).
    """
    found = clusters.named(row.cluster)
    return found is not None and found != place_of(request)


def _switch(request: HttpRequest, word: str) -> None:
    if word:
        request.session[_WORD] = word
    else:
        request.session.pop(_WORD, None)
    request.session[SWITCHED] = True
    rotate_token(request)


@receiver(signals.ended, dispatch_uid="console-signin-acting")
def _ended(session: str, sender: object, **_kwargs: object) -> None:
    """What was done as another ends with the session."""
    if sender is not Session:
        return
    for row in Impersonation.objects.filter(session=session):
        alive = row.until > timezone.now()
        key = row.key
        row.delete()
        if alive:
            note_stop(row.cluster, row.by, row.user, row.groups, "session-ended")
        signals.ended.send(sender=Impersonation, session=key)


def ref(user: str, groups: Iterable[str]) -> str:
    """The impersonated user and groups, in the audit's format."""
    names = ",".join(groups)
    return f"core/v1/users {user} groups={names}" if names else f"core/v1/users {user}"


def note_stop(cluster: str, by: str, user: str, groups: Iterable[str], why: str = "") -> None:
    """Records the end of an impersonation, also one that no user requested."""
    recorder.note(
        cluster=cluster,
        user=by,
        verb="stop-impersonating",
        ref=f"{ref(user, groups)} {why}".rstrip(),
        outcome="ok",
        where=None,
        as_user=user,
    )


def _key(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()


#: Resources of the verb `impersonate`. The API server doesn't serve users and groups: RBAC only checks their names.
USERS = ResourceType(group="", version="v1", plural="users", kind="User", namespaced=False)
GROUPS = ResourceType(group="", version="v1", plural="groups", kind="Group", namespaced=False)
ACCOUNTS = ResourceType(group="", version="v1", plural="serviceaccounts", kind="ServiceAccount", namespaced=True)
_ACCOUNT = "system:serviceaccount:"


def _check_name(name: str) -> None:
    """Raises ValidationError for what can't stand in a header."""
    if not is_header_value(name) or len(name) > limits.IMPERSONATED_NAME.value:
        words = _(
            "Use at most %(n)d visible ASCII characters. The console can't send other characters to the API server."
        )
        raise ValidationError(words, params={"n": limits.IMPERSONATED_NAME.value})


class ImpersonationForm(forms.Form):
    """`user`: a name, also a ServiceAccount's (system:serviceaccount:NAMESPACE:NAME); `groups`: one a line."""

    user = forms.CharField(required=False, validators=[_check_name])
    groups = forms.CharField(required=False)

    def clean_user(self) -> str:
        user: str = self.cleaned_data["user"]
        if user.startswith(_ACCOUNT) and _service_account(user) is None:
            raise ValidationError(_("A service account has the form system:serviceaccount:NAMESPACE:NAME."))
        return user

    def clean_groups(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.cleaned_data["groups"].splitlines())
        groups = tuple(dict.fromkeys(filter(None, lines)))
        for group in groups:
            _check_name(group)
        if len(groups) > limits.IMPERSONATED_GROUPS.value:
            raise ValidationError(_("Enter at most %(n)d groups."), params={"n": limits.IMPERSONATED_GROUPS.value})
        return groups

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if not self.errors and not (found["user"] or found["groups"]):
            self.add_error("user", _("Enter a user, a service account or groups."))
        return found

    @property
    def name(self) -> str:
        """The user name to send. With groups alone it is the first group, as in OKD: the API server requires a name,
        and this one has no permissions of its own.
        """
        return str(self.cleaned_data["user"] or self.cleaned_data["groups"][0])


@dataclass(frozen=True, slots=True)
class Whom:
    """As the API server calls them under impersonation."""

    name: str
    groups: tuple[str, ...]


def _service_account(user: str) -> tuple[str, str] | None:
    """(namespace, name)"""
    namespace, _colon, name = user.removeprefix(_ACCOUNT).partition(":")
    return (namespace, name) if user.startswith(_ACCOUNT) and namespace and name and ":" not in name else None


def can_impersonate(client: ClusterClient) -> bool:
    """Whether the user can impersonate users, groups or service accounts in general.

    A permission for single names (resourceNames) is checked once the name is known.
    """
    try:
        return any(can(client, "impersonate", type_).allowed for type_ in (USERS, GROUPS, ACCOUNTS))
    except KubeError:
        return False


def check_form(client: ClusterClient, form: ImpersonationForm) -> Whom | None:
    """What the API server says: of all together, as which it is sent, and if it refuses, of each field: None, with the
    form's errors.

    Raises KubeError where it says nothing at all.
    """
    name, groups = form.name, form.cleaned_data["groups"]
    try:
        config = impersonated_config(client.config, name, groups, "asked")
    except ValueError:
        words = _(
            "The console's own identity already impersonates another user (`as` in its kubeconfig). "
            "Nested impersonation isn't possible."
        )
        form.add_error("user", words)
        return None
    try:
        return _whom(config)
    except (Forbidden, Unauthorized) as error:
        form.add_error(None, ValidationError(_refused_fields(client, name, groups) or {"user": str(error)}))
        return None


def _whom(config: ClusterConfig) -> Whom:
    user_info = ClusterClient(config).whoami()
    return Whom(
        str(user_info.get("username") or config.user), tuple(str(group) for group in user_info.get("groups") or ())
    )


def _refused_fields(client: ClusterClient, user: str, groups: Iterable[str]) -> dict[str, str]:
    """At which field, and why."""
    found = {}
    account = _service_account(user)
    answer = (
        client.review("impersonate", ACCOUNTS, *account) if account else client.review("impersonate", USERS, name=user)
    )
    if not answer.allowed:
        what = _("service account %(name)s") if account else _("user %(name)s")
        found["user"] = _refusal_words(what % {"name": user}, answer.reason)
    for group in groups:
        answer = client.review("impersonate", GROUPS, name=group)
        if not answer.allowed:
            found["groups"] = _refusal_words(_("group %(name)s") % {"name": group}, answer.reason)
            break
    return found


def _refusal_words(what: str, reason: str) -> str:
    words = _("You don't have permission to impersonate the %(what)s. It requires the verb “impersonate”.") % {
        "what": what
    }
    return f"{words} ({reason})" if reason else words

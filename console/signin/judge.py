"""Finds the user of a token, with a SelfSubjectReview.

Nothing in the token itself is trusted but its expiry, and that only to end a session sooner.
"""

import base64
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.web import clusters
from console.web.clusters import Offered
from kube import limits
from kube.client import ClusterClient
from kube.config import user_config
from kube.errors import Forbidden, InvalidConfig, KubeError, NotFound, Unauthorized
from untrusted import json_bounds

# What may stand in a header (RFC 6750, 2.1): no space, no line, so that nothing else can be slipped into the request.
_GOOD = re.compile(r"[A-Za-z0-9._~+/=:@!-]+", re.ASCII)
_ANONYMOUS = "system:anonymous"


@dataclass(frozen=True, slots=True)
class TokenUser:
    """`expires`: when the token says it does, None where it does not say."""

    user: str
    groups: tuple[str, ...]
    expires: datetime | None


class NotKnown(Exception):
    """Why not, in words that hold nothing of what was typed.

    `status`: of the answer; `counts`: it was a wrong guess, and not our own trouble.
    """

    def __init__(self, words: str, status: int = 401, *, counts: bool = True) -> None:
        super().__init__(words)
        self.status, self.counts = status, counts


class SignInForm(forms.Form):
    """The token, as people paste it: with `Bearer` before it, or line breaks of a terminal."""

    token = forms.CharField(error_messages={"required": gettext_lazy("Paste a token.")})

    def clean_token(self) -> str:
        try:
            return strict("".join(self.cleaned_data["token"].split()).removeprefix("Bearer"))
        except NotKnown as error:
            raise ValidationError(str(error)) from None


def strict(token: str) -> str:
    """As programs send it: as it is, or not at all. Raises NotKnown."""
    if token and len(token) <= limits.SIGN_IN_TOKEN.value and _GOOD.fullmatch(token):
        return token
    raise NotKnown(_("This isn't a token: it is too long, or contains invalid characters."), 401)


def know(token: str, place: Offered) -> TokenUser:
    """Asks the cluster's API server, with the token as the only credential. Raises NotKnown."""
    expires = expiry(token)
    try:
        user_info = ClusterClient(user_config(clusters.endpoint_of(place), "somebody", token)).whoami()
    except Unauthorized:
        if expires is not None and expires <= timezone.now():
            raise NotKnown(_("This token has expired. Create a new token.")) from None
        raise NotKnown(
            _("The cluster doesn't accept this token. Check that it is complete, not revoked, and for this cluster.")
        ) from None
    except Forbidden:
        raise NotKnown(
            _("The cluster doesn't let this token look up its own user (SelfSubjectReview is forbidden).")
        ) from None
    except NotFound:
        words = _(
            "This cluster can't identify the owner of a token. That requires Kubernetes 1.28 or newer "
            "(SelfSubjectReview)."
        )
        raise NotKnown(words, 503, counts=False) from None
    except InvalidConfig:
        raise NotKnown(
            _("The console's kubeconfig can't be used. The reason is in the console's log."), 503, counts=False
        ) from None
    except KubeError:
        words = _("The cluster isn't responding, so you can't sign in now. Try again in a moment.")
        raise NotKnown(words, 503, counts=False) from None
    user = str(user_info.get("username") or "")
    if not user or user == _ANONYMOUS or len(user) > 512:
        raise NotKnown(
            _("The cluster doesn't accept this token. Check that it is complete, not revoked, and for this cluster.")
        )
    return TokenUser(user, tuple(str(group) for group in user_info.get("groups") or ()), expires)


def refused(client: ClusterClient) -> bool:
    """Whether the API server itself says that these credentials are worth nothing any more: a 401 may also be an
    aggregated server's own trouble.
    """
    try:
        client.whoami()
    except Unauthorized:
        return True
    except KubeError:
        return False
    return False


def expiry(token: str) -> datetime | None:
    """`exp` of a JWT (RFC 7519, 4.1.4), unverified."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json_bounds.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        seconds = claims.get("exp") if isinstance(claims, dict) else None
        return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, (int, float)) else None
    except (ValueError, OverflowError, OSError):
        return None

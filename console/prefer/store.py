"""Preferences and their possible values, read and written: of signed-in users in the database, else in the browser's
cookies.

Pages also render without the database.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext_lazy

from console.prefer.models import Preference
from kube import limits
from kube.client import ClusterClient

log = logging.getLogger(__name__)

#: As an age that ticks; the day and the hour where the reader is; ISO 8601 in UTC.
RELATIVE, LOCAL, UTC = "relative", "local", "utc"
#: Rows per page, which console/web/render.py applies.
SIZE, SIZES = 50, (20, 50, 100, 200)
ALL_NAMESPACES = "-"
KEYS = ("language", "theme", "times", "size", "namespace")

#: Names of the cookies.
THEME, OTHERS = "console_theme", "console_preferences"
#: Of `namespace`: one of each cluster's own (console/web/front.py).
BEGIN = "console_begin"
_YEAR = 365 * 24 * 3600
_QUICK_START = "quick start "


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """`language` '' follows the browser, `theme` '' the system; `namespace`: '' for the last one, ALL_NAMESPACES, or a
    name, in which a visit begins.
    """

    language: str = ""
    theme: str = ""
    times: str = RELATIVE
    size: int = SIZE
    namespace: str = ""

    def texts(self) -> dict[str, str]:
        return {key: str(getattr(self, key)) for key in KEYS}


class PreferencesForm(forms.Form):
    """Fields that `data` lacks keep their value of `saved`."""

    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=[
            ("", gettext_lazy("Browser language")),
            *settings.LANGUAGES,
        ],
        error_messages={"invalid_choice": gettext_lazy("This language isn't supported.")},
    )
    theme = forms.ChoiceField(
        label=gettext_lazy("Theme"),
        required=False,
        choices=[("", gettext_lazy("System")), ("light", gettext_lazy("Light")), ("dark", gettext_lazy("Dark"))],
        error_messages={"invalid_choice": gettext_lazy("This theme doesn't exist.")},
    )
    times = forms.ChoiceField(
        label=gettext_lazy("Time format"),
        choices=[
            (RELATIVE, gettext_lazy("Relative: 3m10s")),
            (LOCAL, gettext_lazy("Local time: 2026-11-23 09:17:10")),
            (UTC, gettext_lazy("UTC: 2026-11-23T00:17:10Z")),
        ],
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("Invalid time format.")),
    )
    size = forms.TypedChoiceField(
        label=gettext_lazy("Rows per page"),
        help_text=gettext_lazy("Lists whose number you set under “Columns” keep that number."),
        choices=[(str(size), size) for size in SIZES],
        coerce=int,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose 20, 50, 100 or 200 rows per page.")
        ),
    )
    namespace = forms.CharField(
        required=False,
        validators=[
            # https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
            RegexValidator(
                rf"\A({ALL_NAMESPACES}|[a-z0-9]([-a-z0-9]{{0,61}}[a-z0-9])?)\Z",
                gettext_lazy(
                    "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or "
                    "digit."
                ),
            )
        ],
    )

    def __init__(self, data: Mapping[str, Any] | None, saved: Preferences) -> None:
        super().__init__(data, initial=saved.texts())
        for name, field in self.fields.items():
            field.disabled = data is not None and name not in data


def parse(values: Mapping[str, str], base: Preferences | None = None) -> Preferences:
    """What can't be read (any more) is as in `base`."""
    base = base or Preferences()
    if not values:
        # Most requests: a form costs a quarter of a millisecond.
        return base
    form = PreferencesForm(values, base)
    form.is_valid()
    return replace(base, **form.cleaned_data)


def person_of(request: HttpRequest) -> str:
    """The user who signed in with this browser; '' without one, and for programs with a token."""
    person = getattr(request, "person", None)
    return "" if person is None or getattr(request, "by_token", False) else str(person.user)[:512]


def _whose(request: HttpRequest) -> dict[str, Any]:
    """Lookup of the user's rows; empty without a user. The same name on another cluster is another user."""
    user, person = person_of(request), getattr(request, "person", None)
    return {"cluster": person.cluster, "user": user} if user and person else {}


def preferences_of(request: HttpRequest) -> Preferences:
    """The preferences, read once per request. The browser's cookies are the default for what a user never set."""
    found: Preferences | None = getattr(request, "_preferences", None)
    if found is None:
        found = _cookies(request)
        if whose := _whose(request):
            found = parse(_kept(whose, KEYS), found)
        request._preferences = found  # type: ignore[attr-defined]
    return found


def _cookies(request: HttpRequest) -> Preferences:
    cookies = request.COOKIES
    others = QueryDict(cookies.get(OTHERS, "")[: limits.COOKIE.value]).dict()
    named = {"language": settings.LANGUAGE_COOKIE_NAME, "theme": THEME, "namespace": BEGIN}
    return parse({**others, **{key: cookies[name] for key, name in named.items() if name in cookies}})


def _kept(whose: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, str]:
    try:
        return dict(Preference.objects.filter(**whose, key__in=keys).values_list("key", "value"))
    except DatabaseError as error:
        log.warning("what somebody prefers can't be read: %s", error)
        return {}


def keep(request: HttpRequest, response: HttpResponse, form: PreferencesForm) -> None:
    """Saves what the form's data have, without what is invalid.

    Language and theme stay in the browser too: for the page that it shows before a sign-in.
    """
    chosen = replace(preferences_of(request), **form.cleaned_data)
    request._preferences = chosen  # type: ignore[attr-defined]
    values = {key: chosen.texts()[key] for key in form.cleaned_data if key in form.data}
    if "language" in values:
        _cookie(response, settings.LANGUAGE_COOKIE_NAME, chosen.language)
    if "theme" in values:
        _cookie(response, THEME, chosen.theme)
    if whose := _whose(request):
        _write(whose, values)
    else:
        _cookie(response, OTHERS, urlencode({"times": chosen.times, "size": chosen.size}))
        if "namespace" in values:
            _cookie(response, BEGIN, chosen.namespace)


def _write(whose: Mapping[str, Any], values: Mapping[str, str]) -> None:
    with transaction.atomic():
        for key, value in values.items():
            Preference.objects.update_or_create(**whose, key=key, defaults={"value": value})


def _cookie(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(name, value, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS)


# Columns of a list


def columns_of(request: HttpRequest, kind: str) -> str | None:
    """The user's columns for lists of a kind (`<plural>.<group>`); None without a user or a choice."""
    whose = _whose(request)
    return _kept(whose, (_columns(kind),)).get(_columns(kind)) if whose else None


def keep_columns(request: HttpRequest, kind: str, text: str | None) -> None:
    """Saves the columns; None deletes them. Does nothing without a signed-in user."""
    whose = _whose(request)
    if whose and text is None:
        Preference.objects.filter(**whose, key=_columns(kind)).delete()
    elif whose and text is not None:
        _write(whose, {_columns(kind): text})


def _columns(kind: str) -> str:
    return f"columns {kind}"[:400]


# Quick starts


def quick_starts_of(client: ClusterClient) -> dict[str, str]:
    """How far the user is, by the name of the quick start; {} while the database doesn't respond."""
    try:
        rows = Preference.objects.filter(cluster=client.name, user=client.owner, key__startswith=_QUICK_START)
        return {key.removeprefix(_QUICK_START): value for key, value in rows.values_list("key", "value")}
    except DatabaseError as error:
        log.warning("quick starts' progress can't be read: %s", error)
        return {}


def keep_quick_start(client: ClusterClient, name: str, text: str) -> None:
    """Raises DatabaseError."""
    _write({"cluster": client.name, "user": client.owner}, {f"{_QUICK_START}{name}"[:400]: text})

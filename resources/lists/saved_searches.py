"""Saved searches: a list with its filters, or a search of all kinds, under a name.

Per user and cluster, as favourites are.

Only addresses are stored, and an address grants no permission: it shows each user what they can read. So it can be
shared as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube import limits
from kube.client import ClusterClient
from resources.models import SavedSearch
from resources.place import Place

#: The parameters of a list's address, and of a search of all kinds, that are saved. The page number isn't.
_OF_LIST = ("namespace", "q", "labels", "fields", "state", "owner", "sort", "columns")
_OF_SEARCH = ("namespace", "q", "labels", "annotation", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """`kind` '' for a search of all kinds. `url`: complete, to be opened and shared."""

    key: int
    name: str
    kind: str
    namespace: str
    url: str


def mine(client: ClusterClient, place: Place | None) -> tuple[Saved, ...]:
    """Of one kind, or of the search of all kinds (None), by name."""
    group, plural = (place.type.group, place.type.plural) if place else ("", "")
    rows = _rows(client).filter(group=group, plural=plural).order_by("name")
    return tuple(map(_saved, rows))


def all_of(client: ClusterClient) -> tuple[Saved, ...]:
    return tuple(map(_saved, _rows(client).order_by("kind", "name")))


class SavedSearchForm(forms.Form):
    """`place`: of the list; None for a search of all kinds."""

    name = forms.CharField(error_messages={"required": gettext_lazy("Enter a name.")})
    query = forms.CharField(required=False)

    def __init__(self, place: Place | None, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.place = place

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        if len(name) > limits.SAVED_NAME.value or not name.isprintable():
            words = _("Use at most %(number)d printable characters.")
            raise ValidationError(words, params={"number": limits.SAVED_NAME.value})
        return name

    def clean_query(self) -> str:
        text = clean(self.cleaned_data["query"], _OF_LIST if self.place else _OF_SEARCH)
        if len(text) > limits.SAVED_SEARCH.value:
            raise ValidationError(_("This search is too long to save."))
        return text


def save(client: ClusterClient, form: SavedSearchForm) -> Saved | None:
    """Under a name that is taken the search takes the place of the one before. None, with the form's error, where the
    user has too many.
    """
    type_ = form.place.type if form.place else None
    key: dict[str, Any] = {
        "cluster": client.name,
        "user": client.owner[:512],
        "group": type_.group if type_ else "",
        "plural": type_.plural if type_ else "",
        "name": form.cleaned_data["name"],
    }
    if _rows(client).count() >= limits.SAVED_SEARCHES.value and not SavedSearch.objects.filter(**key).exists():
        words = _("You already have %(number)d saved searches. Delete one first.")
        form.add_error("name", words % {"number": limits.SAVED_SEARCHES.value})
        return None
    values = {
        "version": type_.version if type_ else "",
        "kind": type_.kind if type_ else "",
        "query": form.cleaned_data["query"],
        "at": timezone.now(),
    }
    row, _new = SavedSearch.objects.update_or_create(**key, defaults=values)
    return _saved(row)


def delete(client: ClusterClient, key: int) -> str:
    """The name of what went; '' where there is no such search of this user."""
    row = _rows(client).filter(pk=key).first() if 0 < key < 2**63 else None
    if row is None:
        return ""
    row.delete()
    return str(row.name)


def clean(query: str, names: tuple[str, ...]) -> str:
    """The query string with what these pages understand, and nothing else."""
    asked = QueryDict(query[: 2 * limits.SAVED_SEARCH.value])
    return urlencode([(name, value) for name in names for value in asked.getlist(name) if value])


def _rows(client: ClusterClient) -> "QuerySet[SavedSearch]":
    return SavedSearch.objects.filter(cluster=client.name, user=client.owner[:512])


def _saved(row: SavedSearch) -> Saved:
    if row.plural:
        base = reverse("resources:list", args=[row.group or "core", row.version, row.plural])
    else:
        base = reverse("resources:search")
    namespace = QueryDict(row.query).get("namespace", "")
    return Saved(
        key=row.pk,
        name=row.name,
        kind=row.kind,
        namespace="" if namespace == "-" else namespace,
        url=f"{base}?{row.query}",
    )

"""What the page of a list shows, made of what was found and what was asked for; and the choice of its columns.

/resources/<group>/<version>/<plural>/columns/: the columns and the number of rows that a user chose for a kind;
stored for the signed-in user, or in a cookie of the kind's addresses.
"""

import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.prefer import store
from console.prefer.store import SIZE, SIZES
from console.web.request import ALL_NAMESPACES, ConsoleRequest, own_address
from kube import limits
from resources import podlogs, usage
from resources.lists import columns, listing
from resources.lists.columns import LABEL, ListColumn
from resources.lists.download import FORMATS
from resources.lists.entries import stateful
from resources.lists.listing import ListResult, RowView
from resources.lists.saved_searches import Saved
from resources.place import Place, place_of
from resources.state.health import LABELS, Health
from resources.views.filter import Chip, Filter

#: Its path is that of the kind, so each kind has one of its own and no request carries those of all.
COLUMNS_COOKIE = "console_list"
_YEAR = 365 * 24 * 3600
#: Up to this many objects are counted automatically; counting a longer list takes reading it, so only on request.
COUNTED = 10_000
_SUGGESTED = 60
#: In the address of a part of the page: whether the page has columns of measurements.
USAGE = "usage"
RENEWED_SECONDS = 30


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """`keys` of columns (resources/lists/columns.py), none for the default ones; `size`: rows of a page; `dense`: rows
    of one line.
    """

    keys: tuple[str, ...] = ()
    size: int = SIZE
    dense: bool = False

    @classmethod
    def from_request(cls, request: HttpRequest, kind: str) -> "ColumnChoice":
        """As the address asks (`?columns=`), else as stored for `kind` (`<plural>.<group>`).

        Unreadable values are ignored.
        """
        mine = store.columns_of(request, kind)
        stored = QueryDict((request.COOKIES.get(COLUMNS_COOKIE, "") if mine is None else mine)[: limits.COOKIE.value])
        asked = request.GET.get("columns")
        size = _size(stored.get("size", ""), store.preferences_of(request).size)
        keys = columns.read(stored.get("columns", "") if asked is None else asked)
        return cls(keys, size, stored.get("dense") == "1")

    @property
    def text(self) -> str:
        query = {"columns": columns.show(self.keys), "size": self.size}
        return urlencode(query | ({"dense": "1"} if self.dense else {}))


def _size(text: str, usual: int) -> int:
    return int(text) if text in map(str, SIZES) else usual


@require_POST
def choose_columns(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`column` (keys, many), `label` (keys of labels, with commas between), `size`, `dense=1`; `reset` forgets.

    Goes back to `next`.
    """
    place = place_of(request, group, version, plural)
    response = HttpResponseRedirect(own_address(request, request.POST.get("next", "")) or place.list_url)
    labels = (part.strip() for part in request.POST.get("label", "").split(","))
    keys = (*request.POST.getlist("column"), *(f"{columns.LABEL}{label}" for label in labels if label))
    size = _size(request.POST.get("size", ""), store.preferences_of(request).size)
    choice = ColumnChoice(columns.read(columns.show(keys)), size, request.POST.get("dense") == "1")
    forget = "reset" in request.POST or len(choice.text) > limits.COOKIE.value
    if store.person_of(request):
        store.keep_columns(request, place.type.qualified, None if forget else choice.text)
    elif forget:
        response.delete_cookie(COLUMNS_COOKIE, path=place.list_url, samesite="Lax")
    else:
        response.set_cookie(
            COLUMNS_COOKIE,
            choice.text,
            path=place.list_url,
            max_age=_YEAR,
            samesite="Lax",
            httponly=True,
            secure=settings.HTTPS,
        )
    return response


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """`direction`: 'ascending', 'descending', or '' when the list has another order; `url` asks for the other way
    round.

    `key`: of its column. `part`: the class of its cells, behind `list-`. `second`: what stands in the second line of
    the same cells.
    """

    key: str
    label: str
    url: str
    direction: str = ""
    help: str = ""
    part: str = "cell"
    second: "Heading | None" = None

    @property
    def sorts(self) -> tuple["Heading", ...]:
        """What stands in it, one behind the other: each is a link that orders by it."""
        return (self, self.second) if self.second else (self,)


@dataclass(frozen=True, slots=True)
class StateLink:
    """How many objects are in a state; `url` shows them only, or all again where that is so already."""

    health: Health
    count: int
    url: str
    current: bool

    @property
    def label(self) -> str:
        return self.health.label or _("No state")


#: Saved searches that are tabs above their list; the menu has all.
_TABS = 8


def _part(column: ListColumn, rank: int) -> str:
    """The class of a column's cells, behind `list-`."""
    if column.key == columns.STATE:
        return "state"
    return "age" if column.age else f"cell list-rank-{rank}"


@dataclass(frozen=True, kw_only=True)
class ListPage:
    """`topic`: several, separated by blanks, for users with access to some namespaces only.

    `label_error`, `field_error`: why a selector is invalid. `refusal`: why there is no list, in words; `advice`: what
    to do then. `with_usage`: whether the page that this is part of has usage columns; None for a whole page.
    `refused_words`: the API server's, where it forbids the list.
    """

    place: Place
    namespace: str
    filter: Filter
    choice: ColumnChoice
    topic: str
    found: ListResult
    may_create: bool = False
    label_error: str = ""
    field_error: str = ""
    refusal: str = ""
    advice: str = ""
    saved: tuple[Saved, ...] = ()
    with_usage: bool | None = None
    refused_words: str = ""

    @cached_property
    def rows(self) -> tuple[RowView, ...]:
        return tuple(listing.row_of(self.place.type, self.columns, entry) for entry in self.found.entries)

    @property
    def needs_namespace(self) -> bool:
        """Whether all namespaces were refused, and one of them may be allowed."""
        return bool(self.refused_words) and self.place.type.namespaced and not self.place.namespace

    @property
    def all_namespaces(self) -> bool:
        """Whether each row shows its namespace."""
        return self.place.type.namespaced and not self.namespace

    @cached_property
    def columns(self) -> tuple[ListColumn, ...]:
        return columns.chosen(self.place.type, self.found.columns, self.choice.keys, usage=self.measured)

    @property
    def measured(self) -> bool:
        """Whether there are columns of measurements. A part of a page has those of its page, whatever is known now."""
        return self.found.measured if self.with_usage is None else self.with_usage

    @property
    def choosable(self) -> tuple[tuple[ListColumn, bool], ...]:
        """(column, whether it is shown): all available columns in their default order."""
        shown = {column.key for column in self.columns}
        labels = tuple(column for column in self.columns if column.key.startswith(LABEL))
        available = columns.available(self.place.type, self.found.columns, usage=self.measured)
        known = sorted(available, key=lambda column: (column.age, column.wide))
        return tuple((column, column.key in shown) for column in (*known, *labels))

    @property
    def sizes(self) -> tuple[int, ...]:
        return SIZES

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        name = self._heading(_("Name"), "name", "", "name")
        if self.all_namespaces:
            second = self._heading(_("Namespace"), "namespace", "")
            name = replace(name, second=second, direction=name.direction or second.direction)
        others = (
            self._heading(column.heading, column.key, column.help, _part(column, rank))
            for column, rank in columns.ranked(self.columns)
        )
        return (name, *others)

    def _heading(self, label: str, key: str, help_: str, part: str = "cell") -> Heading:
        direction = {key: "ascending", f"-{key}": "descending"}.get(self.filter.sort, "")
        turned = f"-{key}" if direction == "ascending" else key
        return Heading(
            key=key,
            label=label,
            url=self.filter.url(self.namespace, sort=turned, page=1),
            direction=direction,
            help=help_,
            part=part,
        )

    @property
    def width(self) -> int:
        return len(self.headings) + 2

    @property
    def count(self) -> str:
        """How many there are, '' if that isn't known."""
        if self.refusal or self.label_error or self.field_error:
            return ""
        if self.found.total is not None:
            return f"{self.found.total:,}"
        return f"{self.last:,}+" if self.found.more else ""

    @property
    def selector_error(self) -> bool:
        return bool(self.label_error or self.field_error)

    @property
    def several_pages(self) -> bool:
        return bool(self.next_url or self.previous_url)

    @property
    def create_url(self) -> str:
        type_ = self.place.type
        view = "new"
        if not type_.group and type_.plural in ("secrets", "configmaps"):
            view = "new-values"
        elif type_.group == "rbac.authorization.k8s.io" and type_.kind in ("RoleBinding", "ClusterRoleBinding"):
            view = "new-binding"
        return self.place.kind_url(view, **({"namespace": self.namespace} if self.namespace else {}))

    @property
    def who_can_url(self) -> str:
        query = {"verb": "get", "resource": self.place.type.qualified}
        query |= {"namespace": self.namespace} if self.namespace else {}
        return f"{reverse('resources:who-can')}?{urlencode(query)}"

    @property
    def bulk_url(self) -> str:
        return self.place.kind_url("bulk")

    @property
    def columns_url(self) -> str:
        return self.place.kind_url("columns")

    @property
    def has_logs(self) -> bool:
        """Whether its objects have logs, or stand for Pods that have."""
        return self._is_pod or podlogs.may_have_pods(self.place.type)

    @property
    def has_ports(self) -> bool:
        return self.has_logs

    @property
    def _is_pod(self) -> bool:
        return self.place.type.kind == "Pod" and not self.place.type.group

    @property
    def first(self) -> int:
        return (self.filter.page - 1) * self.choice.size + 1

    @property
    def last(self) -> int:
        return (self.filter.page - 1) * self.choice.size + len(self.found.entries)

    @property
    def within(self) -> tuple[str, ...]:
        """The namespaces that "all" means to this user; () where it means all."""
        return self.found.within

    @property
    def url(self) -> str:
        return self.filter.url(self.namespace)

    @property
    def all_url(self) -> str:
        """Without any filter."""
        return Filter(sort=self.filter.sort, columns=self.filter.columns).url(self.namespace)

    @cached_property
    def tabs(self) -> tuple[tuple[str, str, bool], ...]:
        """(label, address, whether it is this page) of the list without a filter and of the first saved searches; ()
        without any.
        """
        if not self.saved or self.refusal:
            return ()
        found = [(search.name, search.url, self._is_here(search)) for search in self.saved[:_TABS]]
        return ((_("All"), self.all_url, not self.filter.narrow), *found)

    def _is_here(self, search: Saved) -> bool:
        asked, here = QueryDict(search.url.partition("?")[2]), self.namespace or ALL_NAMESPACES
        return Filter.from_query(asked) == replace(self.filter, page=1) and asked.get("namespace", here) == here

    @property
    def remembered_url(self) -> str:
        """From the first page on, with the columns that are remembered."""
        return self.filter.url(self.namespace, columns="", page=1)

    @property
    def chips(self) -> tuple[Chip, ...]:
        return tuple(self.filter.chips(self.namespace))

    @property
    def next_url(self) -> str:
        return self.filter.url(self.namespace, page=self.filter.page + 1) if self.found.more else ""

    @property
    def previous_url(self) -> str:
        return self.filter.url(self.namespace, page=self.filter.page - 1) if self.filter.page > 1 else ""

    @property
    def live_rows(self) -> str:
        """The topics of the rows, with the columns that they shall have."""
        several = self.all_namespaces and not self.topic.endswith("/-")
        words = (
            columns.IN_SEVERAL if several else "",
            columns.WITH_USAGE if self.measured else "",
            columns.show(self.choice.keys),
        )
        spec = ",".join(filter(None, words))
        return " ".join(f"{part}?{spec}" if spec else part for part in self.topic.split())

    @property
    def live_url(self) -> str:
        """Where its rows are renewed, with the columns of this page."""
        return f"{self.url}&{USAGE}={int(self.measured)}" if usage.plural_of(self.place.type) else self.url

    @property
    def renewed_every(self) -> int:
        """Milliseconds after which measurements are refreshed, 0 where there are none."""
        shown = {columns.CPU, columns.MEMORY} & {column.key for column in self.columns}
        return RENEWED_SECONDS * 1000 if shown else 0

    @property
    def moves(self) -> bool:
        """Whether a row that changes may leave the list, enter it, or go elsewhere in it.

        If the state of an object comes from a Pod below it, the list is fetched again too.
        """
        below = any(entry.health.below for entry in self.found.entries)
        return bool(self.filter.query().state or self.filter.sort) or below

    @property
    def stateful(self) -> bool:
        return stateful(self.place.type) and not self.refusal

    @property
    def states(self) -> tuple[StateLink, ...]:
        """Of the whole list, the states that need attention first."""
        return tuple(
            StateLink(Health(state=state), count, self._state_url(state), state == self.filter.state)
            for state, count in (self.found.states or {}).items()
            if state in LABELS
        )

    def _state_url(self, state: str) -> str:
        return self.filter.url(self.namespace, state="" if state == self.filter.state else state, page=1)

    @property
    def states_url(self) -> str:
        return f"{self.filter.url(self.namespace, page=1, sort='')}&part=states"

    @property
    def count_url(self) -> str:
        return f"{self.url}&count=1"

    @property
    def counts_itself(self) -> bool:
        """Whether the states are counted without being asked for."""
        return self.found.states is None and self.found.total is not None and self.found.total <= COUNTED

    @property
    def label_suggestions(self) -> list[str]:
        """`key=value` of the objects on this page, the most common first."""
        counts: dict[str, int] = {}
        for entry in self.found.entries:
            for key, value in entry.labels:
                counts[f"{key}={value}"] = counts.get(f"{key}={value}", 0) + 1
        return sorted(counts, key=lambda label: -counts[label])[:_SUGGESTED]

    @property
    def label_keys(self) -> list[str]:
        return sorted({key for entry in self.found.entries for key, _value in entry.labels})[:_SUGGESTED]

    @property
    def kubectl(self) -> str:
        """The same list; kubectl has no filter by a part of the name."""
        scope = f" -n {self.namespace}" if self.namespace else " -A" if self.place.type.namespaced else ""
        query = self.filter.query()
        labels = f" -l {shlex.quote(query.labels)}" if query.labels else ""
        fields = f" --field-selector {shlex.quote(query.fields)}" if query.fields else ""
        wide = " -o wide" if any(column.wide and column.index >= 0 for column in self.columns) else ""
        shown = "".join(
            f" -L {shlex.quote(column.key[len(LABEL) :])}" for column in self.columns if column.key.startswith(LABEL)
        )
        return f"kubectl get {self.place.type.qualified}{scope}{labels}{fields}{wide}{shown}"

    @property
    def may_choose(self) -> bool:
        """Whether rows can be ticked for an act on many."""
        return not self.refusal and "delete" in self.place.type.verbs

    @property
    def downloads(self) -> tuple[tuple[str, str], ...]:
        """(what, address) of the whole list as a file, with the filters of this page."""
        base = self.place.kind_url("download")
        common: dict[str, str | int] = {"page": 1, "sort": ""}
        found = [(name.upper(), self.filter.url(self.namespace, **common, format=name)) for name in FORMATS]
        found.append((_("Clean YAML"), self.filter.url(self.namespace, **common, format="yaml", clean=1)))
        return tuple((str(name), f"{base}{url}") for name, url in found)

    @property
    def filtered(self) -> bool:
        return self.filter.narrow

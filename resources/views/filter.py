"""What a list is narrowed and ordered by: read from its address and from the words in its box; and the addresses of
other lists of the same kind.

Beside a part of the name the box understands `ns:shop,web` (or `namespace:`), `-ns:kube-system`, `label:app=web`,
`field:status.phase=Running`, `state:degraded`, `owner:web` (or `owner:Job/web`), `age<1h`, `age>2d`. Words with another
key are parts of the name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from kube import limits
from resources.lists.listing import PAGE, Query
from resources.state.health import LABELS

_WORD = re.compile(r"(label|field|state|owner|-?(?:ns|namespace)):(\S+)|age([<>])(\d{1,9})([smhd])", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_STATES = {state.casefold(): state for state in LABELS}
# Not within the brackets of `tier in (a,b)`.
_COMMA = re.compile(r",(?![^(]*\))")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWords:
    """What the box says.

    `labels`, `fields`: selectors. `younger_than`, `older_than`: in seconds, 0 for no bound. `namespaces`: the only
    ones, () for all; `not_namespaces`: none of these.
    """

    name: str = ""
    labels: str = ""
    fields: str = ""
    state: str = ""
    owner: str = ""
    younger_than: int = 0
    older_than: int = 0
    namespaces: tuple[str, ...] = ()
    not_namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chip:
    """One thing that narrows a list; `url`: the list without it."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """`columns`: a choice that the address itself makes, '' for the remembered one."""

    q: str = ""
    labels: str = ""
    fields: str = ""
    state: str = ""
    owner: str = ""
    sort: str = ""
    columns: str = ""
    page: int = 1

    @classmethod
    def from_query(cls, asked: QueryDict) -> "Filter":
        """From an address; an invalid page number counts as 1."""
        names = ("q", "labels", "fields", "state", "owner", "sort", "columns")
        texts = {name: asked.get(name, "").strip()[: limits.LIST_FILTER.value] for name in names}
        page = asked.get("page", "")
        return cls(**texts, page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 8 else 1)

    def query(self, size: int = PAGE) -> Query:
        """With what the box says beside a part of the name."""
        words = read_words(self.q)
        return Query(
            q=words.name,
            labels=",".join(filter(None, (self.labels, words.labels))),
            fields=",".join(filter(None, (self.fields, words.fields))),
            state=words.state or self.state,
            owner=words.owner or self.owner,
            sort=self.sort,
            page=self.page,
            size=size,
            younger_than=words.younger_than,
            older_than=words.older_than,
            namespaces=words.namespaces,
            not_namespaces=words.not_namespaces,
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """What narrows the list, by name."""
        return (
            ("q", self.q),
            ("labels", self.labels),
            ("fields", self.fields),
            ("state", self.state),
            ("owner", self.owner),
        )

    def url(self, namespace: str, **changes: str | int) -> str:
        """The same list with something else; always a complete address, which can be kept and shared."""
        values: dict[str, Any] = {
            **dict(self.pairs),
            "sort": self.sort,
            "columns": self.columns,
            "page": self.page,
            **changes,
        }
        changed = {key: value for key, value in values.items() if value and (key, value) != ("page", 1)}
        return f"?{urlencode({'namespace': namespace or '-', **changed})}"

    def chips(self, namespace: str) -> Iterator[Chip]:
        """What narrows the list, one by one; not the name, which stands in its box, nor the state, which has links."""
        for word, rest in without_each_word(self.q):
            yield Chip(word, self.url(namespace, q=rest, page=1))
        for name, selector in (("labels", self.labels), ("fields", self.fields)):
            terms = [term.strip() for term in _COMMA.split(selector) if term.strip()]
            for place, term in enumerate(terms):
                rest = ",".join((*terms[:place], *terms[place + 1 :]))
                yield Chip(term, self.url(namespace, **{name: rest}, page=1))
        if self.owner:
            yield Chip(_("Owner: %(owner)s") % {"owner": self.owner}, self.url(namespace, owner="", page=1))

    @property
    def narrow(self) -> bool:
        """Whether it leaves anything out."""
        return any(value for _name, value in self.pairs)


def read_words(text: str) -> QueryWords:
    """Of a key that comes twice the last one counts, but labels, fields and namespaces all count."""
    rest: list[str] = []
    several: dict[str, list[str]] = {"label": [], "field": [], "ns": [], "-ns": []}
    item: dict[str, str] = {}
    ages = {"<": 0, ">": 0}
    for word in text.split():
        found = _WORD.fullmatch(word)
        if found is None:
            rest.append(word)
        elif found[3]:
            ages[found[3]] = int(found[4]) * _SECONDS[found[5].lower()]
        elif (key := found[1].lower().replace("namespace", "ns")) in several:
            several[key].append(found[2])
        else:
            item[key] = found[2]
    state = item.get("state", "")
    return QueryWords(
        name=" ".join(rest),
        labels=",".join(several["label"]),
        fields=",".join(several["field"]),
        state=_STATES.get(state.casefold(), state),
        owner=item.get("owner", ""),
        younger_than=ages["<"],
        older_than=ages[">"],
        namespaces=_names(several["ns"]),
        not_namespaces=_names(several["-ns"]),
    )


def _names(words: list[str]) -> tuple[str, ...]:
    return tuple(name for word in words for name in word.split(",") if name)


def without_each_word(text: str) -> tuple[tuple[str, str], ...]:
    """(word, the text without it) for each word that is more than a part of the name."""
    words = text.split()
    return tuple(
        (word, " ".join((*words[:place], *words[place + 1 :])))
        for place, word in enumerate(words)
        if _WORD.fullmatch(word)
    )

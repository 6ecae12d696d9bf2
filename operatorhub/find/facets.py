"""The filters and the text search of the catalog. Pure.

Filters: values inside one filter are alternatives, filters are conditions (OR inside, AND between). The count of a
value honours every other filter, so that it is what a click would show: a package that only a single filter refuses
still counts in that filter. The address holds everything that decides what the page shows, so that a link shows another
person the same.

Search: every word must be found somewhere; where it is found decides the rank: name prefix > name > display name >
keywords > provider > kinds and API groups > summary > description. A package whose name or title is just what was typed
comes first, whatever else matches. When no package has all words, a word may also be a typo of a part of a name: one
wrong, missing, extra or swapped letter (two in words of eight and more).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from kube import limits
from operatorhub.csv import FEATURES, LEVELS

Words = str | Promise
INSTALLED, UPDATE, INSTALLING, ABSENT = "installed", "update", "installing", "absent"
OTHER = "other"
UNKNOWN = "unknown"
#: Cards, and how many more “Show more” adds. A grid isn't rows of a page, so it doesn't follow that preference.
PAGE_PACKAGES = 60
SORTS = ("relevance", "name", "name-desc", "provider", "level", "newest")
VIEWS = ("grid", "list")
MOST_COMPARED = 4
Facts = Mapping[str, tuple[str, ...]]
_TAIL = re.compile(
    r"[,\s]+(?:inc|incorporated|llc|l\.l\.c|ltd|limited|gmbh|corp|corporation|co|b\.v|bv|s\.a|sa|ag|plc)\.?$", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetKind:
    """One filter.

    `order`: the values that come first, in their order; others follow by how many there are, or by name when `by_name`.

    `shown`: how many are shown before the rest is folded; `folds`: values without packages are not shown at all.
    `always`: values that are shown even where no package has them. `labels`: words for values; others are shown as the
    packages write them.
    """

    label: Words
    labels: Mapping[str, Words]
    shown: int = 8
    by_name: bool = False
    folds: bool = False
    always: frozenset[str] = frozenset()


KINDS: dict[str, FacetKind] = {
    "category": FacetKind(label=_("Category"), labels={OTHER: _("Other")}, shown=12, by_name=True),
    "state": FacetKind(
        label=_("Install state"),
        labels={
            INSTALLED: _("Installed"),
            UPDATE: _("Update available"),
            INSTALLING: _("Installing"),
            ABSENT: _("Not installed"),
        },
        always=frozenset({INSTALLED, ABSENT}),
    ),
    "source": FacetKind(label=_("Catalog"), labels={}),
    "provider": FacetKind(label=_("Provider"), labels={}, shown=6, folds=True),
    "level": FacetKind(
        label=_("Capability level"),
        labels={str(number): name for number, name in enumerate(LEVELS, 1)} | {"0": _("Not specified")},
    ),
    "rights": FacetKind(
        label=_("Permissions"),
        labels={
            "cluster-admin": _("Equivalent to cluster-admin"),
            "elevated": _("With dangerous permissions"),
            "plain": _("No dangerous permissions"),
            UNKNOWN: _("Unknown"),
        },
    ),
    "webhooks": FacetKind(
        label=_("Webhooks"), labels={"yes": _("With webhooks"), "no": _("Without webhooks"), UNKNOWN: _("Unknown")}
    ),
    "mode": FacetKind(
        label=_("Install mode"),
        labels={
            "AllNamespaces": _("All namespaces"),
            "OwnNamespace": _("Own namespace"),
            "SingleNamespace": _("One other namespace"),
            "MultiNamespace": _("Several namespaces"),
        },
    ),
    "feature": FacetKind(label=_("Infrastructure features"), labels=FEATURES, shown=6, folds=True),
    "subscription": FacetKind(label=_("Valid subscription"), labels={}, shown=4, folds=True),
    "deprecated": FacetKind(label=_("Deprecation"), labels={"yes": _("Deprecated"), "no": _("Not deprecated")}),
}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a filter: how many packages it would leave."""

    value: str
    label: str
    count: int
    checked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """`choices` are shown at once, `more` behind a click."""

    name: str
    label: str
    choices: tuple[FacetValue, ...]
    more: tuple[FacetValue, ...]
    chosen: int


def provider_key(name: str) -> str:
    """One key for “Red Hat”, “Red Hat, Inc.” and “red hat inc”."""
    plain = " ".join(name.split())[: limits.PROVIDER.value]
    while (shorter := _TAIL.sub("", plain)) != plain and shorter:
        plain = shorter
    return plain.strip(" .,").casefold()


def provider_label(names: Iterable[str]) -> str:
    """How people know it: of its variants the most frequent one, without the legal form."""
    counted = Counter(names)
    best = max(counted, key=lambda name: (counted[name], -len(name), name))[: limits.PROVIDER.value]
    while (shorter := _TAIL.sub("", best)) != best and shorter:
        best = shorter
    return best.strip(" ,")


def normal(facet: str, value: str) -> str:
    """A value from an address, as the packages' facts have it."""
    if facet == "provider":
        return provider_key(value)
    return value.casefold() if facet == "category" else value


def sift(every: Sequence[Facts], chosen: Mapping[str, frozenset[str]]) -> tuple[list[int], dict[str, Counter[str]]]:
    """The numbers of those that pass every filter, and for each filter how many of each value pass all the others."""
    asked = [(facet, values) for facet, values in chosen.items() if values]
    counts: dict[str, Counter[str]] = {facet: Counter() for facet in KINDS}
    passed: list[int] = []
    for number, facts in enumerate(every):
        refused = [facet for facet, values in asked if values.isdisjoint(facts[facet])]
        if not refused:
            passed.append(number)
        for facet in KINDS if not refused else refused if len(refused) == 1 else ():
            counts[facet].update(facts[facet])
    return passed, counts


def build(
    counts: Mapping[str, Counter[str]],
    chosen: Mapping[str, frozenset[str]],
    labels: Mapping[str, Mapping[str, str]],
    present: Mapping[str, frozenset[str]],
) -> tuple[Facet, ...]:
    """The filters to show.

    `present`: the values that there are at all; a filter with one value only says the same of every package and is left
    out.
    """
    return tuple(
        _facet(
            name=name,
            kind=kind,
            counts=counts[name],
            chosen=chosen.get(name, frozenset()),
            labels=labels.get(name, {}),
            present=present[name] | kind.always,
        )
        for name, kind in KINDS.items()
        if chosen.get(name) or len(present[name] | kind.always) > 1
    )


def label(facet: str, value: str, labels: Mapping[str, Mapping[str, str]]) -> str:
    """The words for one value."""
    known = KINDS[facet].labels.get(value)
    return str(known) if known is not None else labels.get(facet, {}).get(value, value)


def _facet(
    name: str,
    kind: FacetKind,
    counts: Counter[str],
    chosen: frozenset[str],
    labels: Mapping[str, str],
    present: frozenset[str],
) -> Facet:
    """Filters with a few fixed values keep their order while the user types; in the others, values without packages are
    omitted.
    """
    known = list(kind.labels)

    def place(value: str) -> tuple[int, int, str]:
        words = labels.get(value, value).casefold()
        if kind.by_name:
            return 1 if value in kind.labels else 0, 0, words
        return (known.index(value), 0, "") if value in kind.labels else (len(known), -counts[value], words)

    fixed = present if not kind.folds else {value for value in present if counts[value]}
    values = sorted({*fixed, *chosen}, key=place)
    choices = [
        FacetValue(value, label(name, value, {name: labels}), counts[value], value in chosen) for value in values
    ]
    first, more = _folded(choices, kind.shown)
    return Facet(name=name, label=str(kind.label), choices=first, more=more, chosen=len(chosen))


def _folded(choices: Sequence[FacetValue], limit: int) -> tuple[tuple[FacetValue, ...], tuple[FacetValue, ...]]:
    """(what is shown at once, what is folded): of a long list those with packages come first, and what is chosen is
    never folded.
    """
    if len(choices) <= limit:
        return tuple(choices), ()
    useful = [choice for choice in choices if choice.count][:limit]
    first = tuple(choice for choice in choices if choice.checked or choice in useful)
    return first, tuple(choice for choice in choices if choice not in first)


_NONE: Mapping[str, frozenset[str]] = dict.fromkeys(KINDS, frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogQuery:
    """`chosen`: the values of each filter. `compared`: packages picked to be compared, as namespace/catalog/name."""

    q: str = ""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NONE)
    sort: str = "relevance"
    view: str = "grid"
    shown: int = PAGE_PACKAGES
    compared: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: QueryDict) -> "CatalogQuery":
        """Parses untrusted parameters; unknown values are dropped."""
        shown, sort, view = data.get("shown", ""), data.get("sort", ""), data.get("view", "")
        compared = (value for value in data.getlist("compare")[:100] if value.count("/") == 2 and len(value) < 600)
        return cls(
            q=" ".join(data.get("q", "").split())[:200],
            chosen={
                facet: frozenset(normal(facet, value) for value in data.getlist(facet)[:100] if value)
                for facet in KINDS
            },
            sort=sort if sort in SORTS else "relevance",
            view=view if view in VIEWS else "grid",
            shown=min(max(int(shown), PAGE_PACKAGES), 10_000) if shown.isascii() and shown.isdigit() else PAGE_PACKAGES,
            compared=tuple(dict.fromkeys(compared))[:MOST_COMPARED],
        )

    def address(self, **changes: object) -> str:
        """The query string of this query with some changes, without what is the default anyway."""
        wanted = replace(self, **changes)  # type: ignore[arg-type]
        parts: list[tuple[str, str]] = [("q", wanted.q)] if wanted.q else []
        parts += [(facet, value) for facet in KINDS for value in sorted(wanted.chosen[facet])]
        parts += [("sort", wanted.sort)] if wanted.sort != "relevance" else []
        parts += [("view", wanted.view)] if wanted.view != "grid" else []
        parts += [("shown", str(wanted.shown))] if wanted.shown != PAGE_PACKAGES else []
        parts += [("compare", key) for key in wanted.compared]
        return f"?{urlencode(parts)}" if parts else "?"

    def without(self, facet: str, value: str) -> str:
        """The address with one value less."""
        return self.address(chosen={**self.chosen, facet: self.chosen[facet] - {value}}, shown=PAGE_PACKAGES)

    @property
    def cleared(self) -> str:
        """The address without words and filters; how it is shown stays."""
        return self.address(q="", chosen=_NONE, shown=PAGE_PACKAGES)

    @property
    def filtered(self) -> bool:
        return bool(self.q) or any(self.chosen.values())

    @property
    def filters(self) -> int:
        """How many values are chosen."""
        return sum(map(len, self.chosen.values()))


_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SHORTEST_TYPO = 4
_EXACT, _NEARLY = 100_000, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTexts:
    """What is searched of one package, all lower-case. `names`: the words of its name and display name."""

    name: str
    title: str
    keywords: str
    provider: str
    kinds: str
    summary: str
    names: tuple[str, ...]
    crds: str = ""
    text: str = ""
    exact: frozenset[str] = frozenset()


def search_texts(
    name: str,
    title: str,
    keywords: Iterable[str],
    provider: str,
    kinds: Iterable[str],
    summary: str,
    crds: Iterable[str] = (),
    text: str = "",
) -> SearchTexts:
    """Prepare one package, once for each index revision.

    `crds`: their names, with plural and API group; `text`: its long description, or the beginning of it.
    """
    lower = f"{name} {title}".lower()
    return SearchTexts(
        name=name.lower(),
        title=title.lower(),
        keywords="\n".join(keywords).lower(),
        provider=provider.lower(),
        kinds="\n".join(kinds).lower(),
        summary=summary.lower(),
        names=tuple(dict.fromkeys(_WORD.findall(lower))),
        crds="\n".join(crds).lower(),
        text=text.lower(),
        exact=frozenset((_plain(name), _plain(title))),
    )


def _plain(name: str) -> str:
    """“argo-cd”, “Argo CD” and “argocd” are one name."""
    return "".join(_WORD.findall(name.lower()))


def rank_packages(query: str, packages: Sequence[SearchTexts]) -> list[int]:
    """Indexes of the packages that match, best first; all of them, in their order, for an empty query."""
    words = query.lower().split()
    if not words:
        return list(range(len(packages)))
    scored = _scored(words, packages, typos=False)
    if not scored:
        # "cert-manger" is a slip in one of two words.
        scored = _scored(_WORD.findall(query.lower()) or words, packages, typos=True)
    return [number for _, number in sorted(scored, key=lambda pair: (-pair[0], len(packages[pair[1]].name), pair[1]))]


def _scored(words: list[str], packages: Sequence[SearchTexts], *, typos: bool) -> list[tuple[int, int]]:
    return [
        (score, number) for number, package in enumerate(packages) if (score := _score(words, package, typos=typos))
    ]


def _score(words: list[str], package: SearchTexts, *, typos: bool = False) -> int:
    """The sum over all words; 0 when one of them is nowhere."""
    typed = _plain(" ".join(words))
    if typed in package.exact:
        return _EXACT
    total = 0
    for word in words:
        found = _word_score(word, package) or (_typo_score(word, package.names) if typos else 0)
        if not found:
            return 0
        total += found
    # "redis" for "redis-operator".
    return total + (_NEARLY if f"{typed}operator" in package.exact else 0)


def _word_score(word: str, package: SearchTexts) -> int:
    if package.name.startswith(word):
        return 400
    if word in package.name:
        return 200
    if word in package.title:
        return 120 if package.title.startswith(word) else 100
    if word in package.keywords:
        return 50
    if word in package.provider:
        return 25
    if word in package.kinds:
        return 12
    # "argocd" for "Argo CD": the title without its gaps.
    if word in package.title.replace(" ", ""):
        return 100
    if word in package.crds:
        return 12
    if word in package.summary:
        return 5
    return 2 if word in package.text else 0


def _typo_score(word: str, names: tuple[str, ...]) -> int:
    if len(word) < _SHORTEST_TYPO:
        return 0
    allowed = 2 if len(word) >= 8 else 1
    best = min((edit_distance(word, part[: len(word) + allowed], allowed) for part in names), default=allowed + 1)
    # A beginning that is still being typed is compared with the beginning of the name's word.
    best = min(best, min((edit_distance(word, part[: len(word)], allowed) for part in names), default=allowed + 1))
    return 10 - best if best <= allowed else 0


@lru_cache(maxsize=65536)
def edit_distance(a: str, b: str, limit: int) -> int:
    """Letters to change, add, drop or swap to make `b` of `a`; `limit` + 1 when it is more than `limit`."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i] + [0] * len(b)
        for j, other in enumerate(b, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)

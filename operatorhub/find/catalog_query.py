"""What stands in the catalog's address: everything that decides what the page shows, so that a link shows another
person the same. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import QueryDict

from operatorhub.find import facets

PAGE = 60
SORTS = ("relevance", "name", "name-desc", "provider", "level", "newest")
VIEWS = ("grid", "list")
MOST_COMPARED = 4
_NONE: Mapping[str, frozenset[str]] = dict.fromkeys(facets.KINDS, frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`chosen`: the values of each filter. `compared`: packages picked to be compared, as namespace/catalog/name."""

    q: str = ""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NONE)
    sort: str = "relevance"
    view: str = "grid"
    shown: int = PAGE
    compared: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: QueryDict) -> "Query":
        """Parses untrusted parameters; unknown values are dropped."""
        shown, sort, view = data.get("shown", ""), data.get("sort", ""), data.get("view", "")
        compared = (value for value in data.getlist("compare")[:100] if value.count("/") == 2 and len(value) < 600)
        return cls(
            q=" ".join(data.get("q", "").split())[:200],
            chosen={
                facet: frozenset(facets.normal(facet, value) for value in data.getlist(facet)[:100] if value)
                for facet in facets.KINDS
            },
            sort=sort if sort in SORTS else "relevance",
            view=view if view in VIEWS else "grid",
            shown=min(max(int(shown), PAGE), 10_000) if shown.isascii() and shown.isdigit() else PAGE,
            compared=tuple(dict.fromkeys(compared))[:MOST_COMPARED],
        )

    def address(self, **changes: object) -> str:
        """The query string of this query with some changes, without what is the default anyway."""
        wanted = replace(self, **changes)  # type: ignore[arg-type]
        parts: list[tuple[str, str]] = [("q", wanted.q)] if wanted.q else []
        parts += [(facet, value) for facet in facets.KINDS for value in sorted(wanted.chosen[facet])]
        parts += [("sort", wanted.sort)] if wanted.sort != "relevance" else []
        parts += [("view", wanted.view)] if wanted.view != "grid" else []
        parts += [("shown", str(wanted.shown))] if wanted.shown != PAGE else []
        parts += [("compare", key) for key in wanted.compared]
        return f"?{urlencode(parts)}" if parts else "?"

    def without(self, facet: str, value: str) -> str:
        """The address with one value less."""
        return self.address(chosen={**self.chosen, facet: self.chosen[facet] - {value}}, shown=PAGE)

    @property
    def cleared(self) -> str:
        """The address without words and filters; how it is shown stays."""
        return self.address(q="", chosen=_NONE, shown=PAGE)

    @property
    def filtered(self) -> bool:
        return bool(self.q) or any(self.chosen.values())

    @property
    def filters(self) -> int:
        """How many values are chosen."""
        return sum(map(len, self.chosen.values()))

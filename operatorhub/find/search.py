"""Ranks packages for a search query. Pure.

Every word must be found somewhere; where it is found decides the rank: name prefix > name > display name > keywords >
provider > kinds and API groups > summary > description. A package whose name or title is just what was typed comes
first, whatever else matches. When no package has all words, a word may also be a typo of a part of a name: one wrong,
missing, extra or swapped letter (two in words of eight and more).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SHORTEST_TYPO = 4
_EXACT, _NEARLY = 100_000, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What is searched of one package, all lower-case. `names`: the words of its name and display name."""

    name: str
    title: str
    keywords: str
    provider: str
    kinds: str
    summary: str
    names: tuple[str, ...]
    groups: str = ""
    text: str = ""
    exact: frozenset[str] = frozenset()


def texts(
    name: str,
    title: str,
    keywords: Iterable[str],
    provider: str,
    kinds: Iterable[str],
    summary: str,
    groups: Iterable[str] = (),
    text: str = "",
) -> Texts:
    """Prepare one package, once for each index revision.

    `groups`: API groups; `text`: its long description, or the beginning of it.
    """
    lower = f"{name} {title}".lower()
    return Texts(
        name=name.lower(),
        title=title.lower(),
        keywords="\n".join(keywords).lower(),
        provider=provider.lower(),
        kinds="\n".join(kinds).lower(),
        summary=summary.lower(),
        names=tuple(dict.fromkeys(_WORD.findall(lower))),
        groups="\n".join(groups).lower(),
        text=text.lower(),
        exact=frozenset((_plain(name), _plain(title))),
    )


def _plain(name: str) -> str:
    """“argo-cd”, “Argo CD” and “argocd” are one name."""
    return "".join(_WORD.findall(name.lower()))


def rank(query: str, packages: Sequence[Texts]) -> list[int]:
    """Indexes of the packages that match, best first; all of them, in their order, for an empty query."""
    words = query.lower().split()
    if not words:
        return list(range(len(packages)))
    scored = _scored(words, packages, typos=False)
    if not scored:
        # "cert-manger" is a slip in one of two words.
        scored = _scored(_WORD.findall(query.lower()) or words, packages, typos=True)
    return [number for _, number in sorted(scored, key=lambda pair: (-pair[0], len(packages[pair[1]].name), pair[1]))]


def _scored(words: list[str], packages: Sequence[Texts], *, typos: bool) -> list[tuple[int, int]]:
    return [
        (score, number) for number, package in enumerate(packages) if (score := _score(words, package, typos=typos))
    ]


def _score(words: list[str], package: Texts, *, typos: bool = False) -> int:
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


def _word_score(word: str, package: Texts) -> int:
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
    if word in package.groups:
        return 12
    if word in package.summary:
        return 5
    return 2 if word in package.text else 0


def _typo_score(word: str, names: tuple[str, ...]) -> int:
    if len(word) < _SHORTEST_TYPO:
        return 0
    allowed = 2 if len(word) >= 8 else 1
    best = min((distance(word, part[: len(word) + allowed], allowed) for part in names), default=allowed + 1)
    # A beginning that is still being typed is compared with the beginning of the name's word.
    best = min(best, min((distance(word, part[: len(word)], allowed) for part in names), default=allowed + 1))
    return 10 - best if best <= allowed else 0


@lru_cache(maxsize=65536)
def distance(a: str, b: str, limit: int) -> int:
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

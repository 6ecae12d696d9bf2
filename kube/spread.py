"""Lists over all namespaces for somebody who may not list all: the lists of the namespaces that are theirs, read one
by one and answered as one.

The API server has no such request, and does not say which namespaces are somebody's; who knows is told to `found_by`
(console/reach does). Everything is asked with the same client, so nothing is read that its owner may not read.
https://kubernetes.io/docs/reference/access-authn-authz/rbac/ (a RoleBinding grants in its own namespace only)
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from kube.errors import Forbidden, Gone, NotFound
from kube.objects import ObjectList
from kube.table import Table
from kube.versions import older

Page = TypeVar("Page", Table, ObjectList)
#: (namespace, limit, token) → that page of the namespace's list.
Ask = Callable[[str, int, str], Page]

#: Of more namespaces than these nothing is read.
MOST = 100
#: For so long a refusal of the whole list is believed in without asking again.
REFUSED_SECONDS = 10.0
#: Before the namespace in continue tokens; the API server's own are base64.
_MARK = "~"
_workers = ThreadPoolExecutor(8, thread_name_prefix="spread")


def _nothing(_client: Any) -> tuple[str, ...]:
    return ()


_finder: Callable[[Any], tuple[str, ...]] = _nothing


def found_by(finder: Callable[[Any], tuple[str, ...]]) -> None:
    """Who says which namespaces are a client's.

    It is asked after a refusal only, and may ask the client in turn (with `whole`).
    """
    global _finder
    _finder = finder


def places(client: Any) -> tuple[str, ...]:
    """The namespaces of this client's owner, sorted; none where nobody knows any."""
    return tuple(sorted(set(_finder(client))))[:MOST]


@dataclass(slots=True)
class _Refusal:
    error: Forbidden
    until: float


class Refused:
    """Of one client: the types whose whole list was refused to it just now."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Refusal] = {}

    def get(self, key: tuple[str, str]) -> Forbidden | None:
        found = self._kept.get(key)
        return found.error if found and found.until > time.monotonic() else None

    def note(self, key: tuple[str, str], error: Forbidden) -> None:
        self._kept[key] = _Refusal(error, time.monotonic() + REFUSED_SECONDS)

    def forget(self, key: tuple[str, str]) -> None:
        self._kept.pop(key, None)


def gather(ask: Ask[Page], where: Sequence[str], refused: Forbidden, limit: int, token: str) -> Page:
    """One page over the namespaces `where`, which is sorted.

    Those that refuse are left out; raises Forbidden when all do.
    """
    first, inner = _parsed(token)
    rest = [one for one in where if one >= first]
    if limit:
        return _some(
            ask=ask,
            where=rest,
            refused=refused,
            limit=limit,
            inner=inner if rest[:1] == [first] else "",
            later=bool(token),
        )
    answers = list(_workers.map(lambda place: _tried(ask, place, 0, ""), rest))
    return _together(rest, answers, refused)


def named(own: Callable[[str], Page], where: Sequence[str], refused: Forbidden) -> Page:
    """The namespaces `where` themselves, got one by one: those that are there and may be read.

    Raises Forbidden when none may.
    """

    def get(place: str) -> Page | Forbidden:
        try:
            return own(place)
        except Forbidden as error:
            return error
        except NotFound:
            return refused

    return _together(where, list(_workers.map(get, where)), refused)


def _some(ask: Ask[Page], where: Sequence[str], refused: Forbidden, limit: int, inner: str, later: bool) -> Page:
    answers: list[Page | Forbidden] = []
    room = limit
    for number, place in enumerate(where):
        answer = _tried(ask, place, room, inner if number == 0 else "")
        answers.append(answer)
        if isinstance(answer, Forbidden):
            continue
        room -= size(answer)
        if answer.continue_ or not room:
            break
    if later and all(isinstance(one, Forbidden) for one in answers):
        # What was read before is all that there is by now.
        raise Gone("the namespaces that were left to read are not to be read any more")
    seen = len(answers)
    counted: list[Page | Forbidden] = list(_workers.map(lambda place: _tried(ask, place, 1, ""), where[seen:]))
    found: Any = _together(where, [*answers, *counted], refused, seen)
    last: Any = answers[-1] if answers else refused
    if not isinstance(last, Forbidden) and last.continue_:
        next_ = f"{_MARK}{where[seen - 1]}/{last.continue_}"
        left = [last.remaining]
    else:
        filled = next((place for place, one in zip(where[seen:], counted, strict=True) if _any(one)), "")
        next_, left = (f"{_MARK}{filled}/" if filled else ""), []
    left += [_number(one) for one in counted if not isinstance(one, Forbidden)]
    remaining = None if not next_ or None in left else sum(one or 0 for one in left)
    page: Page = dataclasses.replace(found, continue_=next_, remaining=remaining)
    return page


def _number(page: Table | ObjectList) -> int | None:
    """How many objects there are in a namespace of whose list one was read; None where the server does not say."""
    return None if page.continue_ and page.remaining is None else size(page) + (page.remaining or 0)


def _together(
    where: Sequence[str], answers: Sequence[Page | Forbidden], refused: Forbidden, shown: int | None = None
) -> Page:
    """As one; of the first `shown` answers (None: all) the objects, of the others nothing but that they were
    answered.
    """
    good: list[tuple[str, Any]] = [
        (place, one) for place, one in zip(where, answers, strict=True) if not isinstance(one, Forbidden)
    ]
    if not good:
        raise next((one for one in reversed(answers) if isinstance(one, Forbidden)), refused)
    pages: list[Any] = [one for one in answers[:shown] if not isinstance(one, Forbidden)]
    first, version = good[0][1], good[0][1].resource_version
    for _place, one in good:
        version = one.resource_version if older(one.resource_version, version) else version
    common = {
        "resource_version": version,
        "continue_": "",
        "remaining": None,
        "within": tuple(place for place, _one in good),
    }
    page: Any
    if isinstance(first, Table):
        page = dataclasses.replace(first, rows=tuple(row for one in pages for row in one.rows), **common)
    else:
        page = dataclasses.replace(first, items=[item for one in pages for item in one.items], **common)
    found: Page = page
    return found


def _tried(ask: Ask[Page], place: str, limit: int, token: str) -> Page | Forbidden:
    try:
        return ask(place, limit, token)
    except Forbidden as error:
        return error
    except Gone as error:
        if error.continue_:
            error.continue_ = f"{_MARK}{place}/{error.continue_}"
        raise


def is_token(token: str) -> bool:
    """Whether it is one of ours, of which the API server knows nothing."""
    return token.startswith(_MARK)


def size(page: Table | ObjectList) -> int:
    return len(page.rows) if isinstance(page, Table) else len(page.items)


def _any(answer: Any) -> bool:
    return not isinstance(answer, Forbidden) and size(answer) > 0


def _parsed(token: str) -> tuple[str, str]:
    """(the namespace to go on with, the API server's token there)."""
    if not is_token(token):
        return "", ""
    place, _slash, inner = token[1:].partition("/")
    return place, inner

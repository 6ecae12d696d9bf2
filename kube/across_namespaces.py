"""Lists over all namespaces for a user without permission to list them all: one list for each namespace of the user,
merged into one.

The API server has no such request and can't list a user's namespaces; `set_finder` takes the function that can
(console/reach). Every request is sent by the user's own client, so nothing is read without the user's permission.
https://kubernetes.io/docs/reference/access-authn-authz/rbac/ (a RoleBinding grants in its own namespace only)
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from kube.errors import Forbidden, Gone, NotFound
from kube.objects import ObjectList, Table, older

Page = TypeVar("Page", Table, ObjectList)
#: (namespace, limit, continue token) → that page of the namespace's list.
ListPage = Callable[[str, int, str], Page]

MAX_NAMESPACES = 100
#: How long a refusal of the whole list is cached.
REFUSED_SECONDS = 10.0
#: Prefix of continue tokens of this module; the API server's are base64.
_CONTINUE_MARK = "~"
_workers = ThreadPoolExecutor(8, thread_name_prefix="across-namespaces")


def _no_namespaces(_client: Any) -> tuple[str, ...]:
    return ()


_finder: Callable[[Any], tuple[str, ...]] = _no_namespaces


def set_finder(finder: Callable[[Any], tuple[str, ...]]) -> None:
    """Sets the function that returns the namespaces of a client's user.

    It is called after a refusal only, and can use the client (with `whole`).
    """
    global _finder
    _finder = finder


def namespaces_of(client: Any) -> tuple[str, ...]:
    """The namespaces of this client's user, sorted; () if none is known."""
    return tuple(sorted(set(_finder(client))))[:MAX_NAMESPACES]


@dataclass(slots=True)
class _Refusal:
    error: Forbidden
    until: float


class RefusalCache:
    """The types, by group and plural, whose whole list the API server refused to one client within the last
    REFUSED_SECONDS.
    """

    def __init__(self) -> None:
        self._refusals: dict[tuple[str, str], _Refusal] = {}

    def get(self, key: tuple[str, str]) -> Forbidden | None:
        refusal = self._refusals.get(key)
        return refusal.error if refusal and refusal.until > time.monotonic() else None

    def put(self, key: tuple[str, str], error: Forbidden) -> None:
        self._refusals[key] = _Refusal(error, time.monotonic() + REFUSED_SECONDS)

    def evict(self, key: tuple[str, str]) -> None:
        self._refusals.pop(key, None)


def merged_page(
    list_page: ListPage[Page], namespaces: Sequence[str], refusal: Forbidden, limit: int, token: str
) -> Page:
    """One page over `namespaces`, which are sorted.

    Namespaces that refuse are left out; raises Forbidden if all refuse.
    """
    first, inner = _parse_token(token)
    rest = [namespace for namespace in namespaces if namespace >= first]
    if limit:
        inner = inner if rest[:1] == [first] else ""
        return _limited_page(list_page, rest, refusal, limit=limit, token=inner, is_later=bool(token))
    answers = list(_workers.map(lambda namespace: _page_or_refusal(list_page, namespace, 0, ""), rest))
    return _merge(rest, answers, refusal)


def existing_namespaces(get: Callable[[str], Page], namespaces: Sequence[str], refusal: Forbidden) -> Page:
    """The Namespace objects themselves, read one by one: those that exist and can be read.

    Raises Forbidden if none can.
    """

    def page_or_refusal(namespace: str) -> Page | Forbidden:
        try:
            return get(namespace)
        except Forbidden as error:
            return error
        except NotFound:
            return refusal

    return _merge(namespaces, list(_workers.map(page_or_refusal, namespaces)), refusal)


def _limited_page(
    list_page: ListPage[Page],
    namespaces: Sequence[str],
    refusal: Forbidden,
    *,
    limit: int,
    token: str,
    is_later: bool,
) -> Page:
    """At most `limit` objects, and a continue token for the rest.

    `token`: the API server's, of the first namespace; `is_later`: not the first page.
    """
    answers: list[Page | Forbidden] = []
    space = limit
    for number, namespace in enumerate(namespaces):
        answer = _page_or_refusal(list_page, namespace, space, token if number == 0 else "")
        answers.append(answer)
        if isinstance(answer, Forbidden):
            continue
        space -= size(answer)
        if answer.continue_ or not space:
            break
    if is_later and all(isinstance(answer, Forbidden) for answer in answers):
        # The namespaces of the earlier pages were the last that the user can read.
        raise Gone("the namespaces that were left to read are not to be read any more")
    shown = len(answers)
    unread = namespaces[shown:]
    # One object of each, for its `remainingItemCount`.
    samples: list[Page | Forbidden] = list(
        _workers.map(lambda namespace: _page_or_refusal(list_page, namespace, 1, ""), unread)
    )
    merged: Any = _merge(namespaces, [*answers, *samples], refusal, shown)
    last: Any = answers[-1] if answers else refusal
    if not isinstance(last, Forbidden) and last.continue_:
        continue_ = f"{_CONTINUE_MARK}{namespaces[shown - 1]}/{last.continue_}"
        counts = [last.remaining]
    else:
        pairs = zip(unread, samples, strict=True)
        next_namespace = next((namespace for namespace, sample in pairs if _has_objects(sample)), "")
        continue_, counts = (f"{_CONTINUE_MARK}{next_namespace}/" if next_namespace else ""), []
    counts += [_count(sample) for sample in samples if not isinstance(sample, Forbidden)]
    remaining = None if not continue_ or None in counts else sum(count or 0 for count in counts)
    page: Page = dataclasses.replace(merged, continue_=continue_, remaining=remaining)
    return page


def _count(page: Table | ObjectList) -> int | None:
    """The number of objects in the namespace of a sample; None if the API server doesn't count them."""
    return None if page.continue_ and page.remaining is None else size(page) + (page.remaining or 0)


def _merge(
    namespaces: Sequence[str], answers: Sequence[Page | Forbidden], refusal: Forbidden, shown: int | None = None
) -> Page:
    """One page with the objects of the first `shown` answers (None: of all).

    `within` names every namespace that answered.
    """
    answered: list[tuple[str, Any]] = [
        (namespace, answer)
        for namespace, answer in zip(namespaces, answers, strict=True)
        if not isinstance(answer, Forbidden)
    ]
    if not answered:
        raise next((answer for answer in reversed(answers) if isinstance(answer, Forbidden)), refusal)
    pages: list[Any] = [answer for answer in answers[:shown] if not isinstance(answer, Forbidden)]
    first, version = answered[0][1], answered[0][1].resource_version
    for _namespace, page in answered:
        version = page.resource_version if older(page.resource_version, version) else version
    common = {
        "resource_version": version,
        "continue_": "",
        "remaining": None,
        "within": tuple(namespace for namespace, _page in answered),
    }
    merged: Any
    if isinstance(first, Table):
        merged = dataclasses.replace(first, rows=tuple(row for page in pages for row in page.rows), **common)
    else:
        merged = dataclasses.replace(first, items=[item for page in pages for item in page.items], **common)
    result: Page = merged
    return result


def _page_or_refusal(list_page: ListPage[Page], namespace: str, limit: int, token: str) -> Page | Forbidden:
    try:
        return list_page(namespace, limit, token)
    except Forbidden as error:
        return error
    except Gone as error:
        if error.continue_:
            error.continue_ = f"{_CONTINUE_MARK}{namespace}/{error.continue_}"
        raise


def is_token(token: str) -> bool:
    """Whether it is a continue token of this module, which the API server can't read."""
    return token.startswith(_CONTINUE_MARK)


def size(page: Table | ObjectList) -> int:
    return len(page.rows) if isinstance(page, Table) else len(page.items)


def _has_objects(answer: Any) -> bool:
    return not isinstance(answer, Forbidden) and size(answer) > 0


def _parse_token(token: str) -> tuple[str, str]:
    """(the namespace to continue with, the API server's token there)."""
    if not is_token(token):
        return "", ""
    namespace, _slash, inner = token.removeprefix(_CONTINUE_MARK).partition("/")
    return namespace, inner

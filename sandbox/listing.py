"""Lists: which entries match, page by page, and the version from which a watch continues.

A list in pages shows on every page what there was when it began; so does a list of an exact version. The store's
history tells what that was, as long as it reaches back.
"""

from __future__ import annotations

import base64
import posixpath
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from .errors import ApiError, BadRequest, Gone, Invalid, Plain
from .labels import Selector, label_selector
from .objects import decode
from .resources import Resource
from .selectors import field_selector, field_tests
from .store import Expired, Key, Store, StoreEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """The query of a list or watch."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    continue_: str = ""
    version: str = ""
    match: str = ""
    #: sendInitialEvents, None when it is not given
    initial: bool | None = None
    #: timeoutSeconds of a watch, 0 when it is not given
    seconds: int = 0
    bookmarks: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """``remaining``: None when it is not known (with selectors) or nothing remains."""

    entries: list[StoreEntry]
    version: int
    continue_: str = ""
    remaining: int | None = None


class TooLarge(ApiError):
    """504: a version that does not exist yet."""

    code = 504
    reason = "Timeout"

    def __init__(self, version: int, current: int):
        super().__init__(
            f"Timeout: Too large resource version: {version}, current: {current}",
            {
                "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
                "retryAfterSeconds": 1,
            },
            {"retry-after": "1"},
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of a resource's objects: by namespace, name, labels and fields."""

    namespace: str
    name: str
    labels: Selector | None
    fields: Callable[[Any], bool] | None

    def matches(self, entry: StoreEntry) -> bool:
        """Whether the entry belongs to the selection."""
        if self.namespace and entry.namespace != self.namespace:
            return False
        if self.name and entry.name != self.name:
            return False
        if self.labels is not None and not self.labels(entry.labels):
            return False
        return self.fields is None or self.fields(decode(entry.data))

    @property
    def partial(self) -> bool:
        """Whether a selector excludes objects."""
        return bool(self.name or self.labels or self.fields)


def _kind_of(resource: Resource) -> str:
    """Whose fields can be selected: a kind in another shape has names of its own."""
    return f"{resource.plural}.{resource.group}" if resource.shares else resource.key


def selection(resource: Resource, namespace: str, options: ListQuery) -> Selection:
    """Parsed selectors; BadRequest when they cannot be."""
    name, others = "", []
    for path, equal, value in field_tests(options.fields):
        if path == "metadata.name" and equal and value and not name:
            name = value
        elif path == "metadata.namespace" and equal and not namespace and resource.namespaced:
            namespace = value
        else:
            others.append((path, equal, value))
    fields = field_selector(others, _kind_of(resource), resource.selectable, bool(resource.custom)) if others else None
    return Selection(namespace, name, label_selector(options.labels), fields)


def check_versions(options: ListQuery, current: int, watch: bool = False) -> int:
    """The version asked for as a number (0 when none); refuses combinations as the API server does."""

    text = options.version
    if text and not text.isdecimal():
        why = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise Plain(why) if watch else BadRequest(f"invalid resource version: {why}")
    version = int(text or 0)
    if not watch and (causes := _list_causes(options)):
        raise Invalid("ListOptions", "", causes, "meta.k8s.io")
    if version > current:
        raise TooLarge(version, current)
    return version


def _list_causes(options: ListQuery) -> list[tuple[str, str, str]]:
    """Causes for options that a list can't combine (ValidateListOptions)."""
    causes = []

    def forbid(field: str, text: str) -> None:
        causes.append((field, "FieldValueForbidden", f"Forbidden: {text}"))

    field = "resourceVersionMatch"
    if options.match and not options.version:
        forbid(field, f"{field} is forbidden unless resourceVersion is provided")
    if options.match and options.continue_:
        forbid(field, f"{field} is forbidden when continue is provided")
    if options.match not in ("", "Exact", "NotOlderThan"):
        text = f'Unsupported value: "{options.match}": supported values: "Exact", "NotOlderThan", ""'
        causes.append((field, "FieldValueNotSupported", text))
    if options.match == "Exact" and options.version == "0":
        forbid(field, f'{field} "exact" is forbidden for resourceVersion "0"')
    if options.initial is not None:
        forbid("sendInitialEvents", "sendInitialEvents is forbidden for list")
    return causes


def check_get(version: str, current: int) -> None:
    """A single object may be asked for at least as new as a version."""
    check_versions(ListQuery(version=version), current, watch=True)


def page(store: Store, resource: Resource, namespace: str, options: ListQuery) -> ResultPage:
    """The entries of one page. Gone when an exact version is asked for that is not kept."""
    version = check_versions(options, store.version)
    wanted = selection(resource, namespace, options)
    first, after = store.version, None
    if options.continue_:
        if options.version and version:
            raise BadRequest("specifying resource version is not allowed when using continue")
        first, after = _continued(options.continue_, store, resource)
    elif options.match == "Exact":
        first = version
    changed = store.changed(resource.key) > first
    if not changed and wanted.name and (wanted.namespace or not resource.namespaced):
        entry = store.get(resource.key, wanted.namespace, wanted.name)
        return ResultPage([entry] if entry and wanted.matches(entry) else [], first)
    try:
        entries = store.snapshot(resource.key, first) if changed else store.scan(resource.key, wanted.namespace, after)
    except Expired:
        raise Gone("The resourceVersion for the provided list is too old.") from None
    # For any version kube-apiserver answers from its watch cache, which ignores the limit.
    limit = 0 if options.version == "0" else options.limit
    return _cut(entries, wanted, limit, first, after)


def _cut(entries: Iterable[StoreEntry], wanted: Selection, limit: int, first: int, after: Key | None) -> ResultPage:
    found: list[StoreEntry] = []
    rest = 0
    for entry in entries:
        if (after is not None and entry.key <= after) or not wanted.matches(entry):
            continue
        if 0 < limit <= len(found):
            rest += 1
            if wanted.partial:
                break
        else:
            found.append(entry)
    if not rest:
        return ResultPage(found, first)
    last = found[-1]
    token = {"v": "meta.k8s.io/v1", "rv": first, "start": f"{last.namespace}/{last.name}\0"}
    packed = base64.urlsafe_b64encode(msgspec.json.encode(token)).rstrip(b"=").decode()
    return ResultPage(found, first, packed, None if wanted.partial else rest)


def _bad_token(why: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid: {why}")


def _continued(text: str, store: Store, resource: Resource) -> tuple[int, Key]:
    """(version, key after which the next page begins) of a token (apiserver/pkg/storage/continue.go)."""
    alphabet = string.ascii_letters + string.digits + "-_"
    wrong = next((at for at, letter in enumerate(text) if letter not in alphabet), None)
    if wrong is not None or len(text) % 4 == 1:
        raise _bad_token(f"illegal base64 data at input byte {len(text) if wrong is None else wrong}")
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    try:
        token = msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError as fault:
        raise _bad_token(str(fault)) from None
    known = token.get("v")
    if known != "meta.k8s.io/v1":
        raise _bad_token(f"server does not recognize this encoded version {known or ''}")
    version, start = token.get("rv") or 0, str(token.get("start") or "")
    if not version:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not start:
        raise _bad_token("encoded start key empty (version meta.k8s.io/v1)")
    key = "/" + start.lstrip("/")
    if posixpath.normpath(key.rstrip("\0")) != key.rstrip("\0"):
        raise _bad_token(start)
    namespace, _, name = start.rstrip("\0").partition("/")
    if not store.reaches(resource.key, version):
        raise Gone(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list"
            " without the continue parameter, or use the continue token in this response to retrieve the remainder of"
            " the results. Continuing with the provided token results in an inconsistent list - objects that were"
            " created, modified, or deleted between the time the first chunk was returned and now may show up in the"
            " list."
        )
    return version, (namespace, name)

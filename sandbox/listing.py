"""Lists: which entries match, page by page, and the version that a watch goes on from.

The store keeps no old versions of objects. A list in pages reads the present state for every page but says the version
of its first page, so that a watch from there brings whatever changed meanwhile: nothing is missed, some news come twice.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from .errors import ApiError, BadRequest, Gone, Invalid
from .objects import Object, decode
from .resources import Resource
from .selectors import Matches, field_selector, field_tests, label_selector
from .store import Entry, Key, Store


@dataclass(frozen=True, slots=True)
class Options:
    """The query of a list or watch."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    continue_: str = ""
    version: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """``remaining`` is None when it is not known (with selectors) or nothing remains."""

    entries: list[Entry]
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
    """What of a resource is meant: a namespace, one name perhaps, labels, fields."""

    namespace: str
    name: str
    labels: Matches | None
    fields: Callable[[Any], bool] | None

    def matches(self, entry: Entry) -> bool:
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
        """Whether a selector leaves things out."""
        return bool(self.name or self.labels or self.fields)


def selection(resource: Resource, namespace: str, options: Options) -> Selection:
    """Parsed selectors; BadRequest when they cannot be."""
    name, others = "", []
    for path, equal, value in field_tests(options.fields):
        if path == "metadata.name" and equal and not name:
            name = value
        elif path == "metadata.namespace" and equal and not namespace and resource.namespaced:
            namespace = value
        else:
            others.append((path, equal, value))
    fields = field_selector(others, resource.key, resource.selectable, bool(resource.custom)) if others else None
    return Selection(namespace, name, label_selector(options.labels), fields)


class BadWatchVersion(ApiError):
    """500 without a reason: how the API server answers a watch from something that is no version."""

    reason = ""


def check_versions(options: Options, current: int, watch: bool = False) -> int:
    """The version asked for as a number (0 when none); refuses combinations as the API server does."""

    def refuse(field: str, text: str) -> Invalid:
        return Invalid("ListOptions", "", [(field, "FieldValueForbidden", f"Forbidden: {text}")], "meta.k8s.io")

    try:
        version = int(options.version or 0)
    except ValueError:
        text = options.version
        why = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise (BadWatchVersion(why) if watch else BadRequest(f"invalid resource version: {why}")) from None
    if options.match and not watch:
        if not options.version:
            raise refuse("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided")
        if options.continue_:
            raise refuse("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
        if options.match not in ("Exact", "NotOlderThan"):
            text = f'Unsupported value: "{options.match}": supported values: "Exact", "NotOlderThan", ""'
            raise Invalid("ListOptions", "", [("resourceVersionMatch", "FieldValueNotSupported", text)], "meta.k8s.io")
        if options.match == "Exact" and version == 0:
            raise refuse(
                "resourceVersionMatch",
                'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
            )
    if version > current:
        raise TooLarge(version, current)
    return version


def page(store: Store, resource: Resource, namespace: str, options: Options) -> Page:
    """The entries of one page. Gone when an exact version is asked for that is not kept."""
    version = check_versions(options, store.version)
    wanted = selection(resource, namespace, options)
    first, after = store.version, None
    if options.continue_:
        if options.version and version:
            raise BadRequest("specifying resource version is not allowed when using continue")
        first, after = _continued(options.continue_, store, resource)
    elif options.match == "Exact" and store.changed(resource.key) > version:
        raise Gone("The resourceVersion for the provided list is too old.")
    elif options.match == "Exact":
        first = version
    if wanted.name and (wanted.namespace or not resource.namespaced):
        entry = store.get(resource.key, wanted.namespace, wanted.name)
        return Page([entry] if entry and wanted.matches(entry) else [], first)
    return _cut(store, resource, wanted, options.limit, first, after)


def _cut(store: Store, resource: Resource, wanted: Selection, limit: int, first: int, after: Key | None) -> Page:
    found: list[Entry] = []
    rest = 0
    for entry in store.scan(resource.key, wanted.namespace, after):
        if wanted.partial and not wanted.matches(entry):
            continue
        if limit > 0 and len(found) == limit:
            rest = 1 if wanted.partial else store.count_after(resource.key, wanted.namespace, found[-1].key)
            break
        found.append(entry)
    if not rest:
        return Page(found, first)
    last = found[-1]
    token = {"v": "meta.k8s.io/v1", "rv": first, "start": f"{last.namespace}/{last.name}\0"}
    packed = base64.urlsafe_b64encode(msgspec.json.encode(token)).rstrip(b"=").decode()
    return Page(found, first, packed, None if wanted.partial else rest)


def _continued(text: str, store: Store, resource: Resource) -> tuple[int, Key]:
    raw = b""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        token: Object = msgspec.json.decode(raw)
        namespace, _, name = str(token["start"]).rstrip("\0").partition("/")
        version = int(token["rv"])
    except (ValueError, KeyError, TypeError):
        first = raw[:1].decode(errors="replace")
        why = f"invalid character '{first}' looking for beginning of value"
        raise BadRequest(f"invalid continue token: continue key is not valid: {why}") from None
    if not store.reaches(resource.key, version):
        raise Gone(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list "
            "without the continue parameter, or use the continue token in this response to retrieve the remainder of "
            "the results. Continuing with the provided token results in an inconsistent list - objects that were "
            "created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
        )
    return version, (namespace, name)

"""The labels and annotations of an object as rows of a form, and the changes made to them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from kube.objects import KubeObject, mapping, text, without_last_applied

KINDS = ("labels", "annotations")
# What the API server takes:
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


@dataclass(frozen=True, slots=True)
class Pair:
    """One row. `error`: what is wrong with it."""

    key: str = ""
    value: str = ""
    error: str = ""


def pairs(obj: KubeObject, kind: str) -> tuple[Pair, ...]:
    """As they are, by key, without the copies that programs keep."""
    found = without_last_applied(mapping(obj.get("metadata")).get(kind))
    return tuple(Pair(str(key), lines(text(value))) for key, value in sorted(found.items()))


def read(keys: Sequence[str], values: Sequence[str], kind: str) -> tuple[Pair, ...]:
    """The rows of the form, each with its error; rows without key and value are left out."""
    found: list[Pair] = []
    seen: set[str] = set()
    for key, value in zip(keys, values, strict=False):
        pair = Pair(key.strip(), lines(value) if kind == "annotations" else value.strip())
        if not pair.key and not pair.value:
            continue
        found.append(
            replace(pair, error=_wrong(pair, kind) or (_("This key is a duplicate.") if pair.key in seen else ""))
        )
        seen.add(pair.key)
    return tuple(found)


def lines(value: str) -> str:
    """A form sends its line ends as CR LF, whatever they were."""
    return value.replace("\r\n", "\n")


def _wrong(pair: Pair, kind: str) -> str:
    prefix, slash, name = pair.key.rpartition("/")
    if not _NAME.fullmatch(name):
        return _("A key is 1 to 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter or digit.")
    if slash and not (len(prefix) <= 253 and _PREFIX.fullmatch(prefix)):
        return _("The part before “/” must be a domain name: lowercase letters, digits, “-” and “.”.")
    if kind == "labels" and not _VALUE.fullmatch(pair.value):
        return _(
            "A label's value is at most 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter or"
            " digit."
        )
    return ""


def changes(before: Iterable[Pair], after: Iterable[Pair]) -> dict[str, str | None]:
    """A merge patch of the map: only what differs, None for what goes."""
    old, new = ({pair.key: pair.value for pair in side} for side in (before, after))
    gone: dict[str, str | None] = dict.fromkeys(key for key in old if key not in new)
    return gone | {key: value for key, value in new.items() if old.get(key) != value}

"""Values of an object to read: spec and status as bounded trees, and the status by the operator's statusDescriptors.

In the trees a Secret's values are hidden; those that are passwords by their names, schemas or descriptors are in dots
until they are revealed.

The statusDescriptors of the ClusterServiceVersion say what of the status is shown, and how.
https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
Real ones are sloppy, and name fields that no status has: what can't be found is left out; what has another shape than
its descriptor says is shown as what it is, with a word about it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from math import pi
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject, mapping, namespace_of, text
from resources.display_copy import MASK
from resources.forms.descriptors import capabilities
from resources.forms.schema import Schema
from resources.forms.widgets import is_sensitive
from resources.page.detail import Link
from resources.state.health import Condition, colour_of, conditions
from resources.writing.examples import Offer

# More is for the YAML page.
_NODES = 1500
_DEPTH = 12
_TEXT = 4000
_HELP = 400
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

#: A donut's ring: radius and length of the line, in the units of its viewBox.
RADIUS = 40
LENGTH = 2 * pi * RADIUS
_OBJECT = "io.kubernetes:"
_INDEX = re.compile(r"\[[^\[\]]*\]")
_PODS = 200
_REPEATED = 50
_CONDITIONS = frozenset({"conditions", "io.kubernetes.conditions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueNode:
    """A name with either a text or children.

    `size`: how many children there are, also those left out. `path`: for ids, 'spec.items.0'.

    `where`: the same as kubectl's JSONPath has it, '.spec.items[0]'; `help`: what the kind's schema says of the field.

    `secret`: the text is in dots until it is revealed.
    """

    name: str
    path: str
    text: str = ""
    children: tuple["ValueNode", ...] = ()
    size: int = 0
    empty: str = ""
    cut: bool = False
    where: str = ""
    help: str = ""
    secret: bool = False

    @property
    def open(self) -> bool:
        """Whether it shows its children at once: the first two levels, and short lists below."""
        return self.path.count("\n") < 1 or (self.path.count("\n") < 3 and self.size <= 4)

    @property
    def long(self) -> bool:
        return "\n" in self.text or len(self.text) > 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Pods in one state. `start` and `length` of its part of the ring; `colour` as labels have it."""

    state: str
    pods: tuple[str, ...]
    count: int
    colour: str
    start: str
    length: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusValue:
    """One value.

    `look`: text, code, link, object, pods, secret, phase, conditions, yes, no. `wrong`: it is not what the descriptor
    says it is.
    """

    label: str
    help: str
    look: str
    text: str = ""
    link: Link | None = None
    colour: str = ""
    slices: tuple[Slice, ...] = ()
    count: int = 0
    conditions: tuple[Condition, ...] = ()
    wrong: bool = False

    @property
    def words(self) -> str:
        """Of the ring: how many Pods are in each state."""
        return ", ".join(f"{part.state}: {part.count}" for part in self.slices)


@dataclass(frozen=True, slots=True)
class _At:
    """Where a value stands: its names without numbers, its JSONPath, and its schema."""

    names: tuple[str, ...]
    where: str
    schema: Mapping[str, Any]


class _Reader:
    """Makes nodes, as long as there is room. `secrets`: names of fields whose values are not for every eye."""

    def __init__(self, schema: Schema, secrets: Set[tuple[str, ...]]) -> None:
        self.schema = schema
        self.secrets = secrets
        self.left = _NODES

    def top(self, name: str, value: Any) -> ValueNode:
        self.left = _NODES
        at = _At((name,), f".{name}", self.schema.child(self.schema.node(self.schema.root), name))
        return self.node(name, value, name, 0, at)

    def node(self, name: str, value: Any, path: str, depth: int, at: _At) -> ValueNode:
        self.left -= 1
        help_ = str(at.schema.get("description") or "")[:_HELP]
        if value not in (None, "") and self.is_secret(value, at):
            words = scalar(value) if not isinstance(value, Mapping | list) else json.dumps(value, ensure_ascii=False)
            return ValueNode(name=name, path=path, text=_shorten(words), where=at.where, help=help_, secret=True)
        if isinstance(value, Mapping | list) and value and depth >= _DEPTH:
            return ValueNode(
                name=name, path=path, text=_shorten(json.dumps(value, ensure_ascii=False)), where=at.where, help=help_
            )
        if isinstance(value, Mapping):
            entries = [(str(key), part, self.below(at, str(key))) for key, part in value.items()]
            return self.branch(
                name=name, parts=entries, path=path, depth=depth, empty="{}", where=at.where, help_=help_
            )
        if isinstance(value, list):
            if all(isinstance(part, str | int | float) for part in value) and len(json.dumps(value)) < 100 and value:
                return ValueNode(
                    name=name, path=path, text=", ".join(scalar(part) for part in value), where=at.where, help=help_
                )
            inside = self.schema.items(at.schema)
            parts = [
                (_title(index, part), part, _At(at.names, f"{at.where}[{index}]", inside))
                for index, part in enumerate(value[: self.left + 1])
            ]
            made = self.branch(name=name, parts=parts, path=path, depth=depth, empty="[]", where=at.where, help_=help_)
            return replace(made, size=len(value), cut=made.cut or len(parts) < len(value))
        empty = '""' if value == "" else ""
        return ValueNode(name=name, path=path, text=_shorten(scalar(value)), empty=empty, where=at.where, help=help_)

    def is_secret(self, value: Any, at: _At) -> bool:
        if at.names in self.secrets or at.schema.get("format") == "password":
            return True
        return isinstance(value, str) and is_sensitive(at.names, at.schema.get("description"))

    def below(self, at: _At, key: str) -> _At:
        step = f".{key}" if _PLAIN.fullmatch(key) else "['{}']".format(key.replace("'", "\\'"))
        return _At((*at.names, key), f"{at.where}{step}", self.schema.child(at.schema, key))

    def branch(
        self, name: str, parts: list[tuple[str, Any, _At]], path: str, depth: int, empty: str, where: str, help_: str
    ) -> ValueNode:
        children: list[ValueNode] = []
        for index, (key, value, at) in enumerate(parts):
            if self.left <= 0:
                break
            children.append(self.node(key, value, f"{path}\n{index}-{key}"[:400], depth + 1, at))
        cut = len(children) < len(parts)
        word = "" if parts else empty
        return ValueNode(
            name=name,
            path=path,
            text="",
            children=tuple(children),
            size=len(parts),
            empty=word,
            cut=cut,
            where=where,
            help=help_,
        )


def sections(
    obj: Mapping[str, Any], schema: Schema | None = None, secrets: Set[tuple[str, ...]] = frozenset()
) -> tuple[ValueNode, ...]:
    """One tree for each part of an object besides its metadata: spec and status first.

    Conditions, which have a table of their own, are left out.

    `secrets`: names of fields whose values are secret, as an operator's descriptors name them: ("spec", "password").
    Those of format password, and texts that are called so, are secret in any case.
    """
    secret = obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"
    reader = _Reader(schema or Schema.from_document(None), secrets)
    names = [name for name in ("spec", "status") if name in obj]
    names += [name for name in obj if name not in ("apiVersion", "kind", "metadata", "spec", "status")]
    found = []
    for name in names:
        value = obj[name]
        if name == "status" and isinstance(value, Mapping):
            value = {key: part for key, part in value.items() if key != "conditions"}
        if secret and name in ("data", "stringData") and isinstance(value, Mapping):
            value = dict.fromkeys(value, MASK)
        if value not in ({}, [], None, ""):
            found.append(reader.top(name, value))
    return tuple(found)


def _title(index: int, value: Any) -> str:
    """Items of lists by their number, and by their name where they have one."""
    named = value.get("name") or value.get("type") or value.get("kind") if isinstance(value, Mapping) else None
    return f"{index} · {named}" if isinstance(named, str) else str(index)


def scalar(value: Any) -> str:
    """As YAML writes it: true, null, 3."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _shorten(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]} …"


def status_values(
    client: ClusterClient, obj: KubeObject, described: Iterable[Mapping[str, Any]]
) -> tuple[StatusValue, ...]:
    """In the order of the operator's descriptors; those whose value is not there (yet) are left out."""
    status, found = mapping(obj.get("status")), []
    for descriptor in described:
        looks = capabilities(descriptor.get("x-descriptors"))
        path = descriptor.get("path")
        if not isinstance(path, str) or "hidden" in looks:
            continue
        if _CONDITIONS & set(looks) and _status_path(path) == ("conditions",):
            continue  # every object's own, which are shown without a descriptor
        label = text(descriptor.get("displayName")) or path
        for title, value in _values(status, _status_path(path), label):
            if value is not None:
                found.append(
                    _status_value(
                        client=client,
                        obj=obj,
                        label=title,
                        help_=text(descriptor.get("description")),
                        looks=looks,
                        value=value,
                    )
                )
    return tuple(found)


def status_secrets(offer: Offer) -> frozenset[tuple[str, ...]]:
    """The fields that the operator's descriptors call passwords: ("spec", "password")."""
    found = {path for path, descriptor in offer.descriptors.by_path.items() if "password" in descriptor.widgets}
    for descriptor in offer.status:
        path = descriptor.get("path")
        if isinstance(path, str) and "password" in capabilities(descriptor.get("x-descriptors")):
            found.add(("status", *_status_path(path)))
    return frozenset(found)


def _status_path(path: str) -> tuple[str, ...]:
    """A statusDescriptor's path below `status`, whether it begins with that or not, without the indexes of lists."""
    steps = tuple(part for part in _INDEX.sub("", path).split(".") if part)
    return steps[1:] if steps[:1] == ("status",) and len(steps) > 1 else steps


def _values(value: Any, path: tuple[str, ...], label: str) -> Iterator[tuple[str, Any]]:
    """The values at the path: one, or one for each item of a list on the way."""
    if isinstance(value, list) and path:
        for number, item in enumerate(value[:_REPEATED], 1):
            yield from _values(item, path, f"{label} {number}")
    elif not path:
        yield label, value
    elif isinstance(value, Mapping):
        yield from _values(value.get(path[0]), path[1:], label)


def _status_value(
    client: ClusterClient, obj: KubeObject, label: str, help_: str, looks: tuple[str, ...], value: Any
) -> StatusValue:
    if "podStatuses" in looks:
        return _pods(label, help_, value)
    if _CONDITIONS & set(looks) and (found := conditions({"status": {"conditions": value}})):
        return StatusValue(label=label, help=help_, look="conditions", conditions=found)
    if isinstance(value, list) and "text" in looks and not any(isinstance(item, Mapping | list) for item in value):
        return StatusValue(label=label, help=help_, look="text", text=", ".join(map(scalar, value))[:_TEXT])
    if isinstance(value, Mapping | list):
        return StatusValue(label=label, help=help_, look="code", text=_json(value), wrong=bool(looks))
    words = scalar(value)[:_TEXT]
    if "password" in looks:
        return StatusValue(label=label, help=help_, look="secret", text=words)
    if "org.w3:link" in looks:
        address = urlsplit(words)
        return StatusValue(
            label=label,
            help=help_,
            look="link" if address.scheme in ("http", "https") and address.netloc else "text",
            text=words,
        )
    if "io.kubernetes.phase" in looks:
        return StatusValue(label=label, help=help_, look="phase", text=words, colour=colour_of(words))
    if "io.kubernetes.phase:reason" in looks:
        return StatusValue(label=label, help=help_, look="code", text=words)
    if isinstance(value, bool):
        return StatusValue(label=label, help=help_, look="yes" if value else "no")
    kind = next((look.removeprefix(_OBJECT) for look in looks if look.startswith(_OBJECT)), "").partition("?")[0]
    if kind:
        return StatusValue(
            label=label, help=help_, look="object", text=words, link=link_to(client, kind, words, namespace_of(obj))
        )
    return StatusValue(label=label, help=help_, look="text", text=words)


def link_to(client: ClusterClient, kind: str, name: str, namespace: str) -> Link:
    """`Service`, `core:v1:Secret`, `cert-manager.io:v1:Issuer`."""
    group, version, word = (["", "", *kind.split(":")])[-3:]
    try:
        found = client.find_kind("" if group == "core" else group, word, version)
    except NotFound:
        return Link(word, name, namespace, None)
    return Link(word, name, namespace if found.namespaced else "", found if name else None)


def _pods(label: str, help_: str, value: Any) -> StatusValue:
    """`{"ready": ["pod-a", "pod-b"], "stopped": []}` as parts of a ring."""
    usable = isinstance(value, Mapping) and all(isinstance(pods, list) for pods in value.values() if pods is not None)
    if not usable:
        return StatusValue(label=label, help=help_, look="code", text=_json(value), wrong=True)
    states = [(str(state), [text(pod) for pod in pods]) for state, pods in value.items() if pods]
    total = sum(len(pods) for _state, pods in states)
    slices, start = [], 0.0
    for state, pods in states:
        length = len(pods) / total * LENGTH
        colour = colour_of(state) or "grey"
        slices.append(
            Slice(
                state=state,
                pods=tuple(pods[:_PODS]),
                count=len(pods),
                colour=colour,
                start=f"{-start:.2f}",
                length=f"{length:.2f} {LENGTH - length:.2f}",
            )
        )
        start += length
    return StatusValue(
        label=label, help=help_, look="pods", text=_("No Pods") if not total else "", slices=tuple(slices), count=total
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)[:_TEXT]

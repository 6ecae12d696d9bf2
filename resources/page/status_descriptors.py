"""The status of an object in its operator's words: what the statusDescriptors of its ClusterServiceVersion pick out,
and how each is to be shown.

https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
Real ones are sloppy, and name fields that no status has: what can't be found is left out; what has another shape than
its descriptor says is shown as what it is, with a word about it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import pi
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject, mapping, namespace_of, text
from resources.forms.descriptors import capabilities
from resources.page.detail import Link
from resources.page.values import scalar
from resources.state.health import colour_of
from resources.writing.examples import Offer

#: A donut's ring: radius and length of the line, in the units of its viewBox.
RADIUS = 40
LENGTH = 2 * pi * RADIUS
_OBJECT = "io.kubernetes:"
_INDEX = re.compile(r"\[[^\[\]]*\]")
_TEXT = 4000
_PODS = 200
_REPEATED = 50
#: Their own table, or the state at the top of the page, says it already.
_ELSEWHERE = frozenset({"hidden", "conditions", "io.kubernetes.conditions"})


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

    `look`: text, code, link, object, pods, secret, phase, yes, no. `wrong`: it is not what the descriptor says it is.
    """

    label: str
    help: str
    look: str
    text: str = ""
    link: Link | None = None
    colour: str = ""
    slices: tuple[Slice, ...] = ()
    count: int = 0
    wrong: bool = False


def status_values(
    client: ClusterClient, obj: KubeObject, described: Iterable[Mapping[str, Any]]
) -> tuple[StatusValue, ...]:
    """In the order of the operator's descriptors; those whose value is not there (yet) are left out."""
    status, found = mapping(obj.get("status")), []
    for descriptor in described:
        looks = capabilities(descriptor.get("x-descriptors"))
        path = descriptor.get("path")
        if not isinstance(path, str) or _ELSEWHERE & set(looks):
            continue
        label = text(descriptor.get("displayName")) or path
        steps = tuple(part for part in _INDEX.sub("", path).split(".") if part)
        for title, value in _values(status, steps[1:] if steps[:1] == ("status",) and len(steps) > 1 else steps, label):
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


def secrets(offer: Offer) -> frozenset[tuple[str, ...]]:
    """The fields that the operator's descriptors call passwords: ("spec", "password")."""
    found = {path for path, descriptor in offer.descriptors.by_path.items() if "password" in descriptor.widgets}
    for descriptor in offer.status:
        path = descriptor.get("path")
        if isinstance(path, str) and "password" in capabilities(descriptor.get("x-descriptors")):
            steps = tuple(part for part in _INDEX.sub("", path).split(".") if part)
            found.add(("status", *(steps[1:] if steps[:1] == ("status",) and len(steps) > 1 else steps)))
    return frozenset(found)


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
            label=label, help=help_, look="object", text=words, link=_link(client, kind, words, namespace_of(obj))
        )
    return StatusValue(label=label, help=help_, look="text", text=words)


def _link(client: ClusterClient, kind: str, name: str, namespace: str) -> Link:
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

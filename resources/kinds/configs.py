"""A ConfigMap's page: its keys with their values to read, binary ones to download, and the Pods that use it."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import facts, label
from resources.kinds.volumes import users
from resources.place import Place
from resources.state.health import mapping, text

#: Longer texts are shown to here, and downloaded whole.
_SHOWN = 20_000
_FOLDED = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One key.

    `size` in bytes; `text` is '' for `binary` ones. `cut`: there is more than is shown. `folded`: closed until it is
    opened.
    """

    key: str
    size: int
    text: str = ""
    binary: bool = False
    cut: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """`download`: the address of a key's value as a file, without its key."""

    values: tuple[Value, ...]
    download: str


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    if obj.get("immutable") is True:
        yield facts("config", _("ConfigMap"), ((_("Immutable"), label(_("Yes"), "blue")),))
    place = Place(type_, namespace_of(obj), name_of(obj))
    yield Panel("data", "resources/kinds/_config.html", Values(values(obj), place.url("value")), wide=True)
    yield users(client, "ConfigMap", name_of(obj), namespace_of(obj))


def values(obj: KubeObject) -> tuple[Value, ...]:
    """In the order of their keys, texts first."""
    found = [_text(key, text(value)) for key, value in sorted(mapping(obj.get("data")).items())]
    binary = sorted(mapping(obj.get("binaryData")).items())
    return tuple(found + [Value(key=key, size=len(decoded(value)), binary=True) for key, value in binary])


def _text(key: str, value: str) -> Value:
    cut = len(value) > _SHOWN
    return Value(
        key=key,
        size=len(value.encode("utf-8", "surrogatepass")),
        text=value[:_SHOWN],
        cut=cut,
        folded=len(value) > _FOLDED,
    )


def decoded(value: object) -> bytes:
    """Bytes of base64; b'' if `value` isn't base64."""
    try:
        return base64.b64decode(text(value), validate=False)
    except (binascii.Error, ValueError):
        return b""


PANELS: dict[Kind, Maker] = {("", "ConfigMap"): panels}

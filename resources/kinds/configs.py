"""The pages of ConfigMaps and Secrets: their keys, and the Pods that use them.

A ConfigMap's values are shown; binary ones can be downloaded.

A Secret's values are not in its page: each is requested, key by key (resources/views/keyvalues.py), and every request
is in the audit log. Only public parts of its values are shown: the subject and expiry of a certificate, the registry
and user of a registry's login.
"""

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of, text
from kube.reader import read
from kube.types.core import ConfigMap, DockerConfigJSON, Secret
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Cell, Table, facts, label, line, lines, see, table
from resources.kinds.pods import pods_using
from resources.place import Place
from untrusted import json_bounds

#: What draws the values of a ConfigMap, and the keys of a Secret.
DATA = "resources/kinds/_data.html"
#: Longer texts are shown to here, and downloaded whole.
_SHOWN = 20_000
_FOLDED = 400
_SOON_DAYS = 30
_TOKEN_OF = "kubernetes.io/service-account.name"  # noqa: S105  an annotation


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
    config = read(obj, ConfigMap)
    if config.immutable:
        yield facts("config", _("ConfigMap"), ((_("Immutable"), label(_("Yes"), "blue")),))
    place = Place(type_, namespace_of(obj), name_of(obj))
    yield Panel("data", DATA, Values(values(config), place.url("value")), wide=True)
    yield pods_using(client, "ConfigMap", name_of(obj), namespace_of(obj))


def values(config: ConfigMap) -> tuple[Value, ...]:
    """In the order of their keys, texts first."""
    texts = [_text(key, value) for key, value in sorted(config.data.items())]
    binary = sorted(config.binary_data.items())
    return (*texts, *(Value(key=key, size=len(decoded(value)), binary=True) for key, value in binary))


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


@dataclass(frozen=True, slots=True)
class Key:
    """`size`: of the value, in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Keys:
    """`url`: where a value is asked for."""

    keys: tuple[Key, ...]
    url: str


def secret_panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    secret, namespace = read(obj, Secret), namespace_of(obj)
    data = secret.data
    if known_facts := [fact for fact in _secret_facts(client, secret, namespace) if fact[1]]:
        yield facts("secret", _("Secret"), known_facts)
    if secret.type == "kubernetes.io/tls" or "tls.crt" in data:
        yield facts("certificate", _("Certificate"), certificate(decoded(data.get("tls.crt"))))
    if secret.type in ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"):
        rows = tuple(registries(data))
        empty = _("Can't read registry credentials from this Secret.")
        yield table(
            "registries",
            Table(title=_("Registries"), columns=(_("Registry"), _("User"), _("Email")), rows=rows, empty=empty),
        )
    keys = tuple(Key(key, len(decoded(value))) for key, value in sorted(data.items()))
    place = Place(type_, namespace, name_of(obj))
    yield Panel("data", DATA, Keys(keys, place.url("value")), wide=True)
    yield pods_using(client, "Secret", name_of(obj), namespace)


def _secret_facts(client: ClusterClient, secret: Secret, namespace: str) -> Iterator[tuple[str, Cell]]:
    account = secret.metadata.annotations.get(_TOKEN_OF)
    yield _("Service account"), see(client, "", "ServiceAccount", account, namespace)
    yield _("Immutable"), label(_("Yes"), "blue") if secret.immutable else ()


def certificate(pem: bytes) -> Iterator[tuple[str, Cell]]:
    """Who the first certificate is for, who says so, and until when."""
    try:
        found = x509.load_pem_x509_certificates(pem)
    except (ValueError, TypeError, x509.InvalidVersion):
        found = []
    if not found:
        yield _("Certificate"), line(_("The value of tls.crt can't be read as a certificate."), "error")
        return
    first = found[0]
    with_names: tuple[str, ...] = ()
    try:
        names = first.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        with_names = tuple(str(name.value) for name in names)
    except (x509.ExtensionNotFound, ValueError, x509.DuplicateExtension):
        pass
    try:
        yield _("Subject"), line(first.subject.rfc4514_string() or "–")
        yield _("Issuer"), line(first.issuer.rfc4514_string() or "–")
    except ValueError:
        yield _("Subject"), line(_("The value of tls.crt can't be read as a certificate."), "error")
    yield _("Names"), lines(with_names[:50])
    yield _("Valid from"), line(f"{first.not_valid_before_utc:%Y-%m-%d %H:%M} UTC")
    yield (
        _("Valid until"),
        (*line(f"{first.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"), *_left(first.not_valid_after_utc)),
    )
    yield _("Key"), line(_key(first))
    yield _("Certificates in the chain"), line(len(found)) if len(found) > 1 else ()


def _left(end: datetime) -> Cell:
    days = (end - datetime.now(UTC)).days
    if days < 0:
        return label(_("expired"), "red")
    words = ngettext("%(n)d day left", "%(n)d days left", days) % {"n": days}
    return label(words, "orange" if days < _SOON_DAYS else "green")


def _key(found: x509.Certificate) -> str:
    try:
        key = found.public_key()
    except (UnsupportedAlgorithm, ValueError):
        return ""
    if isinstance(key, rsa.RSAPublicKey):
        return f"RSA {key.key_size}"
    return f"ECDSA {key.curve.name}" if isinstance(key, ec.EllipticCurvePublicKey) else type(key).__name__


def registries(data: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    """Rows of registry, user and e-mail; no password. `.dockercfg` is the older format, without `auths`."""
    value = decoded(data.get(".dockerconfigjson") or data.get(".dockercfg"))
    try:
        found = json_bounds.loads(value)
    except (ValueError, RecursionError):
        return
    config = read(found if ".dockerconfigjson" in data else {"auths": found}, DockerConfigJSON)
    for host, login in config.auths.items():
        yield line(host), line(login.username or _user(login.auth)), line(login.email)


def _user(auth: str) -> str:
    try:
        return base64.b64decode(auth, validate=True).decode("utf-8", "replace").partition(":")[0]
    except (binascii.Error, ValueError):
        return ""


PANELS: dict[Kind, Maker] = {("", "ConfigMap"): panels, ("", "Secret"): secret_panels}

"""A Secret or ConfigMap as a small form asks for it: keys and values, or the few things that a login, a certificate
or a key is made of. Pure.

Values are typed texts or chosen files; files stay bytes. Validation is left to the API server, except for what it does
not check: a key that does not belong to its certificate, a key that is used twice.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
#: The API server's own limit, for all values together.
MOST = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretField:
    """One thing to type.

    `look`: line, hidden (a password) or area, which may be a file as well. `name` is the Secret's key, but for
    registries.
    """

    name: str
    label: str | Promise
    look: str = "line"
    required: bool = True
    help: str | Promise = ""


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of Secret. `type` as the API server knows it; without `asked` it is free keys and values."""

    name: str
    label: str | Promise
    type: str
    asked: tuple[SecretField, ...] = ()


_PEM = gettext_lazy("The PEM text with its BEGIN and END lines, or a file.")
SORTS = (
    Sort("values", gettext_lazy("Keys and values"), "Opaque"),
    Sort(
        "registry",
        gettext_lazy("Registry login"),
        "kubernetes.io/dockerconfigjson",
        (
            SecretField(
                name="server",
                label=gettext_lazy("Registry"),
                help=gettext_lazy("For example, quay.io; for Docker Hub: https://index.docker.io/v1/"),
            ),
            SecretField(name="username", label=gettext_lazy("User")),
            SecretField(name="password", label=gettext_lazy("Password or token"), look="hidden"),
            SecretField(name="email", label=gettext_lazy("Email"), required=False),
        ),
    ),
    Sort(
        "tls",
        gettext_lazy("Certificate (TLS)"),
        "kubernetes.io/tls",
        (
            SecretField(name="tls.crt", label=gettext_lazy("Certificate"), look="area", help=_PEM),
            SecretField(name="tls.key", label=gettext_lazy("Private key"), look="area", help=_PEM),
        ),
    ),
    Sort(
        "basic",
        gettext_lazy("User name and password"),
        "kubernetes.io/basic-auth",
        (
            SecretField(name="username", label=gettext_lazy("User"), required=False),
            SecretField(name="password", label=gettext_lazy("Password or token"), look="hidden"),
        ),
    ),
    Sort(
        "ssh",
        gettext_lazy("SSH key"),
        "kubernetes.io/ssh-auth",
        (SecretField(name="ssh-privatekey", label=gettext_lazy("Private key"), look="area", help=_PEM),),
    ),
)


@dataclass(frozen=True, slots=True)
class Value:
    """What stands in one control. `file`: base64 of a chosen file, '' where a text is meant; `file_name` for people."""

    text: str = ""
    file: str = ""
    file_name: str = ""

    @property
    def data(self) -> bytes:
        if self.file:
            try:
                return base64.b64decode(self.file, validate=True)
            except (binascii.Error, ValueError):
                return b""
        # Browsers send the lines of a text with CRLF, whatever was pasted.
        return self.text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")

    @property
    def given(self) -> bool:
        return bool(self.file_name or self.text)


@dataclass(frozen=True, slots=True)
class KeyValueRow:
    """A key of free choice and its value."""

    key: str = ""
    value: Value = Value()

    @property
    def empty(self) -> bool:
        return not self.key and not self.value.given


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyValueInput:
    """All that stands in the form."""

    sort: Sort
    namespace: str = ""
    name: str = ""
    rows: tuple[KeyValueRow, ...] = (KeyValueRow(),)
    values: Mapping[str, Value] = field(default_factory=dict)
    immutable: bool = False


def sort_of(name: str) -> Sort:
    """The first one for unknown names."""
    return next((sort for sort in SORTS if sort.name == name), SORTS[0])


def problems(typed: KeyValueInput) -> dict[str, str]:
    """By the control they belong to: `name`, `namespace`, `key-0`, or what is asked for."""
    found: dict[str, str] = {}
    if not typed.namespace:
        found["namespace"] = _("Choose a namespace.")
    if not typed.name:
        found["name"] = _("Enter a name.")
    found |= _rows(typed.rows) if not typed.sort.asked else {}
    for asked in typed.sort.asked:
        if asked.required and not typed.values.get(asked.name, Value()).data:
            found[asked.name] = _("This field is required.")
    if typed.sort.name == "tls" and "tls.crt" not in found and "tls.key" not in found:
        found |= _pair(typed.values["tls.crt"].data, typed.values["tls.key"].data)
    if sum(len(value) for value in _data(typed).values()) > MOST:
        found[""] = _("All values together can't exceed 1 MiB.")
    return found


def _rows(rows: tuple[KeyValueRow, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    seen: set[str] = set()
    for number, row in enumerate(rows):
        if row.empty:
            continue
        if not row.key:
            found[f"key-{number}"] = _("Enter a key for this value.")
        elif not _KEY.fullmatch(row.key):
            found[f"key-{number}"] = _("Letters, digits, dashes, dots and underscores only.")
        elif row.key in seen:
            found[f"key-{number}"] = _("This key already exists.")
        seen.add(row.key)
    return found


def _pair(certificate: bytes, key: bytes) -> dict[str, str]:
    """Whether the private key is that of the first certificate, which kubectl looks at and the API server does not."""
    try:
        first = x509.load_pem_x509_certificates(certificate)[0].public_key()
    except (ValueError, IndexError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion):
        return {"tls.crt": _("This isn't a valid PEM certificate.")}
    try:
        mine = serialization.load_pem_private_key(key, None).public_key()
    except (ValueError, UnsupportedAlgorithm):
        return {"tls.key": _("This isn't a valid PEM private key.")}
    except TypeError:
        return {"tls.key": _("This private key has a password. Kubernetes needs a key without one.")}
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    same = first.public_bytes(serialization.Encoding.DER, form) == mine.public_bytes(serialization.Encoding.DER, form)
    return {} if same else {"tls.key": _("This private key doesn't match the certificate.")}


def _data(typed: KeyValueInput) -> dict[str, bytes]:
    if not typed.sort.asked:
        return {row.key: row.value.data for row in typed.rows if not row.empty}
    given = {asked.name: typed.values.get(asked.name, Value()).data for asked in typed.sort.asked}
    if typed.sort.name == "registry":
        return {".dockerconfigjson": _login(given)}
    return {key: value for key, value in given.items() if value or key != "username"}


def _login(given: Mapping[str, bytes]) -> bytes:
    """As `kubectl create secret docker-registry` writes it."""
    words = {key: value.decode("utf-8", "replace").strip("\n") for key, value in given.items()}
    auth = base64.b64encode(f"{words['username']}:{words['password']}".encode()).decode()
    login = {"username": words["username"], "password": words["password"], "email": words["email"], "auth": auth}
    return json.dumps({"auths": {words["server"]: {key: value for key, value in login.items() if value}}}).encode()


def build(kind: str, typed: KeyValueInput) -> dict[str, Any]:
    """The object to create. A ConfigMap's bytes that aren't text go to its binaryData."""
    obj: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": typed.name, "namespace": typed.namespace},
        **({"immutable": True} if typed.immutable else {}),
    }
    data = _data(typed)
    if kind == "Secret":
        return {**obj, "type": typed.sort.type, "data": {key: _base64(value) for key, value in data.items()}}
    for key, value in data.items():
        text = _text(value)
        obj.setdefault("data" if text is not None else "binaryData", {})[key] = _base64(value) if text is None else text
    return obj


def _text(value: bytes) -> str | None:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")

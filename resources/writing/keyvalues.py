"""The form of a Secret or ConfigMap: keys and values, or the few things that a login, a certificate or a key is made
of. Pure.

Values are typed texts or chosen files; files stay bytes. Validation is left to the API server, except for what it does
not check: a key that does not belong to its certificate, a key that is used twice.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from resources.writing.bindings import RowForm, RowsForm

#: The API server's own limit, for all values together.
MOST = 1024 * 1024


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
    def is_given(self) -> bool:
        return bool(self.file_name or self.text)


class ValueInput(forms.Widget):
    """A text, or a file in its place. One that was chosen before comes back as the text of a hidden control."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Mapping[str, Any], name: str) -> Value:
        text = data.get(name, "")
        if chosen := files.get(f"{name}-file"):
            # A form reads its data several times, and refuses what is larger.
            content = chosen.open().read(MOST + 1)
            return Value(text, base64.b64encode(content).decode("ascii"), str(chosen.name or "?")[:253])
        if data.get(f"{name}-drop") == "on":
            return Value(text)
        return Value(text, data.get(f"{name}-kept", ""), data.get(f"{name}-kept-name", "")[:253])


class ValueField(forms.Field):
    """Bytes. `look`: line, hidden (a password) or area, which may be a file as well."""

    widget = ValueInput
    empty_values = [b""]

    def __init__(self, *, look: str = "line", **options: Any) -> None:
        super().__init__(**options)
        self.look = look

    def to_python(self, value: Any) -> Any:
        return value.data


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of Secret. `type` as the API server knows it. `fields`: what it asks for, by the Secret's keys (but for
    registries); without them it is free keys and values.
    """

    name: str
    label: str | Promise
    type: str
    fields: Mapping[str, ValueField] = field(default_factory=dict)


_PEM = gettext_lazy("The PEM text with its BEGIN and END lines, or a file.")
SORTS = (
    Sort("values", gettext_lazy("Keys and values"), "Opaque"),
    Sort(
        "registry",
        gettext_lazy("Registry login"),
        "kubernetes.io/dockerconfigjson",
        {
            "server": ValueField(
                label=gettext_lazy("Registry"),
                help_text=gettext_lazy("For example, quay.io; for Docker Hub: https://index.docker.io/v1/"),
            ),
            "username": ValueField(label=gettext_lazy("User")),
            "password": ValueField(label=gettext_lazy("Password or token"), look="hidden"),
            "email": ValueField(label=gettext_lazy("Email"), required=False),
        },
    ),
    Sort(
        "tls",
        gettext_lazy("Certificate (TLS)"),
        "kubernetes.io/tls",
        {
            "tls.crt": ValueField(label=gettext_lazy("Certificate"), look="area", help_text=_PEM),
            "tls.key": ValueField(label=gettext_lazy("Private key"), look="area", help_text=_PEM),
        },
    ),
    Sort(
        "basic",
        gettext_lazy("User name and password"),
        "kubernetes.io/basic-auth",
        {
            "username": ValueField(label=gettext_lazy("User"), required=False),
            "password": ValueField(label=gettext_lazy("Password or token"), look="hidden"),
        },
    ),
    Sort(
        "ssh",
        gettext_lazy("SSH key"),
        "kubernetes.io/ssh-auth",
        {"ssh-privatekey": ValueField(label=gettext_lazy("Private key"), look="area", help_text=_PEM)},
    ),
)


def sort_of(name: str) -> Sort:
    """The first one for unknown names."""
    return next((sort for sort in SORTS if sort.name == name), SORTS[0])


class KeyValueRowForm(RowForm):
    """A key of free choice and its value. Empty rows are left out."""

    key = forms.CharField(
        required=False,
        validators=[
            RegexValidator(
                r"^[-._a-zA-Z0-9]{1,253}$", gettext_lazy("Letters, digits, dashes, dots and underscores only.")
            )
        ],
    )
    value = ValueField(required=False)

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("key") == "" and self["value"].data.is_given:
            self.add_error("key", _("Enter a key for this value."))
        return found


class KeyValueForm(RowsForm):
    """`sort`: of Secret. The fields that it asks for take the place of the rows."""

    row_class = KeyValueRowForm
    max_rows = 200

    namespace = forms.CharField(error_messages={"required": gettext_lazy("Choose a namespace.")})
    name = forms.CharField(max_length=253, error_messages={"required": gettext_lazy("Enter a name.")})
    immutable = forms.BooleanField(required=False)

    def __init__(self, sort: Sort, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.sort = sort
        if sort.fields:
            self.rows = []
            self.fields |= deepcopy(sort.fields)

    def add_prefix(self, field_name: str) -> str:
        return f"field-{field_name}" if field_name in self.sort.fields else field_name

    @property
    def sort_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.sort.fields]

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        values = [found.get(name, b"") for name in self.sort.fields]
        keys: set[str] = set()
        for row in self.rows:
            if row.is_valid() and (key := row.cleaned_data["key"]):
                if key in keys:
                    row.add_error("key", _("This key already exists."))
                keys.add(key)
            values.append(row.cleaned_data["value"])
        if sum(map(len, values)) > MOST:
            self.add_error(None, _("All values together can't exceed 1 MiB."))
        if self.sort.name == "tls" and all(values):
            _check_pair(found["tls.crt"], found["tls.key"])
        return found


def _check_pair(certificate: bytes, key: bytes) -> None:
    """Whether the private key is that of the first certificate, which kubectl looks at and the API server does not.

    Raises ValidationError.
    """
    try:
        first = x509.load_pem_x509_certificates(certificate)[0].public_key()
    except (ValueError, IndexError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion):
        raise ValidationError({"tls.crt": _("This isn't a valid PEM certificate.")}) from None
    try:
        mine = serialization.load_pem_private_key(key, None).public_key()
    except (ValueError, UnsupportedAlgorithm):
        raise ValidationError({"tls.key": _("This isn't a valid PEM private key.")}) from None
    except TypeError:
        words = _("This private key has a password. Kubernetes needs a key without one.")
        raise ValidationError({"tls.key": words}) from None
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    if first.public_bytes(serialization.Encoding.DER, form) != mine.public_bytes(serialization.Encoding.DER, form):
        raise ValidationError({"tls.key": _("This private key doesn't match the certificate.")})


def _data(form: KeyValueForm) -> dict[str, bytes]:
    if not form.sort.fields:
        rows = [row.cleaned_data for row in form.rows]
        return {row["key"]: row["value"] for row in rows if row["key"]}
    given = {name: form.cleaned_data[name] for name in form.sort.fields}
    if form.sort.name == "registry":
        return {".dockerconfigjson": _login(given)}
    return {key: value for key, value in given.items() if value or key != "username"}


def _login(given: Mapping[str, bytes]) -> bytes:
    """As `kubectl create secret docker-registry` writes it."""
    words = {key: value.decode("utf-8", "replace").strip("\n") for key, value in given.items()}
    auth = base64.b64encode(f"{words['username']}:{words['password']}".encode()).decode()
    login = {"username": words["username"], "password": words["password"], "email": words["email"], "auth": auth}
    return json.dumps({"auths": {words["server"]: {key: value for key, value in login.items() if value}}}).encode()


def build(kind: str, form: KeyValueForm) -> dict[str, Any]:
    """The object to create. A ConfigMap's bytes that aren't text go to its binaryData."""
    typed = form.cleaned_data
    obj: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": typed["name"], "namespace": typed["namespace"]},
        **({"immutable": True} if typed["immutable"] else {}),
    }
    data = _data(form)
    if kind == "Secret":
        return {**obj, "type": form.sort.type, "data": {key: _base64(value) for key, value in data.items()}}
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

"""String formats the API server checks: k8s.io/kube-openapi/pkg/validation/strfmt, by their names without dashes.

A format that is not here is not checked: the API server ignores unknown ones as well.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import email.utils
import ipaddress
import re
from collections.abc import Callable
from urllib.parse import urlsplit

_HOST_CHAR = r"[^\W_]"
_HOSTNAME = re.compile(
    rf"(?:{_HOST_CHAR}(?:-?{_HOST_CHAR}){{0,62}}"
    rf"|(?:{_HOST_CHAR}(?:(?:{_HOST_CHAR}|-){{0,61}}{_HOST_CHAR})?\.)+[^\W\d_]{{2,63}})"
)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")
_GO_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_WORD_DURATION = re.compile(r"(?<!\d)(\d+)\s*([A-Za-zµ]+)")
_UNITS = (
    ("ns", "nano"),
    ("us", "µs", "micro"),
    ("ms", "milli"),
    ("s", "sec"),
    ("m", "min"),
    ("h", "hr", "hour"),
    ("d", "day"),
    ("w", "wk", "week"),
)
_SHORT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONG_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_MAC = re.compile(
    r"(?i)[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}(?:(?:\1[0-9a-f]{2}){12})?)?"
    r"|[0-9a-f]{4}(?:(?:\.[0-9a-f]{4}){2}|(?:\.[0-9a-f]{4}){3}|(?:\.[0-9a-f]{4}){9})"
)
_CARD = re.compile(
    r"(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})"
)
_RGB = re.compile(r"rgb\(\s*(\d{1,3}%?)\s*,\s*(\d{1,3}%?)\s*,\s*(\d{1,3}%?)\s*\)")


def _is_date(text: str) -> bool:
    try:
        datetime.datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        return False
    return len(text) == 10


def _is_datetime(text: str) -> bool:
    day, found, rest = text.lower().partition("t")
    match = _TIME.fullmatch(rest.partition("t")[0])
    if not found or not _is_date(day) or match is None:
        return False
    return match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def is_duration(text: str) -> bool:
    """Go's notation (``1h30m``) or Scala's (``2 hours``)."""
    if _GO_DURATION.fullmatch(text):
        return True
    for _, unit in _WORD_DURATION.findall(text):
        small = unit.lower()
        if any(small in variants or small.startswith(variants[-1]) for variants in _UNITS):
            return True
    return False


def _ip(version: int | None) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            found = ipaddress.ip_address(text)
        except ValueError:
            return False
        return "%" not in text and version in (None, found.version)

    return check


def _is_cidr(text: str) -> bool:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return text.partition("/")[2].isdecimal()


def _is_uri(text: str) -> bool:
    try:
        found = urlsplit(text)
    except ValueError:
        return False
    if any(ord(char) <= 0x20 or ord(char) == 0x7F for char in text):
        return False
    return text.startswith("/") or bool(found.scheme)


def _is_email(text: str) -> bool:
    address = email.utils.parseaddr(text)[1]
    local, found, domain = address.rpartition("@")
    return bool(found and local and domain) and not domain.startswith(".") and not domain.endswith(".")


def _is_hostname(text: str) -> bool:
    return (
        _HOSTNAME.fullmatch(text) is not None
        and len(text.encode()) <= 255
        and all(len(part.encode()) <= 63 for part in text.split("."))
    )


def _is_byte(text: str) -> bool:
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"\d{9}[\dX]", digits):
        return False
    return sum((index + 1) * (10 if char == "X" else int(char)) for index, char in enumerate(digits)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"\d{13}", digits):
        return False
    return sum((1, 3)[index % 2] * int(char) for index, char in enumerate(digits)) % 10 == 0


def _is_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not _CARD.fullmatch(digits):
        return False
    doubled = (int(char) * (1 + index % 2) for index, char in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _is_rgb(text: str) -> bool:
    found = _RGB.fullmatch(text)
    if found is None:
        return False
    return all(int(part.rstrip("%")) <= (100 if part.endswith("%") else 255) for part in found.groups())


def _like(pattern: str) -> Callable[[str], bool]:
    expression = re.compile(pattern)
    return lambda text: expression.fullmatch(text) is not None


def _uuid(version: str, variant: str) -> Callable[[str], bool]:
    return _like(rf"(?i)[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{version}-?{variant}-?[0-9a-f]{{12}}")


_CHECKS: dict[str, Callable[[str], bool]] = {
    "bsonobjectid": _like(r"(?i)[0-9a-f]{24}"),
    "byte": _is_byte,
    "cidr": _is_cidr,
    "creditcard": _is_card,
    "date": _is_date,
    "datetime": _is_datetime,
    "duration": is_duration,
    "email": _is_email,
    "hexcolor": _like(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "hostname": _is_hostname,
    "ipv4": _ip(4),
    "ipv6": _ip(6),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "k8slongname": lambda text: len(text) <= 253 and _LONG_NAME.fullmatch(text) is not None,
    "k8sshortname": lambda text: len(text) <= 63 and _SHORT_NAME.fullmatch(text) is not None,
    "mac": lambda text: _MAC.fullmatch(text) is not None,
    "rgbcolor": _is_rgb,
    "ssn": _like(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "uri": _is_uri,
    "uuid": _uuid("[0-9a-f]{4}", "[0-9a-f]{4}"),
    "uuid3": _uuid("3[0-9a-f]{3}", "[0-9a-f]{4}"),
    "uuid4": _uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "uuid5": _uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
}


def holds(format_: str, text: str) -> bool:
    """Whether the text is of the format; any text is of an unknown one."""
    check = _CHECKS.get(format_.replace("-", ""))
    return check is None or check(text)

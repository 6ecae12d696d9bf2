"""Names as DNS allows them, refused in the words of k8s.io/apimachinery/pkg/util/validation."""

from __future__ import annotations

import re

_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is"
    " '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def label_faults(text: str) -> str:
    """The faults of a DNS-1035 label, joined as in the API server; empty for a valid one."""
    faults = [] if len(text) <= 63 else ["must be no more than 63 characters"]
    if not _LABEL_1035.fullmatch(text):
        faults.append(_LABEL_TEXT)
    return ",".join(faults)


def subdomain_faults(text: str) -> str:
    """The same for a DNS-1123 subdomain."""
    faults = [] if len(text) <= 253 else ["must be no more than 253 characters"]
    if not _SUBDOMAIN.fullmatch(text):
        faults.append(_SUBDOMAIN_TEXT)
    return ",".join(faults)

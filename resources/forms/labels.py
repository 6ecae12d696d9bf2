"""Words for a field that come from its schema alone: its name, its type, its limits.

Not translated: they are the API's own.
"""

import re
from typing import Any

from resources.forms import texts
from resources.forms.schema import Node, Schema, kind_of

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
#: Words that are not written as their letters' case says; found whatever case a field's name gives them.
_SPELT = {
    word.lower(): word
    for word in re.findall(
        r"\w+",
        "3scale ETag FSx GiB GitHub GitLab IoT IPv4 IPv6 K8s KiB MiB MongoDB MySQL NVMe OAuth OpenAPI OpenShift"
        " PostgreSQL QoS RStudio S2I SaaS SigV4 TiB VNet VSock iPXE iSCSI mTLS vCPU vCenter vSphere",
    )
}
_ACRONYMS = frozenset(
    re.findall(
        r"\w+",
        "acl acme ajp amqp api arn asn aws az bgp bmc ca cidr cni cpu crd crl csi csr csv db dhcp dns dsn ec ecr eks"
        " fqdn gcp gcs gpu grpc gtid ha hdd http https iam id io ip ipam iqn irsa jdbc jms jmx json jvm jwt kms ldap"
        " ldaps lun mac md mtu nat nfs ntp oci ocp oidc olm os pdb pem php pii pki pvc qps rbac rds rpc saml san sasl"
        " scc scsi sdk sha slo smtp sms sns sqs ssd ssh ssl sso sql svm tcp tls ttl udp ui uid uri url usb utf uuid vip"
        " vlan vm vpc vxlan wwn xml xss yaml",
    )
)
#: Their plurals, where they stand in small letters; of others an "s" may belong to another word.
_PLURALS_OF = {
    f"{word}s": f"{word.upper()}s"
    for word in ("id", "ip", "url", "uri", "cpu", "gpu", "db", "crd", "pvc", "api", "vm", "arn")
}
_WORDS = re.compile(
    rf"(?i:{'|'.join(sorted(_SPELT, key=len, reverse=True))})s?(?![a-z])"
    r"|\d+[KMGT]i(?![a-z])"  # 2Mi
    r"|[A-Z]{2,}s(?![a-z])"  # URLs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP, of HTTPRoute
    r"|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z0-9_-]+"
)
#: Acronyms whose first letter a generator made small: dBName, uRI. Not the X of HTTP's headers.
_SMALL_FIRST = re.compile(r"[a-wyz](?=[A-Z](?:[A-Z]|$))")
_LIMITS = (
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "x-kubernetes-list-type",
)
_LONG = 300


def title(name: str) -> str:
    """`serviceURL` → "Service URL"; a key that isn't an identifier (dots, slashes) stays as it is."""
    if not _PLAIN.fullmatch(name):
        return texts.shown(name) or "“”"
    if _SMALL_FIRST.match(name) and _WORDS.findall(name)[0].lower() not in _SPELT:
        name = name[0].upper() + name[1:]
    words: list[str] = []
    for word in _WORDS.findall(name):
        # S3, V2, EC2 and OAuth2 are words; "Key 1" is two.
        if words and word.isdigit() and (len(words[-1]) == 1 or not words[-1][-1:].islower() or words[-1] == "OAuth"):
            words[-1] += word
        else:
            words.append(_spelt(word))
    return " ".join(words) or name


def _spelt(word: str) -> str:
    """One word of a label as it is usually written."""
    lower = word.lower()
    if lower in _SPELT or lower.removesuffix("s") in _SPELT:
        return _SPELT.get(lower) or f"{_SPELT[lower.removesuffix('s')]}s"
    if lower in _ACRONYMS and not (word.endswith("s") and word[:-1].isupper()):
        return word.upper()
    return _PLURALS_OF.get(lower) or word[:1].upper() + word[1:]


def _limit(value: Any) -> str:
    return "" if value is None or isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def limits(node: Node) -> tuple[tuple[str, str], ...]:
    """Everything the schema limits, by the schema's own words; `true` where the word has no number."""
    return tuple(
        (name, "true" if node[name] is True else _limit(node[name]) or str(node[name])[:_LONG])
        for name in _LIMITS
        if not (node.get(name) is None or node[name] is False or node[name] == "")
    )


def rules(node: Node) -> tuple[str, ...]:
    """The messages of the node's CEL rules, or the rules themselves where they have none."""
    found = node.get("x-kubernetes-validations")
    if not isinstance(found, list):
        return ()
    messages = (str(rule.get("message") or rule.get("rule") or "") for rule in found if isinstance(rule, dict))
    return tuple(dict.fromkeys(" ".join(text.split())[:_LONG] for text in messages if text))


def type_of(schema: Schema, node: Node, kind: str, depth: int = 3) -> str:
    """The type in words: "integer (int64)", "list of objects", "map of strings"."""
    if kind in ("array", "map"):
        inside = schema.items(node) if kind == "array" else schema.entry(node)
        of = type_of(schema, inside, kind_of(inside), depth - 1) if depth else "…"
        return f"{'list' if kind == 'array' else 'map'} of {_PLURALS.get(of, of)}"
    if kind == "enum":
        return str(node.get("type") or "one of")
    words = {"int-or-string": "integer or string", "any": _untyped(node), "bytes": "string (byte)"}.get(kind, kind)
    form = str(node.get("format") or "")
    return f"{words} ({form})" if form and kind in ("string", "integer", "number") else words


_PLURALS = {
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "object": "objects",
    "any value": "any values",
}


def _untyped(node: Node) -> str:
    declared = node.get("type")
    return (
        {"object": "object", "array": "list"}.get(declared, "any value") if isinstance(declared, str) else "any value"
    )

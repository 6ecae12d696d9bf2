"""A field of the form without its neighbours: its control and value, its label and limits.

Label and limits are not translated: they are the API's own words.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from resources.forms import texts, widgets
from resources.forms.descriptors import Descriptor
from resources.forms.fields import ABSENT, FormField, FormInput, Option, Options, UnionBranch
from resources.forms.paths import Path
from resources.forms.schema import CONTAINERS, Node, kind_of, nullable
from resources.forms.widgets import Widget, widget

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
_ACRONYM_PLURALS = {
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
_LABEL_LENGTH = 300

#: What a form never writes at the top of an object: the address knows kind and version, metadata has its own part,
#: status is the server's.
SERVERS = frozenset({"apiVersion", "kind", "metadata", "status"})
_LONG = 4000
#: A value of more parts than this is collapsed at first.
_LARGE = 600


def metadata(namespaced: bool, namespaces: tuple[str, ...], given: Iterable[str] = ()) -> dict[str, Node]:
    """The schema of what people write into metadata, which custom resource definitions leave out; `generateName`
    where it is given.
    """
    texts_: Node = {"type": "object", "additionalProperties": {"type": "string"}}
    nodes: dict[str, Node] = {"name": {"type": "string", "maxLength": 253}}
    if "generateName" in given:
        nodes["generateName"] = {"type": "string", "maxLength": 253}
    if namespaced:
        nodes["namespace"] = {"type": "string", "enum": list(namespaces)} if namespaces else {"type": "string"}
    return {**nodes, "labels": texts_, "annotations": texts_}


def known(*, node: Node, path: Path, pointer: str, required: bool, options: Options, item: int) -> dict[str, Any]:
    """What every field has, whatever its kind."""
    descriptor = None if item else options.descriptors.get(path)
    description = (descriptor.description if descriptor else "") or str(node.get("description") or "")
    last = path[-1] if path else ""
    default = node.get("default", ABSENT)
    return {
        "path": path,
        "pointer": pointer,
        "label": (descriptor.display_name if descriptor else "") or field_title(str(last)),
        "description": "" if item else texts.shown(description[:_LONG]),
        "required": required and default is ABSENT,
        "nullable": nullable(node),
        "default": "" if default is ABSENT or default in ({}, []) else texts.shown(_plain(default)),
        "default_text": _as_text(kind_of(node), default),
        "limits": schema_limits(node),
        "rules": schema_rules(node),
        "max_items": count(node.get("maxItems")),
        "error": options.typed.errors.get(path, ""),
        "hidden": bool(descriptor and descriptor.hidden),
        "group": _group(descriptor, path),
        "position": item,
        "list_label": _list_label(path, options) if item else "",
        "constraints": widgets.browser_constraints(node),
    }


def _list_label(path: Path, options: Options) -> str:
    """What the list or map is called that the item at `path` stands in; of a list in a list, what the outer one is
    called.
    """
    around = path[:-1]
    while around and isinstance(around[-1], int):
        around = around[:-1]
    descriptor = options.descriptors.get(around)
    return (descriptor.display_name if descriptor else "") or field_title(str(around[-1] if around else ""))


def _group(descriptor: Descriptor | None, path: Path) -> str:
    """The group's name, '' where the section around it says the same."""
    name = field_title(descriptor.group) if descriptor and descriptor.group else ""
    around = next((field_title(part) for part in reversed(path[:-1]) if isinstance(part, str)), "")
    return "" if name.casefold() == around.casefold() else name


def choices(only: tuple[tuple[str, ...], ...], was: str) -> dict[str, Any]:
    """The branches of a union to choose from; `was`: the number of the one that the object has, '' for none."""
    found = tuple(
        UnionBranch(str(number), " + ".join(field_title(name) for name in names), str(number) == was, names)
        for number, names in enumerate(only)
    )
    data = json.dumps({"only": only, "was": was}, separators=(",", ":"))
    return {"choices": (UnionBranch("", "", not was), *found), "choices_data": data}


def count(value: Any) -> int | None:
    """A limit that is a number, as schemas have them; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _plain(value: Any) -> str:
    return value[:_LONG] if isinstance(value, str) else texts.text_of("json", value)[:200]


def _as_text(kind: str, default: Any) -> str:
    """The default as its control would hold it; '' where no control of the kind could."""
    if default is ABSENT or default is None or kind in CONTAINERS:
        return ""
    if kind == "enum":
        return default if isinstance(default, str) else texts.text_of("json", default)
    return texts.text_of(kind, default) if texts.fits(kind, default) else ""


def container(
    kind: str, node: Node, value: Any, fields: Mapping[str, Any], descriptor: Descriptor | None
) -> dict[str, Any]:
    """What a section, list or map has beside its children."""
    look = widget(kind, node, descriptor, fields["path"], "")
    return {
        **fields,
        "kind": kind,
        "extra": look,
        "present": value is not ABSENT,
        "state": "null" if value is None else "",
        "stateful": value is None,
        "size": len(value) if value else 0,
    }


def scalar(
    kind: str, node: Node, value: Any, fields: Mapping[str, Any], text: str | None, descriptor: Descriptor | None
) -> FormField:
    """A field with one control. `text`: what was typed there and could not be read, shown instead of the value."""
    if kind == "any":
        return _yaml(value, fields, text)
    if kind in ("integer", "boolean") and descriptor and descriptor.options:
        kind, node = _chosen(kind, node, descriptor.options)
    empty = kind in ("string", "bytes", "int-or-string")
    state = "null" if value is None else "empty" if value == "" and empty else ""
    shown = text if text is not None else "" if value is ABSENT or value is None else texts.text_of(kind, value)
    look = widget("string" if kind == "bytes" else kind, node, descriptor, fields["path"], shown)
    made = {
        **fields,
        "present": value is not ABSENT,
        "state": state,
        "extra": look,
        "can_be_empty": empty,
        "stateful": bool(state) and (state == "null" or not fields["position"]),
    }
    words = (descriptor.options if descriptor else ()) or look.options
    if kind == "string" and words:
        kind, node = "enum", {"enum": list(words)}
    if kind == "enum":
        return _choice(node, value, made, text)
    return FormField(**{**made, "kind": kind, "text": shown})


def _yaml(value: Any, fields: Mapping[str, Any], text: str | None) -> FormField:
    """A box that says its value in YAML, null and empty texts too; a large one is left for later."""
    made = {**fields, "kind": "any", "extra": Widget(name="yaml"), "present": value is not ABSENT}
    if text is None and value is not ABSENT and not made.pop("opened", False) and large(value):
        return FormField(**{**made, "lazy": True, "size": len(value)})
    made.pop("opened", None)
    return FormField(**made, text=text if text is not None else "" if value is ABSENT else texts.text_of("any", value))


def large(value: Any) -> bool:
    """Whether a value has so many parts, or so long texts, that its YAML would make a page heavy."""
    budget, stack = _LARGE, [value]
    while stack:
        found = stack.pop()
        budget -= 1 + (len(found) // 100 if isinstance(found, str) else 0)
        if budget < 0:
            return isinstance(value, (dict, list))
        if isinstance(found, (dict, list)):
            if len(found) > budget:
                return True
            stack += found.values() if isinstance(found, dict) else found
    return False


def _chosen(kind: str, node: Node, words: tuple[str, ...]) -> tuple[str, Node]:
    """A choice among numbers that an operator's descriptor lists, which it can write as texts only."""
    try:
        return "enum", {**node, "enum": [texts.value_of(kind, word) for word in words]}
    except texts.Unreadable:
        return kind, node


def _choice(node: Node, value: Any, fields: dict[str, Any], text: str | None) -> FormField:
    """A select. Its options are plain text where all are, else JSON, so that 1 and "1" stay different."""
    allowed = [item for item in node.get("enum") or () if item is not None]
    if value is not ABSENT and value is not None and not any(_same(value, item) for item in allowed):
        allowed.append(value)
    plain = all(isinstance(item, str) and item and texts.printable(item) for item in allowed)
    kind = "string" if plain else "json"
    options = tuple(
        Option(texts.text_of(kind, item), texts.shown(str(item)) or "“”", _same(item, value)) for item in allowed
    )
    shown = (
        text if text is not None else texts.text_of(kind, value) if value is not ABSENT and value is not None else ""
    )
    state = "null" if value is None else ""
    default = node.get("default", ABSENT)
    look = fields["extra"] if fields["extra"].name in ("radios", "select") else Widget(name="select")
    return FormField(
        **{
            **fields,
            "kind": kind,
            "extra": look,
            "text": shown,
            "options": options,
            "can_be_empty": plain and not node.get("type"),
            "default_text": fields["default_text"] if default is ABSENT else texts.text_of(kind, default),
            "state": state,
            "stateful": bool(state),
        }
    )


def _same(item: Any, other: Any) -> bool:
    return type(item) is type(other) and bool(item == other)


def entry(field: FormField, typed: FormInput, key: str) -> FormField:
    """The field as an entry of a map: with its key, as it was typed last."""
    return dataclasses.replace(
        field,
        is_entry=True,
        key=typed.keys.get(field.path, key),
        key_error=typed.key_errors.get(field.path, ""),
    )


def captioned(field: FormField, node: Node, value: Any) -> FormField:
    """An item of a list with what tells it from the others: the list's own key, else its name."""
    if not isinstance(value, dict):
        return field
    keys = (*(node.get("x-kubernetes-list-map-keys") or ()), "name", "key", "type", "host")
    caption = next((value[key] for key in keys if isinstance(value.get(key), str) and value[key]), "")
    return dataclasses.replace(field, caption=texts.shown(caption[:80]))


def field_title(name: str) -> str:
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
    return _ACRONYM_PLURALS.get(lower) or word[:1].upper() + word[1:]


def schema_limits(node: Node) -> tuple[tuple[str, str], ...]:
    """Everything the schema limits, by the schema's own words; `true` where the word has no number."""
    return tuple(
        (name, "true" if node[name] is True else _limit(node[name]) or str(node[name])[:_LABEL_LENGTH])
        for name in _LIMITS
        if not (node.get(name) is None or node[name] is False or node[name] == "")
    )


def _limit(value: Any) -> str:
    return "" if value is None or isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def schema_rules(node: Node) -> tuple[str, ...]:
    """The messages of the node's CEL rules, or the rules themselves where they have none."""
    found = node.get("x-kubernetes-validations")
    if not isinstance(found, list):
        return ()
    messages = (str(rule.get("message") or rule.get("rule") or "") for rule in found if isinstance(rule, dict))
    return tuple(dict.fromkeys(" ".join(text.split())[:_LABEL_LENGTH] for text in messages if text))

"""The control of a field: which one shows it, whether its text is masked, and what the browser checks in it.

WIDGETS has every control: which template draws it and what the page says about it. Which one a field gets follows
from what the schema says, what the operator says about the field, and what its name and shape look like (widget()).
Only a choice of looks: how a value is written and read is its kind's business (texts.py), so a wrong guess here loses
nothing. A picker offers the names of a kind, guessed from the property's name where no descriptor says it, and takes
any text.

Masked are texts that are passwords or tokens by their names, although no operator says so (is_sensitive). A wrong guess
masks a harmless text until "Show" is pressed. Fields that only name a Secret, or a key in one, are not masked.

The browser refuses nothing that the API server would take, and as much of the rest as HTML can express
(browser_constraints). HTML has traps here. `pattern` is JavaScript's, which a schema's author can make hang the page,
while schemas have Go's RE2; `maxlength` cuts pasted text off in silence and counts UTF-16 units; `step` counts from
`min`, or from the value the page came with; numbers are doubles. So attributes say what they can say exactly, and
everything is in `check`, which static/js/form/validate.js holds typed text against, exactly.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from resources.forms.descriptors import Descriptor
from resources.forms.kubernetes_types import FREE_KEYS
from resources.forms.paths import Path
from resources.forms.schema import Node, kind_of
from structural import patterns

#: Names of texts that are secrets themselves.
_SECRET_NAME = re.compile(
    r"(password|passwd|passphrase|token|apikey|clientsecret|secretaccesskey"
    r"|(?<!password)(?<!token)(?<!config)(?<!cert)(?<!key)secretkey)$"
)
#: Tokens of paging and of optimistic locking.
_NO_SECRET = re.compile(r"(next|continue|page|start|end|client|request|update|version|lock)token$")
_REFERENCE = re.compile(r"(ref|refs|reference|selector)$")
#: Descriptions of what says where a secret is.
_SAYS_WHERE = re.compile(
    r"\b(name|key|reference|path|field)\b[^.]{0,40}\bsecret\b|\bsecret('s)?"
    r" (key|name|reference|that|which|with|containing|in)\b"
    r"|\bpath (to|of)\b|\bname of\b",
    re.I,
)

_NUMBER = re.compile(r"-?\d{0,15}(\.\d{1,15})?")
_QUANTITY = ("^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|", "^([0-9.]+)([eEinumkKMGTP]*")
_DURATION = re.compile(r"ms\|s\|m\|h|\|ms\|s\|")
_CRON = re.compile(r"cron", re.I)
_MANY_LINES = re.compile(r"\bPEM\b|multi-?\s?line|\bscript\b", re.I)
_LONG_NAMES = frozenset({"caBundle", "caCert", "script", "knownHosts", "privateKey", "sshPrivateKey", "policy"})
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
#: Words that Kubernetes knows for a text: of the property, and of the one above it ('' for any).
_WORDS = {
    ("imagePullPolicy", ""): _PULL_POLICIES,
    ("pullPolicy", ""): _PULL_POLICIES,
    ("operator", "tolerations"): ("Exists", "Equal"),
    ("effect", "tolerations"): ("NoSchedule", "PreferNoSchedule", "NoExecute"),
    ("operator", "matchExpressions"): ("In", "NotIn", "Exists", "DoesNotExist"),
}
#: Lists whose items are a few short fields, which stand side by side.
_COMPACT_LISTS = frozenset({"env", "tolerations", "matchExpressions", "matchFields", "ports"})
_COMPACT = {"look": "compact"}
_SCALARS = frozenset({"string", "integer", "number", "boolean"})
_SHORT = 24  # letters that a choice may have to stand beside others
#: What the end of a property's name says, kind by kind ("group/Kind"); the first that matches holds.
_KINDS_BY_END = (
    ("core/Secret", ("secretname", "secretref", "secretkeyref", "secretkeyselector", "pullsecret", "pullsecrets")),
    ("core/ConfigMap", ("configmapname", "configmapref", "configmapkeyref", "configmapkeyselector")),
    ("core/ServiceAccount", ("serviceaccountname", "serviceaccountref", "serviceaccount")),
    ("storage.k8s.io/StorageClass", ("storageclassname", "storageclass")),
    ("core/PersistentVolumeClaim", ("pvcname", "existingclaim", "persistentvolumeclaim", "volumeclaimname")),
    ("networking.k8s.io/IngressClass", ("ingressclassname",)),
    ("scheduling.k8s.io/PriorityClass", ("priorityclassname",)),
    ("node.k8s.io/RuntimeClass", ("runtimeclassname",)),
    ("core/Namespace", ("namespace", "namespacename")),
)
_KINDS_BY_NAME = {
    "claimName": "core/PersistentVolumeClaim",
    "nodeName": "core/Node",
    "serviceName": "core/Service",
    "secret": "core/Secret",
    "configMap": "core/ConfigMap",
}
#: Objects of these names refer by a `name` of their own.
_REFERRERS = (
    ("core/Secret", ("secret", "secrets", "secretref", "secretkeyref", "secretkeyselector", "pullsecrets")),
    ("core/ConfigMap", ("configmap", "configmaps", "configmapref", "configmapkeyref")),
    ("core/ServiceAccount", ("serviceaccount", "serviceaccountref")),
    ("storage.k8s.io/StorageClass", ("storageclassref",)),
)
_GROUP_OF_KIND = {
    "Secret": "core",
    "ConfigMap": "core",
    "ServiceAccount": "core",
    "Service": "core",
    "Namespace": "core",
    "Node": "core",
    "Pod": "core",
    "PersistentVolumeClaim": "core",
    "PersistentVolume": "core",
    "StorageClass": "storage.k8s.io",
    "IngressClass": "networking.k8s.io",
    "PriorityClass": "scheduling.k8s.io",
    "RuntimeClass": "node.k8s.io",
    "Deployment": "apps",
    "StatefulSet": "apps",
}
# What follows `io.kubernetes:` in real bundles without being a kind whose names can be offered.
_NO_KIND = frozenset({"", "custom", "text", "Probe", "SecretReference", "ConfigMapKeySelector", "SecretKeySelector"})
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")

_LARGEST_EXACT = 2**53
_LARGEST_NUMBER = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """The control of one field: `name` is a key of WIDGETS.

    `picker`: whose names are offered ("core/Secret", "/Kafka" of any group), those that `selector` selects; `options`:
    texts to choose from; `data`: further settings of the control's script.
    """

    name: str
    picker: str = ""
    selector: str = ""
    options: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """As the HTML attributes have them; '' where there is nothing to say, or HTML would say it wrong.

    `check`: JSON for the script.
    """

    minimum: str = ""
    maximum: str = ""
    step: str = ""
    min_length: str = ""
    check: str = ""


NO_CONSTRAINTS = Constraints()


def gettext_noop(text: str) -> str:
    """Marks a text for makemessages; resources/templatetags/forms.py translates it. Nothing here may import Django."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class WidgetType:
    """What all fields with one widget have in common.

    `file`: its template, templates/resources/form/widgets/FILE.html. `words`: what is written in it, shown beside the
    label; None: KIND_WORDS. `is_container`: the template draws the label too, and fields inside. `is_group`: several
    controls, which one label names. `explains_pattern`: `words` say what the schema's pattern says.

    Of input.html: `input`, the HTML type ("text", "number" or "password"); `is_short`: a narrow box; `beside`: what
    stands beside it: buttons that "step" or "reveal", or a "calendar".
    """

    file: str
    words: str | None = None
    is_container: bool = False
    is_group: bool = False
    explains_pattern: bool = False
    input: str = "text"
    is_short: bool = False
    beside: str = ""

    @property
    def template(self) -> str:
        return f"resources/form/widgets/{self.file}.html"


#: The widgets by their names. A script finds its control by a data attribute that the template sets.
WIDGETS: Mapping[str, WidgetType] = {
    # Texts
    "line": WidgetType(file="input"),
    "lines": WidgetType(file="textarea"),
    "password": WidgetType(file="input", input="password", beside="reveal", words=gettext_noop("secret text")),
    "image": WidgetType(file="input", words=gettext_noop("image such as registry.example/name:tag")),
    "cron": WidgetType(
        file="input", words=gettext_noop("Cron such as 0 3 * * 1-5 (minute, hour, day, month, weekday)")
    ),
    "duration": WidgetType(
        file="input", is_short=True, explains_pattern=True, words=gettext_noop("duration such as 1h30m")
    ),
    # The browser's calendar fills it.
    "datetime": WidgetType(
        file="input", is_short=True, beside="calendar", words=gettext_noop("time such as 2030-01-31T12:00:00Z")
    ),
    # A file fills it.
    "bytes": WidgetType(file="textarea", words=gettext_noop("Base64")),
    "yaml": WidgetType(file="textarea", words=gettext_noop("YAML")),
    # Offers the names of the kind Widget.picker.
    "picker": WidgetType(file="input", words=gettext_noop("name of a %(kind)s")),
    # Offers the keys of the object whose name stands beside it.
    "key": WidgetType(file="input", words=gettext_noop("key of a %(kind)s")),
    # Numbers
    "number": WidgetType(file="input", input="number"),
    "port": WidgetType(file="input", input="number", words=gettext_noop("port number")),
    # Buttons for one more and one less.
    "stepper": WidgetType(file="input", input="number", beside="step", words=gettext_noop("number of Pods")),
    "quantity": WidgetType(
        file="input", is_short=True, explains_pattern=True, words=gettext_noop("quantity such as 500m or 2Gi")
    ),
    "int-or-string": WidgetType(file="input", is_short=True, words=gettext_noop("number or text")),
    # Choices
    "boolean": WidgetType(file="radios", is_group=True, words=""),
    # Up to three short choices side by side.
    "radios": WidgetType(file="radios", is_group=True, words=""),
    "select": WidgetType(file="select", words=""),
    # Objects
    "section": WidgetType(file="section", is_container=True),
    # A name and a key, in one line.
    "reference": WidgetType(file="section", is_container=True),
    # Limits and requests; each of them is an "amounts".
    "resources": WidgetType(file="section", is_container=True),
    # A quantity for each known resource, and rows for all others.
    "amounts": WidgetType(file="amounts", is_container=True),
    # Lists and maps: of values that one control holds (rows, pairs), or of objects (cards, map).
    "rows": WidgetType(file="list", is_container=True, words=gettext_noop("list")),
    "cards": WidgetType(file="list", is_container=True, words=gettext_noop("list")),
    "pairs": WidgetType(file="list", is_container=True, words=gettext_noop("keys and values")),
    "map": WidgetType(file="list", is_container=True, words=gettext_noop("keys and objects")),
    # Items of a long list, or fields of a large object, that aren't shown yet.
    "rest": WidgetType(file="rest", is_container=True),
}

#: What is written in a control, by the kind of its value.
KIND_WORDS: Mapping[str, str] = {
    "string": gettext_noop("text"),
    "integer": gettext_noop("whole number"),
    "number": gettext_noop("number"),
}


def widget(kind: str, node: Node, descriptor: Descriptor | None, path: Path, text: str) -> Widget:
    """The control of a node of that kind; `text` is what it shows, which a control that can't hold it must not lose."""
    described = descriptor.widgets if descriptor is not None else frozenset()
    if kind in ("object", "array", "map"):
        return _container(kind, node, described, path)
    if kind in ("any", "bytes"):
        return Widget(name="yaml" if kind == "any" else kind)
    if kind == "boolean":
        return Widget(name="boolean")
    if kind == "enum":
        return Widget(name="radios" if _few(node.get("enum")) else "select")
    if kind in ("integer", "number"):
        return _number(kind, node, described, path, text)
    if "\n" in text or "\r" in text:
        return Widget(name="lines")
    if kind == "int-or-string":
        return Widget(name="quantity" if _is_quantity(node) else "int-or-string")
    return _text(node, descriptor, path) if kind == "string" else Widget(name="line")


def _few(values: object) -> bool:
    found = [str(value) for value in values if value is not None] if isinstance(values, (list, tuple)) else []
    return 1 <= len(found) <= 3 and all(len(text) <= _SHORT and text for text in found) and len("".join(found)) <= 30


def _number(kind: str, node: Node, described: frozenset[str], path: Path, text: str) -> Widget:
    if not _NUMBER.fullmatch(text):
        return Widget(name="line")
    name = _last(path).lower()
    if kind == "integer" and ("podCount" in described or name in ("replicas", "replicacount")):
        return Widget(name="stepper")
    if kind == "integer" and name.endswith("port") and (node.get("maximum") in (None, 65535)):
        return Widget(name="port")
    return Widget(name="number")


def _text(node: Node, descriptor: Descriptor | None, path: Path) -> Widget:
    described = descriptor.widgets if descriptor is not None else frozenset()
    form = str(node.get("format") or "")
    if form == "password" or "password" in described:
        return Widget(name="password")
    if form == "byte":
        return Widget(name="bytes")
    if form == "date-time":
        return Widget(name="datetime")
    if words := _words(path, described):
        return Widget(name="radios" if _few(words) else "select", options=words)
    if is_sensitive(path, node.get("description")) and not (descriptor and descriptor.kubernetes):
        return Widget(name="password")
    picker, selector = described_picker(descriptor)
    if picker or (picker := named_picker(path)):
        return Widget(name="picker", picker=picker, selector=selector)
    if picker := _key_picker(path):
        return Widget(name="key", picker=picker)
    return _written(node, path, form)


def _words(path: Path, described: frozenset[str]) -> tuple[str, ...]:
    names = [part for part in path if isinstance(part, str)]
    if "imagePullPolicy" in described:
        return _PULL_POLICIES
    last, parent = (names[-1] if names else ""), (names[-2] if len(names) > 1 else "")
    return _WORDS.get((last, "")) or _WORDS.get((last, parent)) or ()


def _written(node: Node, path: Path, form: str) -> Widget:
    """A text that is written in some way."""
    name, pattern = _last(path), str(node.get("pattern") or "")
    description = str(node.get("description") or "")[:400]
    if pattern.startswith(_QUANTITY):
        return Widget(name="quantity")
    if form == "duration" or _DURATION.search(pattern):
        return Widget(name="duration")
    if "cron" in name.lower() or (name.lower().endswith("schedule") and _CRON.search(description)):
        return Widget(name="cron")
    if name == "image" or name.endswith("Image"):
        return Widget(name="image")
    limit = node.get("maxLength")
    if (isinstance(limit, int) and limit > 2000) or name in _LONG_NAMES or _MANY_LINES.search(description):
        return Widget(name="lines")
    return Widget(name="line")


def _container(kind: str, node: Node, described: frozenset[str], path: Path) -> Widget:
    if kind == "array":
        if _plain(node.get("items")):
            return Widget(name="rows")
        return Widget(name="cards", data=_COMPACT if _last(path) in _COMPACT_LISTS else {})
    if kind == "map":
        return Widget(name="pairs" if _plain(node.get("additionalProperties")) else "map")
    properties = node.get("properties")
    names = set(properties) if isinstance(properties, Mapping) else set()
    if FREE_KEYS in node:
        return Widget(name="amounts", data={"example": "10Gi"} if names == {"storage"} else {})
    if "resourceRequirements" in described or {"limits", "requests"} <= names:
        return Widget(name="resources")
    if names and names <= {"name", "key", "optional"} and named_picker((*path, "name")):
        return Widget(name="reference")
    return Widget(name="section")


def _plain(node: object) -> bool:
    """Whether one control holds an item."""
    if not isinstance(node, Mapping):
        return False
    return node.get("type") in _SCALARS or _is_int_or_string(node)


def _is_int_or_string(node: Mapping[str, object]) -> bool:
    return bool(node.get("x-kubernetes-int-or-string")) or node.get("format") == "int-or-string"


def _is_quantity(node: Node) -> bool:
    return str(node.get("pattern") or "").startswith(_QUANTITY)


def described_picker(descriptor: Descriptor | None) -> tuple[str, str]:
    """("group/Kind", label selector) that `io.kubernetes:…` or `selector:…` of a descriptor says; group '' where it
    leaves it open.
    """
    if descriptor is None:
        return "", ""
    text, _, selector = (descriptor.kubernetes or descriptor.selector).partition("?")
    *group, kind = text.split(":")
    if kind in _NO_KIND or not _KIND.fullmatch(kind):
        return "", ""
    return f"{group[0] if group else _GROUP_OF_KIND.get(kind, '')}/{kind}", selector


def named_picker(path: Path) -> str:
    """ "group/Kind" whose name the text at `path` is, by the property's name and its parent's; '' for none."""
    names = [part for part in path if isinstance(part, str)]
    if not names:
        return ""
    last = names[-1]
    if last == "name" and len(names) > 1:
        return _referred_kind(names[-2])
    if last in _KINDS_BY_NAME:
        return _KINDS_BY_NAME[last]
    lower = last.lower()
    return next((kind for kind, ends in _KINDS_BY_END if lower.endswith(ends)), "")


def _key_picker(path: Path) -> str:
    """ "group/Kind" in whose data the text at `path` is a key: `secretKeyRef.key`; its object's name stands beside it
    as `name`.
    """
    names = [part for part in path if isinstance(part, str)]
    kind = _referred_kind(names[-2]) if len(names) > 1 and names[-1] == "key" else ""
    return kind if kind in ("core/Secret", "core/ConfigMap") else ""


def _referred_kind(parent: str) -> str:
    lower = parent.lower()
    return next((kind for kind, ends in _REFERRERS if lower.endswith(ends)), "")


def _last(path: Path) -> str:
    """The nearest name: an item of a list is called as the list is."""
    return next((part for part in reversed(path) if isinstance(part, str)), "")


def is_sensitive(path: Path, description: object = "") -> bool:
    """Whether the text at `path` is a secret itself."""
    names = [re.sub(r"[^a-z0-9]", "", part.lower()) for part in path if isinstance(part, str)]
    if not names or not _SECRET_NAME.search(names[-1]) or _NO_SECRET.search(names[-1]):
        return False
    if len(names) > 1 and _REFERENCE.search(names[-2]):
        return False
    return not _SAYS_WHERE.search(str(description or "")[:400])


def browser_constraints(node: Node) -> Constraints:
    """Of a node with one control."""
    kind = kind_of(node)
    if kind not in ("string", "integer", "number", "int-or-string"):
        return NO_CONSTRAINTS
    text = kind in ("string", "int-or-string")
    number = kind != "string"
    check = {**(_number_checks(node, kind) if number else {}), **(_text_checks(node) if text else {})}
    if not check:
        return NO_CONSTRAINTS
    minimum, maximum = (_bound(check, name, kind) if number else "" for name in ("min", "max"))
    return Constraints(
        minimum=minimum,
        maximum=maximum,
        step=_step(check, kind, minimum),
        min_length=str(check.get("minLength", "")) if kind == "string" else "",
        check=json.dumps(check, ensure_ascii=True, separators=(",", ":")),
    )


def name_constraints() -> Constraints:
    """Of an object's name, where it must be a DNS subdomain."""
    return Constraints(check=json.dumps({"maxLength": 253, "name": True}, separators=(",", ":")))


def _number_checks(node: Node, kind: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for keyword, name, exclusive in (("minimum", "min", "exclusiveMinimum"), ("maximum", "max", "exclusiveMaximum")):
        limit = node.get(keyword)
        if isinstance(limit, (int, float)) and not isinstance(limit, bool) and abs(limit) < _LARGEST_NUMBER:
            # Whole numbers are compared with int64() of the limit: fractions are cut off.
            made[name] = _shown(limit) if kind == "number" else str(int(limit))
            made |= {f"{name}Exclusive": True} if node.get(exclusive) is True else {}
    step = node.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0:
        made["multipleOf"] = _shown(step)
    if node.get("format") in ("int32", "float"):
        made["format"] = node["format"]
    return made


def _text_checks(node: Node) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in ("minLength", "maxLength"):
        if isinstance(node.get(name), int) and (node[name] or name == "maxLength"):
            made[name] = node[name]
    pattern = node.get("pattern")
    if isinstance(pattern, str) and pattern and patterns.compiled(pattern) is not None:
        made["pattern"] = pattern
    return made


def _shown(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(number)


def _bound(check: dict[str, Any], name: str, kind: str) -> str:
    """`min` and `max` of a number control. Beyond 2**53 browsers round them."""
    if name not in check or kind == "int-or-string":
        return ""
    if kind == "number":
        return str(check[name])
    number = int(check[name])
    if check.get(f"{name}Exclusive"):
        number += 1 if name == "min" else -1
    return str(number) if abs(number) <= _LARGEST_EXACT else ""


def _step(check: dict[str, Any], kind: str, minimum: str) -> str:
    """`step` counts from `min`, else from the page's value, so it is set only with a `min` that fits."""
    step = str(check.get("multipleOf", ""))
    if kind != "integer" or not step.isdigit() or not minimum:
        return ""
    return step if int(minimum) % int(step) == 0 else ""

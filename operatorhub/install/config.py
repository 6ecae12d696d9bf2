"""Configuration of the operator's Pods: `spec.config` of the Subscription, entered as lines, and the operator's cloud
identity.

Lines are kubectl's: NAME=value, key=value, key=value:Effect. What lines can't say is YAML.
https://olm.operatorframework.io/docs/concepts/crds/subscription/
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import mapping
from operatorhub import olm
from resources import yamltext
from resources.forms.errors import Placed, object_problems
from resources.forms.paths import words as path_words
from resources.forms.schema import Schema

PREFIX = "config_"
#: Fields of the form, as they are posted with PREFIX.
LINES = ("env", "node_selector", "tolerations")
RESOURCES = ("requests_cpu", "requests_memory", "limits_cpu", "limits_memory")
FIELDS = (*LINES, *RESOURCES, "yaml")
#: What a SubscriptionConfig may hold: operator-framework/api, subscription_types.go.
KNOWN = (
    "selector",
    "nodeSelector",
    "tolerations",
    "resources",
    "envFrom",
    "env",
    "volumes",
    "volumeMounts",
    "affinity",
    "annotations",
)
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?")
_ENV = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")

#: annotation → (environment variable, what it is called there): operators read these when the cloud gives out
#: short-lived tokens.
TOKENS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "token-auth-aws": (("ROLEARN", "AWS role ARN"),),
    "token-auth-azure": (
        ("CLIENTID", "Azure client ID"),
        ("TENANTID", "Azure tenant ID"),
        ("SUBSCRIPTIONID", "Azure subscription ID"),
        ("RESOURCEGROUP", "Azure resource group"),
    ),
    "token-auth-gcp": (
        ("PROJECT_NUMBER", "GCP project number"),
        ("POOL_ID", "GCP pool ID"),
        ("PROVIDER_ID", "GCP provider ID"),
        ("SERVICE_ACCOUNT_EMAIL", "GCP service account e-mail"),
    ),
}


@dataclass(frozen=True, slots=True)
class Config:
    """`typed`: the texts as they came, by field; `errors` by field; `spec`: what they mean, empty where nothing was
    typed.
    """

    typed: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def used(self) -> bool:
        return any(value.strip() for value in self.typed.values())


def token_fields(annotations: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """(environment variable, label) that this operator asks for, none for most."""
    prefix = "features.operators.openshift.io/"
    wanted = [name for name in TOKENS if annotations.get(f"{prefix}{name}", "").strip().lower() == "true"]
    return tuple(pair for name in wanted for pair in TOKENS[name])


def read(data: Mapping[str, str], asked: tuple[tuple[str, str], ...] = ()) -> Config:
    """From a posted form. The text is kept as it is: the user can be typing the next line. `asked`: of token_fields."""
    typed = {name: data.get(f"{PREFIX}{name}", "").replace("\r\n", "\n") for name in FIELDS}
    tokens = {name: data.get(f"token_{name}", "").strip() for name, _label in asked}
    errors: dict[str, str] = {}

    def parse_field(name: str, parse: Callable[[str], Any]) -> Any:
        try:
            return parse(typed[name].strip()) if typed[name].strip() else None
        except ValueError as error:
            errors[f"{PREFIX}{name}"] = str(error)
            return None

    spec: dict[str, Any] = dict(parse_field("yaml", _yaml) or {})
    env = [{"name": name, "value": value} for name, value in tokens.items() if value] + (parse_field("env", _env) or [])
    if env:
        others = [
            item for item in spec.get("env") or [] if mapping(item).get("name") not in {pair["name"] for pair in env}
        ]
        spec["env"] = env + others
    if labels := parse_field("node_selector", _labels):
        spec["nodeSelector"] = {**mapping(spec.get("nodeSelector")), **labels}
    if found := parse_field("tolerations", _tolerations):
        spec["tolerations"] = [*(spec.get("tolerations") or []), *found]
    resources: dict[str, dict[str, str]] = {}
    for name in RESOURCES:
        if quantity := parse_field(name, _quantity):
            kind, _sep, what = name.partition("_")
            resources.setdefault(kind, {})[what] = quantity
    if resources:
        spec["resources"] = {**mapping(spec.get("resources")), **resources}
    return Config(typed, tokens, spec, errors)


def as_posted(given: Mapping[str, Any]) -> dict[str, str]:
    """A spec.config in the names of the API as the form posts it.

    A text is a field of the form (lines), or one part of spec.config as YAML.
    """
    posted: dict[str, str] = {}
    parts: list[str] = []
    for name, value in given.items():
        form_field = name in FIELDS and isinstance(value, str)
        if form_field and not (name in KNOWN and _is_list(value)):
            posted[f"{PREFIX}{name}"] = value
        elif name == "node_selector":
            parts.append(yamltext.dump({"nodeSelector": value}))
        elif isinstance(value, str):
            indented = "\n".join(f"  {line}" for line in value.splitlines())
            parts.append(f"{name}:\n{indented}\n")
        else:
            parts.append(yamltext.dump({name: value}))
    if parts:
        posted[f"{PREFIX}yaml"] = "".join(parts) + posted.get(f"{PREFIX}yaml", "")
    return posted


def _is_list(value: str) -> bool:
    """Whether a text is a YAML list, and not lines of the form."""
    try:
        return isinstance(yamltext.load(value), list)
    except yamltext.YamlProblem:
        return False


def checked(config: Config, problems: Iterable[Placed]) -> Config:
    """With what is wrong by the Subscription's schema, at the line of the YAML. `problems`: their paths begin below
    spec.config.
    """
    found = list(problems)
    if not found or config.errors:
        return config
    lines = [
        line
        for line, _column in yamltext.field_positions(config.typed.get("yaml", ""), [problem.path for problem in found])
    ]
    messages = [
        _("Line %(n)d: %(field)s: %(message)s")
        % {"n": line, "field": path_words(problem.path), "message": problem.message}
        if line
        else f"{path_words(problem.path)}: {problem.message}"
        for line, problem in zip(lines, found, strict=True)
    ]
    return replace(config, errors={f"{PREFIX}yaml": " ".join(messages)})


def problems(client: ClusterClient, spec: Mapping[str, Any]) -> tuple[Placed, ...]:
    """What the API server would find wrong in a Subscription's spec.config; nothing where its schema can't be read."""
    if not spec:
        return ()
    try:
        schema = Schema.from_document(client.schema(olm.type_of(client, olm.SUBSCRIPTIONS)))
    except KubeError:
        return ()
    subscription = {
        "apiVersion": f"{olm.GROUP}/{olm.VERSION}",
        "kind": "Subscription",
        "metadata": {"name": "subscription"},
        "spec": {"name": "package", "source": "catalog", "sourceNamespace": "namespace", "config": spec},
    }
    found = object_problems(schema, subscription)
    return tuple(replace(problem, path=problem.path[2:]) for problem in found if problem.path[:2] == ("spec", "config"))


def _pairs(value: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for number, line in enumerate(value.split("\n"), 1):
        if not line.strip():
            continue
        name, equals, rest = line.partition("=")
        if not equals or not name.strip():
            raise ValueError(_("Line %(n)d: use NAME=value, one per line.") % {"n": number})
        if name.strip() in dict(found):
            raise ValueError(_("Line %(n)d: “%(name)s” is a duplicate.") % {"n": number, "name": name.strip()})
        found.append((name.strip(), rest.strip()))
    return found


def _env(value: str) -> list[dict[str, str]]:
    pairs = _pairs(value)
    for name, _value in pairs:
        if not _ENV.fullmatch(name):
            raise ValueError(_("“%(name)s” isn't a valid environment variable name.") % {"name": name})
    return [{"name": name, "value": setting} for name, setting in pairs]


def _labels(value: str) -> dict[str, str]:
    return dict(_pairs(value))


def _tolerations(value: str) -> list[dict[str, str]]:
    """`key=value:Effect`, `key:Effect`, `key=value` or `key`, as taints are written."""
    found = []
    for number, line in enumerate(value.split("\n"), 1):
        if not (line := line.strip()):
            continue
        rest, colon, effect = line.rpartition(":") if line.rpartition(":")[2] in EFFECTS else (line, "", "")
        if ":" in rest or (colon and not rest):
            words = _("Line %(n)d: use key=value:Effect. Valid effects: %(effects)s.")
            raise ValueError(words % {"n": number, "effects": ", ".join(EFFECTS)})
        key, equals, wanted = rest.partition("=")
        item = {"key": key.strip(), "operator": "Equal" if equals else "Exists"}
        if equals:
            item["value"] = wanted.strip()
        found.append({**item, "effect": effect} if effect else item)
    return found


def _quantity(value: str) -> str:
    if not _QUANTITY.fullmatch(value):
        raise ValueError(_("“%(value)s” isn't a valid quantity. Use a value such as 500m or 256Mi.") % {"value": value})
    return value


def _yaml(value: str) -> dict[str, Any]:
    try:
        found = yamltext.load(value)
    except yamltext.YamlProblem as problem:
        where = _("line %(n)d: ") % {"n": problem.line} if problem.line else ""
        raise ValueError(f"{where}{problem.message}") from problem
    if not isinstance(found, dict):
        raise ValueError(_("Enter fields of spec.config, such as “affinity:” or “volumes:”."))
    if unknown := [key for key in found if key not in KNOWN]:
        words = _("spec.config has no field “%(key)s”. Valid fields: %(known)s.")
        raise ValueError(words % {"key": unknown[0], "known": ", ".join(KNOWN)})
    return found

"""Configuration of the operator's Pods: `spec.config` of the Subscription, entered as lines, and the operator's cloud
identity.

Lines are kubectl's: NAME=value, key=value, key=value:Effect. What lines can't say is YAML.
https://olm.operatorframework.io/docs/concepts/crds/subscription/
"""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import mapping, text
from operatorhub import olm
from resources import yamltext
from resources.forms.errors import object_problems
from resources.forms.paths import words as path_words
from resources.forms.schema import Schema

PREFIX, TOKEN_PREFIX = "config_", "token_"
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
_check_quantity = RegexValidator(
    r"\A[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?\Z",
    gettext_lazy("“%(value)s” isn't a valid quantity. Use a value such as 500m or 256Mi."),
)
_ENV = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")

#: OpenShift's name of a platform → annotation.
_CLOUDS = {"AWS": "token-auth-aws", "Azure": "token-auth-azure", "GCP": "token-auth-gcp"}
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


def token_fields(annotations: Mapping[str, str], cloud: str = "") -> tuple[tuple[str, str], ...]:
    """(environment variable, label) that this operator asks for, none for most; of the cluster's cloud if known."""
    prefix = "features.operators.openshift.io/"
    wanted = [name for name in TOKENS if annotations.get(f"{prefix}{name}", "").strip().lower() == "true"]
    return tuple(pair for name in wanted if not cloud or name == _CLOUDS.get(cloud) for pair in TOKENS[name])


class ConfigForm(forms.Form):
    """`tokens`: of token_fields. `spec`: what was entered, without what is wrong."""

    config_env = forms.CharField(required=False)
    config_node_selector = forms.CharField(required=False)
    config_tolerations = forms.CharField(required=False)
    config_requests_cpu = forms.CharField(required=False, validators=[_check_quantity])
    config_requests_memory = forms.CharField(required=False, validators=[_check_quantity])
    config_limits_cpu = forms.CharField(required=False, validators=[_check_quantity])
    config_limits_memory = forms.CharField(required=False, validators=[_check_quantity])
    config_yaml = forms.CharField(required=False)

    def __init__(self, data: Mapping[str, Any], tokens: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(data)
        self.spec: dict[str, Any] = {}
        for name, label in tokens:
            self.fields[f"{TOKEN_PREFIX}{name}"] = forms.CharField(label=label, required=False)

    @property
    def is_used(self) -> bool:
        return any(name.startswith(PREFIX) for name in self.changed_data)

    @property
    def token_fields(self) -> dict[str, forms.BoundField]:
        """By environment variable."""
        return {name.removeprefix(TOKEN_PREFIX): self[name] for name in self.fields if name.startswith(TOKEN_PREFIX)}

    @property
    def tokens(self) -> dict[str, str]:
        """Those that were entered, by environment variable."""
        found = {name: self.cleaned_data.get(field.name) for name, field in self.token_fields.items()}
        return {name: value for name, value in found.items() if value}

    def clean_config_env(self) -> list[dict[str, str]]:
        pairs, problems = _pairs(self.cleaned_data["config_env"])
        words = _("“%(name)s” isn't a valid environment variable name.")
        problems += [ValidationError(words, params={"name": name}) for name in pairs if not _ENV.fullmatch(name)]
        if problems:
            raise ValidationError(problems)
        return [{"name": name, "value": value} for name, value in pairs.items()]

    def clean_config_node_selector(self) -> dict[str, str]:
        pairs, problems = _pairs(self.cleaned_data["config_node_selector"])
        if problems:
            raise ValidationError(problems)
        return pairs

    def clean_config_tolerations(self) -> list[dict[str, str]]:
        """`key=value:Effect`, `key:Effect`, `key=value` or `key`, as taints are written."""
        found, problems = [], []
        for number, line in enumerate(self.cleaned_data["config_tolerations"].split("\n"), 1):
            if not (line := line.strip()):
                continue
            rest, colon, effect = line.rpartition(":") if line.rpartition(":")[2] in EFFECTS else (line, "", "")
            if ":" in rest or (colon and not rest):
                words = _("Line %(n)d: use key=value:Effect. Valid effects: %(effects)s.")
                problems.append(ValidationError(words, params={"n": number, "effects": ", ".join(EFFECTS)}))
                continue
            key, equals, wanted = rest.partition("=")
            item = {"key": key.strip(), "operator": "Equal" if equals else "Exists"}
            if equals:
                item["value"] = wanted.strip()
            found.append({**item, "effect": effect} if effect else item)
        if problems:
            raise ValidationError(problems)
        return found

    def clean_config_yaml(self) -> dict[str, Any]:
        if not self.cleaned_data["config_yaml"]:
            return {}
        try:
            found = yamltext.load(self.cleaned_data["config_yaml"])
        except yamltext.YamlProblem as problem:
            where = _("line %(n)d: ") % {"n": problem.line} if problem.line else ""
            raise ValidationError(f"{where}{problem.message}") from problem
        if not isinstance(found, dict):
            raise ValidationError(_("Enter fields of spec.config, such as “affinity:” or “volumes:”."))
        if unknown := [key for key in found if key not in KNOWN]:
            words = _("spec.config has no field “%(key)s”. Valid fields: %(known)s.")
            raise ValidationError(
                [ValidationError(words, params={"key": key, "known": ", ".join(KNOWN)}) for key in unknown]
            )
        return found

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        self.spec = dict(found.get("config_yaml", {}))
        env = [{"name": name, "value": value} for name, value in self.tokens.items()] + found.get("config_env", [])
        # What isn't a list in the YAML stays as it is: the schema says so.
        present = self.spec.get("env") or []
        if env and isinstance(present, list):
            names = {pair["name"] for pair in env}
            self.spec["env"] = env + [item for item in present if text(mapping(item).get("name")) not in names]
        if labels := found.get("config_node_selector"):
            self.spec["nodeSelector"] = {**mapping(self.spec.get("nodeSelector")), **labels}
        present, tolerations = self.spec.get("tolerations") or [], found.get("config_tolerations")
        if tolerations and isinstance(present, list):
            self.spec["tolerations"] = [*present, *tolerations]
        resources: dict[str, dict[str, str]] = {}
        for kind in ("requests", "limits"):
            for what in ("cpu", "memory"):
                if quantity := found.get(f"{PREFIX}{kind}_{what}"):
                    resources.setdefault(kind, {})[what] = quantity
        if resources:
            self.spec["resources"] = {**mapping(self.spec.get("resources")), **resources}
        return found


#: As the API calls the fields.
FIELDS = tuple(name.removeprefix(PREFIX) for name in ConfigForm.base_fields)


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


def check_schema(client: ClusterClient, form: ConfigForm) -> None:
    """Adds what the API server would find wrong in a Subscription's spec.config, at the line of the YAML; nothing where
    its schema can't be read.

    Fields with errors of their own aren't part of what is checked.
    """
    form.full_clean()
    if not form.spec:
        return
    try:
        schema = Schema.from_document(client.schema(olm.type_of(client, olm.SUBSCRIPTIONS)))
    except KubeError:
        return
    subscription = {
        "apiVersion": f"{olm.GROUP}/{olm.VERSION}",
        "kind": "Subscription",
        "metadata": {"name": "subscription"},
        "spec": {"name": "package", "source": "catalog", "sourceNamespace": "namespace", "config": form.spec},
    }
    problems = [problem for problem in object_problems(schema, subscription) if problem.path[:2] == ("spec", "config")]
    paths = [problem.path[2:] for problem in problems]
    positions = yamltext.field_positions(form.data.get(f"{PREFIX}yaml", ""), paths)
    messages = [
        _("Line %(n)d: %(field)s: %(message)s") % {"n": line, "field": path_words(path), "message": problem.message}
        if line
        else f"{path_words(path)}: {problem.message}"
        for (line, _column), path, problem in zip(positions, paths, problems, strict=True)
    ]
    if messages:
        form.add_error(f"{PREFIX}yaml", " ".join(messages))


def _pairs(value: str) -> tuple[dict[str, str], list[ValidationError]]:
    """The pairs, and what is wrong with the other lines."""
    found: dict[str, str] = {}
    problems: list[ValidationError] = []
    for number, line in enumerate(value.split("\n"), 1):
        if not line.strip():
            continue
        name, equals, rest = line.partition("=")
        name = name.strip()
        if not equals or not name:
            problems.append(ValidationError(_("Line %(n)d: use NAME=value, one per line."), params={"n": number}))
        elif name in found:
            words = _("Line %(n)d: “%(name)s” is a duplicate.")
            problems.append(ValidationError(words, params={"n": number, "name": name}))
        else:
            found[name] = rest.strip()
    return found, problems

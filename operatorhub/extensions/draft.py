"""The forms of an install by OLM v1 and of an upgrade, and the objects, or the patch, of what is chosen. Pure.

OLM v1 does everything with the ServiceAccount of the ClusterExtension: it must be allowed to create each object of the
bundle, to read and change it later, and may grant the operator no more than it holds itself. Its permissions are
computed from the bundle. They are bound to the objects' names where those are known; names that OLM generates (roles,
bindings) are left open, so that upgrades work.
https://operator-framework.github.io/operator-controller/howto/derive-service-account/
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.objects import KubeObject
from kube.reader import read
from kube.types.cluster import Role
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionSpec
from operatorhub import direct
from operatorhub.bundle.bundles import Bundle, Graph
from operatorhub.csv import install_modes
from operatorhub.extensions.facts import (
    CATALOG_NAME,
    CATALOG_PROVIDED,
    GROUP,
    SELF_CERTIFIED,
    VERSION,
    Candidate,
    Extension,
    candidates,
    resolved_candidate,
)
from operatorhub.install.choices import LABEL as NAMESPACE_NAME
from operatorhub.install.situation import Situation
from resources import yamltext

#: Plurals of what bundles bring, and of what OLM makes of a CSV.
_PLURALS = {
    "CustomResourceDefinition": "customresourcedefinitions",
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Deployment": "deployments",
    "Service": "services",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "PriorityClass": "priorityclasses",
    "NetworkPolicy": "networkpolicies",
    "ServiceMonitor": "servicemonitors",
    "PrometheusRule": "prometheusrules",
    "ConsoleCLIDownload": "consoleclidownloads",
    "ConsoleLink": "consolelinks",
    "ConsoleQuickStart": "consolequickstarts",
    "ConsoleYAMLSample": "consoleyamlsamples",
    "VerticalPodAutoscaler": "verticalpodautoscalers",
}
_RBAC = "rbac.authorization.k8s.io"
_UNNAMED_VERBS, _NAMED_VERBS = ["create", "list", "watch"], ["get", "update", "patch", "delete"]

_check_name = RegexValidator(r"\A[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
#: Fields that have one message for all that can be wrong.
_ANY_ERROR = ("required", "invalid", "max_length")
Rule = dict[str, Any]


class UpgradeForm(forms.Form):
    """What of an installed extension can be changed. `unsafe`: upgrades of kinds are not checked."""

    version = forms.CharField(
        required=False,
        max_length=64,
        validators=[RegexValidator(r"\A[\s\dvxX*.,|<>=!~^+\-A-Za-z]*\Z")],
        error_messages=dict.fromkeys(_ANY_ERROR, gettext_lazy("This isn't a valid version or version range.")),
    )
    channels = forms.Field(required=False, widget=forms.SelectMultiple)
    policy = forms.ChoiceField(
        choices=[
            (CATALOG_PROVIDED, gettext_lazy("Along the catalog's upgrade path")),
            (SELF_CERTIFIED, gettext_lazy("To any version, including older ones")),
        ]
    )
    make_account = forms.BooleanField(required=False)
    unsafe = forms.BooleanField(required=False)

    def clean_channels(self) -> list[str]:
        return [channel for channel in self.cleaned_data["channels"] if channel]

    @property
    def choices(self) -> dict[str, Any]:
        """The cleaned data, and what was entered into fields that have an error: the preview shows it all."""
        return {name: str(self[name].value()).strip() for name in self.errors} | self.cleaned_data


class ExtensionForm(UpgradeForm):
    """An install. `taken`: names of existing extensions; `accounts`: whether this OLM v1 acts with a ServiceAccount.

    `cluster_admin`: its permissions where those that it needs are unknown.
    """

    package = forms.CharField(
        error_messages={"required": gettext_lazy("Select a package in OperatorHub, or type its name.")}
    )
    catalog = forms.CharField(required=False)
    name = forms.CharField(
        max_length=253,
        validators=[_check_name],
        error_messages=dict.fromkeys(
            _ANY_ERROR,
            gettext_lazy("Use lowercase letters, digits, hyphens and dots. Start and end with a letter or digit."),
        ),
    )
    namespace = forms.CharField(
        validators=[RegexValidator(rf"\A{NAMESPACE_NAME.pattern}\Z")],
        error_messages=dict.fromkeys(_ANY_ERROR, gettext_lazy("Choose a namespace, or type the name of a new one.")),
    )
    account = forms.CharField(
        validators=[_check_name],
        error_messages=dict.fromkeys(
            _ANY_ERROR, gettext_lazy("Enter the name of a ServiceAccount. OLM v1 uses it for everything that it does.")
        ),
    )

    cluster_admin = forms.BooleanField(required=False)

    def __init__(self, data: Mapping[str, Any], taken: frozenset[str], *, accounts: bool) -> None:
        super().__init__(data)
        self.taken = taken
        if not accounts:
            for name in ("account", "make_account", "cluster_admin"):
                del self.fields[name]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name in self.taken:
            words = _("A ClusterExtension “%(name)s” already exists. Use another name, or change the existing one.")
            raise ValidationError(words, params={"name": name})
        return name


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionDraft:
    """`objects`: the ClusterExtension is the last; `target`: the version that OLM would take, None if there is none or
    it is unknown; `is_unknown`: whether the permissions that the ServiceAccount needs are.
    """

    form: UpgradeForm
    objects: tuple[KubeObject, ...]
    candidates: tuple[Candidate, ...]
    target: Candidate | None
    warnings: tuple[str, ...]
    is_unknown: bool = False

    @property
    def yaml(self) -> str:
        return "---\n".join(yamltext.dump(item) for item in self.objects)

    @property
    def kubectl(self) -> str:
        return f"kubectl apply --server-side -f - <<'EOF'\n{self.yaml}EOF"


def target(
    graph: Graph | None, choices: Mapping[str, Any], installed: tuple[str, str] = ("", "")
) -> tuple[tuple[Candidate, ...], Candidate | None]:
    """All versions, and the one that OLM would take."""
    if graph is None:
        return (), None
    found = candidates(graph, choices["channels"], choices["version"], installed)
    return found, resolved_candidate(found, self_certified=choices["policy"] == SELF_CERTIFIED)


def new(
    form: ExtensionForm, graph: Graph | None, bundle: Bundle | None, situation: Situation, *, accounts: bool
) -> ExtensionDraft:
    """An install.

    `bundle`: the target's, None if no source has it; `accounts`: whether this OLM v1 acts with a ServiceAccount.
    """
    choices = form.choices
    namespace = choices["namespace"]
    found, picked = target(graph, choices)
    if graph is not None and picked is None and "version" not in form.errors:
        form.add_error("version", _("No version of the package fits these channels and this range."))
    objects: list[KubeObject] = []
    if namespace and namespace not in situation.namespaces and "namespaces" not in situation.unread:
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    has_account = accounts and choices["make_account"]
    if has_account and bundle:
        objects += account_objects([bundle], choices["name"], namespace, choices["account"])
    elif has_account:
        objects += _account_without_bundle(choices)
    objects.append(extension(choices, accounts=accounts))
    return ExtensionDraft(
        form=form,
        objects=tuple(objects),
        candidates=found,
        target=picked,
        warnings=tuple(_warnings(choices, bundle, accounts=accounts)),
        is_unknown=has_account and bundle is None,
    )


def upgrade(
    present: Extension, form: UpgradeForm, graph: Graph | None, bundles: list[Bundle], *, accounts: bool
) -> ExtensionDraft:
    """A change of what is installed.

    `bundles`: the installed one and the target, as far as they are known: the account needs the rights of both.
    """
    choices = {**asdict(present), **form.choices}
    found, picked = target(graph, choices, (present.bundle, present.installed))
    if graph is not None and picked is None and "version" not in form.errors:
        words = _(
            "No version in these channels and this range can follow %(version)s. Change the range, add "
            "channels, or ignore the upgrade path."
        )
        form.add_error("version", words % {"version": present.installed or "–"})
    objects = (
        list(account_objects(bundles, present.name, present.namespace, present.account))
        if accounts and choices["make_account"] and bundles
        else []
    )
    # The account is there: it is the roles that change.
    objects = [item for item in objects if item["kind"] != "ServiceAccount"]
    objects.append(extension(choices, accounts=accounts))
    return ExtensionDraft(
        form=form,
        objects=tuple(objects),
        candidates=found,
        target=picked,
        warnings=tuple(_warnings(choices, bundles[-1] if bundles else None, accounts=accounts)),
    )


def extension(choices: Mapping[str, Any], *, accounts: bool) -> KubeObject:
    """The ClusterExtension itself. `choices`: as those of ExtensionForm."""
    catalog: dict[str, Any] = {"packageName": choices["package"]}
    if choices["version"]:
        catalog["version"] = choices["version"]
    if choices["channels"]:
        catalog["channels"] = choices["channels"]
    if choices["catalog"]:
        catalog["selector"] = {"matchLabels": {CATALOG_NAME: choices["catalog"]}}
    if choices["policy"] != CATALOG_PROVIDED:
        catalog["upgradeConstraintPolicy"] = choices["policy"]
    spec: dict[str, Any] = {"namespace": choices["namespace"], "source": {"sourceType": "Catalog", "catalog": catalog}}
    if accounts:
        spec["serviceAccount"] = {"name": choices["account"]}
    if choices["unsafe"]:
        spec["install"] = {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "ClusterExtension",
        "metadata": {"name": choices["name"]},
        "spec": spec,
    }


def change(wanted: KubeObject) -> KubeObject:
    """The merge patch that makes an extension what `wanted` says of version, channels, policy and checks; what it
    does not say goes.
    """
    spec = wanted["spec"]
    catalog = spec["source"]["catalog"]
    asked = {key: catalog.get(key) for key in ("version", "channels", "upgradeConstraintPolicy")}
    return {"spec": {"source": {"catalog": asked}, "install": spec.get("install")}}


def _account_without_bundle(choices: Mapping[str, Any]) -> Iterator[KubeObject]:
    """The ServiceAccount, with all permissions or none: those that it needs are unknown."""
    place = {"name": choices["account"], "namespace": choices["namespace"]}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place}
    if choices["cluster_admin"]:
        yield {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"{choices['name']}-installer"[:253]},
            "subjects": [{"kind": "ServiceAccount", **place}],
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
        }


def account_objects(bundles: Iterable[Bundle], extension: str, namespace: str, account: str) -> tuple[KubeObject, ...]:
    """The ServiceAccount with the permissions that it needs: its roles and their bindings.

    Of several bundles (the installed one and the next) the permissions of all.
    """
    found = list(bundles)
    cluster, inside = (
        [*_finalizers_rule(extension), *_object_rules(found, namespaced=False)],
        [*_object_rules(found, namespaced=True)],
    )
    cluster += [rule for bundle in found for rule in _granted_rules(bundle) if rule not in cluster]
    name = f"{extension}-installer"[:253]
    subject = [{"kind": "ServiceAccount", "name": account, "namespace": namespace}]
    meta, place = {"name": name}, {"name": name, "namespace": namespace}
    return (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": namespace}},
        {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": cluster},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": meta,
            "subjects": subject,
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        },
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": place, "rules": inside},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": place,
            "subjects": subject,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
        },
    )


def _warnings(choices: Mapping[str, Any], bundle: Bundle | None, *, accounts: bool) -> Iterator[str]:
    if accounts and choices["make_account"] and bundle is None:
        yield (
            _(
                "The ServiceAccount gets all permissions in the cluster. Anyone who can use it, or create Pods in its"
                " namespace, has them too."
            )
            if choices.get("cluster_admin")
            else _(
                "The permissions that the ServiceAccount needs can't be computed, because the bundle's manifests aren't"
                " available. OLM reports what is missing."
            )
        )
    if bundle is not None and bundle.csv:
        spec = read(bundle.csv.get("spec"), ClusterServiceVersionSpec)
        if "AllNamespaces" not in install_modes(spec.install_modes):
            yield _(
                "This operator doesn't support watching all namespaces, the only install mode of OLM v1. "
                "OLM v1 will reject it."
            )
        if spec.webhookdefinitions:
            yield _("The bundle has webhooks, which OLM v1 doesn't fully support.")
    if choices["policy"] == SELF_CERTIFIED:
        yield _(
            "The author's upgrade path is ignored: OLM installs any version, including older versions. "
            "Data can be lost."
        )
    if choices["unsafe"]:
        yield _(
            "Changes to custom resource definitions aren't checked before an upgrade. Objects can become unreadable."
        )


def _finalizers_rule(extension: str) -> Iterator[Rule]:
    """To set owner references that block the extension's deletion."""
    yield {
        "apiGroups": [GROUP],
        "resources": ["clusterextensions/finalizers"],
        "resourceNames": [extension],
        "verbs": ["update"],
    }


def _object_rules(bundles: list[Bundle], *, namespaced: bool) -> Iterator[Rule]:
    """Two rules for each resource: what can't be bound to a name, and what can."""
    names: dict[tuple[str, str], list[str]] = {}
    for bundle in bundles:
        for group, kind, name in _created_objects(bundle):
            if direct.namespaced({"kind": kind}) == namespaced:
                known = names.setdefault((group, _PLURALS.get(kind, kind.lower() + "s")), [])
                if name and name not in known:
                    known.append(name)
    for (group, plural), known in names.items():
        if known:
            yield {"apiGroups": [group], "resources": [plural], "verbs": _UNNAMED_VERBS}
            yield {"apiGroups": [group], "resources": [plural], "resourceNames": known, "verbs": _NAMED_VERBS}
        else:
            yield {"apiGroups": [group], "resources": [plural], "verbs": [*_UNNAMED_VERBS, *_NAMED_VERBS]}


def _created_objects(bundle: Bundle) -> Iterator[tuple[str, str, str]]:
    """(group, kind, name) of everything that OLM v1 makes of a bundle; the name '' where OLM makes it up."""
    created = [read(obj, Object) for obj in direct.objects(bundle, "x")]
    roles = any(obj.kind in ("Role", "ClusterRole") and direct.HASH in obj.metadata.labels for obj in created)
    for obj in created:
        if obj.kind != "ClusterServiceVersion" and direct.HASH not in obj.metadata.labels:
            yield obj.group, obj.kind, "" if obj.kind.startswith("ClusterRole") else obj.metadata.name
    if roles:
        # Watching all namespaces, all of its rights become cluster-wide.
        yield _RBAC, "ClusterRole", ""
        yield _RBAC, "ClusterRoleBinding", ""
    for deployment in read(bundle.csv, ClusterServiceVersion).spec.install.spec.deployments:
        yield "apps", "Deployment", deployment.name


def _granted_rules(bundle: Bundle) -> Iterator[Rule]:
    """What the operator gets, so that the account may give it."""
    strategy = read(bundle.csv, ClusterServiceVersion).spec.install.spec
    for permission in (*strategy.cluster_permissions, *strategy.permissions):
        yield from map(direct.rule, permission.rules)
    if strategy.permissions:
        yield {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"]}
    for other in bundle.others:
        if other.get("kind") in ("ClusterRole", "Role"):
            yield from map(direct.rule, read(other, Role).rules)

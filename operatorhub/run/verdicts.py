"""Validates a bundle before it is applied: the checks of operator-sdk's `bundle validate` and of OLM. Pure.

An error means that OLM, or the API server, would refuse it or could not use it; a warning that it should be reviewed.
https://olm.operatorframework.io/docs/tasks/creating-operator-manifests/
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.objects import items
from kube.reader import read
from kube.types import meta
from kube.types.extensions import CustomResourceDefinition
from kube.types.olm import ClusterServiceVersion
from operatorhub import direct
from operatorhub.bundle.bundles import Bundle
from operatorhub.csv import LEVELS, apis, install_modes, level
from resources.forms import errors
from resources.forms.schema import Schema
from untrusted import json_bounds

ERROR, WARNING = "error", "warning"
_SEMVER = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
#: Kinds that OLM takes beside the CSV and CRDs:
#: https://olm.operatorframework.io/docs/tasks/creating-operator-manifests/
KINDS = frozenset(
    [
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "ConsoleCLIDownload",
        "ConsoleLink",
        "ConsoleQuickStart",
        "ConsoleYAMLSample",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "PriorityClass",
        "PrometheusRule",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
        "ServiceMonitor",
        "VerticalPodAutoscaler",
    ]
)
_PREFIXES = (
    "operators.operatorframework.io/",
    "operatorframework.io/",
    "operators.openshift.io/",
    "features.operators.openshift.io/",
)
_KNOWN = re.compile(
    r"operators\.operatorframework\.io/(builder|project_layout|internal-objects|operator-type|uninstall-message|disable-operand-delete)"
    r"|operatorframework\.io/(suggested-namespace|suggested-namespace-template|initialization-resource|cluster-monitoring|properties|priorityclass|arch\..+|os\..+)"
    r"|operators\.openshift\.io/(infrastructure-features|valid-subscription|must-gather-image|capability)"
    r"|features\.operators\.openshift\.io/(disconnected|fips-compliant|proxy-aware|cnf|cni|csi|tls-profiles|token-auth-(aws|azure|gcp))"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding; `where` names the object or field, '' when it is about the whole."""

    level: str
    words: str
    where: str = ""


def judge(bundle: Bundle) -> tuple[Verdict, ...]:
    """Errors first; () when there is nothing to say."""
    if not bundle.csv:
        return (
            Verdict(
                ERROR,
                _("The bundle contains no ClusterServiceVersion, which defines what to install."),
                "manifests/",
            ),
        )
    csv = read(bundle.csv, ClusterServiceVersion)
    crds = tuple(read(crd, CustomResourceDefinition) for crd in bundle.crds)
    others = tuple(read(manifest, meta.Object) for manifest in bundle.others)
    found = [
        *_head(csv),
        *_strategy(csv, others, partial=bundle.partial),
        *_kinds(csv, crds, partial=bundle.partial),
        *_examples(csv, crds, partial=bundle.partial),
        *_others(others),
        *_annotations(csv.metadata.annotations),
    ]
    if bundle.partial:
        words = _(
            "The catalog has only a description of this bundle; its manifests are in the image "
            "%(image)s. Specify that image instead."
        )
        found.insert(0, Verdict(ERROR, words % {"image": bundle.image or "?"}))
    return tuple(sorted(found, key=lambda verdict: verdict.level != ERROR))


def refused(verdicts: tuple[Verdict, ...]) -> bool:
    return any(verdict.level == ERROR for verdict in verdicts)


def _head(csv: ClusterServiceVersion) -> Iterator[Verdict]:
    if csv.api_version != direct.CSV_API:
        yield Verdict(ERROR, _("The apiVersion isn't %(wanted)s.") % {"wanted": direct.CSV_API}, "apiVersion")
    if not csv.metadata.name:
        yield Verdict(ERROR, _("The ClusterServiceVersion has no name."), "metadata.name")
    if not _SEMVER.fullmatch(csv.spec.version):
        words = _("“%(version)s” isn't a valid version. A version has three numbers, such as 1.2.0.")
        yield Verdict(ERROR, words % {"version": csv.spec.version}, "spec.version")
    if not csv.spec.display_name:
        yield Verdict(
            WARNING,
            _("The ClusterServiceVersion has no displayName, so users see its technical name."),
            "spec.displayName",
        )
    if not install_modes(csv.spec.install_modes):
        yield Verdict(ERROR, _("The bundle supports no install mode, so OLM can't install it."), "spec.installModes")


def _strategy(csv: ClusterServiceVersion, others: tuple[meta.Object, ...], *, partial: bool) -> Iterator[Verdict]:
    install = csv.spec.install
    if install.strategy != "deployment":
        yield Verdict(
            ERROR,
            _("The install strategy isn't “deployment”, the only strategy that OLM supports."),
            "spec.install.strategy",
        )
    deployments = {deployment.name: deployment for deployment in install.spec.deployments}
    if not deployments and not partial:
        yield Verdict(
            WARNING, _("The bundle creates no Deployment, so nothing will run."), "spec.install.spec.deployments"
        )
    granted = set(install.spec.service_accounts)
    own = {manifest.metadata.name for manifest in others if manifest.kind == "ServiceAccount"}
    for name, deployment in deployments.items():
        account = deployment.spec.pod_spec.service_account_name
        if account and account != "default" and account not in granted | own:
            words = _(
                "The Deployment “%(name)s” runs as the ServiceAccount “%(account)s”, which neither the "
                "permissions nor the bundle contain, so its Pods can't start."
            )
            yield Verdict(WARNING, words % {"name": name, "account": account}, "spec.install.spec.permissions")
    for webhook in csv.spec.webhookdefinitions:
        if webhook.deployment_name not in deployments:
            words = _(
                "The webhook “%(name)s” refers to the Deployment “%(deployment)s”, which isn't in the "
                "ClusterServiceVersion."
            )
            values = {"name": webhook.generate_name, "deployment": webhook.deployment_name}
            yield Verdict(ERROR, words % values, "spec.webhookdefinitions")


def _kinds(
    csv: ClusterServiceVersion, crds: tuple[CustomResourceDefinition, ...], *, partial: bool
) -> Iterator[Verdict]:
    """What the CSV says it owns, against the CRDs that are there."""
    defined = {crd.metadata.name: crd.spec for crd in crds}
    owned = csv.spec.customresourcedefinitions.owned
    place = "spec.customresourcedefinitions.owned"
    for description in owned if not partial else ():
        name, version = description.name, description.version
        spec = defined.get(name)
        if spec is None:
            words = _(
                "The bundle declares that it provides %(kind)s (%(name)s), but doesn't contain that "
                "CustomResourceDefinition."
            )
            yield Verdict(ERROR, words % {"kind": description.kind, "name": name}, place)
            continue
        if spec.names.kind != description.kind:
            words = _(
                "The ClusterServiceVersion calls the kind of %(name)s “%(said)s”, but the "
                "CustomResourceDefinition calls it “%(kind)s”."
            )
            values = {"name": name, "said": description.kind, "kind": spec.names.kind}
            yield Verdict(ERROR, words % values, place)
        if version and version not in {defined_version.name for defined_version in spec.versions}:
            words = _("The CustomResourceDefinition %(name)s has no version %(version)s.")
            yield Verdict(ERROR, words % {"name": name, "version": version}, place)
    for name in defined.keys() - {description.name for description in owned}:
        yield Verdict(
            WARNING,
            _(
                "The bundle contains the CustomResourceDefinition %(name)s, but its ClusterServiceVersion "
                "doesn't list it."
            )
            % {"name": name},
            place,
        )


def _examples(
    csv: ClusterServiceVersion, crds: tuple[CustomResourceDefinition, ...], *, partial: bool
) -> Iterator[Verdict]:
    """alm-examples: readable, of kinds that are there, and such that the API server would take them."""
    raw = csv.metadata.annotations.get("alm-examples")
    place = "metadata.annotations.alm-examples"
    if not raw:
        if apis(csv.spec.customresourcedefinitions.owned):
            yield Verdict(WARNING, _("The bundle has no examples of its resource types."), place)
        return
    try:
        examples = json_bounds.loads(raw)
    except ValueError as error:
        yield Verdict(ERROR, _("The examples aren't valid JSON: %(why)s") % {"why": error}, place)
        return
    schemas = {
        (f"{crd.spec.group}/{version.name}", crd.spec.names.kind): version.schema.open_api_v3_schema
        for crd in crds
        for version in crd.spec.versions
    }
    for number, example in enumerate(items(examples)):
        head = read(example, meta.Object)
        schema = schemas.get((head.api_version, head.kind))
        where = f"{place}[{number}]"
        if schema is None:
            if crds and not partial:
                words = _("An example has the kind %(kind)s (%(version)s), which the bundle doesn't provide.")
                yield Verdict(WARNING, words % {"kind": head.kind, "version": head.api_version}, where)
            continue
        for problem in errors.object_problems(Schema.from_document(schema), dict(example))[:5]:
            words = _("The example of %(kind)s doesn't match its schema: %(where)s: %(message)s")
            values = {"kind": head.kind, "where": problem.where, "message": problem.message}
            yield Verdict(WARNING, words % values, where)


def _others(others: tuple[meta.Object, ...]) -> Iterator[Verdict]:
    seen: set[tuple[str, str]] = set()
    for manifest in others:
        key = (manifest.kind, manifest.metadata.name)
        if key[0] not in KINDS:
            yield Verdict(
                WARNING,
                _(
                    "OLM doesn't accept a %(kind)s in a bundle; it would reject this bundle when installed from "
                    "a catalog."
                )
                % {"kind": key[0]},
                " ".join(key),
            )
        if not key[1]:
            yield Verdict(ERROR, _("A %(kind)s has no name.") % {"kind": key[0]}, key[0])
        elif key in seen:
            yield Verdict(
                ERROR,
                _("The bundle contains the %(kind)s “%(name)s” twice.") % {"kind": key[0], "name": key[1]},
                " ".join(key),
            )
        seen.add(key)


def _annotations(annotations: Mapping[str, str]) -> Iterator[Verdict]:
    capability = annotations.get("capabilities")
    if capability is not None and not level(annotations):
        words = _("“%(said)s” isn't a capability level. Valid: %(levels)s.")
        values = {"said": capability.strip(), "levels": ", ".join(LEVELS)}
        yield Verdict(WARNING, words % values, "metadata.annotations.capabilities")
    for name in annotations:
        if name.startswith(_PREFIXES) and not _KNOWN.fullmatch(name):
            yield Verdict(
                WARNING,
                _("Unknown annotation %(name)s. Check its spelling.") % {"name": name},
                "metadata.annotations",
            )

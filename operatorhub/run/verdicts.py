"""Validates a bundle before it is applied: the checks of operator-sdk's `bundle validate` and of OLM. Pure.

An error means that OLM, or the API server, would refuse it or could not use it; a warning that it should be reviewed.
https://olm.operatorframework.io/docs/tasks/creating-operator-manifests/
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from operatorhub import direct
from operatorhub.bundle.bundles import Bundle
from operatorhub.csv import LEVELS, apis, install_modes, items, level, mapping, text
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
    found = [
        *_head(bundle),
        *_strategy(bundle),
        *_kinds(bundle),
        *_examples(bundle),
        *_others(bundle),
        *_annotations(bundle),
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


def _head(bundle: Bundle) -> Iterator[Verdict]:
    meta, spec = mapping(bundle.csv.get("metadata")), mapping(bundle.csv.get("spec"))
    if text(bundle.csv.get("apiVersion")) != direct.CSV_API:
        yield Verdict(ERROR, _("The apiVersion isn't %(wanted)s.") % {"wanted": direct.CSV_API}, "apiVersion")
    if not text(meta.get("name")):
        yield Verdict(ERROR, _("The ClusterServiceVersion has no name."), "metadata.name")
    version = text(spec.get("version"))
    if not _SEMVER.fullmatch(version):
        words = _("“%(version)s” isn't a valid version. A version has three numbers, such as 1.2.0.") % {
            "version": version
        }
        yield Verdict(ERROR, words, "spec.version")
    if not text(spec.get("displayName")):
        yield Verdict(
            WARNING,
            _("The ClusterServiceVersion has no displayName, so users see its technical name."),
            "spec.displayName",
        )
    if not install_modes(spec.get("installModes")):
        yield Verdict(ERROR, _("The bundle supports no install mode, so OLM can't install it."), "spec.installModes")


def _strategy(bundle: Bundle) -> Iterator[Verdict]:
    install = mapping(mapping(bundle.csv.get("spec")).get("install"))
    asked = direct.strategy(bundle.csv)
    if text(install.get("strategy")) != "deployment":
        yield Verdict(
            ERROR,
            _("The install strategy isn't “deployment”, the only strategy that OLM supports."),
            "spec.install.strategy",
        )
    deployments = {text(item.get("name")): item for item in items(asked.get("deployments"))}
    if not deployments and not bundle.partial:
        yield Verdict(
            WARNING, _("The bundle creates no Deployment, so nothing will run."), "spec.install.spec.deployments"
        )
    granted = {
        text(item.get("serviceAccountName"))
        for key in ("permissions", "clusterPermissions")
        for item in items(asked.get(key))
    }
    own = {
        text(mapping(item.get("metadata")).get("name"))
        for item in bundle.others
        if item.get("kind") == "ServiceAccount"
    }
    for name, deployment in deployments.items():
        pod = mapping(mapping(mapping(deployment.get("spec")).get("template")).get("spec"))
        account = text(pod.get("serviceAccountName"))
        if account and account != "default" and account not in granted | own:
            words = _(
                "The Deployment “%(name)s” runs as the ServiceAccount “%(account)s”, which neither the "
                "permissions nor the bundle contain, so its Pods can't start."
            )
            yield Verdict(WARNING, words % {"name": name, "account": account}, "spec.install.spec.permissions")
    for hook in items(mapping(bundle.csv.get("spec")).get("webhookdefinitions")):
        if text(hook.get("deploymentName")) not in deployments:
            words = _(
                "The webhook “%(name)s” refers to the Deployment “%(deployment)s”, which isn't in the "
                "ClusterServiceVersion."
            )
            values = {"name": text(hook.get("generateName")), "deployment": text(hook.get("deploymentName"))}
            yield Verdict(ERROR, words % values, "spec.webhookdefinitions")


def _kinds(bundle: Bundle) -> Iterator[Verdict]:
    """What the CSV says it owns, against the CRDs that are there."""
    defined = {text(mapping(crd.get("metadata")).get("name")): mapping(crd.get("spec")) for crd in bundle.crds}
    owned = list(items(mapping(mapping(bundle.csv.get("spec")).get("customresourcedefinitions")).get("owned")))
    place = "spec.customresourcedefinitions.owned"
    for item in owned if not bundle.partial else ():
        name, version = text(item.get("name")), text(item.get("version"))
        spec = defined.get(name)
        if spec is None:
            words = _(
                "The bundle declares that it provides %(kind)s (%(name)s), but doesn't contain that "
                "CustomResourceDefinition."
            )
            yield Verdict(ERROR, words % {"kind": text(item.get("kind")), "name": name}, place)
            continue
        if text(mapping(spec.get("names")).get("kind")) != text(item.get("kind")):
            words = _(
                "The ClusterServiceVersion calls the kind of %(name)s “%(said)s”, but the "
                "CustomResourceDefinition calls it “%(kind)s”."
            )
            yield Verdict(
                ERROR,
                words
                % {
                    "name": name,
                    "said": text(item.get("kind")),
                    "kind": text(mapping(spec.get("names")).get("kind")),
                },
                place,
            )
        if version and version not in {text(each.get("name")) for each in items(spec.get("versions"))}:
            words = _("The CustomResourceDefinition %(name)s has no version %(version)s.")
            yield Verdict(ERROR, words % {"name": name, "version": version}, place)
    for name in defined.keys() - {text(definition.get("name")) for definition in owned}:
        yield Verdict(
            WARNING,
            _(
                "The bundle contains the CustomResourceDefinition %(name)s, but its ClusterServiceVersion "
                "doesn't list it."
            )
            % {"name": name},
            place,
        )


def _examples(bundle: Bundle) -> Iterator[Verdict]:
    """alm-examples: readable, of kinds that are there, and such that the API server would take them."""
    raw = mapping(mapping(bundle.csv.get("metadata")).get("annotations")).get("alm-examples")
    place = "metadata.annotations.alm-examples"
    if not raw:
        if apis(mapping(bundle.csv.get("spec")).get("customresourcedefinitions")):
            yield Verdict(WARNING, _("The bundle has no examples of its resource types."), place)
        return
    try:
        examples = json_bounds.loads(text(raw))
    except ValueError as error:
        yield Verdict(ERROR, _("The examples aren't valid JSON: %(why)s") % {"why": error}, place)
        return
    schemas = dict(_schemas(bundle.crds))
    for number, item in enumerate(items(examples)):
        key = (text(item.get("apiVersion")), text(item.get("kind")))
        where = f"{place}[{number}]"
        if key not in schemas:
            if bundle.crds and not bundle.partial:
                words = _("An example has the kind %(kind)s (%(version)s), which the bundle doesn't provide.")
                yield Verdict(WARNING, words % {"kind": key[1], "version": key[0]}, where)
            continue
        for problem in errors.object_problems(Schema.from_document(schemas[key]), dict(item))[:5]:
            words = _("The example of %(kind)s doesn't match its schema: %(where)s: %(message)s")
            yield Verdict(WARNING, words % {"kind": key[1], "where": problem.where, "message": problem.message}, where)


def _schemas(crds: tuple[Mapping[str, Any], ...]) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    for crd in crds:
        spec = mapping(crd.get("spec"))
        for version in items(spec.get("versions")):
            schema = mapping(mapping(version.get("schema")).get("openAPIV3Schema"))
            yield (
                (
                    f"{text(spec.get('group'))}/{text(version.get('name'))}",
                    text(mapping(spec.get("names")).get("kind")),
                ),
                schema,
            )


def _others(bundle: Bundle) -> Iterator[Verdict]:
    seen: set[tuple[str, str]] = set()
    for item in bundle.others:
        key = (text(item.get("kind")), text(mapping(item.get("metadata")).get("name")))
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


def _annotations(bundle: Bundle) -> Iterator[Verdict]:
    notes = mapping(mapping(bundle.csv.get("metadata")).get("annotations"))
    capability = notes.get("capabilities")
    if capability is not None and not level(capability):
        words = _("“%(said)s” isn't a capability level. Valid: %(levels)s.")
        yield Verdict(
            WARNING,
            words % {"said": text(capability), "levels": ", ".join(LEVELS)},
            "metadata.annotations.capabilities",
        )
    for name in notes:
        if str(name).startswith(_PREFIXES) and not _KNOWN.fullmatch(str(name)):
            yield Verdict(
                WARNING,
                _("Unknown annotation %(name)s. Check its spelling.") % {"name": name},
                "metadata.annotations",
            )
